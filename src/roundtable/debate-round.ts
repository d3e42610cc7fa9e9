/**
 * All that a round is: its question supervised, perspectives made where the mode needs some, the seats heard, and what the round came to.
 * The same function runs a round of a roundtable and of a panel in a session or a team.
 */
import { settleInOrder } from "../agent/concurrency.js";
import type { Effect } from "../agent/effects.js";
import { addSpent, nothingSpent, type Spent } from "../agent/spent.js";
import { supervise } from "../supervision/supervise.js";
import { awaitedContext } from "./context-request.js";
import { mergePass, type RoundRecord, type SeatFailure } from "./debate.js";
import { exitOf } from "./exit.js";
import { modeNamed } from "./modes/table.js";
import type { Perspective } from "./panel.js";
import { makePerspectives } from "./perspectives.js";
import type { DebatePorts, LoadedPanel } from "./ports.js";
import { type RoundCommand, type RoundResult, runRound } from "./round.js";
import { type Analysed, analyseRound, countConsensus } from "./round-consensus.js";

export type RoundWork = Omit<RoundCommand, "focusQuestion" | "rounds" | "spent"> & {
  readonly absent: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** As it was sent. */
  readonly focusQuestion: string | undefined;
  readonly rounds: readonly RoundRecord[];
  readonly spent: Spent;
  /** A round before this one that nobody has analysed yet: done while the seats speak. */
  readonly unanalysed?: RoundRecord | undefined;
};

export type RoundEnd = {
  readonly spent: Spent;
  /** What its seats did that isn't to be done again. */
  readonly effects: readonly Effect[];
} & (
  | {
      readonly kind: "completed";
      /** The whole round, earlier passes of it included. */
      readonly round: RoundRecord;
      /** The analysis of the round before, where that was still to be done. */
      readonly before: Analysed | undefined;
      readonly perspectives: readonly Perspective[] | undefined;
    }
  | { readonly kind: "all_failed"; readonly failures: readonly SeatFailure[] }
  | { readonly kind: "blocked"; readonly detail: string }
);

/** @throws {Parked} while a person's approval or review is awaited. */
export async function runDebateRound(work: RoundWork, panel: LoadedPanel, ports: DebatePorts): Promise<RoundEnd> {
  const focus = await clearFocus(work, ports);
  if (!focus.ok) return { kind: "blocked", detail: focus.detail, spent: nothingSpent, effects: [] };
  const needsPerspectives =
    modeNamed(panel.mode).perspectives === true && panel.seats.every(({ perspective }) => perspective === undefined);
  const perspectives = needsPerspectives
    ? await makePerspectives(work.topic, panel, { ...ports, journal: ports.journal.scope("perspectives") })
    : undefined;
  const seated: LoadedPanel =
    perspectives === undefined
      ? panel
      : { ...panel, seats: panel.seats.map((seat, index) => ({ ...seat, perspective: perspectives[index] })) };
  const focusQuestion = focus.question;
  // The round before is analysed while the seats speak: nobody waits for it.
  const parts = await settleInOrder<Part>(
    [
      async () => ({
        spoken: await runRound({ ...work, focusQuestion }, seated, { ...ports, journal: ports.journal.scope("seats") }),
      }),
      async () => ({ before: await analyseBefore(work, seated, ports) }),
    ],
    2,
  );
  const spoken = parts.flatMap((part) => part.spoken ?? [])[0] ?? nothingSaid;
  const before = parts.flatMap((part) => part.before ?? [])[0];
  const { positions, failures, spent, effects } = spoken;
  if (positions.length === 0) return { kind: "all_failed", failures, spent, effects };
  const round = roundOf({ ...work, focusQuestion }, spoken, ports.now());
  const rounds = [...work.rounds.filter((one) => one.round !== round.round), round];
  const consensus = countConsensus(rounds, seated);
  const counted = { ...round, consensus };
  if (!panel.analysis || !endsByConsensus([...rounds.slice(0, -1), counted], panel, ports)) {
    return { kind: "completed", round: counted, before, perspectives, spent, effects };
  }
  // It would end with this round: now the analyst may say why not yet.
  const material = { topic: work.topic, rounds: [...rounds.slice(0, -1), counted] };
  const scoped = { ...ports, journal: ports.journal.scope("analysis") };
  const { analysed, spent: more } = await analyseRound(`${work.id}.analysis`, material, seated, scoped);
  const whole = { ...counted, consensus: { ...consensus, ...analysed } };
  return { kind: "completed", round: whole, before, perspectives, spent: addSpent(spent, more), effects };
}

interface Part {
  readonly spoken?: RoundResult;
  readonly before?: Analysed | undefined;
}

const nothingSaid: RoundResult = { positions: [], failures: [], spent: nothingSpent, effects: [] };

async function analyseBefore(
  { id, topic, rounds, unanalysed }: RoundWork,
  panel: LoadedPanel,
  ports: DebatePorts,
): Promise<Analysed | undefined> {
  if (unanalysed === undefined) return undefined;
  const upTo = rounds.filter(({ round }) => round <= unanalysed.round);
  const scoped = { ...ports, journal: ports.journal.scope("before") };
  return (await analyseRound(`${id}.before`, { topic, rounds: upTo }, panel, scoped)).analysed;
}

/** The round as it is now: a further pass replaces what its seats held. */
function roundOf(work: RoundWork, { positions, failures }: RoundResult, now: number): RoundRecord {
  const { kind, round, absent, focusQuestion, startedAt } = work;
  const endedAt = new Date(now).toISOString();
  const running = work.rounds.at(-1);
  const result = { positions: [...positions], failures: [...failures], endedAt };
  if (kind !== "round" && running !== undefined) return mergePass(running, { kind, seats: work.speakers }, result);
  const focus = focusQuestion === undefined ? {} : { focusQuestion };
  return { ...result, ...focus, round, absent: [...absent], passes: [], startedAt: new Date(startedAt).toISOString() };
}

function endsByConsensus(rounds: readonly RoundRecord[], panel: LoadedPanel, { book }: DebatePorts): boolean {
  const { totalRounds, exitOnConsensus, thresholds } = panel;
  const { blocking } = awaitedContext(book.forSeats());
  const exit = exitOf({ rounds, totalRounds, exitOnConsensus, thresholds, blocking, exhausted: undefined });
  return exit !== undefined && exit.reason !== "rounds";
}

async function clearFocus(
  { id, focusQuestion }: RoundWork,
  ports: DebatePorts,
): Promise<
  { readonly ok: true; readonly question: string | undefined } | { readonly ok: false; readonly detail: string }
> {
  if (focusQuestion === undefined) return { ok: true, question: undefined };
  const passed = await supervise(
    { hook: "request", message: { messageId: `${id}.focus`, role: "user", content: focusQuestion } },
    ports.supervisors,
    ports.journal.scope("focus"),
    ports.supervise,
  );
  ports.noteDegraded(passed.degraded);
  return passed.action === "block"
    ? { ok: false, detail: `The question was blocked: ${passed.reasons.join("; ")}` }
    : { ok: true, question: passed.subject.message.content };
}
