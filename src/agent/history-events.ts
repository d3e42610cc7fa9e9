/** What becomes of an object as a whole. */
import { z } from "zod";
import type { EventDefinitions } from "../conversation/event.js";

export const historyEvents = {
  "history.restored": {
    description: "Everything was put back to how it was then; what was erased since has been erased again.",
    audience: "operator",
    roots: ["session", "run", "roundtable"],
    /** Without a time it was put back to a bookmark. */
    data: z.object({ at: z.iso.datetime({ offset: true }).optional() }),
  },
} as const satisfies EventDefinitions;
