/** Entries as they are written and shown. */
import { z } from "zod";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { maxSummaryCharacters } from "./extractive.js";

export const maxEntryCharacters = 100_000;

const tagName = z.string().regex(/^[\p{L}\p{N}_.-]{1,60}$/u, "a tag's name is 1 to 60 letters, digits, _ . or -");
export const tagsSchema = z
  .record(tagName, z.union([z.string().max(300), z.number(), z.boolean()]))
  .refine((tags) => Object.keys(tags).length <= 20, "at most 20 tags");
export type Tags = z.infer<typeof tagsSchema>;

/** Any ISO 8601 time with a zone, brought into UTC with milliseconds, so that text order is time order. */
export const timeSchema = z.iso.datetime({ offset: true }).transform((time) => new Date(time).toISOString());

export const textSchema = z
  .string()
  .max(maxEntryCharacters)
  .refine((text) => text.trim() !== "", "the text can't be empty");

export const speakerSchema = z.string().min(1).max(100);
export const roleSchema = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, "a role is 1 to 40 letters, digits, _ or -");

/** `given` by the caller, written by a `model`, or `extractive`: the text's own beginning. */
export const summarySources = ["given", "model", "extractive"] as const;

export const newEntrySchema = z.strictObject({
  rawEntry: textSchema,
  summary: z.string().min(1).max(maxSummaryCharacters).optional(),
  tags: tagsSchema.default({}),
  role: roleSchema.default("user"),
  speaker: speakerSchema.optional(),
  occurredAt: timeSchema.optional(),
  expiresAt: timeSchema.optional(),
});
export type NewEntry = z.infer<typeof newEntrySchema>;

export const entrySchema = z.object({
  entryId: z.string(),
  memoryId: z.string(),
  threadId: z.string().optional(),
  seq: z.int().optional(),
  role: z.string(),
  speaker: z.string().optional(),
  rawEntry: z.string(),
  summary: z.string(),
  summarySource: z.enum(summarySources),
  tags: tagsSchema,
  /** When it was said. */
  occurredAt: z.iso.datetime(),
  /** When it was written down. */
  recordedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
  /** The entry that this one corrects. */
  supersedes: z.string().optional(),
  supersededBy: z.string().optional(),
  supersededAt: z.iso.datetime().optional(),
  /** Who wrote it to the memory; of what a session recorded, the session's agent or the system. */
  vouchedBy: actorRecordSchema.optional(),
});
export type Entry = z.infer<typeof entrySchema>;

/**
 * A remembered text as a later prompt shows it.
 *
 * @example recalledLine({ occurredAt: "2026-11-23T09:16:10.365Z", role: "user" }, "Hello") // "[2026-11-23T09:16:10.365Z] user: Hello"
 */
export function recalledLine({ occurredAt, speaker, role }: Utterance, text: string): string {
  return `[${occurredAt}] ${speaker ?? role}: ${text}`;
}

/** Who said something, and when. */
interface Utterance {
  readonly occurredAt: string;
  readonly role: string;
  readonly speaker?: string | undefined;
}
