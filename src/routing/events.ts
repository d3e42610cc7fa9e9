/** The events of runs, and of teams wherever they work. A team's events are also the entries of its trace. */
import { z } from "zod";
import type { EventAudience, EventDefinitions } from "../conversation/event.js";
import { clarificationSchema, clarificationsShownTo } from "./clarifications.js";
import { runSchema } from "./run.js";
import { tracedEntries } from "./trace.js";

const run = z.object({ runId: z.string() });
const withClarifications = z.looseObject({ clarifications: z.array(clarificationSchema).catch([]) });

export const routingEvents = {
  "run.started": {
    description: "The run was accepted and is worked on.",
    audience: "client",
    roots: ["run"],
    data: run,
  },
  "run.waiting": {
    description: "Nothing more can be done in the run before an ask is answered.",
    audience: "client",
    roots: ["run"],
    data: run,
  },
  "run.delta": {
    description:
      "A further piece of the response, cleared by supervision. `offset` is its place in the response of this `attempt`.",
    audience: "client",
    roots: ["run"],
    data: run.extend({ text: z.string(), attempt: z.int(), offset: z.int() }),
    live: true,
  },
  "run.retracted": {
    description: "What was shown of the response is void; what follows belongs to this `attempt`.",
    audience: "client",
    roots: ["run"],
    data: run.extend({ attempt: z.int() }),
    live: true,
  },
  "run.completed": {
    description: "The run ended, however it did: the run as it is when the event is read.",
    audience: "client",
    roots: ["run"],
    viewFor: (reader: EventAudience, data: unknown): unknown => {
      const { clarifications, ...ended } = withClarifications.parse(data);
      return { ...ended, clarifications: clarificationsShownTo(reader, clarifications) };
    },
    data: runSchema,
    stored: run,
  },
  ...tracedEntries,
} as const satisfies EventDefinitions;
