/**
 * Token estimates, for providers that don't count: four characters a token, the usual rule of thumb for English. It is
 * meant for budgets and statistics, and errs by a third or so; other scripts come out too low.
 */
import type { ModelRequest, ModelToolCall, TokenUsage } from "./port.js";

const charactersPerToken = 4;

/** How many tokens a text probably has. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** What a call probably used: everything that was sent, against the text and the tool calls that came back. */
export function estimateUsage(
  request: ModelRequest,
  reply: { readonly text: string; readonly toolCalls: readonly ModelToolCall[] },
): TokenUsage {
  const sent = request.messages.map((message) => message.content + callsText(messageCalls(message)));
  const tools = (request.tools ?? []).map((tool) => tool.name + tool.description + JSON.stringify(tool.parameters));
  const schema = request.output === undefined ? "" : JSON.stringify(request.output.schema);
  return {
    inputTokens: estimateTokens([...sent, ...tools, schema].join("")),
    outputTokens: estimateTokens(reply.text + callsText(reply.toolCalls)),
  };
}

function messageCalls(message: ModelRequest["messages"][number]): readonly ModelToolCall[] {
  return message.role === "assistant" ? (message.toolCalls ?? []) : [];
}

function callsText(calls: readonly ModelToolCall[]): string {
  return calls.map((call) => call.name + call.arguments).join("");
}
