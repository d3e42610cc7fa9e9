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
export const askingStateSchema = z.object({ work: askingWorkSchema, askId: z.string() });
export type AskingState = z.infer<typeof askingStateSchema>;

/** What a tool's call is given beside its arguments. */
export interface Call {
  readonly actor: Actor;
  readonly services: Services;
  readonly context: ServerContext;
  /** Seals what the host carries back and forth, so that it can't be made up, nor used by another. */
  readonly seal: (state: AskingState, context: ServerContext) => Promise<string>;
}
