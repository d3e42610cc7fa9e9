/** What a run tells of itself: entries that make a story a person can read. */
import { z } from "zod";
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

export const traceEntrySchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("routing.decided"), path, decision: routingDecisionSchema }),
  z.object({ type: z.literal("routing.finished"), path, reasoning: z.string() }),
  z.object({ type: z.literal("routing.refused"), path, problem: z.string() }),
  z.object({
    type: z.literal("worker.started"),
    path,
    worker: z.string(),
    iteration: z.int(),
    /** What it was given; only of a verbose team. */
    brief: z.string().optional(),
  }),
  z.object({
    /** Named by the team and not there: the agent works without them. */
    type: z.literal("tools.missing"),
    path,
    /** A worker's id, or `supervisor`. */
    agent: z.string(),
    tools: z.array(z.string()),
  }),
  z.object({
    /** What a tool was called with and what came of it, cut when long; only of a verbose team. */
    type: z.literal("tool.used"),
    path,
    agent: z.string(),
    server: z.string(),
    tool: z.string(),
    arguments: z.string(),
    output: z.string(),
  }),
  z.object({ type: z.literal("worker.retried"), path, worker: z.string(), error: z.string() }),
  z.object({ type: z.literal("worker.handedOn"), path, from: z.string(), to: z.string(), reason: z.string() }),
  z.object({ type: z.literal("worker.returned"), path, result: workerResultSchema }),
  z.object({ type: z.literal("results.aggregated"), path, mode: z.string(), completed: z.int(), failed: z.int() }),
]);
export type TraceEntry = z.infer<typeof traceEntrySchema>;

/** Who a decision names. */
export function targetsOf(decision: Pick<RoutingDecision, "targetAgent" | "targetAgents">): readonly string[] {
  return decision.targetAgents ?? (decision.targetAgent === undefined ? [] : [decision.targetAgent]);
}

/** An entry for a log that keeps no texts: who, when and how it went. */
export function entryWithoutText(entry: TraceEntry): object {
  switch (entry.type) {
    case "routing.decided": {
      const { reasoning: _, task: __, fallback: ___, ...decision } = entry.decision;
      return { path: entry.path, decision };
    }
    case "worker.returned": {
      const { output: _, error: __, ...result } = entry.result;
      return { path: entry.path, result };
    }
    case "tools.missing":
      return { path: entry.path, agent: entry.agent, tools: entry.tools };
    case "tool.used":
      return { path: entry.path, agent: entry.agent, server: entry.server, tool: entry.tool };
    case "worker.started":
    case "worker.retried":
      return { path: entry.path, worker: entry.worker };
    case "worker.handedOn":
      return { path: entry.path, from: entry.from, to: entry.to };
    case "results.aggregated":
      return { path: entry.path, mode: entry.mode, completed: entry.completed, failed: entry.failed };
    default:
      return { path: entry.path };
  }
}
