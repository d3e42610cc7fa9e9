/**
 * A session that a person has taken over: until it is handed back nothing that customers write there begins any work of an agent, and
 * nothing that an agent has under way is shown.
 */
import { z } from "zod";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { lazily } from "../text/lazily.js";

/** `asked`: somebody asked for a person, and nobody has come yet; `taken`: a person is there. */
export const holdStates = ["asked", "taken"] as const;

/** As the session's object keeps it. Times are milliseconds since the epoch. */
export const storedHoldSchema = lazily(() =>
  z.object({
    state: z.enum(holdStates),
    /** Who took it over; of one that was asked for, who asked. */
    by: actorRecordSchema,
    since: z.number(),
  }),
);
export type StoredHold = Readonly<z.infer<ReturnType<typeof storedHoldSchema>>>;

/** How long a person may say nothing before somebody is asked to take over, in milliseconds. */
export const silenceMs = 30 * 60_000;

/** The most messages that are kept for a person who hasn't answered any of them. */
export const maxHeldTurns = 200;

/** What its end user may be told meanwhile. */
export const heldTexts: Readonly<Record<StoredHold["state"], string>> = {
  asked: "Your message was taken. A person was asked to answer it.",
  taken: "Your message was taken. A person answers here.",
};

/** Stands in the conversation where it was handed back: models read it, too. */
export const handedBackText =
  "Staff had taken over this conversation and has handed it back to the assistant. What staff wrote meanwhile holds.";
