/**
 * All that a round is: its question supervised, perspectives made where the mode needs some, the seats heard, and what the round came to.
 * The same function runs a round of a roundtable and of a panel in a session or a team.
 */
import { supervise } from "../supervision/supervise.js";
import type { RoundRecord, SeatFailure } from "./debate.js";
import type { Spent } from "./limits.js";
import { modeNamed } from "./modes/table.js";
import type { Perspective } from "./panel.js";
import { makePerspectives } from "./perspectives.js";
import type { DebatePorts, LoadedPanel } from "./ports.js";
import { type RoundCommand, runRound } from "./round.js";

export type RoundWork = Omit<RoundCommand, "focusQuestion" | "rounds" | "spent"> & {
  readonly absent: readonly string[];
  /** As it was sent. */
  readonly focusQuestion: string | undefined;
  readonly rounds: readonly RoundRecord[];
  readonly spent: Spent;
};

export type RoundEnd = { readonly activeMs: number } & (
  | {
      readonly kind: "completed";
      readonly round: Pick<RoundRecord, "focusQuestion" | "positions" | "failures">;
      readonly perspectives: readonly Perspective[] | undefined;
    }
  | { readonly kind: "all_failed"; readonly failures: readonly SeatFailure[] }
  | { readonly kind: "blocked"; readonly detail: string }
);

/** @throws {Parked} while a person's approval or review is awaited. */
export async function runDebateRound(work: RoundWork, panel: LoadedPanel, ports: DebatePorts): Promise<RoundEnd> {
  const focus = await clearFocus(work, ports);
  if (!focus.ok) return { kind: "blocked", detail: focus.detail, activeMs: 0 };
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
  const { positions, failures, activeMs } = await runRound({ ...work, focusQuestion }, seated, {
    ...ports,
    journal: ports.journal.scope("seats"),
  });
  if (positions.length === 0) return { kind: "all_failed", failures, activeMs };
  const round = {
    ...(focusQuestion === undefined ? {} : { focusQuestion }),
    positions: [...positions],
    failures: [...failures],
  };
  return { kind: "completed", round, perspectives, activeMs };
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
