/** What a team's agents leave to those after them: a supervisor's exchange and findings, the report of a worker that hands its task on. */

import type { AgentReport } from "../agent/agent-spec.js";
import { isAskHuman } from "../agent/built-in/ask-human.js";
import { clip } from "../agent/effects.js";
import { builtInServer } from "../agent/tools.js";
import type { ReplyTurn } from "../conversation/message.js";
import type { ModelMessage } from "../model/port.js";
import type { Finding } from "./routing-input.js";
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

/** Of one call's arguments or result, and of the whole, in characters. */
const longestPart = 2_000;
const longestReport = 12_000;

/** What a worker that hands its task on says it did, and what its tools gave. @returns nothing but what was done; answers of people go to the next worker anyway, as what they are. */
export function handOffReport(done: string, turns: readonly ReplyTurn[]): string {
  const calls = turns
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .filter((call) => call.server !== routingServer && !isAskHuman(call))
    .map(({ server, tool, args, output, error }) => {
      const came = error === undefined ? `returned: ${output ?? ""}` : `failed: ${error}`;
      return `${server}/${tool} was called with ${clipped(JSON.stringify(args))} and ${clipped(came)}`;
    });
  const report = [done.trim(), ...calls].filter((part) => part !== "").join("\n");
  return report.length <= longestReport ? report : `${report.slice(0, longestReport)} …`;
}

function clipped(text: string): string {
  return text.length <= longestPart ? text : `${text.slice(0, longestPart)} …`;
}
