/** What webhooks are told of limits: each once in a window. */
import { z } from "zod";
import type { EventDefinitions } from "../../conversation/event.js";
import { failureReasons } from "../job-failure.js";

// Made once each: all of them are there from the start.
const text = z.string();
const textOrNothing = text.optional();
const number = z.number();
const about = z.object({ limit: text, scope: text, resetsAt: textOrNothing });

const failingJob = z.object({
  job: z.enum(["erasure", "export", "restore", "eval", "seal"]),
  jobId: text,
  step: textOrNothing,
  reason: z.enum(failureReasons),
  retryAt: textOrNothing,
});
export type FailingJob = z.infer<typeof failingJob>;

export const limitEvents = {
  "limit.warned": {
    description: "So many percent of a limit are used or reserved, as its `warnAt` says.",
    audience: "operator",
    roots: ["limits"],
    data: about.extend({ percent: number }),
  },
  "limit.reached": {
    description: "An act found no room in a limit: it was refused, or only noted where the limit observes.",
    audience: "operator",
    roots: ["limits"],
    data: about,
  },
  "audit.sealed": {
    description:
      "Rows of the audit are under a seal, which a receiver keeps: `conclave audit verify --seals` holds the audit against what was kept.",
    audience: "operator",
    roots: ["limits"],
    data: z.object({ size: number, root: text, checkpoint: text, key: text }),
  },
  "subject.erased": {
    description:
      "All that was kept of an end user is erased, or stands under the pseudonym. The name isn't told: the answer to the request has the job's id with it.",
    audience: "operator",
    roots: ["limits"],
    data: z.object({ jobId: text, pseudonym: text, found: number, left: number }),
  },
  "job.failing": {
    description:
      "A job in the background fails again and again: an erasure, which is tried again each hour (told once a day), an export, a restore or an eval that was given up until somebody asks for it again, or the sealing of an audit whose archive is broken (tried and told once a day; `jobId` is the tenant's).",
    audience: "operator",
    roots: ["limits"],
    data: failingJob,
  },
} as const satisfies EventDefinitions;

/** The root of these events, of every tenant: it has no object that lists them. */
export const limitEventsRoot = "lim_events";
