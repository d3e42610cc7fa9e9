/** Rules as they stand in a configuration, for the streaming tests. */
import { defined } from "../../../src/conversation/defined.js";

export const redact = (match: object, replacement?: string) => ({
  match,
  action: "redact",
  reason: `redacts ${JSON.stringify(match)}`,
  ...defined({ replacement }),
});
export const block = (match: object) => ({ match, action: "block", reason: `blocks ${JSON.stringify(match)}` });
export const review = (match: object) => ({ match, action: "review", reason: `reviews ${JSON.stringify(match)}` });
export const phrases = (...list: string[]) => ({ type: "phrases", phrases: list });
export const pattern = (source: string, flags = "") => ({ type: "pattern", pattern: source, flags });
export const personalData = (...kinds: string[]) => ({
  type: "personalData",
  ...(kinds.length === 0 ? {} : { kinds }),
});
