/** What the SDK's reader makes of the chunks of a message. */
import type { UiChatMessage, UiChunk } from "./chunks.js";

type Part = UiChatMessage["parts"][number];
type ToolPart = Extract<Part, { type: "dynamic-tool" }>;

/** @param chunks of one message that has ended; what they say of its id and of its turn comes first */
export function readChunks(chunks: readonly UiChunk[]): UiChatMessage {
  const parts = new Map<string, Part>();
  let message: UiChatMessage = { id: "", role: "assistant", metadata: { sessionId: "", turnId: "" }, parts: [] };
  const tool = (toolCallId: string, change: Partial<ToolPart>) => {
    const part = parts.get(`tool ${toolCallId}`);
    if (part?.type === "dynamic-tool") parts.set(`tool ${toolCallId}`, { ...part, ...change });
  };
  for (const [at, chunk] of chunks.entries()) {
    switch (chunk.type) {
      case "start":
        message = { ...message, id: chunk.messageId, metadata: chunk.messageMetadata };
        break;
      case "start-step":
        parts.set("step", { type: "step-start" });
        break;
      case "text-start": {
        const { id, providerMetadata } = chunk;
        parts.set(`text ${id}`, { type: "text", text: "", state: "done", providerMetadata });
        break;
      }
      case "text-delta": {
        const part = parts.get(`text ${chunk.id}`);
        if (part?.type === "text") parts.set(`text ${chunk.id}`, { ...part, text: part.text + chunk.delta });
        break;
      }
      case "data-retracted":
        parts.delete(`text ${chunk.data.id}`);
        break;
      case "tool-input-start": {
        const { toolCallId, toolName } = chunk;
        const nothing = { input: undefined, output: undefined };
        const part: ToolPart = {
          ...{ type: "dynamic-tool", toolCallId, toolName, state: "input-streaming", providerExecuted: true },
          ...nothing,
        };
        parts.set(`tool ${toolCallId}`, part);
        break;
      }
      case "tool-input-available":
        tool(chunk.toolCallId, { input: chunk.input });
        break;
      case "tool-output-available":
        tool(chunk.toolCallId, { state: "output-available", output: chunk.output });
        break;
      case "tool-output-error":
        tool(chunk.toolCallId, { state: "output-error", errorText: chunk.errorText });
        break;
      case "data-ask":
        parts.set(`ask ${chunk.id}`, chunk);
        break;
      case "data-waiting":
      case "data-blocked":
        parts.set(`data ${at}`, chunk);
        break;
      case "error":
        message = { ...message, metadata: { ...message.metadata, error: chunk.errorText } };
        break;
      case "finish":
        message = { ...message, metadata: { ...message.metadata, ...chunk.messageMetadata } };
        break;
      case "text-end":
      case "finish-step":
      case "abort":
    }
  }
  return { ...message, parts: [...parts.values()] };
}
