/**
 * A round as a durable function: the groups of the mode one after another, the seats of a group at once. Entered again after an
 * interruption it goes on at the first step without a result; a seat that has spoken isn't asked again.
 */
import { settleInOrder } from "../agent/concurrency.js";
import type { Effect } from "../agent/effects.js";
import { addSpent, nothingSpent, type Spent, spentAtOnce } from "../agent/spent.js";
import { clearAnswers } from "./clear-answers.js";
import { inSeatOrder, type RoundRecord, type SeatFailure } from "./debate.js";
import { shareOf } from "./limits.js";
import { modeNamed } from "./modes/table.js";
import type { DebatePorts, LoadedPanel, LoadedSeat } from "./ports.js";
import type { Position } from "./position.js";
import type { SeatView } from "./prompts.js";
import { SeatMeter, type SeatOutcome, takeTurn } from "./seat.js";

export interface RoundCommand {
  /** Begins the ids of everything in it; unique, and the same over replays. */
  readonly id: string;
  readonly kind: "round" | "rerun" | "closing";
  readonly round: number;
  readonly speakers: readonly string[];
  readonly topic: string;
  readonly focusQuestion: string | undefined;
  /** Complete rounds, oldest first; the last is the running one's own in a further pass. */
  readonly rounds: readonly RoundRecord[];
  readonly spent: Spent;
  /** What was done before it that isn't to be done again: by its own seats in earlier rounds, or around the debate. */
  readonly effects: readonly Effect[];
}

export interface RoundResult {
  readonly positions: readonly Position[];
  readonly failures: readonly SeatFailure[];
  readonly spent: Spent;
  /** What its seats did that isn't to be done again. */
  readonly effects: readonly Effect[];
}

/**
 * Has the speakers of a round speak.
 * @throws {Parked} while a person's approval or review is awaited.
 * @example
 * const { positions, failures } = await runRound(command, panel, ports);
 * if (positions.length === 0) refuse("all_seats_failed");
 */
export async function runRound(command: RoundCommand, panel: LoadedPanel, ports: DebatePorts): Promise<RoundResult> {
  const mode = modeNamed(panel.mode);
  const { seats } = panel;
  const indexOf = (id: string): number => seats.findIndex((seat) => seat.id === id);
  const again = command.kind !== "round";
  const running = again ? command.rounds.at(-1) : undefined;
  const earlier = again ? command.rounds.slice(0, -1) : command.rounds;
  const spoken: Position[] = [];
  const failures: SeatFailure[] = [];
  const done: Effect[] = [];
  let spent = nothingSpent;

  for (const [place, group] of mode.speaking(seats.length).entries()) {
    const speaking = group.flatMap((index): [number, LoadedSeat][] => {
      const seat = seats[index];
      return seat !== undefined && command.speakers.includes(seat.id) ? [[index, seat]] : [];
    });
    if (speaking.length === 0) continue;
    ports.syncRequests();
    await clearAnswers(ports);
    const share = shareOf(panel.limits, command.spent, command.speakers.length);
    // In a further pass others keep what they held; the seat hears it where it would have heard it.
    const kept = running?.positions.filter(({ seat }) => !command.speakers.includes(seat)) ?? [];
    const heardOf = [
      ...kept.filter(({ seat }) => groupOf(mode.speaking(seats.length), indexOf(seat)) < place),
      ...spoken,
    ];
    const requests = ports.book.forSeats();
    const meters = speaking.map(() => new SeatMeter());
    const effects = [...command.effects, ...done];
    const tasks = speaking.map(([index, seat], at) => (): Promise<SeatOutcome> => {
      const speaker = { index, count: seats.length, round: command.round };
      const view: SeatView = {
        seat,
        index,
        seats,
        mode,
        role: mode.role?.(index, seats.length),
        topic: command.topic,
        round: command.round,
        totalRounds: panel.totalRounds,
        focusQuestion: command.focusQuestion,
        earlier,
        heard:
          again && !isSequential(mode.speaking(seats.length)) ? [] : mode.hears(speaker, { spoken: heardOf, indexOf }),
        own: running?.positions.find((position) => position.seat === seat.id),
        requests,
        mayAsk: command.kind !== "closing",
        promptTokens: panel.limits.promptTokens,
      };
      const meter = meters[at] ?? new SeatMeter();
      const turn = { id: `${command.id}.${seat.id}`, seat, view, share, effects, meter };
      return takeTurn(turn, panel, { ...ports, journal: ports.journal.scope(`seat/${seat.id}`) });
    });
    const outcomes = await settleInOrder(tasks, tasks.length);
    spent = addSpent(spent, spentAtOnce(meters.map((meter) => meter.spent)));
    done.push(...meters.flatMap((meter) => meter.effects));
    for (const outcome of outcomes) {
      if (outcome.kind === "position") spoken.push(outcome.position);
      else failures.push(outcome.failure);
    }
  }
  return { positions: inSeatOrder(spoken, seats), failures: inSeatOrder(failures, seats), spent, effects: done };
}

function groupOf(groups: readonly (readonly number[])[], index: number): number {
  return groups.findIndex((group) => group.includes(index));
}

function isSequential(groups: readonly unknown[]): boolean {
  return groups.length > 1;
}
