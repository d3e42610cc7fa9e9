/** The verdict algebra: what a supervisor says, and how several of them combine. */
import type { TokenUsage } from "../model/port.js";
import type { Change, Place } from "./subject.js";

/** In growing strictness. */
export const actions = ["allow", "modify", "review", "block"] as const;
export type Action = (typeof actions)[number];

export function isStricter(action: Action, than: Action): boolean {
  return actions.indexOf(action) > actions.indexOf(than);
}

/** How several verdicts combine: the strictest decides; of none it is `allow`. */
export function strictest(...actions: readonly Action[]): Action {
  return actions.reduce<Action>((worst, action) => (isStricter(action, worst) ? action : worst), "allow");
}

export const hooks = ["request", "response", "tool_call", "tool_result", "hop"] as const;
/** The five places where a supervisor can stand. */
export type Hook = (typeof hooks)[number];

export interface Verdict {
  readonly action: Action;
  readonly reasons: readonly string[];
  /** How it came to its reasons, in words that quote nothing: for operators. */
  readonly explanation?: readonly string[];
  /** Of a subject with several texts those because of which it doesn't pass, where the supervisor can tell: for operators. */
  readonly faults?: readonly (Place & { readonly text: string })[];
  /** The rules that matched, by their ids. */
  readonly rules?: readonly string[];
  /** The model that decided, where it isn't the first that is configured. */
  readonly model?: string;
  /** It passes as far as this supervisor can tell, which isn't sure: others may be asked about such texts alone. */
  readonly inDoubt?: boolean;
  /** With `modify`: what to make of it. With `review`: what is proposed, if anything. */
  readonly change?: Change;
  /** What a model was paid for it. */
  readonly usage?: TokenUsage;
}
