/**
 * A panel within other work (a session's turn, a team's worker): the whole debate as one durable function, its steps in the journal of
 * what it is part of. Between rounds it waits for what its seats require; what comes of it is its synthesis as a text.
 */
import { z } from "zod";
import { type Effect, effectsInWords } from "../agent/effects.js";
import { Parked } from "../agent/journal.js";
import { addSpent, nothingSpent, type Spent } from "../agent/spent.js";
import type { Ask, AskRequest } from "../asks/ask.js";
import { clearAnswers } from "./clear-answers.js";
import { awaitedContext } from "./context-request.js";
import { type Debate, type Exit, nextStep, type RoundRecord, statusOf } from "./debate.js";
import type { DebateRecord } from "./debate-record.js";
import { type RoundEnd, runDebateRound } from "./debate-round.js";
import { exitOf } from "./exit.js";
import { budgetExhausted } from "./limits.js";
import { withSources } from "./nested-record.js";
import type { RequestPolicy, SeatInfo, Waiting } from "./panel.js";
import type { DebateObserver, DebatePorts, LoadedPanel, LoadedSeat } from "./ports.js";
import { RequestBook } from "./request-book.js";
import { countConsensus, namesOf } from "./round-consensus.js";
import { type Synthesis, synthesise } from "./synthesis.js";

/** A panel that debates within other work. */
export interface NestedPanel {
  /** The stored panel's name, or `inline`. */
  readonly name: string;
  readonly panel: LoadedPanel;
  readonly requests: RequestPolicy;
  readonly waiting: Waiting;
}

export interface NestedPorts extends Omit<DebatePorts, "book" | "syncRequests"> {
  /** Opens an ask of the work under an id, or finds the one that was opened under it; waits for nothing. */
  readonly raise: (id: string, request: AskRequest) => Ask;
  /** All asks of the work. */
  readonly asks: () => readonly Ask[];
  readonly debates: DebateKeeper;
}

/** Keeps debates within other work for whoever reads them. */
export interface DebateKeeper {
  readonly newId: () => string;
  /** Stores how a debate stands now, in the write of the step after which it does. */
  readonly record: (record: DebateRecord) => void;
}

/** What a panel within other work debates. */
export interface DebateSubject {
  /** What was asked: the topic, as readers see it. */
  readonly asked: string;
  /** The same with what holds around it, as seats read it. */
  readonly topic: string;
}

export type NestedOutcome = {
  readonly spent: Spent;
  /** What its seats did that isn't to be done again. */
  readonly effects: readonly Effect[];
} & (
  | {
      readonly kind: "completed";
      readonly response: string;
      readonly rounds: number;
      readonly exit: Exit;
      readonly roundtableId: string;
    }
  | { readonly kind: "failed"; readonly detail: string }
);

const begunSchema = z.object({ debateId: z.string(), createdAt: z.iso.datetime() });
const planSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.enum(["round", "rerun", "closing"]),
    round: z.int(),
    speakers: z.array(z.string()),
    absent: z.array(z.string()),
  }),
  z.object({ kind: z.literal("complete") }),
]);

/**
 * Runs a debate to its synthesis.
 * @param id begins the ids of everything in it; unique in the work, and the same over replays
 * @param done what was done around it before, and isn't to be done again
 * @throws {Parked} while something that a seat requires is open, or a person's approval or review is awaited
 */
