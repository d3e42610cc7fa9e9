/**
 * A panel within other work (a session's turn, a team's worker): the whole debate as one durable function, its steps in the journal of
 * what it is part of. Between rounds it waits for what its seats require; what comes of it is its synthesis as a text.
 */
import { z } from "zod";
import { addSpent, nothingSpent, type Spent } from "../agent/budget.js";
import { type Effect, effectsInWords } from "../agent/effects.js";
import { Parked } from "../agent/journal.js";
import type { LimitRefusal } from "../agent/limit-refusal.js";
import { buildPrompt, type PromptParts } from "../agent/prompt.js";
import type { Ask, AskRequest } from "../asks/ask.js";
import { defined } from "../conversation/defined.js";
import { awaitedContext } from "./context-request.js";
import {
  type Debate,
  type Exit,
  limitOf,
  nextStep,
  type RoundRecord,
  type SeatFailure,
  statusOf,
  withRound,
} from "./debate.js";
import type { DebateRecord } from "./debate-record.js";
import { budgetExhausted, exitOf } from "./exit.js";
import { withSources } from "./nested-record.js";
import { seatInfo } from "./panel.js";
import { withPerspectives } from "./perspectives.js";
import { type DebatePorts, type LoadedPanel, scoped } from "./ports.js";
import { namesOf } from "./prompts.js";
import { RequestBook } from "./request-book.js";
import { runRound } from "./round.js";
import { clearAnswers } from "./supervised-texts.js";
import { type Synthesis, synthesise } from "./synthesis.js";

export interface NestedPorts extends Omit<DebatePorts, "book" | "syncRequests"> {
  /** Opens an ask of the work under an id, or finds the one that was opened under it; waits for nothing. */
  readonly raise: (id: string, request: AskRequest) => Ask;
  /** All asks of the work. */
  readonly asks: () => readonly Ask[];
  readonly debates: DebateKeeper;
}

/** Keeps debates within other work for their readers. */
export interface DebateKeeper {
  readonly newId: () => string;
  /** Stores how a debate stands now, in the write of the step after which it does. */
  readonly record: (record: DebateRecord) => void;
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
  /** `limit`: the tenant's that was in the way. */
  | { readonly kind: "failed"; readonly detail: string; readonly limit?: LimitRefusal | undefined }
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
 * @param about what was asked, which is the topic as readers see it, with what holds around it, as seats read it
 * @param done what was done around it before, and isn't to be done again
 * @throws {Parked} while something that a seat requires is open, or a person's approval or review is awaited
 */
export async function runPanel(
  id: string,
  about: Omit<PromptParts, "instructions">,
  panel: LoadedPanel,
  ports: NestedPorts,
  done: readonly Effect[] = [],
): Promise<NestedOutcome> {
  const begun = await ports.journal.step(
    { id: "debate", kind: "load", schema: begunSchema, interrupted: "again" },
    async () => ({ debateId: ports.debates.newId(), createdAt: isoNow(ports) }),
  );
  return new NestedDebate(id, about, panel, ports, begun).run(done);
}

function isoNow({ now }: NestedPorts): string {
  return new Date(now()).toISOString();
}

class NestedDebate {
  private readonly topic: string;
  private readonly ports: DebatePorts;
  private rounds: readonly RoundRecord[] = [];
  private exit: Exit | undefined;
  private spent = nothingSpent;
  private readonly effects: Effect[] = [];

  constructor(
    private readonly id: string,
    private readonly about: Omit<PromptParts, "instructions">,
    private panel: LoadedPanel,
    private readonly outer: NestedPorts,
    private readonly begun: z.infer<typeof begunSchema>,
  ) {
    const { debateId } = begun;
    const book = new RequestBook([], panel.requests, {
      open: (callId, request) => outer.raise(`${id}/${callId}`, request),
      save: () => undefined,
    });
    this.ports = {
      ...outer,
      book,
      syncRequests: () => book.sync(outer.asks()),
      observer: { ...outer.observer, recorded: (entry) => outer.observer.recorded({ ...entry, debateId }) },
    };
    this.topic = topicOf(about);
  }

