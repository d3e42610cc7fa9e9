/** The synthesis of a debate: its conclusion, with the minority beside it, and no source that wasn't in the debate. */
import { z } from "zod";
import { shorten } from "../text/passages.js";
import { readProbability } from "../text/written-json.js";
import type { NameOf } from "./consensus/movement.js";
import { type Consensus, type Disagreement, minorityViewSchema } from "./consensus/schema.js";
import { citableContext } from "./context-request.js";
import type { RoundRecord } from "./debate.js";
import { type DebateMaterial, materialNotice, materialOf, sourcesOf } from "./debate-material.js";
import { countConsensus } from "./exit.js";
import type { DebatePorts, LoadedPanel } from "./ports.js";
import { citationSchema, sourceKey } from "./position.js";
import { askStructured, type StructuredAnswer } from "./structured-answer.js";
import { listOfTexts, optionalText, type Read, text, unreadable } from "./written-answer.js";

export const synthesisSchema = z.object({
  conclusion: z.string(),
  recommendation: z.string(),
  commonGround: z.array(z.string()),
  keyDifferences: z.array(z.string()),
  /** How the views came about. */
  evolution: z.string(),
  confidence: z.number().min(0).max(1),
  /** As the last round shows it: no model can leave it out. */
  minority: z.array(minorityViewSchema),
  /** Sources that positions of the debate cite. */
  citations: z.array(citationSchema),
  /** Ids of the context requests whose answers it rests on. */
  citedContext: z.array(z.string()),
  /** What it cited and nobody in the debate had: left out. */
  unknownCitations: z.array(z.string()),
  /** `rounds`: put together from what is counted, because no model's synthesis could be had. */
  writtenBy: z.enum(["model", "rounds"]),
  /** The last round that it knows of. */
  round: z.int(),
  /** What was answered until then is in it. */
  asOf: z.iso.datetime().optional(),
});
export type Synthesis = z.infer<typeof synthesisSchema>;

export interface SynthesisInput extends DebateMaterial {
  /** Of the last round. */
  readonly consensus: Consensus;
}

const demand = `Answer with this JSON alone: {"conclusion": "what the debate comes to", "recommendation": "what to do now", "commonGround": ["…"], "keyDifferences": ["what divides them still, and who stands where"], "evolution": "who moved, and what moved them", "confidence": a number from 0 to 1, "citations": ["S1", "C2"]}`;

const instructions = [
  "You write the synthesis of a debate for somebody who wasn't there. Say what it comes to and what to do, as far as the debate supports it, and no further.",
  "Give the minority its due: what it holds, and what would prove it right. Don't turn a split into an agreement.",
  "Cite only sources and answers that are in the material, by their ids such as S1 or C2. Name nothing as a fact that nobody in the debate said or was given.",
  materialNotice,
].join("\n\n");

const looseSchema = z.object({
  conclusion: text(4_000),
  recommendation: optionalText(4_000),
  commonGround: listOfTexts,
  keyDifferences: listOfTexts,
  evolution: optionalText(4_000),
  confidence: z.union([z.number(), z.string()]).nullish(),
  citations: z
    .array(
      z.union([
        z.string(),
        z.object({ id: z.string().nullish(), title: z.string().nullish(), url: z.string().nullish() }),
      ]),
    )
    .nullish()
    .catch([]),
});

/** What a model wrote, its citations checked against the debate; or what is wrong with it in words for the model. */
export function readSynthesis(value: object, input: SynthesisInput): Read<Synthesis> {
  const parsed = looseSchema.safeParse(value);
  if (!parsed.success) return unreadable(parsed.error);
  const { conclusion, recommendation, commonGround, keyDifferences, evolution, confidence, citations } = parsed.data;
  const named = (citations ?? []).map((one) =>
    typeof one === "string" ? one : (one.url ?? one.id ?? one.title ?? ""),
  );
  // Those of the text too: what it says there has to be in the debate as well.
  const inText = [...`${conclusion} ${recommendation ?? ""}`.matchAll(/\[([SC]\d{1,4})\]/g)].map(
    ([, label = ""]) => label,
  );
  const sure = confidence == null ? undefined : readProbability(confidence);
  if (confidence != null && sure === undefined) {
    return { ok: false, problem: `confidence is a number from 0 to 1, not ${JSON.stringify(confidence)}.` };
  }
  return {
    ok: true,
    value: {
      conclusion,
      recommendation: recommendation ?? "",
      commonGround,
      keyDifferences: [...keyDifferences, ...undecided(input.consensus)],
      evolution: evolution ?? "",
      confidence: sure ?? input.consensus.meanConfidence,
      minority: input.consensus.minority,
      ...checkedCitations([...new Set([...named, ...inText])], input),
      writtenBy: "model",
      round: input.consensus.round,
    },
  };
}

/** Where no view has more seats than the others there is no minority to be shown: who holds what is, whatever the model says. */
function undecided({ clusters, summary }: Consensus): string[] {
  const [first, second] = clusters;
  return second !== undefined && first?.seats.length === second.seats.length ? [summary] : [];
}

