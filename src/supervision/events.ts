/** The events of supervision. */
import { z } from "zod";
import { type EventDefinitions, workIds } from "../conversation/event.js";
import { supervisionStateSchema } from "./state.js";

export const supervisionEvents = {
  "supervision.decided": {
    description:
      "All supervisors of a hook have judged a text: their common decision, and whose failure let it through.",
    audience: "client",
    roots: ["session", "run", "roundtable"],
    data: z.object({
      ...workIds,
      ...supervisionStateSchema.pick({ hook: true, decision: true, reasons: true, degraded: true }).shape,
    }),
  },
} as const satisfies EventDefinitions;
