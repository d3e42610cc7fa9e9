/** The verdict algebra: what a supervisor says, and how several of them combine. */
import type { Subject } from "./subject.js";

/** In growing strictness. */
export const actions = ["allow", "modify", "review", "block"] as const;
export type Action = (typeof actions)[number];

export function strictest(...said: readonly Action[]): Action {
  return said.reduce<Action>(
    (worst, action) => (actions.indexOf(action) > actions.indexOf(worst) ? action : worst),
    "allow",
  );
}

export const hooks = ["request", "response", "tool_call", "tool_result", "hop"] as const;
/** The five places where a supervisor can stand. */
export type Hook = (typeof hooks)[number];

/** What is to be changed in the supervised subject. */
export type Change =
  /** New texts for the subject's segments, in their order; the structure stays. */
  | { readonly kind: "segments"; readonly texts: readonly string[] }
  /** One text in place of all that was said; tool calls, their results and pending calls stay. */
  | { readonly kind: "content"; readonly content: string }
  /** The subject as it shall be, of the same hook: what structural edits made of it. */
  | { readonly kind: "subject"; readonly subject: Subject };

export interface Verdict {
  readonly action: Action;
  readonly reasons: readonly string[];
  /** With `modify`: what to make of it. With `review`: what is proposed, if anything. */
  readonly change?: Change;
  /** What a model was paid for it. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
}

export const allow: Verdict = { action: "allow", reasons: [] };
