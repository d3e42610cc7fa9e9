/** A debate's answer in layers: what to do; who holds what; what it rests on; what it took. A reader may stop after any of them. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { labelOf } from "../context-request.js";
import type { DebateRecord } from "../debate-record.js";
import { citationSchema, distinctSources, sourceKey, stanceSchema } from "../position.js";
import { movementText, sidesText } from "../synthesis.js";
import { nameIn } from "./names.js";

const adviceKinds = ["proceed", "verify", "ask"] as const;

export const layeredAnswerSchema = z.object({
  decision: z.object({
    answer: z.string(),
    agreementLevel: z.number(),
    confidence: z.number(),
    /** `proceed`: the panel agrees, and nothing speaks against it. `verify`: check what is named. `ask`: something decisive is missing. */
    advice: z.enum(adviceKinds),
    because: z.array(z.string()),
  }),
  agents: z.array(
    z.object({
      agentId: z.string(),
      name: z.string(),
      stance: stanceSchema.optional(),
      position: z.string(),
      confidence: z.number(),
      moved: z.string().optional(),
    }),
  ),
  evidence: z.object({
    sources: z.array(citationSchema.extend({ agents: z.array(z.string()) })),
    context: z.array(
      z.object({ label: z.string(), query: z.string(), source: z.string().optional(), agents: z.array(z.string()) }),
    ),
    conflicts: z.array(z.string()),
    /** What was asked for and never came. */
    missing: z.array(z.object({ label: z.string(), query: z.string(), status: z.string() })),
  }),
  metadata: z.object({
    rounds: z.int(),
    totalRounds: z.int(),
    exit: z.string().optional(),
    failures: z.int(),
    requests: z.int(),
    modelCalls: z.number(),
    tokens: z.number(),
  }),
});
export type LayeredAnswer = z.infer<typeof layeredAnswerSchema>;

const agreed = { proceed: 0.8, verify: 0.5 } as const;
const sureEnough = 0.7;

/** @returns `undefined` before the first round is complete. */
export function layeredAnswer(debate: DebateRecord): LayeredAnswer | undefined {
  const { rounds, requests, synthesis, totalRounds, exit, usage } = debate;
  const last = rounds.at(-1);
  if (last?.consensus === undefined) return undefined;
  const nameOf = nameIn(debate);
  const { consensus, positions } = last;
  const resting = <T>(uses: (position: (typeof positions)[number]) => T[], wanted: T): string[] =>
    positions.filter((position) => uses(position).includes(wanted)).map(({ seat }) => nameOf(seat));
  const missing = requests.filter(({ status }) => status !== "answered");
  return {
    decision: {
      answer: synthesis?.conclusion ?? consensus.summary,
      agreementLevel: consensus.agreementLevel,
      confidence: synthesis?.confidence ?? consensus.meanConfidence,
      ...adviceOf(debate),
    },
    agents: positions.map(({ seat, stance, position, confidence }) => {
      const movement = consensus.movements.find((one) => one.seat === seat);
      return {
        agentId: seat,
        name: nameOf(seat),
        ...defined({ stance }),
        position,
        confidence,
        ...defined({ moved: movement && movementText(movement, nameOf) }),
      };
    }),
    evidence: {
      sources: distinctSources(positions.flatMap(({ citations }) => citations)).map((citation) => ({
        ...citation,
        agents: resting(({ citations }) => citations.map(sourceKey), sourceKey(citation)),
      })),
      context: requests
        .filter(({ status }) => status === "answered")
        .map((request) => ({
          label: labelOf(request),
          query: request.query,
          ...defined({ source: request.source }),
          agents: resting(({ citedContext }) => citedContext, request.requestId),
        })),
      conflicts: consensus.disagreements.map((one) => sidesText(one, nameOf)),
      missing: missing.map((request) => ({ label: labelOf(request), query: request.query, status: request.status })),
    },
    metadata: {
      rounds: rounds.length,
      totalRounds,
      ...defined({ exit: exit?.reason }),
      failures: rounds.reduce((sum, { failures }) => sum + failures.length, 0),
      requests: requests.length,
      modelCalls: usage.modelCalls,
      tokens: usage.inputTokens + usage.outputTokens,
    },
  };
}

function adviceOf({ rounds, requests }: DebateRecord): Pick<LayeredAnswer["decision"], "advice" | "because"> {
  const last = rounds.at(-1);
  const consensus = last?.consensus;
  if (consensus === undefined) return { advice: "ask", because: ["no round is complete"] };
  const lacking = requests.filter(({ status, priority }) => status !== "answered" && priority === "required");
  const level = consensus.agreementLevel.toFixed(2);
  const isDivided = consensus.agreementLevel < agreed.verify && !consensus.stancesAreParts;
  const ask = [
    ...lacking.map((request) => `${labelOf(request)} was required and is ${request.status}`),
    ...(isDivided ? [`the panel is divided (agreement ${level})`] : []),
  ];
  if (ask.length > 0) return { advice: "ask", because: ask };
  const verify = [
    ...(consensus.stancesAreParts ? ["the stances are parts that the mode gives, so they show no agreement"] : []),
    ...(consensus.agreementLevel < agreed.proceed && !consensus.stancesAreParts
      ? [`the panel agrees in part (${level})`]
      : []),
    ...(consensus.meanConfidence < sureEnough ? [`the panel isn't sure (${consensus.meanConfidence.toFixed(2)})`] : []),
    ...(consensus.groupthink === undefined ? [] : [consensus.groupthink.warning]),
    ...(consensus.analysis?.veto === undefined ? [] : [`the analyst objects: ${consensus.analysis.veto}`]),
    ...(last?.failures.length ? [`${last.failures.length} of the seats failed in the last round`] : []),
  ];
  if (verify.length > 0) return { advice: "verify", because: verify };
  return {
    advice: "proceed",
    because: [`the panel agrees (${level}) and is sure (${consensus.meanConfidence.toFixed(2)})`],
  };
}
