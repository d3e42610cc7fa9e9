/** The events of asks, in the log of the object whose work waits on them. */
import { z } from "zod";
import type { EventAudience, EventDefinitions } from "../conversation/event.js";
import { askSchema } from "./ask.js";
import { askForUsers } from "./views.js";

/** Of a question to staff an end user hears that there is one. */
const viewFor = (reader: EventAudience, data: unknown): unknown =>
  reader === "user" ? askSchema.transform(askForUsers).safeParse(data).data : data;

const stored = z.object({ askId: z.string() });

export const askEvents = {
  "ask.opened": {
    description: "Work waits for an answer: the ask as it is when the event is read, without what only some may see.",
    audience: "user",
    viewFor,
    roots: ["session", "run", "roundtable"],
    data: askSchema,
    stored,
  },
  "ask.closed": {
    description: "The ask was answered, cancelled, or nobody answered it in time.",
    audience: "user",
    viewFor,
    roots: ["session", "run", "roundtable"],
    data: askSchema,
    stored,
  },
} as const satisfies EventDefinitions;
