/** What supervision came to, as a turn or a run shows it. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import type { SupervisionState } from "./state.js";
import { actions } from "./verdict.js";

export const hookSummarySchema = z.object({ action: z.enum(actions), reasons: z.array(z.string()) });
export type HookSummary = z.infer<typeof hookSummarySchema>;

/** A tool call, or a tool's result, that didn't pass as it was. */
const toolSummarySchema = hookSummarySchema.extend({
  hook: z.enum(["tool_call", "tool_result"]),
  toolCallId: z.string(),
  tool: z.string(),
});

export const supervisionSummarySchema = z.object({
  status: z.enum(["ok", "degraded"]),
  request: hookSummarySchema.optional(),
  response: hookSummarySchema.optional(),
  /** Tool calls and results that were changed, held or blocked. */
  tools: z.array(toolSummarySchema).optional(),
  /** Supervisors whose failure let something through. */
  degraded: z.array(z.string()),
});
export type SupervisionSummary = z.infer<typeof supervisionSummarySchema>;

/** @param outcome of work that has ended; while it goes on, and of what was cut off, the summary comes from its passes. */
export function supervisionSummary(
  outcome: Partial<Omit<SupervisionSummary, "status" | "tools">> | undefined,
  passes: readonly SupervisionState[],
): SupervisionSummary {
  const ofHook = (hook: "request" | "response") => {
    const state = passes.find((pass) => pass.hook === hook && pass.subject?.partial !== true);
    return outcome?.[hook] ?? (state === undefined ? undefined : { action: state.decision, reasons: state.reasons });
  };
  const request = ofHook("request");
  const response = ofHook("response");
  const tools = passes.flatMap(toolSummary);
  const degraded = [...new Set([...(outcome?.degraded ?? []), ...passes.flatMap((pass) => pass.degraded)])];
  return {
    status: degraded.length > 0 ? "degraded" : "ok",
    ...defined({ request, response }),
    ...(tools.length === 0 ? {} : { tools }),
    degraded,
  };
}

function toolSummary({ hook, decision, reasons, subject }: SupervisionState): z.infer<typeof toolSummarySchema>[] {
  if (hook !== "tool_call" && hook !== "tool_result") return [];
  const { toolCallId, tool } = subject ?? {};
  if (decision === "allow" || toolCallId === undefined || tool === undefined) return [];
  return [{ hook, toolCallId, tool, action: decision, reasons }];
}