function checkedCitations(
  named: readonly string[],
  { rounds, requests }: Pick<SynthesisInput, "rounds" | "requests">,
): Pick<Synthesis, "citations" | "citedContext" | "unknownCitations"> {
  const plain = (name: string) =>
    name
      .trim()
      .replace(/^\[|\]$/g, "")
      .toLowerCase();
  const wanted = new Set(named.map(plain).filter((name) => name !== ""));
  const isWanted = (...names: readonly (string | undefined)[]) =>
    names.some((name) => name !== undefined && wanted.has(plain(name)));
  const sources = sourcesOf(rounds);
  const context = citableContext(requests);
  const known = new Set(
    [
      ...sources.flatMap(({ label, citation }) => [label, citation.title, citation.url]),
      ...context.flatMap(({ label, requestId }) => [label, requestId]),
    ].flatMap((name) => (name === undefined ? [] : [plain(name)])),
  );
  return {
    citations: sources
      .filter(({ label, citation }) => isWanted(label, citation.title, citation.url))
      .map(({ citation }) => citation),
    citedContext: context
      .filter(({ label, requestId }) => isWanted(label, requestId))
      .map(({ requestId }) => requestId),
    unknownCitations: named
      .filter((name) => plain(name) !== "" && !known.has(plain(name)))
      .map((name) => shorten(name, 300)),
  };
}

/**
 * Has a debate synthesised. Where no model's synthesis can be had, the last round's consensus stands in for it, and says so.
 * @throws {Parked} while a person reviews it.
 */
export async function synthesise(
  id: string,
  debate: { readonly topic: string; readonly rounds: readonly RoundRecord[] },
  panel: LoadedPanel,
  ports: DebatePorts,
): Promise<StructuredAnswer<Synthesis>> {
  const consensus = debate.rounds.at(-1)?.consensus ?? countConsensus(debate.rounds, panel);
  const material = { ...materialOf(debate, panel, ports), consensus };
  const { synthesis: models } = panel.models;
  const read = (value: object) => readSynthesis(value, material);
  const answer = await askStructured<Synthesis>(
    { from: "synthesis", id, models, instructions, material, demand, read, texts: textsOf, withTexts },
    panel,
    ports,
  );
  if (answer.kind === "answer" || answer.reason === "blocked") return answer;
  return { kind: "answer", value: synthesisOfRounds(material), spent: answer.spent };
}

/** What the rounds themselves come to, without a model: all of it was supervised when it was said. */
export function synthesisOfRounds({ consensus, nameOf, rounds, requests }: SynthesisInput): Synthesis {
  const [largest] = consensus.clusters;
  const isSplit = consensus.clusters.length > 1;
  const spoken = rounds.at(-1)?.positions.find(({ seat }) => seat === largest?.spokenFor);
  return {
    conclusion: consensus.summary,
    recommendation: isSplit
      ? "The panel is divided: weigh the views against each other before you decide."
      : (spoken?.position ?? largest?.position ?? ""),
    commonGround: consensus.commonGround.map((one) => one.text),
    keyDifferences: consensus.disagreements.map((one) => sidesText(one, nameOf)),
    evolution: evolutionText(consensus, nameOf),
    confidence: consensus.meanConfidence,
    minority: consensus.minority,
    ...checkedCitations(
      (rounds.at(-1)?.positions ?? []).flatMap(({ citations, citedContext }) => [
        ...citations.map(sourceKey),
        ...citedContext,
      ]),
      { rounds, requests },
    ),
    writtenBy: "rounds",
    round: consensus.round,
  };
}

/** Who moved in the last round, in words. */
function evolutionText({ movements, round }: Consensus, nameOf: NameOf): string {
  if (movements.length === 0) return `Nobody moved in round ${round}.`;
  return movements.map((movement) => movementText(movement, nameOf)).join(" ");
}

/** Who holds what against whom. */
export function sidesText({ sides }: Disagreement, nameOf: NameOf): string {
  return sides.map((side) => `${side.seats.map(nameOf).join(", ")}: ${side.text}`).join(" / ");
}

/** @example movementText(movement, nameOf) // "Ana moved from YES to NO, towards Ben, without new evidence." */
export function movementText(movement: Consensus["movements"][number], nameOf: NameOf): string {
  const { seat, kind, stance, confidence, toward, credits, newEvidence } = movement;
  const change = `${confidence.from.toFixed(2)} → ${confidence.to.toFixed(2)}`;
  if (kind === "confidence") {
    return `${nameOf(seat)} grew ${confidence.to > confidence.from ? "surer" : "less sure"} (${change}).`;
  }
  const moved =
    kind === "stance"
      ? `moved from ${stance?.from ?? "no stance"} to ${stance?.to ?? "no stance"}`
      : "changed its position";
  const whom = toward.length === 0 ? "" : `, towards ${toward.map(nameOf).join(", ")}`;
  const credited = credits.length === 0 ? "" : `, naming ${credits.map(nameOf).join(", ")}`;
  return `${nameOf(seat)} ${moved}${whom}${credited}, ${newEvidence ? "with" : "without"} new evidence (confidence ${change}).`;
}

function textsOf({ conclusion, recommendation, evolution, commonGround, keyDifferences }: Synthesis): string[] {
  return [conclusion, recommendation, evolution, ...commonGround, ...keyDifferences];
}

function withTexts(
  synthesis: Synthesis,
  [conclusion = "", recommendation = "", evolution = "", ...lists]: readonly string[],
): Synthesis {
  const { length } = synthesis.commonGround;
  const kept = (items: readonly string[]) => items.filter((one) => one.trim() !== "");
  return {
    ...synthesis,
    conclusion,
    recommendation,
    evolution,
    commonGround: kept(lists.slice(0, length)),
    keyDifferences: kept(lists.slice(length)),
  };
}
