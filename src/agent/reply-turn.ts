/** One round of an agent, as a turn of its reply. */
import type { ReplyTurn, ToolCallResult } from "../conversation/message.js";
import type { CallRecord } from "./tools.js";

/** @param turnId of this turn of the reply. */
export function replyTurn(
  turnId: string,
  reply: {
    readonly text: string;
    readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
    readonly finishReason?: string | undefined;
  },
  records: readonly CallRecord[],
): ReplyTurn {
  const toolCalls = records.map(
    (record): ToolCallResult => ({
      toolCallId: record.toolCallId,
      server: record.server,
      tool: record.tool,
      args: { ...record.args },
      ...(record.audience === undefined ? {} : { audience: record.audience }),
      elapsedMs: record.elapsedMs,
      ...(record.isError ? { error: record.content } : { output: record.content }),
    }),
  );
  return {
    turnId,
    ...(reply.text === "" ? {} : { message: reply.text }),
    inputTokens: reply.usage.inputTokens,
    outputTokens: reply.usage.outputTokens,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reply.finishReason === "length" || reply.finishReason === "content_filter" ? { cut: reply.finishReason } : {}),
  };
}