export async function runPanel(
  id: string,
  { asked, topic }: DebateSubject,
  { name, panel: loaded, requests, waiting }: NestedPanel,
  ports: NestedPorts,
  done: readonly Effect[] = [],
): Promise<NestedOutcome> {
  const book = new RequestBook([], requests, {
    open: (callId, request) => ports.raise(`${id}/${callId}`, request),
    save: () => undefined,
  });
  const begun = await ports.journal.step(
    { id: "debate", kind: "load", schema: begunSchema, interrupted: "again" },
    async () => ({ debateId: ports.debates.newId(), createdAt: new Date(ports.now()).toISOString() }),
  );
  const { debateId } = begun;
  const observer: DebateObserver = {
    ...ports.observer,
    recorded: (entry) => ports.observer.recorded({ ...entry, debateId }),
  };
  const debatePorts: DebatePorts = { ...ports, observer, book, syncRequests: () => book.sync(ports.asks()) };
  let panel = loaded;
  const rounds: RoundRecord[] = [];
  const effects: Effect[] = [];
  let spent = nothingSpent;
  let exit: Exit | undefined;
  const debateNow = (): Debate => ({
    seats: panel.seats,
    totalRounds: panel.totalRounds,
    waiting,
    rounds,
    requests: book.all(),
    exit,
    paused: false,
  });
  /** Stores how the debate stands, for whoever reads it. */
  const record = (step: string, end: Partial<DebateRecord> = {}): Promise<void> =>
    ports.journal.commit(`recorded/${step}`, () =>
      ports.debates.record({
        ...{ sessionId: debateId, topic: asked, mode: panel.mode, panel: name, status: statusOf(debateNow()) },
        seats: panel.seats.map(seatInfo),
        totalRounds: panel.totalRounds,
        rounds: [...rounds],
        requests: [...book.shown()],
        ...(exit === undefined ? {} : { exit }),
        usage: { ...spent },
        createdAt: begun.createdAt,
        ...end,
      }),
    );
  for (let step = 0; ; step++) {
    debatePorts.syncRequests();
    const debate = debateNow();
    const next = nextStep(debate, {});
    if (next.kind === "needs_context") throw new Parked(openIds(debate));
    // Journalled: an answer that comes later must not change who spoke in a round that is over.
    const plan = await ports.journal.step(
      { id: `plan/${step}`, kind: "load", schema: planSchema, interrupted: "again" },
      async () => (next.kind === "refused" ? { kind: "complete" as const } : copyOf(next)),
    );
    if (plan.kind === "complete") break;
    const scoped = { ...debatePorts, journal: ports.journal.scope(`step/${step}`) };
    const work = {
      ...plan,
      id: `${id}.${step}`,
      topic,
      focusQuestion: undefined,
      rounds: [...rounds],
      spent,
      effects: [...done, ...effects],
      startedAt: ports.now(),
    };
    const ended: RoundEnd = await runDebateRound(work, panel, scoped);
    spent = addSpent(spent, ended.spent);
    effects.push(...ended.effects);
    if (ended.kind === "blocked") return { kind: "failed", detail: ended.detail, spent, effects };
    if (ended.kind === "all_failed") {
      const why = ended.failures.map(({ seat, error }) => `${seat}: ${error}`).join("; ");
      if (rounds.length === 0) {
        const failed = { round: 1, positions: [], failures: [...ended.failures], absent: [], passes: [] };
        const at = new Date(ports.now()).toISOString();
        rounds.push({ ...failed, startedAt: at, endedAt: at });
        await record("end", { status: "completed", exit: { reason: "stopped", round: 0 }, endedAt: at });
        const detail = `All seats of the panel failed. ${why}.${effectsInWords(effects)}`;
        return { kind: "failed", detail, spent, effects };
      }
      exit = { reason: "stopped", round: rounds.length };
      break;
    }
    const place = rounds.findIndex(({ round }) => round === ended.round.round);
    if (place < 0) rounds.push(ended.round);
    else rounds[place] = ended.round;
    const { perspectives } = ended;
    if (perspectives !== undefined) {
      panel = { ...panel, seats: panel.seats.map((seat, at) => ({ ...seat, perspective: perspectives[at] })) };
    }
    const { blocking } = awaitedContext(book.all());
    const { totalRounds, exitOnConsensus, thresholds, limits } = panel;
    const exhausted = budgetExhausted(limits, spent);
    exit ??= exitOf({ rounds, totalRounds, exitOnConsensus, thresholds, blocking, exhausted });
    await record(String(step));
    if (exit?.reason === "budget") break;
  }
  debatePorts.syncRequests();
  await clearAnswers({ ...debatePorts, journal: ports.journal.scope("answers") });
  const consensus = rounds.at(-1)?.consensus ?? countConsensus(rounds, panel);
  const input = { topic, rounds, requests: book.forSeats(), nameOf: namesOf(panel), consensus };
  const scoped = { ...debatePorts, journal: ports.journal.scope("synthesis") };
  const answer = await synthesise(`${id}.synthesis`, input, panel, scoped);
  spent = addSpent(spent, answer.spent);
  if (answer.kind === "failed") return { kind: "failed", detail: `The synthesis: ${answer.error}`, spent, effects };
  const reached = exit ?? { reason: "rounds" as const, round: rounds.length };
  const endedAt = new Date(ports.now()).toISOString();
  await record("end", { status: "completed", exit: reached, synthesis: answer.value, endedAt });
  return {
    kind: "completed",
    response: withSources(synthesisText(answer.value, namesOf(panel)), book.forSeats(), rounds),
    rounds: rounds.length,
    exit: reached,
    roundtableId: debateId,
    spent,
    effects,
  };
}

/** As readers know a seat. */
function seatInfo({ id, name, persona, role, perspective }: LoadedSeat): SeatInfo {
  return {
    id,
    name,
    ...(persona === undefined ? {} : { persona }),
    ...(role === undefined ? {} : { role }),
    ...(perspective === undefined ? {} : { perspective }),
  };
}

function copyOf(
  next: Exclude<ReturnType<typeof nextStep>, { kind: "needs_context" | "refused" }>,
): z.infer<typeof planSchema> {
  if (next.kind === "complete") return { kind: "complete" };
  const { kind, round, speakers, absent } = next;
  return { kind, round, speakers: [...speakers], absent: [...absent] };
}

function openIds({ requests }: Debate): string[] {
  return awaitedContext(requests)
    .open.filter(({ priority }) => priority === "required")
    .map(({ requestId }) => requestId);
}

/** What somebody who asked a question reads of the debate about it: the answer first, the minority always. */
function synthesisText(
  { conclusion, recommendation, keyDifferences, minority }: Synthesis,
  nameOf: (seat: string) => string,
): string {
  const differing = minority.map(({ seats, stance, position }) => {
    const stated = stance === undefined ? position : `${stance}: ${position}`;
    return `- ${seats.map(nameOf).join(", ")}: ${stated}`;
  });
  return [
    conclusion,
    ...(recommendation === "" || recommendation === conclusion ? [] : [recommendation]),
    ...(keyDifferences.length === 0
      ? []
      : [`What divides the panel:\n${keyDifferences.map((one) => `- ${one}`).join("\n")}`]),
    ...(differing.length === 0 ? [] : [`Held otherwise:\n${differing.join("\n")}`]),
  ].join("\n\n");
}
