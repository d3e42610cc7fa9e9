/** What a routing decision is made from, and what came of a worker. */
import { z } from "zod";

export const workerResultSchema = z.object({
  worker: z.string(),
  /** Which round of supervisor and workers, from 0. */
  iteration: z.int(),
  status: z.enum(["completed", "failed"]),
  /** The supervised output. */
  output: z.string().optional(),
  /** What went wrong. */
  error: z.string().optional(),
  attempts: z.int(),
  /** Who had the task before it was handed on to this worker. */
  handedOnBy: z.array(z.string()).optional(),
  elapsedMs: z.number(),
});
export type WorkerResult = z.infer<typeof workerResultSchema>;

export const clarificationSchema = z.object({
  question: z.string(),
  /** What the person said, as supervision left it; or that nobody answered, and what was assumed. */
  answer: z.string(),
});
/** A question that was put to a person while the team worked, with what came back. */
export type Clarification = z.infer<typeof clarificationSchema>;

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
}

/** What a strategy says: who is to work next, that the work is done, or why nobody can be chosen. */
export type StrategyOutcome =
  | { readonly kind: "route"; readonly choice: Choice }
  | { readonly kind: "finish"; readonly reasoning: string }
  | { readonly kind: "none"; readonly why: string };

export const choiceSchema = z.object({
  targets: z.array(z.string()).min(1),
  reasoning: z.string(),
  confidence: z.number().min(0).max(1),
  /** What the workers are to do, in the supervisor's words; the input stands beside it. */
  task: z.string().optional(),
  /** The supervisor wants to see the results and decide again. */
  lookAgain: z.boolean().optional(),
});
export type Choice = z.infer<typeof choiceSchema>;
