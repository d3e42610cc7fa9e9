/** What a team's supervisor keeps from one decision to the next: the tools it called and what they returned. */

import type { AgentReport } from "../agent/agent-spec.js";
import { clip } from "../agent/effects.js";
import { builtInServer } from "../agent/tools.js";
import type { ModelMessage } from "../model/port.js";
import type { Finding } from "./findings.js";
import { routingServer } from "./routing-tools.js";

/** Of one result, and of all that is kept, in characters: the oldest rounds go first. */
const longestResult = 8_000;
const longestExchange = 60_000;

/** @param scope of this call: ids of tool calls are unique in the whole exchange. */
export function keepExchange(
  kept: readonly ModelMessage[],
  exchange: readonly ModelMessage[],
  scope: string,
): ModelMessage[] {
  const added = exchange.map((message) => withUniqueIds(message, scope));
  let messages = [...kept, ...added];
  while (JSON.stringify(messages).length > longestExchange) {
    // A round begins with what the model said; its results go with it.
    const next = messages.findIndex(({ role }, index) => index > 0 && role !== "tool");
    if (next < 0) return [];
    messages = messages.slice(next);
  }
  return messages;
}

function withUniqueIds(message: ModelMessage, scope: string): ModelMessage {
  switch (message.role) {
    case "assistant": {
      const toolCalls = message.toolCalls?.map((call) => ({ ...call, id: `${scope}_${call.id}` }));
      return toolCalls === undefined ? message : { ...message, toolCalls };
    }
    case "tool": {
      const toolCallId = `${scope}_${message.toolCallId}`;
      return { ...message, toolCallId, content: clip(message.content, longestResult) };
    }
    case "system":
    case "user":
      return message;
  }
}

/**
 * What it found by stored tools. Answers of people and effects reach workers otherwise; what a memory knows only those who may
 * search it themselves.
 */
export function findingsOf({ turns, effects }: AgentReport): Finding[] {
  const done = new Set(effects.map(({ toolCallId }) => toolCallId));
  return turns
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .flatMap(({ toolCallId, server, tool, args, output }) => {
      const isOwn = server === routingServer || server === builtInServer;
      return isOwn || output === undefined || done.has(toolCallId)
        ? []
        : [{ tool: `${server}/${tool}`, args, content: output }];
    });
}
