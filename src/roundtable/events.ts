/** The events of roundtables, and of panels wherever they debate. */
import { z } from "zod";
import type { EventDefinitions } from "../conversation/event.js";
import { workIds } from "../conversation/event.js";
import { stanceSchema } from "./position.js";
import { roundtableSchema, shownPositionSchema } from "./roundtable.js";

const roundtable = z.object({ roundtableId: z.string() });
const round = roundtable.extend({ round: z.int(), kind: z.enum(["round", "rerun", "closing"]) });
/** Who, when and how sure: what every log shows of a position. */
const taken = z.object({
  ...workIds,
  round: z.int(),
  agentId: z.string(),
  stance: stanceSchema.optional(),
  confidence: z.number(),
});

export const roundtableEvents = {
  "roundtable.started": {
    description: "The roundtable was accepted.",
    audience: "client",
    roots: ["roundtable"],
    data: roundtable,
  },
  "round.started": {
    description: "The seats of a round begin to speak, or those of a further pass of it.",
    audience: "client",
    roots: ["roundtable"],
    data: round,
  },
  "position.taken": {
    description: "A seat has taken its position. A session's log has no texts of it.",
    audience: "client",
    roots: ["roundtable", "session", "run"],
    data: z.union([shownPositionSchema.extend({ roundtableId: z.string() }), taken]),
    stored: taken,
  },
  "seat.failed": {
    description: "A seat took no position in this round, and why.",
    audience: "client",
    roots: ["roundtable", "session", "run"],
    data: z.object({
      ...workIds,
      round: z.int(),
      agentId: z.string(),
      reason: z.string(),
      attempts: z.int(),
    }),
  },
  "round.completed": {
    description: "A round, or a further pass of it, is complete: the roundtable as it is when the event is read.",
    audience: "client",
    roots: ["roundtable"],
    data: roundtableSchema,
    stored: round,
  },
  "round.failed": {
    description: "A round came to nothing: all its seats failed, or it was blocked. It doesn't count.",
    audience: "client",
    roots: ["roundtable"],
    data: round.extend({ code: z.string() }),
  },
  "synthesis.completed": {
    description: "The debate was brought together in one text: the roundtable as it is when the event is read.",
    audience: "client",
    roots: ["roundtable"],
    data: roundtableSchema,
    stored: roundtable,
  },
  "roundtable.completed": {
    description: "Nothing more can come of the roundtable: it as it is when the event is read.",
    audience: "client",
    roots: ["roundtable"],
    data: roundtableSchema,
    stored: roundtable,
  },
} as const satisfies EventDefinitions;
