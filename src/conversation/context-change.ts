/** What a caller, or a supervisor's endpoint, adds to the context of a session and removes from it. */
import { z } from "zod";
import { itemName, toolRefSchema } from "./names.js";

/** Names of rules, or of references. */
export const contextNames = z.array(itemName).max(200).default([]);
export const contextTools = z.array(toolRefSchema).max(200).default([]);

const items = z.strictObject({ rules: contextNames, references: contextNames, tools: contextTools });

/** What a caller adds or removes at once. */
export const contextChangeSchema = z.strictObject({
  add: items.prefault({}),
  remove: items.prefault({}),
  reason: z.string().min(1).max(2_000).optional(),
});
export type ContextChangeBody = z.infer<typeof contextChangeSchema>;
