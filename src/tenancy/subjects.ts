/** A person's data: jobs that hand it out or erase it, their receipts, and holds that stop erasure. */
import { z } from "zod";
import { type ActorRecord, actorRecordSchema } from "../conversation/actor-record.js";
import { defined } from "../conversation/defined.js";
import { itemName, subjectSchema } from "../conversation/names.js";
import { lazily } from "../text/lazily.js";
import { type FailureReason, failureText } from "./job-failure.js";

const jobKinds = ["erasure", "export"] as const;
const jobStatuses = ["running", "on_hold", "failed", "completed"] as const;

/** How long the files of an export can be fetched, in milliseconds. */
export const exportKeptMs = 86_400_000;

/** A job as its object is told to begin. */
export const jobDefinitionSchema = lazily(() =>
  z.object({
    tenantId: z.string(),
    jobId: z.string(),
    kind: z.enum(jobKinds),
    subject: z.string(),
    /** Stands for the subject in what is kept. */
    pseudonym: z.string(),
    by: actorRecordSchema,
    reason: z.string().optional(),
    originals: z.boolean().default(false),
    /** The erasure that is done again because a database knows nothing of it any more. */
    replays: z.string().optional(),
    /** Milliseconds since the epoch. */
    at: z.number(),
  }),
);
export type JobDefinition = Readonly<z.infer<ReturnType<typeof jobDefinitionSchema>>>;

const receiptLineSchema = lazily(() =>
  z.object({
    kind: z.string(),
    found: z.int(),
    erased: z.int().optional(),
    exported: z.int().optional(),
    left: z.int(),
    why: z.string().optional().describe("Why something is left, and until when."),
  }),
);
export type ReceiptLine = z.infer<ReturnType<typeof receiptLineSchema>>;

/** A job as it is shown. */
export const subjectJobSchema = lazily(() =>
  z.object({
    jobId: z.string(),
    kind: z.enum(jobKinds),
    status: z.enum(jobStatuses),
    subject: z.string().optional().describe("Missing once it is erased."),
    pseudonym: z.string().optional().describe("Of an erasure: what stands in usage and audit for the subject."),
    reason: z.string().optional(),
    requestedBy: actorRecordSchema,
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
    receipt: z.array(receiptLineSchema()),
    files: z.array(z.object({ kind: z.string(), lines: z.int(), characters: z.int(), path: z.string() })).optional(),
    expiresAt: z.iso.datetime().optional().describe("Until when the files can be fetched."),
    holds: z.array(z.string()).optional().describe("The holds that stop it."),
    failure: z
      .string()
      .optional()
      .describe(
        "Which step failed at the last try, and why, in words of a closed set. It is tried again; with the status `failed` when the job begins again.",
      ),
    retryAt: z.iso.datetime().optional().describe("When an erasure that waits or fails begins again by itself."),
  }),
);
export type SubjectJob = z.infer<ReturnType<typeof subjectJobSchema>>;

/** Which step of a job failed, and why. */
export interface Failure {
  readonly step: string;
  readonly reason: FailureReason;
}

/** A job as it is shown. */
export function shownJob(
  definition: JobDefinition,
  state: {
    readonly status: SubjectJob["status"];
    /** Milliseconds since the epoch. */
    readonly endedAt: number | undefined;
    readonly receipt: readonly ReceiptLine[];
    readonly files: readonly { readonly kind: string; readonly lines: number; readonly characters: number }[];
    readonly holds: readonly string[];
    readonly failure: Failure | undefined;
    readonly retryAt: number | undefined;
  },
): SubjectJob {
  const { jobId, kind, subject, pseudonym, by, reason, at } = definition;
  const { status, endedAt, receipt, files, holds, failure, retryAt } = state;
  return {
    jobId,
    kind,
    ...(kind === "erasure" && { pseudonym }),
    ...defined({ subject: subject === "" ? undefined : subject, reason }),
    requestedBy: by,
    createdAt: new Date(at).toISOString(),
    status,
    receipt: [...receipt],
    ...defined({
      endedAt: endedAt === undefined ? undefined : new Date(endedAt).toISOString(),
      failure: failure && failureText(failure.step, failure.reason),
      retryAt: retryAt === undefined ? undefined : new Date(retryAt).toISOString(),
    }),
    ...(kind === "export" && {
      files: files.map((file) => ({ ...file, path: `/v1/subject-jobs/${jobId}/files/${file.kind}` })),
    }),
    ...(kind === "export" && endedAt !== undefined && { expiresAt: new Date(endedAt + exportKeptMs).toISOString() }),
    ...(holds.length > 0 && { holds: [...holds] }),
  };
}

export const reasonSchema = z.string().min(1).max(500);

/** A hold as a caller writes it: whose and which data isn't erased, by nobody. */
export const holdSchema = lazily(() =>
  z
    .strictObject({
      subjects: z.array(subjectSchema).max(500).default([]),
      sessions: z.array(z.string().min(1).max(100)).max(500).default([]),
      reason: reasonSchema,
    })
    .refine(({ subjects, sessions }) => subjects.length + sessions.length > 0, {
      message: "a hold names at least one subject or session",
      path: ["subjects"],
    }),
);
export type NewHold = z.infer<ReturnType<typeof holdSchema>>;

export const holdViewSchema = lazily(() =>
  z.object({
    name: itemName,
    subjects: z.array(z.string()),
    sessions: z.array(z.string()),
    reason: z.string(),
    version: z.int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  }),
);
export type HoldView = z.infer<ReturnType<typeof holdViewSchema>>;

/** What is to be erased, as far as a hold may name it. */
export interface Erasable {
  readonly subject?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** A record of somebody's act, with the pseudonym in place of the subject. */
export function withPseudonym(by: ActorRecord, subject: string, pseudonym: string): ActorRecord {
  if (by.subject !== subject) return by;
  return { ...by, subject: pseudonym, ...(by.kind === "token" && { id: `tok:${pseudonym}` }) };
}
