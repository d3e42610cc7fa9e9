/** Which calls of a round aren't over. */
import type { Asking } from "./asking.js";
import { askedBy } from "./built-in/ask-human.js";
import type { PendingCall } from "./ports.js";
import type { RequestedTool } from "./tool-call.js";
import type { AgentTool } from "./tools.js";

/** @param ended the indices of those that are; a call of a tool that doesn't exist is over at once. */
export function pendingCalls(
  calls: readonly RequestedTool[],
  ended: ReadonlySet<number>,
  tools: readonly AgentTool[],
  idOf: (index: number) => string,
  asking: Asking | undefined,
): PendingCall[] {
  return calls.flatMap(({ name, ref }, index) => {
    const tool = ref ?? tools.find((candidate) => candidate.name === name)?.ref;
    return ended.has(index) || tool === undefined
      ? []
      : [{ toolCallId: idOf(index), ...tool, ...askedBy(tool, asking) }];
  });
}
