/**
 * A round as a durable function, of a roundtable and of a panel in a session or a team. Entered again after an interruption it goes on at
 * the first step without a result; a seat that has spoken isn't asked again.
 */

import { addSpent, nothingSpent, type Spent, spentAtOnce } from "../agent/budget.js";
import { settleInOrder } from "../agent/concurrency.js";
import type { Effect } from "../agent/effects.js";
import { defined } from "../conversation/defined.js";
import { type Analysed, analyseRound } from "./analyst.js";
import { awaitedContext } from "./context-request.js";
import { inSeatOrder, mergePass, type RoundRecord, type SeatFailure, withRound } from "./debate.js";
import { countConsensus, exitOf, shareOf } from "./exit.js";
import { modeNamed } from "./modes/table.js";
import type { Perspective } from "./panel.js";
import { makePerspectives, needsPerspectives, withPerspectives } from "./perspectives.js";
import { type DebatePorts, type LoadedPanel, type LoadedSeat, scoped } from "./ports.js";
import type { Position } from "./position.js";
import type { SeatView } from "./prompts.js";
import { type SeatOutcome, takeTurn } from "./seat.js";
import { clearAnswers, superviseMessage } from "./supervised-texts.js";

export interface RoundWork {
  /** Begins the ids of everything in it; unique, and the same over replays. */
  readonly id: string;
  readonly kind: "round" | "rerun" | "closing";
  readonly round: number;
  readonly speakers: readonly string[];
  /** Seats that sit it out until they have what they asked for. */
  readonly absent: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly topic: string;
  /** As it was sent. */
  readonly focusQuestion: string | undefined;
  /** Complete rounds, oldest first; the last is the running one's own in a further pass. */
  readonly rounds: readonly RoundRecord[];
  readonly spent: Spent;
  /** What was done before it that isn't to be done again: by its own seats in earlier rounds, or around the debate. */
  readonly effects: readonly Effect[];
  /** A round before this one that nobody has analysed yet: done while the seats speak. */
  readonly unanalysed?: RoundRecord | undefined;
}

interface Spoken {
  readonly positions: readonly Position[];
  readonly failures: readonly SeatFailure[];
  readonly spent: Spent;
  /** What its seats did that isn't to be done again. */
  readonly effects: readonly Effect[];
}

