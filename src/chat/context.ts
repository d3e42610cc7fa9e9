/** Rules and references as a tenant stores them, and which of them a session has in force. */
import { z } from "zod";

export const itemName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,100}$/, "a name is 1 to 100 letters, digits, hyphens or underscores");

export const toolRefSchema = z.strictObject({ server: itemName, tool: itemName });

/** A rule or a reference. The higher the priority, the earlier it stands in the prompt. */
export const contextItemSchema = z.strictObject({
  text: z.string().min(1).max(50_000),
  description: z.string().max(1_000).optional(),
  priority: z.int().min(0).max(999).default(500),
  /** `always`: in every session of the tenant; `manual`: when included or mentioned; `auto`: when it is like the message. */
  include: z.enum(["always", "manual", "auto"]).default("manual"),
});
export type ContextItem = z.infer<typeof contextItemSchema>;

const names = z.array(itemName).max(200).default([]);

export const sessionContextSchema = z.strictObject({
  rules: names,
  references: names,
  tools: z.array(toolRefSchema).max(100).default([]),
});
export type SessionContext = z.infer<typeof sessionContextSchema>;

export const emptyContext: SessionContext = { rules: [], references: [], tools: [] };