  async run(done: readonly Effect[]): Promise<NestedOutcome> {
    for (let step = 0; ; step++) {
      const plan = await this.plan(step);
      if (plan.kind === "complete") return this.conclude();
      const { id, topic, panel, rounds, spent } = this;
      const effects = [...done, ...this.effects];
      const startedAt = this.ports.now();
      const ended = await runRound(
        { ...plan, id: `${id}.${step}`, topic, focusQuestion: undefined, rounds, spent, effects, startedAt },
        panel,
        scoped(this.ports, `step/${step}`),
      );
      this.spent = addSpent(spent, ended.spent);
      this.effects.push(...ended.effects);
      if (ended.kind === "blocked") return this.failed(ended.detail);
      if (ended.kind === "all_failed") {
        if (rounds.length === 0) return this.nobodySpoke(ended.failures);
        this.exit = { reason: "stopped", round: rounds.length };
        return this.conclude();
      }
      this.rounds = withRound(rounds, ended.round);
      this.panel = withPerspectives(panel, ended.perspectives);
      const { blocking } = awaitedContext(this.ports.book.all());
      const exhausted = budgetExhausted(panel.limits, this.spent);
      this.exit ??= exitOf({ ...panel, rounds: this.rounds, blocking, exhausted });
      await this.record(String(step));
      if (this.exit?.reason === "budget") return this.conclude();
    }
  }

  /** What is next. Journalled: an answer that comes later must not change who spoke in a round that is over. */
  private plan(step: number): Promise<z.infer<typeof planSchema>> {
    this.ports.syncRequests();
    const debate = this.debate();
    const next = nextStep(debate, {});
    if (next.kind === "needs_context") {
      const required = awaitedContext(debate.requests).open.filter(({ priority }) => priority === "required");
      throw new Parked(required.map(({ requestId }) => requestId));
    }
    return this.ports.journal.step(
      { id: `plan/${step}`, kind: "load", schema: planSchema, interrupted: "again" },
      async () => planSchema.parse(next.kind === "refused" ? { kind: "complete" } : next),
    );
  }

  private async conclude(): Promise<NestedOutcome> {
    const { id, topic, rounds, panel, ports, begun } = this;
    ports.syncRequests();
    await clearAnswers(scoped(ports, "answers"));
    const answer = await synthesise(`${id}.synthesis`, { topic, rounds }, panel, scoped(ports, "synthesis"));
    this.spent = addSpent(this.spent, answer.spent);
    if (answer.kind === "failed") return this.failed(`The synthesis: ${answer.error}`);
    const exit = this.exit ?? { reason: "rounds" as const, round: rounds.length };
    await this.record("end", { status: "completed", exit, synthesis: answer.value, endedAt: isoNow(this.outer) });
    return {
      kind: "completed",
      response: withSources(synthesisText(answer.value, namesOf(panel)), ports.book.forSeats(), rounds),
      rounds: rounds.length,
      exit,
      roundtableId: begun.debateId,
      spent: this.spent,
      effects: this.effects,
    };
  }

  private async nobodySpoke(failures: readonly SeatFailure[]): Promise<NestedOutcome> {
    const at = isoNow(this.outer);
    const none = { round: 1, positions: [], failures: [...failures], absent: [], passes: [] };
    this.rounds = [{ ...none, startedAt: at, endedAt: at }];
    await this.record("end", { status: "completed", exit: { reason: "stopped", round: 0 }, endedAt: at });
    const why = failures.map(({ seat, error }) => `${seat}: ${error}`).join("; ");
    return this.failed(`All seats of the panel failed. ${why}.${effectsInWords(this.effects)}`, limitOf(failures));
  }

  private failed(detail: string, limit?: LimitRefusal): NestedOutcome {
    return { kind: "failed", detail, limit, spent: this.spent, effects: this.effects };
  }

  private debate(): Debate {
    const { rounds, exit } = this;
    return { ...this.panel, rounds, requests: this.ports.book.all(), exit, paused: false };
  }

  /** Stores how the debate stands, for its readers. */
  private record(step: string, end: Partial<DebateRecord> = {}): Promise<void> {
    const { panel, begun, about, rounds, exit, spent, ports } = this;
    return ports.journal.commit(`recorded/${step}`, () =>
      this.outer.debates.record({
        sessionId: begun.debateId,
        topic: about.message,
        mode: panel.mode,
        panel: panel.name,
        status: statusOf(this.debate()),
        seats: panel.seats.map(seatInfo),
        totalRounds: panel.totalRounds,
        rounds: [...rounds],
        requests: [...ports.book.shown()],
        ...defined({ exit }),
        usage: { ...spent },
        createdAt: begun.createdAt,
        ...end,
      }),
    );
  }
}

/** The message, with what holds around it (rules, references, memory, the history before it) as a model would read it. */
function topicOf(about: Omit<PromptParts, "instructions">): string {
  const { history, rules, references, memory, message } = about;
  const isBare = [history, rules, references, memory].every((part) => part.length === 0);
  if (isBare) return message;
  return buildPrompt({ ...about, instructions: "" })
    .map(({ role, content }) => (role === "user" ? content : `${role}: ${content}`))
    .join("\n\n");
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