export type RoundEnd = Pick<Spoken, "spent" | "effects"> &
  (
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

/**
 * A round, or a further pass of one: its question supervised, perspectives made where the mode needs some, the seats heard, and what it
 * came to.
 * @throws {Parked} while a person's approval or review is awaited.
 * @example
 * const ended = await runRound(work, panel, ports);
 * if (ended.kind === "completed") rounds = withRound(rounds, ended.round);
 */
export async function runRound(work: RoundWork, panel: LoadedPanel, ports: DebatePorts): Promise<RoundEnd> {
  const { id, topic, focusQuestion: asked } = work;
  const focus =
    asked === undefined ? undefined : await superviseMessage(`${id}.focus`, [asked], scoped(ports, "focus"));
  if (focus?.action === "block") {
    return { kind: "blocked", detail: `The question was blocked: ${focus.why}`, spent: nothingSpent, effects: [] };
  }
  const focusQuestion = focus?.texts[0];
  const perspectives = needsPerspectives(panel)
    ? await makePerspectives(topic, panel, scoped(ports, "perspectives"))
    : undefined;
  const seated = withPerspectives(panel, perspectives);
  // The round before is analysed while the seats speak: nobody waits for it.
  const [spoken, before] = await settleInOrder(
    [
      () => speak({ ...work, focusQuestion }, seated, scoped(ports, "seats")),
      () => analyseBefore(work, seated, scoped(ports, "before")),
    ],
    2,
  );
  const { positions, failures, spent, effects } = spoken;
  if (positions.length === 0) return { kind: "all_failed", failures, spent, effects };
  const round = roundOf({ ...work, focusQuestion }, spoken, ports.now());
  const consensus = countConsensus(withRound(work.rounds, round), seated);
  const counted = { ...round, consensus };
  const rounds = withRound(work.rounds, counted);
  const ended = { kind: "completed" as const, before, perspectives, effects };
  const { blocking } = awaitedContext(ports.book.forSeats());
  const exit = panel.analysis ? exitOf({ ...panel, rounds, blocking, exhausted: undefined }) : undefined;
  if (exit === undefined || exit.reason === "rounds") return { ...ended, round: counted, spent };
  // It would end with this round: now the analyst may say why not yet.
  const { analysed, spent: more } = await analyseRound(
    `${id}.analysis`,
    { topic, rounds },
    seated,
    scoped(ports, "analysis"),
  );
  return { ...ended, round: { ...counted, consensus: { ...consensus, ...analysed } }, spent: addSpent(spent, more) };
}

async function analyseBefore(
  { id, topic, rounds, unanalysed }: RoundWork,
  panel: LoadedPanel,
  ports: DebatePorts,
): Promise<Analysed | undefined> {
  if (unanalysed === undefined) return undefined;
  const upTo = rounds.filter(({ round }) => round <= unanalysed.round);
  return (await analyseRound(`${id}.before`, { topic, rounds: upTo }, panel, ports)).analysed;
}

/** The round as it is now: a further pass replaces what its seats held. */
function roundOf(work: RoundWork, { positions, failures }: Spoken, now: number): RoundRecord {
  const { kind, round, absent, focusQuestion, startedAt } = work;
  const running = work.rounds.at(-1);
  const result = { positions: [...positions], failures: [...failures], endedAt: new Date(now).toISOString() };
  if (kind !== "round" && running !== undefined) return mergePass(running, { kind, seats: work.speakers }, result);
  const began = new Date(startedAt).toISOString();
  return { ...result, ...defined({ focusQuestion }), round, absent: [...absent], passes: [], startedAt: began };
}

/** The groups of the mode one after another, the seats of a group at once. */
async function speak(work: RoundWork, panel: LoadedPanel, ports: DebatePorts): Promise<Spoken> {
  const { seats, limits } = panel;
  const mode = modeNamed(panel.mode);
  const groups = mode.speaking(seats.length);
  const indexOf = (id: string): number => seats.findIndex((seat) => seat.id === id);
  const again = work.kind !== "round";
  const running = again ? work.rounds.at(-1) : undefined;
  // In a further pass others keep what they held; a seat hears it where it would have heard it.
  const kept = running?.positions.filter(({ seat }) => !work.speakers.includes(seat)) ?? [];
  const spoken: Position[] = [];
  const failures: SeatFailure[] = [];
  const done: Effect[] = [];
  let spent = nothingSpent;

  for (const [place, group] of groups.entries()) {
    const speaking = group.flatMap((index): [number, LoadedSeat][] => {
      const seat = seats[index];
      return seat !== undefined && work.speakers.includes(seat.id) ? [[index, seat]] : [];
    });
    if (speaking.length === 0) continue;
    ports.syncRequests();
    await clearAnswers(ports);
    const shared = {
      seats,
      mode,
      topic: work.topic,
      round: work.round,
      totalRounds: panel.totalRounds,
      focusQuestion: work.focusQuestion,
      earlier: again ? work.rounds.slice(0, -1) : work.rounds,
      requests: ports.book.forSeats(),
      mayAsk: work.kind !== "closing",
      promptTokens: limits.promptTokens,
    };
    const before = kept.filter(({ seat }) => groups.findIndex((one) => one.includes(indexOf(seat))) < place);
    const sight = { spoken: [...before, ...spoken], indexOf };
    const share = shareOf(limits, work.spent, work.speakers.length);
    const effects = [...work.effects, ...done];
    const tasks = speaking.map(([index, seat]) => (): Promise<SeatOutcome> => {
      const view: SeatView = {
        ...shared,
        seat,
        index,
        role: mode.role?.(index, seats.length),
        heard: again && groups.length === 1 ? [] : mode.hears({ index, count: seats.length, round: work.round }, sight),
        replaced: running?.positions.find((position) => position.seat === seat.id),
      };
      const turn = { id: `${work.id}.${seat.id}`, seat, view, share, effects };
      return takeTurn(turn, panel, scoped(ports, `seat/${seat.id}`));
    });
    const outcomes = await settleInOrder(tasks, tasks.length);
    spent = addSpent(spent, spentAtOnce(outcomes.map((outcome) => outcome.spent)));
    done.push(...outcomes.flatMap((outcome) => outcome.effects));
    for (const outcome of outcomes) {
      if (outcome.kind === "position") spoken.push(outcome.position);
      else failures.push(outcome.failure);
    }
  }
  return { positions: inSeatOrder(spoken, seats), failures: inSeatOrder(failures, seats), spent, effects: done };
}
