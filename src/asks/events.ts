/** The events of asks, in the log of the object whose work waits on them. */
import { z } from "zod";
import type { EventAudience, EventDefinitions } from "../conversation/event.js";
import { askSchema } from "./ask.js";
import { askForUsers } from "./views.js";

/** Of a question to staff an end user hears that there is one. */
const viewFor = (reader: EventAudience, data: unknown): unknown =>
  reader === "user" ? askSchema.transform(askForUsers).safeParse(data).data : data;

const origins = { sessionId: true, runId: true, roundtableId: true, agent: true, subject: true } as const;
const stored = z.object({ askId: z.string() });

const overdue = askSchema
  .pick({ askId: true, kind: true, audience: true, priority: true, openedAt: true, overdueAt: true, deadline: true })
  .extend(askSchema.shape.from.pick(origins).shape);
const waiting = z.object({ open: z.int(), oldestOpenedAt: askSchema.shape.overdueAt });

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
  "ask.overdue": {
    description: "An ask has waited for too long, as its policy says. Once for each, within a minute.",
    audience: "operator",
    roots: ["limits"],
    data: overdue,
  },
  "asks.waiting": {
    description:
      "Staff is asked something: how many wait. When the first comes, and then once an hour as long as any waits.",
    audience: "operator",
    roots: ["limits"],
    data: waiting,
  },
} as const satisfies EventDefinitions;
