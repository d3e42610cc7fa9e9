/**
 * The offline model as a supervisor: it looks in the supervised data for what its instructions say to block, to hold for review
 * or to redact. What the data itself says is never taken for an instruction.
 */
import type { ToolSpec } from "../../port.js";
import type { Conversation } from "./conversation.js";
import { contentWords, overlap, sentences, stem, stems } from "./words.js";

/** The tool to be called, and what is known of its arguments. */
export interface Verdict {
  readonly tool: ToolSpec;
  /** Texts for the tool's parameters, by name. */
  readonly known: Readonly<Record<string, string>>;
}

/** The tools of a supervisor, told by their names; a prefix or another object ("block_response") makes no difference. */
const toolNamePatterns = {
  allow: /(?:^|_)(?:allow|approve)(?:_|$)/,
  block: /(?:^|_)block(?:_|$)/,
  modify: /(?:^|_)modify(?:_|$)/,
  review: /(?:^|_)review(?:_|$)/,
};
type Act = keyof typeof toolNamePatterns;

/** How instructions say it. `block_message` isn't meant: an underscore belongs to the word. */
const actVerbs: readonly (readonly [Exclude<Act, "allow">, RegExp])[] = [
  [
    "block",
    /\b(?:block|forbid|reject|prohibit|deny|refuse|stop|disallow|(?:do not|don['’]t|never) (?:allow|permit))\b/i,
  ],
  ["review", /\b(?:review|hold|escalate)\b/i],
  ["modify", /\b(?:redact|mask|modify|replace|rewrite|remove|censor)\b/i],
];

/** Says that the rest of a sentence is about what texts mention, not how to go about it. */
const mentionWords =
  /\b(?:mention\w*|contain\w*|nam(?:e|es|ing)|includ\w*|about|regarding|concerning|ask\w* for|related to|discuss\w*)\b/i;
const asidePattern =
  /\b(?:(?:and|then) (?:explain|say|give|tell|call|use|state|provide)|unless|because|otherwise|so that)\b.*/i;

/** Words that name a message rather than something in it. */
const genericWords: ReadonlySet<string> = new Set(
  `anything content data everything instruction letter message nothing phrase question reply request response rule sentence
  supervised term text thing topic turn verdict word answer user`
    .split(/\s+/)
    .map(stem),
);

/** Whether these are a supervisor's tools: the verdict has to be chosen among them. */
export function areVerdicts(tools: readonly ToolSpec[]): boolean {
  return toolFor("allow", tools) !== undefined && toolFor("block", tools) !== undefined;
}

/** The verdict on the supervised data: the strictest that the instructions ask for. */
export function verdict(tools: readonly ToolSpec[], conversation: Conversation): Verdict | undefined {
  const supervised = conversation.blocks.filter((block) => block.tag === "supervised").map((block) => block.text);
  const data = supervised.length === 0 ? conversation.material : supervised.join("\n");
  for (const [act] of actVerbs) {
    const tool = toolFor(act, tools);
    const found = termsFor(act, conversation.instructions).filter((term) => occurs(term, data));
    const [first] = found;
    if (tool === undefined || first === undefined) continue;
    const reason = `The text mentions "${first.text}", which the instructions say to ${act}.`;
    const content = found.reduce(redact, data);
    return { tool, known: act === "modify" ? { reason, content } : { reason } };
  }
  const allow = toolFor("allow", tools);
  return allow && { tool: allow, known: { reason: "Nothing that the instructions name occurs in the text." } };
}

function toolFor(act: Act, tools: readonly ToolSpec[]): ToolSpec | undefined {
  return tools.find((tool) => toolNamePatterns[act].test(tool.name));
}

/** What to look for. */
interface Term {
  readonly text: string;
  /** As it is written, since the instructions quote it; else its words may stand apart and be inflected. */
  readonly exact: boolean;
}

/** The words and phrases that the instructions name together with a verb: quoted ones, else those of the clause. */
function termsFor(act: Act, instructions: string): Term[] {
  const verb = actVerbs.find(([name]) => name === act)?.[1];
  if (verb === undefined) return [];
  return sentences(instructions).flatMap((sentence) => {
    const match = verb.exec(sentence);
    if (match === null || isNegated(sentence.slice(0, match.index))) return [];
    const quoted = [...sentence.matchAll(/"([^"]+)"|“([^“”]+)”|'([^']+)'(?!\w)|`([^`]+)`/g)];
    if (quoted.length > 0) {
      return quoted.map(([, ...groups]) => ({ text: groups.find((group) => group !== undefined) ?? "", exact: true }));
    }
    return clauseTerms(sentence.slice(match.index + match[0].length));
  });
}

/** "never block", "don't stop" */
function isNegated(before: string): boolean {
  return /\b(?:never|not|don['’]t|without)\s+(?:\w+\s+)?$/i.test(before);
}

function clauseTerms(clause: string): Term[] {
  const plain = clause.replace(asidePattern, "");
  const mentions = mentionWords.exec(plain);
  // "block it when …" says what to block only if it goes on with what is mentioned.
  if (mentions === null && /\b(?:if|when|whenever|where)\b/i.test(plain)) return [];
  const object = mentions === null ? plain : plain.slice(mentions.index + mentions[0].length);
  return object
    .split(/,|;|\bor\b|\band\b/i)
    .map((term) =>
      contentWords(term)
        .filter((word) => !genericWords.has(stem(word)))
        .join(" "),
    )
    .filter((text) => text !== "")
    .map((text) => ({ text, exact: false }));
}

function occurs(term: Term, data: string): boolean {
  if (passages(term.text, data).length > 0) return true;
  if (term.exact && /\s/.test(term.text.trim())) return false;
  const termStems = stems(term.text);
  // All the words of a term, in one sentence, whatever their endings.
  return (
    termStems.size > 0 && sentences(data).some((sentence) => overlap(termStems, stems(sentence)) === termStems.size)
  );
}

/** Where a term stands in the data as it is written, apart from case. */
function passages(term: string, data: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  const [low, needle] = [data.toLowerCase(), term.toLowerCase().trim()];
  // Lower-casing may change lengths in some scripts; then places would be wrong.
  if (needle === "" || low.length !== data.length) return found;
  for (let at = low.indexOf(needle); at >= 0; at = low.indexOf(needle, at + needle.length)) {
    const end = at + needle.length;
    const around = [low[at - 1], low[end]];
    if (around.every((character) => character === undefined || !/[\p{L}\p{N}]/u.test(character)))
      found.push({ start: at, end });
  }
  return found;
}

function redact(data: string, { text: term }: Term): string {
  const places = passages(term, data);
  if (places.length > 0) {
    return places.reduceRight((text, { start, end }) => `${text.slice(0, start)}[redacted]${text.slice(end)}`, data);
  }
  const termStems = stems(term);
  return data.replace(/[\p{L}\p{N}]+/gu, (word) => (termStems.has(stem(word.toLowerCase())) ? "[redacted]" : word));
}
