/** The tool calls of a turn that ended without a reply, as its events tell of them: by name, without arguments and results. */
import { z } from "zod";

export const turnCallSchema = z.object({
  toolCallId: z.string(),
  server: z.string(),
  tool: z.string(),
  /** `unknown`: it was begun, and nobody knows whether it took effect. */
  outcome: z.enum(["done", "failed", "unknown"]),
});
export type TurnCall = z.infer<typeof turnCallSchema>;

const called = z.object({ toolCallId: z.string(), server: z.string(), tool: z.string() });
const returned = called.extend({ isError: z.boolean() });

/** @param events of the turn, in order; `data` is JSON */
export function callsOf(events: Iterable<{ readonly type: string; readonly data: string }>): TurnCall[] {
  const calls = new Map<string, TurnCall>();
  for (const { type, data } of events) {
    if (type === "tool.called") {
      const { toolCallId, server, tool } = called.parse(JSON.parse(data));
      calls.set(toolCallId, { toolCallId, server, tool, outcome: "unknown" });
    } else if (type === "tool.returned") {
      const { toolCallId, server, tool, isError } = returned.parse(JSON.parse(data));
      calls.set(toolCallId, { toolCallId, server, tool, outcome: isError ? "failed" : "done" });
    }
  }
  return [...calls.values()];
}
