/** What is asked of a memory, and what is found, as callers write and read it. */
import { z } from "zod";
import { entrySchema, timeSchema } from "../../memory/entry.js";
import { contextSchema } from "../../memory/memory.js";

export const searchFilterSchema = z.strictObject({
  role: z.string().max(40).optional(),
  /** `name` or `name=value`. */
  tag: z.string().max(400).optional(),
  after: timeSchema.optional(),
  before: timeSchema.optional(),
  threadId: z.string().max(100).optional(),
});

export const searchSchema = z.strictObject({
  query: z.string().min(1).max(4_000),
  topEntries: z.int().min(0).max(100).default(10),
  topContexts: z.int().min(0).max(20).default(1),
  filter: searchFilterSchema.prefault({}),
  asOf: timeSchema.optional(),
});
export type SearchRequest = z.infer<typeof searchSchema>;

const whySchema = z.object({
  terms: z.array(
    z.object({ term: z.string(), word: z.string(), weight: z.number(), topics: z.array(z.string()).optional() }),
  ),
  neighbours: z.number(),
  session: z.number(),
  speaker: z.number(),
  date: z.number(),
  vector: z.number(),
  form: z.number(),
  total: z.number(),
});

export const plainContextSchema = contextSchema.omit({ coverage: true });

export const foundEntrySchema = z.object({
  entry: entrySchema,
  score: z.number(),
  /** What makes up the score. */
  why: whySchema,
  /** Entries that say the same and are left out for this one. */
  duplicates: z.array(z.string()),
});

export const searchResultSchema = z.object({
  entries: z.array(foundEntrySchema),
  contexts: z.array(plainContextSchema.extend({ score: z.number() })),
  latestContext: plainContextSchema,
});
/** Over several memories: what is said of a context says of which. */
export const subjectSearchResultSchema = z.object({
  entries: z.array(foundEntrySchema),
  contexts: z.array(plainContextSchema.extend({ score: z.number(), memoryId: z.string() })),
  latestContexts: z.array(plainContextSchema.extend({ memoryId: z.string() })),
});
export type SearchResult = z.infer<typeof searchResultSchema>;
