/** What people answered while a team worked on a reply: part of that reply, and of the history that later prompts show. */
import { answeredWith, answerTold, askHuman, assumedFrom, isAskHuman } from "../agent/built-in/ask-human.js";
import { builtInServer } from "../agent/tools.js";
import { dataBlock } from "../conversation/data-block.js";
import { defined } from "../conversation/defined.js";
import { type ChatMessage, messageText, type ToolCallResult } from "../conversation/message.js";
import type { Clarification } from "../routing/clarifications.js";

/** As calls of `ask_human`, which is what they were. @param replyId begins their ids */
export function questionCalls(clarifications: readonly Clarification[], replyId: string): ToolCallResult[] {
  return clarifications.map(({ question, answer, from, audience }, index) => ({
    toolCallId: `${replyId}.ask.${index}`,
    server: builtInServer,
    tool: askHuman,
    args: { question },
    ...defined({ audience }),
    elapsedMs: 0,
    ...resultOf(from, answer),
  }));
}

function resultOf(from: Clarification["from"], answer: string): Pick<ToolCallResult, "output" | "error"> {
  switch (from) {
    case "human":
      return { output: `${answeredWith}${answer}` };
    case "default":
      return { output: `${assumedFrom}${answer}` };
    case "nobody":
      return { error: "Nobody answered." };
  }
}

/** Whether a person of the staff wrote it: what no agent said, none reads as its own. */
export function isStaffs(message: ChatMessage): boolean {
  return message.role === "assistant" && message.author !== undefined;
}

/** The most of an answer that the history keeps, in characters. */
const longestAnswer = 1_000;

/** A message as later prompts show it: a team's reply with what people were asked for it, as data. */
export function historyText(message: ChatMessage): string {
  const text = messageText(message);
  if (message.role === "system") return dataBlock("notice", {}, text);
  if (isStaffs(message)) return dataBlock("message", { from: "staff" }, text);
  if (message.role !== "assistant" || message.modelReply.metadata?.team === undefined) return text;
  const answers = message.modelReply.turns
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .filter(isAskHuman)
    .map(({ args, output, error = "" }) => {
      const { from, answer } = output === undefined ? { from: "nobody", answer: error } : answerTold(output);
      return dataBlock("clarification", { from, question: String(args.question) }, answer.slice(0, longestAnswer));
    });
  return [...answers, text].join("\n\n");
}
