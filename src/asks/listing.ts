/** How asks are listed: in which orders, what is urgent, and by which words of them they are found. */
import { decisionOf } from "./answer.js";
import type { Ask } from "./ask.js";

/** `inbox`: the most urgent first, of those the one whose deadline is nearest, of those the oldest. */
export const askSorts = ["openedAt", "priority", "deadline", "inbox"] as const;
export type AskSort = (typeof askSorts)[number];

/** The most urgent first. */
const urgencies: readonly Ask["priority"][] = ["critical", "required", "high", "normal", "low", "optional"];

/** 0 is the most urgent. */
export function urgencyOf({ priority }: Pick<Ask, "priority">): number {
  return urgencies.indexOf(priority);
}

/** How an ask was decided, in one word; an approval with other arguments is an edit. Undefined where nobody answered. */
export function decisionWord(ask: Pick<Ask, "status" | "answer">): string | undefined {
  if (ask.status !== "answered") return undefined;
  const decided = decisionOf(ask);
  if (decided === undefined) return "answered";
  return "args" in decided && decided.args !== undefined ? "edit" : decided.decision;
}
