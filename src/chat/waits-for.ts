/** What a turn waits for that isn't worked on, and what its end user reads of that meanwhile. */
import { z } from "zod";
import { type Ask, askSchema } from "../asks/ask.js";
import { heldTexts, holdStates, type StoredHold } from "./hold.js";

export const waitsForSchema = z.object({
  /** Of a queued turn: the one right before it. */
  turnId: z.string().optional(),
  /** The open asks that have to be answered first: its own, or of the turns before it. */
  askIds: z.array(z.string()),
  /** Who is asked: the user, if any of them is for the user; absent where there are none. */
  audience: askSchema.shape.audience.optional(),
  /** A person has taken the conversation over, or was asked to: nothing goes on before they answer or hand it back. */
  held: z.enum(holdStates).optional(),
});
export type WaitsFor = z.infer<typeof waitsForSchema>;

/**
 * @param before the turn right before it, of a queued one
 * @param held where a person has the conversation
 */
export function waitsFor(
  asks: readonly Pick<Ask, "askId" | "audience">[],
  before?: string,
  held?: StoredHold["state"],
): WaitsFor {
  if (held !== undefined) return { askIds: asks.map(({ askId }) => askId), audience: "staff", held };
  const isForUser = asks.some(({ audience }) => audience === "user");
  return {
    ...(before === undefined ? {} : { turnId: before }),
    askIds: asks.map(({ askId }) => askId),
    ...(asks.length === 0 ? {} : { audience: isForUser ? ("user" as const) : ("staff" as const) }),
  };
}

/**
 * A sentence for the end user of a turn that is queued or waits.
 * @example waitingText({ askIds: ["ask_1"], audience: "staff" }) // "A person will look at this before it goes on."
 */
export function waitingText({ turnId, audience, held }: WaitsFor): string {
  if (held !== undefined) return heldTexts[held];
  if (turnId === undefined)
    return audience === "user" ? "It goes on with your answer." : "A person will look at this before it goes on.";
  if (audience === undefined) return "Your message was taken. It comes after the one before it.";
  return audience === "user"
    ? "Your message was taken. It comes after your answer to the question before it."
    : "Your message was taken. A person looks at the one before it first.";
}
