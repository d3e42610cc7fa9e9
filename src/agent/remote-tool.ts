/** A tool of a remote MCP server as it is pinned, and how a later list differs from it. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { canonicalArguments } from "./tool-cache.js";

export const remoteToolSchema = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  /** A call may be repeated. */
  readOnly: z.boolean(),
  /** It says that it changes nothing at all. */
  cacheable: z.boolean().default(false),
});
export type RemoteTool = z.infer<typeof remoteToolSchema>;

export const toolChangeSchema = z.object({
  tool: z.string(),
  change: z.enum(["added", "removed", "changed"]),
  /** The fields that differ, as they are pinned and as they are listed now. */
  diff: z.array(z.object({ field: z.string(), from: z.unknown().optional(), to: z.unknown().optional() })),
});
export type ToolChange = z.infer<typeof toolChangeSchema>;

const fields = ["description", "parameters", "readOnly", "cacheable"] as const;

/** What a list says otherwise than the pinned one; nothing when they say the same, in whatever order. */
export function changesBetween(pinned: readonly RemoteTool[], listed: readonly RemoteTool[]): ToolChange[] {
  const names = [...new Set([...pinned, ...listed].map(({ name }) => name))];
  return names.flatMap((tool): ToolChange[] => {
    const from = pinned.find(({ name }) => name === tool);
    const to = listed.find(({ name }) => name === tool);
    const diff = fields.flatMap((field) =>
      canonicalArguments({ value: from?.[field] }) === canonicalArguments({ value: to?.[field] })
        ? []
        : [{ field, ...defined({ from: from?.[field], to: to?.[field] }) }],
    );
    if (diff.length === 0) return [];
    return [{ tool, change: from === undefined ? "added" : to === undefined ? "removed" : "changed", diff }];
  });
}
