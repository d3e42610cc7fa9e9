/** The events of asks, in the log of the object whose work waits on them. */
import { z } from "zod";
import type { EventDefinitions } from "../conversation/event.js";
import { askSchema } from "./ask.js";

const stored = z.object({ askId: z.string() });

export const askEvents = {
  "ask.opened": {
    description: "Work waits for an answer: the ask as it is when the event is read, without what only some may see.",
    audience: "user",
    roots: ["session", "run", "roundtable"],
    data: askSchema,
    stored,
  },
  "ask.closed": {
    description: "The ask was answered, cancelled, or nobody answered it in time.",
    audience: "user",
    roots: ["session", "run", "roundtable"],
    data: askSchema,
    stored,
  },
} as const satisfies EventDefinitions;
