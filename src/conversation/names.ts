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

/** The caller's own notes on what it makes. */
export const metadataSchema = z
  .record(z.string().max(100), z.union([z.string().max(2_000), z.number(), z.boolean()]))
  .refine((metadata) => Object.keys(metadata).length <= 50, "at most 50 entries");

const serverAndTool = z.strictObject({
  server: itemName,
  tool: z
    .string()
    .regex(/^(\*|[A-Za-z0-9_.-]{1,100})$/, "a tool is named by 1 to 100 letters, digits, . _ or -, or is *"),
});
export type ToolName = z.infer<typeof serverAndTool>;

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
