/** What a call of a tool is given beside its arguments, and what a host carries back and forth with a question. */
import type { ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Services } from "../application/services.js";
import type { Actor } from "../tenancy/actor.js";

const askingWorkSchema = z.union([
  z.object({ sessionId: z.string(), turnId: z.string() }),
  z.object({ runId: z.string() }),
]);
/** The turn or run that waits. */
export type AskingWork = z.infer<typeof askingWorkSchema>;

/** What comes back with the answer: the work to go on with, so that a call sent again starts nothing twice. */
export const askingStateSchema = z.object({
  work: askingWorkSchema,
  askId: z.string(),
  /** Which call asked: `digest` of it. A version before this noted none. */
  call: z.string().optional(),
});
export type AskingState = z.infer<typeof askingStateSchema>;

/** A question as that host is sent it: a request of ours, whose id names the ask. */
export interface Elicitation {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a tool's call is given beside its arguments. */
export interface Call {
  readonly actor: Actor;
  readonly services: Services;
  readonly context: ServerContext;
  /** Of the tool and its arguments, but for how long is waited: the same for the same call sent again. */
  readonly digest: () => Promise<string>;
  /** How many steps its host has heard of; each is numbered higher than the one before. */
  readonly steps: { heard: number };
  /** Puts a question to the user of a host of the protocol before; not there where it can't. */
  readonly elicit?: ((question: Elicitation, context: ServerContext) => Promise<void>) | undefined;
  /** What this call goes on with, whose question was answered while it waited. */
  readonly goesOn?: AskingState;
  /** Seals what the host carries back and forth, so that it can't be made up, nor used by another. */
  readonly seal: (state: AskingState, context: ServerContext) => Promise<string>;
}
