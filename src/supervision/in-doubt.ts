/**
 * Second looks: a supervisor whose `when` names a rules supervisor (`inDoubt`) is asked only about texts which that one lets pass and
 * isn't sure of. The rules supervisor has to stand at the same hook; where none asks, what is in doubt passes.
 */
import type { Subject } from "./subject.js";
import type { Supervisor, SupervisorStream } from "./supervisor.js";
import type { Verdict } from "./verdict.js";

/** The rules supervisor that the condition names, among those of a hook. What a shadow doubts concerns shadows alone. */
function doubterOf({ condition, mode }: Supervisor, active: readonly Supervisor[]): Supervisor | undefined {
  return active.find(
    ({ name, pure, mode: its }) => pure && name === condition?.inDoubt && (its === "enforce" || mode === "shadow"),
  );
}

/**
 * Why a supervisor isn't asked for a second look; nothing if it is, or if its condition names nobody.
 * @param verdictOf what a pure supervisor says of the text
 */
export async function notInDoubt(
  supervisor: Supervisor,
  active: readonly Supervisor[],
  verdictOf: (doubter: Supervisor) => Promise<Verdict>,
): Promise<string | undefined> {
  const named = supervisor.condition?.inDoubt;
  if (named === undefined) return undefined;
  const doubter = doubterOf(supervisor, active);
  if (doubter === undefined) return `no supervisor "${named}" of kind rules looks at it here`;
  // One that fails says nothing of the text: that is no reason to look less closely.
  const { inDoubt } = await verdictOf(doubter).catch(() => ({ inDoubt: true }));
  return inDoubt === true ? undefined : `supervisor "${named}" isn't in doubt about it`;
}

/**
 * How a streamed text goes on past a supervisor that may be asked for a second look: as it is until it is in doubt, and no further then.
 * Nothing where it isn't going to be asked.
 */
export function streamUntilDoubt(supervisor: Supervisor, active: readonly Supervisor[]): SupervisorStream | undefined {
  return doubterOf(supervisor, active)?.openDoubtStream?.();
}

/** Pure supervisors that work out each verdict once: a text that stays the same is judged for itself and for second looks. */
export function withVerdictsKept(supervisors: readonly Supervisor[]): Supervisor[] {
  return supervisors.map((supervisor) => {
    if (!supervisor.pure) return supervisor;
    const verdicts = new Map<Subject, Promise<Verdict>>();
    return {
      ...supervisor,
      judge(subject, context) {
        const verdict = verdicts.get(subject) ?? supervisor.judge(subject, context);
        verdicts.set(subject, verdict);
        return verdict;
      },
    };
  });
}
