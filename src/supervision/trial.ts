/**
 * Supervisors tried on a text, without effect: each by itself, and all together as a pass has them. Nothing is kept, nobody is asked for a
 * review, and no failure counts towards not asking a supervisor any more.
 */
import type { Journal } from "../agent/journal.js";
import { defined } from "../conversation/defined.js";
import type { Environment } from "./environment.js";
import { type Evaluation, evaluate, type PassPorts } from "./evaluation.js";
import { runPass } from "./pass.js";
import { reasonRules } from "./reasons.js";
import { passForOperators } from "./state.js";
import { canonicalText, readableText, type Subject, saysTheSame } from "./subject.js";
import type { JudgeContext, Supervisor } from "./supervisor.js";
import type { Action, Verdict } from "./verdict.js";

export type TrialPorts = Pick<PassPorts, "now" | "hash" | "withDeadline" | "strict"> & {
  readonly environment: Environment;
  /** Its calls of models are held against its budget. */
  readonly journal: Journal;
};

/** What one supervisor says by itself, enforced or not. */
export interface TrialVerdict {
  readonly supervisor: string;
  readonly action: Action;
  readonly reasons: readonly string[];
  /** What it makes of the text, or proposes to a reviewer, where that is another one. */
  readonly text?: string;
  readonly evaluation?: Evaluation;
  readonly skipped?: string;
}

export interface Trial {
  readonly together: { readonly action: Action; readonly reasons: readonly string[]; readonly text: string };
  readonly alone: readonly TrialVerdict[];
}

/**
 * @param leftOut of supervisors that are not to be asked why not, by name: they have no part in what all say together
 * @example
 * const { together, alone } = await trySupervisors(subject, [privacy, tone], new Map(), ports);
 */
export async function trySupervisors(
  subject: Subject,
  supervisors: readonly Supervisor[],
  leftOut: ReadonlyMap<string, string>,
  ports: TrialPorts,
): Promise<Trial> {
  const asked = supervisors.filter(({ name }) => !leftOut.has(name)).map(askedOnce);
  const pass = {
    active: asked,
    rules: reasonRules(asked, subject.hook),
    ports,
  };
  const alone = await Promise.all(
    supervisors.map(async ({ name, hooks }): Promise<TrialVerdict> => {
      const skipped = leftOut.get(name) ?? (hooks.has(subject.hook) ? undefined : notAtHook(subject));
      const supervisor = asked.find((one) => one.name === name);
      if (skipped !== undefined || supervisor === undefined)
        return { supervisor: name, action: "allow", reasons: [], ...defined({ skipped }) };
      const evaluation = await evaluate(supervisor, subject, pass);
      const { verdict, wholeReasons, after } = evaluation;
      return {
        supervisor: name,
        action: verdict.action,
        reasons: wholeReasons ?? verdict.reasons,
        ...(saysTheSame(subject, after) ? {} : { text: readableText(after) }),
        evaluation,
        ...defined({ skipped: evaluation.skipped }),
      };
    }),
  );
  const { state, subject: after } = await runPass(subject, asked, pass.ports);
  const { decision: action, reasons } = passForOperators(state);
  return { together: { action, reasons, text: readableText(after) }, alone };
}

function notAtHook({ hook }: Subject): string {
  return `its hooks don't name ${hook}`;
}

/** What it said of a text by itself is what it says of it among others: it isn't asked, nor paid, twice. */
function askedOnce(supervisor: Supervisor): Supervisor {
  const known = new Map<
    string,
    { readonly verdict: Promise<Verdict>; readonly notes: ((to: JudgeContext) => void)[] }
  >();
  return {
    ...supervisor,
    async judge(subject, context) {
      const text = canonicalText(subject);
      const before = known.get(text);
      if (before !== undefined) {
        const verdict = await before.verdict;
        for (const note of before.notes) note(context);
        return verdict;
      }
      const notes: ((to: JudgeContext) => void)[] = [];
      const noted = (note: (to: JudgeContext) => void): void => {
        notes.push(note);
        note(context);
      };
      const verdict = supervisor.judge(subject, {
        ...context,
        contextChanged: (change) => noted((to) => to.contextChanged(change)),
        called: (call) => noted((to) => to.called(call)),
        refused: (requested) => noted((to) => to.refused(requested)),
      });
      known.set(text, { verdict, notes });
      return verdict;
    },
  };
}
