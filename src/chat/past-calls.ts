/** The tool calls of earlier replies as a later prompt shows them: effective texts only, clipped. */
import type { PastRound } from "../agent/prompt.js";
import type { ChatMessage, ModelReply } from "../conversation/message.js";

/** So many of the newest replies with tool calls keep them. */
const repliesWithCalls = 3;
/** So many of a reply's calls are shown, the newest ones. */
const maxCalls = 20;
const maxResultCharacters = 3_000;
const maxArgumentCharacters = 1_000;

/** The rounds of a reply; nothing of one that called no tool. */
function roundsOf(reply: ModelReply): PastRound[] | undefined {
  const calls = reply.turns.flatMap(({ toolCalls = [] }) => toolCalls);
  if (calls.length === 0) return undefined;
  const shown = new Set(calls.slice(-maxCalls).map(({ toolCallId }) => toolCallId));
  return reply.turns.map(({ message = "", toolCalls = [] }) => ({
    message,
    calls: toolCalls
      .filter(({ toolCallId }) => shown.has(toolCallId))
      .map(({ server, tool, args, output, error }) => ({
        ref: { server, tool },
        args: clippedArguments(args),
        result: clipped(output ?? error ?? ""),
      })),
  }));
}

/** For each of these messages, newest first, its rounds: of the newest replies with tool calls alone. */
export function newestRounds(newestFirst: readonly ChatMessage[]): (PastRound[] | undefined)[] {
  let left = repliesWithCalls;
  return newestFirst.map((message) => {
    const rounds = message.role === "assistant" && left > 0 ? roundsOf(message.modelReply) : undefined;
    if (rounds !== undefined) left--;
    return rounds;
  });
}

/** Arguments stay an object, whatever is left of them. */
function clippedArguments(args: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(args);
  return text.length <= maxArgumentCharacters
    ? text
    : JSON.stringify({ clipped: text.slice(0, maxArgumentCharacters) });
}

function clipped(text: string): string {
  if (text.length <= maxResultCharacters) return text;
  const half = maxResultCharacters / 2;
  return `${text.slice(0, half)}\n[… ${text.length - maxResultCharacters} characters …]\n${text.slice(-half)}`;
}
