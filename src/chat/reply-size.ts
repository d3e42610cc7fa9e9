/** How much of what its tools returned a reply holds: as much as its supervisors can read. The agent has read it whole. */
import type { ReplyTurn, ToolCallResult } from "../conversation/message.js";

/** Characters of all outputs and errors of a reply's tool calls together. */
const maxToolCharacters = 300_000;

/** The turns with what their tools returned, cut once there is more than a reply holds; cut texts say so. */
export function withinReplySize(turns: readonly ReplyTurn[]): ReplyTurn[] {
  let room = maxToolCharacters;
  const cut = (text: string): string => {
    const kept = text.slice(0, room);
    room -= kept.length;
    return kept.length === text.length ? text : `${kept}\n[cut: ${text.length - kept.length} more characters]`;
  };
  const bounded = (call: ToolCallResult): ToolCallResult => ({
    ...call,
    ...(call.output === undefined ? {} : { output: cut(call.output) }),
    ...(call.error === undefined ? {} : { error: cut(call.error) }),
  });
  return turns.map((turn) =>
    turn.toolCalls === undefined ? turn : { ...turn, toolCalls: turn.toolCalls.map(bounded) },
  );
}
