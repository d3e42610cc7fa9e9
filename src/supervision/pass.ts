/**
 * One pass: all supervisors of a hook over one subject. First those that may modify, in order, each on what the ones before it
 * made; then those that only judge, all at once, on the final text, with the pure ones looking at it again. The strictest wins,
 * and a block ends the pass with all reasons so far.
 */
import { z } from "zod";
import type { StepSpec } from "../agent/journal.js";
import { type ToolCallResult, toolCallResultSchema } from "../conversation/message.js";
import { lazily, remembering } from "../text/lazily.js";
import { type Evaluation, evaluate, type Pass, type PassPorts } from "./evaluation.js";
import { withVerdictsKept } from "./in-doubt.js";
import { passSubject, restrictedTexts, stepOf } from "./pass-record.js";
import { reasonRules } from "./reasons.js";
import { type PendingShadow, pendingShadow } from "./shadows.js";
import { changesOf, type SupervisionState } from "./state.js";
import { packed, storedStateSchema } from "./stored-state.js";
import { type Subject, saysTheSame, subjectSchema } from "./subject.js";
import { inOrder, modifiesAt, type Supervisor } from "./supervisor.js";
import { isStricter, strictest } from "./verdict.js";

export interface PassResult {
  readonly state: SupervisionState;
  readonly subject: Subject;
  /** By tools of enforcing supervisors' own; nothing where they called none. */
  readonly lookedUp?: readonly ToolCallResult[] | undefined;
}

const passResultSchema = lazily(() =>
  z.object({ state: storedStateSchema, subject: subjectSchema, lookedUp: z.array(toolCallResultSchema).optional() }),
);

/** Does the pass as the journal's step `pass`: on a replay its stored result stands for it, and nobody is asked again. */
export async function passStep(
  subject: Subject,
  supervisors: readonly Supervisor[],
  ports: PassPorts,
  { onDone, ...written }: Pick<StepSpec<PassResult>, "onDone" | "writtenWithNext">,
  shadow?: (pending: PendingShadow) => void,
): Promise<PassResult> {
  const shadows: PendingShadow[] = [];
  const passed = await ports.journal.step<PassResult>(
    {
      id: "pass",
      kind: "supervision",
      schema: passResultSchema(),
      stored: ({ state, ...made }) => ({ ...made, state: packed(state) }),
      interrupted: "again",
      onDone: (result) => {
        onDone?.(result);
        for (const pending of shadows) shadow?.(pending);
      },
      ...written,
    },
    () => runPass(subject, supervisors, ports, shadow && ((pending) => shadows.push(pending))),
  );
  if (passed.lookedUp !== undefined) ports.lookedUp?.(passed.lookedUp);
  return passed;
}

/** @param later takes shadows that ask somebody: without it they are waited for */
export async function runPass(
  subject: Subject,
  supervisors: readonly Supervisor[],
  ports: PassPorts,
  later?: (shadow: PendingShadow) => void,
): Promise<PassResult> {
  const { hook } = subject;
  const active = withVerdictsKept(supervisors.filter(({ hooks }) => hooks.has(hook)).sort(inOrder));
  const pass: Pass = { active, rules: reasonRules(supervisors, hook), ports };
  const ofMode = (of: Supervisor["mode"]) => active.filter(({ mode }) => mode === of);
  const shadowed = Promise.all(
    ofMode("shadow").map(async (shadow) => {
      const pending = later && (await pendingShadow(shadow, subject, pass));
      if (pending === undefined) return [await evaluate(shadow, subject, pass)];
      later?.(pending);
      return [];
    }),
  );

  const modifiers = ofMode("enforce").filter((supervisor) => modifiesAt(supervisor, hook));
  const judges = ofMode("enforce").filter((supervisor) => !modifiesAt(supervisor, hook));
  const modified = await modify(subject, modifiers, pass);
  const { current, evaluations } = modified;
  if (!modified.blocked)
    evaluations.push(...(await Promise.all(judges.map((judge) => evaluate(judge, current, pass)))));

  // Where nobody changes it, it is one subject for all: one digest does.
  const hash = remembering(ports.hash);
  const decision = strictest(...evaluations.map(({ verdict }) => verdict.action));
  // Reasons for a change may tell what stood in a text that nobody gets; its steps have them all.
  const decisive = evaluations.filter(({ verdict }) => decision !== "block" || verdict.action === "block");
  const lookedUp = evaluations.flatMap((evaluation) => evaluation.lookedUp ?? []);
  return {
    subject: current,
    ...(lookedUp.length === 0 ? {} : { lookedUp }),
    state: {
      hook,
      decision,
      reasons: [...new Set(decisive.flatMap(({ verdict }) => verdict.reasons))],
      contextChanges: changesOf(evaluations.flatMap(({ contextChanges }) => contextChanges)),
      steps: await Promise.all(
        [...evaluations, ...(await shadowed).flat()].map((evaluation) => stepOf(evaluation, { hash })),
      ),
      degraded: evaluations
        .filter(({ failed, verdict }) => failed !== undefined && !isStricter(verdict.action, "modify"))
        .map(({ name }) => name),
      subject: passSubject(subject),
      ...(decision === "allow" ? {} : restrictedTexts(subject, current)),
    },
  };
}

/** How often the pure supervisors look again at what later ones made of the text, before that counts as an oscillation. */
const maxSecondLooks = 3;

/** What those that may modify make of a subject, in order; a text that the pure ones keep changing is blocked. */
async function modify(subject: Subject, modifiers: readonly Supervisor[], pass: Pass) {
  const evaluations: Evaluation[] = [];
  let current = subject;
  const lastSeenBy = ({ name }: Supervisor) => evaluations.findLast((evaluation) => evaluation.name === name)?.after;
  const isStale = (supervisor: Supervisor): boolean => {
    const seen = lastSeenBy(supervisor);
    return seen === undefined || !saysTheSame(seen, current);
  };
  let waiting = modifiers;
  for (let look = 0; waiting.length > 0 && look <= maxSecondLooks; look++) {
    for (const supervisor of waiting) {
      const evaluation = await evaluate(supervisor, current, pass);
      evaluations.push(evaluation);
      current = evaluation.after;
      if (evaluation.verdict.action === "block") return { current, evaluations, blocked: true };
    }
    waiting = modifiers.filter((supervisor) => supervisor.pure && isStale(supervisor));
  }
  const [oscillating] = waiting;
  if (oscillating !== undefined) evaluations.push(oscillation(oscillating.name, current));
  return { current, evaluations, blocked: oscillating !== undefined };
}

function oscillation(name: string, current: Subject): Evaluation {
  const reason = `Supervisor "${name}" and others keep changing each other's text; the setting to look at is their order.`;
  return {
    name,
    mode: "enforce",
    before: current,
    after: current,
    verdict: { action: "block", reasons: [reason] },
    contextChanges: [],
    calls: [],
    failed: reason,
    latencyMs: 0,
  };
}
