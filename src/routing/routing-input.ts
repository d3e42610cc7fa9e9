/** What a team's agents work from: the input, the results so far, what people answered; and the text that they read of it. */
import { z } from "zod";
import { clip, type Effect, effectBlocks, effectRecordSchema } from "../agent/effects.js";
import { dataBlock } from "../conversation/data-block.js";
import type { ModelMessage } from "../model/port.js";
import { type Clarification, clarificationBlocks } from "./clarifications.js";

export const workerResultSchema = z.object({
  worker: z.string(),
  /** Which round of supervisor and workers, from 0. */
  iteration: z.int(),
  status: z.enum(["completed", "failed"]),
  /** The supervised output. */
  output: z.string().optional(),
  /** What went wrong. */
  error: z.string().optional(),
  /** What its tools did that isn't done again, whatever became of the worker. */
  effects: z.array(effectRecordSchema).optional(),
  attempts: z.int(),
  /** Who had the task before it was handed on to this worker. */
  handedOnBy: z.array(z.string()).optional(),
  elapsedMs: z.number(),
});
export type WorkerResult = z.infer<typeof workerResultSchema>;

export interface RosterEntry {
  readonly id: string;
  readonly description: string;
  readonly skills: readonly string[];
  readonly tools: readonly string[];
}

export interface RoutingInput {
  readonly input: string;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** Workers that can be chosen now: available, and not failed in this run. */
  readonly live: readonly RosterEntry[];
  readonly results: readonly WorkerResult[];
  readonly clarifications: readonly Clarification[];
  readonly iteration: number;
  /** The supervisor's tool calls of earlier rounds, with their results. */
  readonly exchange?: readonly ModelMessage[];
  /** What others of the run have done so far. */
  readonly effects?: readonly Effect[];
}

const choiceSchema = z.object({
  targets: z.array(z.string()).min(1),
  reasoning: z.string(),
  confidence: z.number().min(0).max(1),
  /** What the workers are to do, in the supervisor's words; the input stands beside it. */
  task: z.string().optional(),
  /** The strategy wants to see the results and decide again. */
  reevaluate: z.boolean().optional(),
  /** The worker goes on from the message before; nobody chose it anew. */
  stays: z.boolean().optional(),
});
export type Choice = z.infer<typeof choiceSchema>;

/** How a strategy's outcome is stored as a step. */
export const strategyOutcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("route"), choice: choiceSchema }),
  z.object({ kind: z.literal("finish"), reasoning: z.string() }),
  z.object({ kind: z.literal("respond"), response: z.string(), reasoning: z.string() }),
  z.object({ kind: z.literal("none"), why: z.string() }),
]);
/** What a strategy says: who is to work next, that the work is done, the response itself, or why nobody can be chosen. */
export type StrategyOutcome = z.infer<typeof strategyOutcomeSchema>;

/** Something that the supervisor looked up before it decided, as supervision let it read it: its workers get it with their task. */
export interface Finding {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly content: string;
}

/** What it found, as workers read it: data. */
function findingBlocks(findings: readonly Finding[]): string[] {
  return findings.map(({ tool, args, content }) =>
    dataBlock("found", { tool, arguments: JSON.stringify(args) }, clip(content)),
  );
}

export interface BriefParts {
  readonly input: string;
  readonly clarifications: readonly Clarification[];
  readonly results: readonly WorkerResult[];
  /** What the supervisor looked up. */
  readonly findings?: readonly Finding[];
  /** What was done so far, by those that failed too. */
  readonly effects?: readonly Effect[];
  /** Who says what is to be done beyond the input, and what. */
  readonly task?: { readonly from: string; readonly text: string } | undefined;
  /** What workers that handed the task on did and found. */
  readonly found?: readonly { readonly from: string; readonly text: string }[] | undefined;
}

/** What supervisors, workers and aggregators read: the input as it is, everything else as data. */
export function briefText({
  input,
  clarifications,
  results,
  findings = [],
  effects = [],
  task,
  found = [],
}: BriefParts): string {
  return [
    ...clarificationBlocks(clarifications),
    ...findingBlocks(findings),
    ...effectBlocks(effects),
    ...results.map(({ worker, status, output, error }) =>
      dataBlock("result", { name: worker, status }, output ?? error ?? ""),
    ),
    ...found.map(({ from, text }) => dataBlock("found", { from }, text)),
    ...(task === undefined ? [] : [dataBlock("brief", { from: task.from }, task.text)]),
    input,
  ].join("\n\n");
}
