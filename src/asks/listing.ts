/** How asks are listed: in which orders, and what is urgent. */
import type { Ask } from "./ask.js";

export const askSorts = ["openedAt", "priority", "deadline"] as const;
export type AskSort = (typeof askSorts)[number];

/** The most urgent first. */
const urgencies: readonly Ask["priority"][] = ["critical", "required", "high", "normal", "low", "optional"];

/** 0 is the most urgent. */
export function urgencyOf({ priority }: Pick<Ask, "priority">): number {
  return urgencies.indexOf(priority);
}
