/** What a worker that hands its task on leaves to the next one: what it says it did, and what its tools gave. */

import { isAskHuman } from "../agent/built-in/ask-human.js";
import type { ReplyTurn } from "../conversation/message.js";
import { routingServer } from "./routing-tools.js";

/** Of one call's arguments or result, and of the whole, in characters. */
const longestPart = 2_000;
const longestReport = 12_000;

/** @returns nothing but what was done; answers of people go to the next worker anyway, as what they are. */
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
