/** What whoever decided on a review or an approval writes for those whose text or call it was: it passes the rules, as reasons do. */
import type { Journal } from "../agent/journal.js";
import { activeAtHop } from "./as-hop.js";
import type { PassPorts } from "./evaluation.js";
import { runPass } from "./pass.js";
import { reasonRules } from "./reasons.js";
import { spokenText } from "./subject.js";
import type { Supervisor } from "./supervisor.js";
import type { Hook } from "./verdict.js";

/**
 * A sentence about a decision, with the decider's message where there is one.
 * @example await withMessage("A reviewer rejected it.", { message: "No refunds." }, at) // "A reviewer rejected it: No refunds."
 */
export async function withMessage(
  sentence: string,
  { message }: { readonly message?: string | undefined },
  at: {
    readonly hook: Hook;
    readonly supervisors: readonly Supervisor[];
    readonly journal: Journal;
    readonly ports: Omit<PassPorts, "journal">;
  },
): Promise<string> {
  if (message === undefined) return sentence;
  const rules = activeAtHop(reasonRules(at.supervisors, at.hook), [at.hook, "response"]);
  const written = { hook: "hop", from: "decider", to: "record", content: message } as const;
  const { state, subject } = await runPass(written, rules, { ...at.ports, journal: at.journal.scope("message") });
  const passes = state.decision === "allow" || state.decision === "modify";
  return `${sentence.replace(/\.$/, "")}: ${passes ? spokenText(subject) : "[withheld by the rules]"}`;
}
