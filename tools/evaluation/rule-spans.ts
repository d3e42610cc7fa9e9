/** Measures what finds places (personal data, secrets) on texts whose places are marked: by kind and by language. */
import { z } from "zod";
import { rulesConfigSchema } from "../../src/supervision/rules/config.js";
import { compileRules } from "../../src/supervision/rules/engine.js";
import { personalDataKinds } from "../../src/supervision/rules/personal-data.js";
import { shareText } from "./intervals.js";

export const markedTextSchema = z.object({
  text: z.string(),
  /** Offsets are UTF-16 code units, `end` exclusive. */
  spans: z.array(z.object({ start: z.int(), end: z.int(), kind: z.string() })),
  lang: z.string().default(""),
  split: z.string().default(""),
});
export type MarkedText = z.infer<typeof markedTextSchema>;
type Span = MarkedText["spans"][number];

/** Counts of one kind: `correct` are found and marked, with the same start and end. */
export interface SpanCounts {
  correct: number;
  found: number;
  marked: number;
}

/** The kinds that can be measured, with the match that finds them. */
const matches: ReadonlyMap<string, object> = new Map<string, object>([
  ...personalDataKinds.map((kind) => [kind, { type: "personalData", kinds: [kind] }] as const),
  ["secret", { type: "secrets" }],
]);

/** A function that finds the places of one kind. Throws an Error if there is no such kind. */
function finderOf(kind: string): (text: string) => Span[] {
  const match = matches.get(kind);
  if (match === undefined) throw new Error(`no kind ${kind}; there are ${[...matches.keys()].join(", ")}`);
  const rule = { match, action: "redact", replacement: "█", reason: kind };
  const rules = compileRules(rulesConfigSchema.parse({ rules: [rule] }));
  return (text) => rules.judge(text).edits.map(({ start, end }) => ({ start, end, kind }));
}

/** Counts for each kind that is marked anywhere in the texts. A place is right only with the start and end it is marked with. */
export function countSpans(texts: readonly MarkedText[], onMistake?: Mistake): Map<string, SpanCounts> {
  const kinds = [...new Set(texts.flatMap(({ spans }) => spans.map(({ kind }) => kind)))].sort();
  return new Map(kinds.map((kind) => [kind, countKind(texts, kind, onMistake)]));
}

type Mistake = (what: "missed" | "false", kind: string, place: string, text: string) => void;

function countKind(texts: readonly MarkedText[], kind: string, onMistake?: Mistake): SpanCounts {
  const find = finderOf(kind);
  const counts: SpanCounts = { correct: 0, found: 0, marked: 0 };
  for (const { text, spans } of texts) {
    const [found, marked] = [find(text), spans.filter((span) => span.kind === kind)];
    const isIn = (spans: readonly Span[], { start, end }: Span) =>
      spans.some((other) => other.start === start && other.end === end);
    counts.found += found.length;
    counts.marked += marked.length;
    counts.correct += found.filter((span) => isIn(marked, span)).length;
    for (const span of marked)
      if (!isIn(found, span)) onMistake?.("missed", kind, text.slice(span.start, span.end), text);
    for (const span of found)
      if (!isIn(marked, span)) onMistake?.("false", kind, text.slice(span.start, span.end), text);
  }
  return counts;
}

/** The harmonic mean of precision and recall; 1 if there was nothing to find and nothing was found. */
export function f1({ correct, found, marked }: SpanCounts): number {
  return found + marked === 0 ? 1 : (2 * correct) / (found + marked);
}

/** Prints precision, recall and F1, by kind and by language; with `showMistakes`, each mistake too. */
export function reportSpans(all: readonly MarkedText[], split?: string, showMistakes = false): void {
  const texts = all.filter((text) => split === undefined || text.split === split);
  const print: Mistake = (what, kind, place, text) =>
    console.log(`${what} ${kind}: ${JSON.stringify(place)} in ${text}`);
  console.log(`${texts.length} texts`);
  printCounts(countSpans(texts, showMistakes ? print : undefined));
  for (const lang of [...new Set(texts.map((text) => text.lang))].filter(Boolean).sort()) {
    console.log(`\n## ${lang}`);
    printCounts(countSpans(texts.filter((text) => text.lang === lang)));
  }
}

function printCounts(counts: ReadonlyMap<string, SpanCounts>): void {
  for (const [kind, each] of counts) {
    const precision = shareText(each.correct, each.found);
    console.log(
      `${kind.padEnd(12)} F1 ${f1(each).toFixed(3)}  precision ${precision}  recall ${shareText(each.correct, each.marked)}`,
    );
  }
}
