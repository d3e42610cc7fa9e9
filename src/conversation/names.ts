/** How things are named: resources, tools, and what a caller notes on what it makes. */
import { z } from "zod";

export const itemName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,100}$/, "a name is 1 to 100 letters, digits, hyphens or underscores");

/** An end user, by the application's own name for them. */
export const subjectSchema = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, "a subject is 1 to 200 visible ASCII characters");

/** What something is called where the caller keeps it: unique per tenant and kind. */
export const externalIdSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, "an externalId is 1 to 200 visible ASCII characters without spaces");

/** Of a memory. */
export const threadIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,100}$/, "a thread's id is 1 to 100 letters, digits, _ . : or -");

/** Who says a message, where several people share a conversation. */
export const speakerSchema = z
  .string()
  .min(1)
  // No pattern: a document of JSON Schemas has no place for its flag.
  .refine((speaker) => /^[^\p{Cc}]{1,100}$/u.test(speaker), "a speaker is 1 to 100 characters on one line");

const metadataValue = z.union([z.string().max(2_000), z.number(), z.boolean()]);

/** The caller's own notes on what it makes. */
export const metadataSchema = z
  .record(z.string().max(100), metadataValue)
  .refine((metadata) => Object.keys(metadata).length <= 50, "at most 50 entries");
export type Metadata = z.infer<typeof metadataSchema>;

/** Notes that are to change: what isn't named stays, null removes an entry. */
export const metadataChangeSchema = z.record(z.string().max(100), metadataValue.nullable());

/** The notes after a change; the whole may be too long by then. */
export function changeMetadata(metadata: Metadata, change: z.infer<typeof metadataChangeSchema>): Metadata {
  const entries = Object.entries({ ...metadata, ...change });
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

const serverAndTool = z.strictObject({
  server: itemName,
  tool: z
    .string()
    .regex(/^(\*|[A-Za-z0-9_.-]{1,100})$/, "a tool is named by 1 to 100 letters, digits, . _ or -, or is *"),
});
export type ToolName = z.infer<typeof serverAndTool>;

export function isSameTool(one: Readonly<ToolName>, other: Readonly<ToolName>): boolean {
  return one.server === other.server && one.tool === other.tool;
}

/** A tool by its server and name, or as teams write it, `server/tool`; the tool `*` stands for every tool of the server. */
export const toolRefSchema = z.union([
  serverAndTool,
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,100}\/(\*|[A-Za-z0-9_.-]{1,100})$/, "a tool is {server, tool} or `server/tool`")
    .transform((name): ToolName => {
      const slash = name.indexOf("/");
      return { server: name.slice(0, slash), tool: name.slice(slash + 1) };
    }),
]);
