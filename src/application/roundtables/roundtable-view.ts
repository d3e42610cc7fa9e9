/** What an actor gets of a roundtable, and how long its commands are waited for. */
import { z } from "zod";
import { need, type Result } from "../../conversation/problem.js";
import type { Roundtable } from "../../roundtable/roundtable.js";
import type { Actor } from "../../tenancy/actor.js";
import { lazily } from "../../text/lazily.js";
import { withAsksFor } from "../asks/ask-view.js";

export const roundtableTag = "Roundtables";
export const roundtableInput = lazily(() => ({ roundtableId: z.string().max(100) }));
/** How long a command's work is waited for, in milliseconds. */
export const waitInput = lazily(() => ({ waitMs: z.int().min(0).max(300_000).default(60_000) }));

/** What is answered to a command. */
export const commandAnswer = {
  answer: "The roundtable, once nothing runs any more",
  other: { when: "running", status: 202, answer: "The roundtable, in which something still runs" },
} as const;

export function seenBy(actor: Actor, roundtable: Result<Roundtable>): Roundtable {
  return withAsksFor(actor, need(roundtable));
}
