/** The trace of a team at work: entries that make a story a person can read, and events of the session or the run. */
import { z } from "zod";
import { type EventAudience, nonEmpty } from "../conversation/event.js";
import { lazily } from "../text/lazily.js";
import { workerResultSchema } from "./routing-input.js";

/** Which team of the run it happened in: the ids of the workers that are teams, outermost first. */
const path = z.array(z.string());

export const routingDecisionSchema = z.object({
  targetAgent: z.string().optional(),
  targetAgents: z.array(z.string()).optional(),
  reasoning: z.string(),
  confidence: z.number(),
  strategy: z.string(),
  timestamp: z.iso.datetime(),
  /** What the workers are to do, in the supervisor's words. */
  task: z.string().optional(),
  iteration: z.int(),
  /** The supervisor couldn't decide: this is the team's fallback worker, and why. */
  fallback: z.string().optional(),
});
export type RoutingDecision = z.infer<typeof routingDecisionSchema>;

/**
 * An entry of the trace, which is an event as well. A run keeps it with its texts, in its trace; the log of a session keeps no texts.
 * @param facts what every log shows of it: who, when and how it went.
 * @param withTexts the fields with their texts, in place of those of `facts` or beside them.
 */
function traced<const T extends string, F extends z.ZodRawShape, W extends z.ZodRawShape>(
  type: T,
  description: string,
  facts: F,
  withTexts: W,
) {
  const withoutText = z.object({ path, ...facts });
  const entry = z.object({ type: z.literal(type), path, ...facts, ...withTexts });
  const inSession = lazily(() => z.object({ turnId: z.string(), ...withoutText.shape }));
  const shown = lazily(() => inSession().partial({ turnId: true }));
  const data = lazily(() => z.union([entry, shown()]));
  const stored = lazily(() => z.union([inSession(), z.object({ runId: z.string(), entry: z.int() })]));
  return {
    description,
    audience: "client",
    // Texts are for who may read the trace.
    viewFor: (_reader: EventAudience, entry: unknown): unknown => shown().safeParse(entry).data,
    roots: ["session", "run"],
    get data() {
      return data();
    },
    get stored() {
      return stored();
    },
    withoutText,
    entry,
  } as const;
}

const decidedWithoutText = routingDecisionSchema.omit({ reasoning: true, task: true, fallback: true });
const resultWithoutText = workerResultSchema.omit({ output: true, error: true });

/** What a team emits while it works. */
export const tracedEntries = {
  "routing.decided": traced(
    "routing.decided",
    "A supervisor decided which workers get the task.",
    { decision: decidedWithoutText },
    { decision: routingDecisionSchema },
  ),
  "routing.finished": traced(
    "routing.finished",
    "A supervisor decided that no further worker is needed.",
    {},
    { reasoning: z.string() },
  ),
  "routing.answered": traced(
    "routing.answered",
    "A supervisor answered itself: no worker was needed.",
    {},
    { reasoning: z.string() },
  ),
  "routing.refused": traced(
    "routing.refused",
    "A supervisor's decision could not be used; it is asked once more, or the fallback worker gets the task.",
    {},
    { problem: z.string() },
  ),
  "worker.started": traced(
    "worker.started",
    "A worker began its task.",
    { worker: z.string() },
    {
      iteration: z.int(),
      /** What it was given; only of a verbose team. */
      brief: z.string().optional(),
    },
  ),
  "worker.retried": traced(
    "worker.retried",
    "A worker failed and is tried again.",
    { worker: z.string() },
    { error: z.string() },
  ),
  "worker.handedOn": traced(
    "worker.handedOn",
    "A worker handed its task on to another.",
    { from: z.string(), to: z.string() },
    {
      reason: z.string(),
      /** What it did and found until then. */
      found: z.string().optional(),
    },
  ),
  "worker.returned": traced(
    "worker.returned",
    "A worker completed its task, or failed for good.",
    { result: resultWithoutText },
    { result: workerResultSchema },
  ),
  "tools.missing": traced(
    "tools.missing",
    "Tools that the team names are not there: the agent (a worker's id, or `supervisor`) works without them.",
    { agent: z.string(), tools: z.array(z.string()) },
    {},
  ),
  "tools.refused": traced(
    "tools.refused",
    "The agent's model takes no tool calls: its tools are described to it, and it calls them in JSON.",
    { agent: z.string() },
    {},
  ),
  "tool.used": traced(
    "tool.used",
    "What a tool was called with and what came of it, cut when long; only of a verbose team.",
    { agent: z.string(), server: z.string(), tool: z.string() },
    { arguments: z.string(), output: z.string() },
  ),
  "results.aggregated": traced(
    "results.aggregated",
    "The results of the workers became one response.",
    { mode: z.string(), completed: z.int(), failed: z.int() },
    {},
  ),
};

export const traceEntrySchema = z.discriminatedUnion(
  "type",
  nonEmpty(Object.values(tracedEntries).map(({ entry }) => entry)),
);
export type TraceEntry = z.infer<typeof traceEntrySchema>;

/** Who a decision names. */
export function targetsOf(decision: Pick<RoutingDecision, "targetAgent" | "targetAgents">): readonly string[] {
  return decision.targetAgents ?? (decision.targetAgent === undefined ? [] : [decision.targetAgent]);
}

/** An entry for a log that keeps no texts: who, when and how it went. */
export function entryWithoutText(entry: TraceEntry) {
  return tracedEntries[entry.type].withoutText.parse(entry);
}

export const tracedEventSchema = z.object({
  seq: z.int(),
  at: z.iso.datetime(),
  type: z.string(),
  data: z.unknown(),
});

export const turnTraceSchema = z.object({
  sessionId: z.string(),
  turnId: z.string(),
  status: z.string(),
  entries: z.array(tracedEventSchema),
  /** The same as a story. */
  story: z.string(),
});
export type TurnTrace = z.infer<typeof turnTraceSchema>;

export const runTraceSchema = z.object({
  runId: z.string(),
  status: z.string(),
  entries: z.array(tracedEventSchema),
  /** The same as a story. */
  story: z.string(),
});
export type RunTrace = z.infer<typeof runTraceSchema>;
