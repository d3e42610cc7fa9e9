/**
 * The offline model: deterministic, without network or key, so that every flow of the system can be run and tried. It works by
 * shared words alone and doesn't pretend otherwise: it fills schemas from the text, calls tools whose names fit, quotes the data
 * it is given, and says so when there is nothing to quote.
 */
import { estimateUsage } from "../estimate.js";
import type { ModelRequest, ModelToolCall, ToolSpec } from "../port.js";
import type { ModelProvider, ProviderReply } from "../provider.js";
import { answer } from "./offline/answer.js";
import { type Conversation, readConversation } from "./offline/conversation.js";
import { areSeatTools, seatCall } from "./offline/debate.js";
import { fillSchema } from "./offline/schema.js";
import { bestTool, worthwhileTool } from "./offline/tool-choice.js";
import { areVerdicts, type Verdict, verdict } from "./offline/verdict.js";

const charactersPerToken = 4;

/** The provider behind the model name `offline`. It refuses nothing, fails at nothing, and invents nothing. */
export function offlineModel(): ModelProvider {
  return {
    attempt: async (_model, request, { listener }) => {
      const reply = replyTo(request);
      // Word by word, as a real model would.
      for (const word of listener === undefined ? [] : reply.text.split(/(?<=\s)(?=\S)/)) listener?.delta(word);
      return reply;
    },
  };
}

function replyTo(request: ModelRequest): ProviderReply {
  const conversation = readConversation(request);
  const call = toolCall(request, conversation);
  if (call !== undefined) return reply(request, "", [call], "tool_calls");
  if (request.output !== undefined) {
    const value = fillSchema(request.output.schema, { conversation, purpose: "output" });
    return reply(request, JSON.stringify(value), [], "stop");
  }
  const text = answer(conversation);
  const limit = (request.maxOutputTokens ?? Number.POSITIVE_INFINITY) * charactersPerToken;
  if (text.length <= limit) return reply(request, text, [], "stop");
  return reply(request, text.slice(0, limit).toWellFormed(), [], "length");
}

function toolCall(request: ModelRequest, conversation: Conversation): ModelToolCall | undefined {
  const { tools = [], toolChoice = "auto" } = request;
  const chosen = chooseTool(tools, toolChoice, conversation);
  if (chosen === undefined) return undefined;
  const { tool, known } = chosen;
  const args = fillSchema(tool.parameters, { conversation, purpose: "arguments", known });
  // Calls of one round must differ in their ids from those before.
  return { id: `offline_${request.messages.length}`, name: tool.name, arguments: JSON.stringify(args) };
}

function chooseTool(
  tools: readonly ToolSpec[],
  toolChoice: NonNullable<ModelRequest["toolChoice"]>,
  conversation: Conversation,
): Verdict | undefined {
  if (toolChoice === "none") return undefined;
  if (typeof toolChoice === "object") return plain(tools.find((tool) => tool.name === toolChoice.tool));
  const demanded = toolChoice === "required";
  const isSupervised = conversation.blocks.some((block) => block.tag === "supervised");
  if (areVerdicts(tools) && (demanded || isSupervised) && !tools.some((tool) => conversation.called.has(tool.name))) {
    return verdict(tools, conversation);
  }
  if (areSeatTools(tools)) return seatCall(tools, conversation);
  return plain(demanded ? bestTool(tools, conversation) : worthwhileTool(tools, conversation));
}

function plain(tool: ToolSpec | undefined): Verdict | undefined {
  return tool && { tool, known: {} };
}

function reply(
  request: ModelRequest,
  text: string,
  toolCalls: readonly ModelToolCall[],
  finishReason: ProviderReply["finishReason"],
): ProviderReply {
  return {
    text,
    toolCalls,
    usage: estimateUsage(request, { text, toolCalls }),
    finishReason,
    metadata: { offline: true, usageEstimated: true },
  };
}
