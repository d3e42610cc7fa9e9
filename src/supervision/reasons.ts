/**
 * What a supervisor says in words of its own, as everybody may read it: reasons are shown where the text they are about is not.
 * The rules look at them first, and what they quote of the text is taken out.
 */
import { quoteRemover } from "./quotes.js";
import { applyChange, type Subject, segmentsOf } from "./subject.js";
import type { JudgeContext, Supervisor } from "./supervisor.js";
import type { Hook } from "./verdict.js";

/** Words about `before`, as they may be read; `after` is what was made of it, if it was changed. */
export async function sanitizeReason(
  words: readonly string[],
  about: { readonly before: Subject; readonly after?: Subject | undefined },
  rules: readonly Supervisor[],
  context: JudgeContext,
): Promise<string[]> {
  if (words.length === 0) return [];
  const withoutQuotes = quoteRemover(
    textsOf(about.before),
    about.after === undefined ? undefined : textsOf(about.after),
  );
  return Promise.all(words.map((one) => throughRules(withoutQuotes(one), rules, context)));
}

async function throughRules(content: string, rules: readonly Supervisor[], context: JudgeContext): Promise<string> {
  let subject: Subject = { hook: "hop", from: "supervisor", to: "record", content };
  for (const rule of rules) {
    const verdict = await rule.judge(subject, context);
    if (verdict.action === "block" || verdict.action === "review") {
      return `[withheld: the rules of supervisor "${rule.name}" don't let these words pass]`;
    }
    if (verdict.change !== undefined) subject = applyChange(subject, verdict.change);
  }
  return textsOf(subject);
}

/** The rules that what is said at a hook has to pass before it is read: those that stand there, and those of replies. */
export function reasonRules(supervisors: readonly Supervisor[], hook: Hook): Supervisor[] {
  return supervisors.filter(
    ({ pure, mode, hooks }) => pure && mode === "enforce" && (hooks.has(hook) || hooks.has("response")),
  );
}

function textsOf(subject: Subject): string {
  return segmentsOf(subject)
    .map(({ text }) => text)
    .join("\n");
}
