/** The events of memories: ids alone, listed and told to webhooks. Triggers of D1 note them, in the very write in which it happens. */
import { z } from "zod";
import type { EventDefinitions } from "../conversation/event.js";

const memory = z.object({ memoryId: z.string() });
const entry = memory.extend({ entryId: z.string() });
const added = entry.extend({ threadId: z.string().optional() });

export const memoryEvents = {
  "memory.entry_added": {
    description: "An entry is there: of a message of a thread, or written directly.",
    audience: "client",
    roots: ["memory"],
    data: added,
  },
  "memory.entry_corrected": {
    description: "An entry is there in the place of another one.",
    audience: "client",
    roots: ["memory"],
    data: added.extend({ supersedes: z.string() }),
  },
  "memory.entry_erased": {
    description: "An entry is gone for good: somebody deleted it, it expired, or its message was edited or erased.",
    audience: "client",
    roots: ["memory"],
    data: entry,
  },
  "memory.context_written": {
    description: "The context has another version.",
    audience: "client",
    roots: ["memory"],
    data: memory.extend({ version: z.int() }),
  },
  "memory.flush_failed": {
    description: "A flush was given up: it is a dead letter.",
    audience: "client",
    roots: ["memory"],
    data: memory.extend({ threadId: z.string(), deadLetterId: z.string() }),
  },
} as const satisfies EventDefinitions;
