/** What somebody hears who has reached a limit. */
import { defined } from "../../conversation/defined.js";
import type { Problem, ReachedLimit } from "../../conversation/problem.js";
import type { Demand } from "./demand.js";
import type { WindowSpan } from "./windows.js";

/** How long somebody waits at least before they try what others have in use, in seconds: nobody knows when it is given back. */
const inUseRetrySeconds = 5;
/** What never comes back by itself is tried again in an hour at the soonest. */
const totalRetrySeconds = 3_600;

export function limitReached(demand: Demand, { end }: WindowSpan, remaining: number, now: number): Problem {
  const { limit, scope, measure, max, window, timeZone } = demand;
  const seconds = end === undefined ? undefined : Math.max(1, Math.ceil((end - now) / 1_000));
  const isGivenBack = window === "total" && measure !== "tokens" && measure !== "money";
  const retryAfterSeconds = seconds ?? (isGivenBack ? inUseRetrySeconds : totalRetrySeconds);
  const reached: ReachedLimit = {
    limit,
    scope,
    ...defined({ resetsAt: end === undefined ? undefined : new Date(end).toISOString() }),
    measure,
    max: Math.floor(measure === "money" ? max / 1_000_000 : max),
    remaining: Math.floor(measure === "money" ? remaining / 1_000_000 : remaining),
    ...defined({ windowSeconds: windowSeconds[window] }),
  };
  const what = `The limit "${limit}" of ${measure} is reached for ${scope}.`;
  const when =
    end === undefined ? "Raise it, or wait until some is given back." : `It begins anew at ${reached.resetsAt}.`;
  return {
    code: "limit_reached",
    detail: `${what} ${when} POST /v1/limits/{name}/raise lets more through for a while.`,
    userMessage: demand.userMessage ?? defaultMessage(demand, end, timeZone),
    retryAfterSeconds,
    reached,
  };
}

const windowSeconds = { minute: 60, hour: 3_600, day: 86_400, month: 2_592_000, total: undefined } as const;

/** Without the amount: that is its owner's business. */
function defaultMessage({ window }: Demand, end: number | undefined, timeZone: string): string {
  if (end === undefined) return "You have reached the limit of what you can use here at one time.";
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" }).format(end);
  const date = new Intl.DateTimeFormat("en-GB", { timeZone, day: "numeric", month: "long" }).format(end);
  switch (window) {
    case "minute":
      return "That was too much at once. You can write again in a minute.";
    case "hour":
      return `You have reached this hour's limit. You can write again at ${clock}.`;
    case "day":
      return `You have reached today's limit. You can write again at ${clock}.`;
    case "month":
      return `You have reached this month's limit. You can write again on ${date}.`;
    case "total":
      return "You have reached the limit of what you can use here.";
  }
}
