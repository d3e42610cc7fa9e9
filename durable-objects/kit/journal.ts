/** The journal in an object's SQLite: what is done is stored with what goes with it, and read back on a replay. */
import type { CallBudget } from "../../src/agent/call-budget.js";
import {
  type CommitOptions,
  type Journal,
  Parked,
  resultText,
  type StepSpec,
  Superseded,
} from "../../src/agent/journal.js";
import { addUsage, noUsage, type Usage } from "../../src/agent/work.js";
import type { Ask, AskRequest } from "../../src/asks/ask.js";
import { tokenCounts } from "../../src/model/port.js";
import type { AskBook } from "./asks.js";
import type { OneAtATime } from "./one-at-a-time.js";
import type { DoneStep, WorkSteps } from "./work-steps.js";

export interface JournalPorts {
  readonly storage: Pick<DurableObjectStorage, "sync">;
  readonly asks: AskBook;
  readonly now: () => number;
  /** Whether this try may still write: false after a cancel, or once another try took over. */
  readonly isHeld: () => boolean;
  /** Whether the work may begin nothing new now. */
  readonly isPaused?: () => boolean;
  /** For work that died before: its calls of models and tools are made one at a time, and each is on the disk before it is made. */
  readonly oneAtATime?: OneAtATime | undefined;
  /** Asked with each call: it is known once the work was set up. */
  readonly budget?: () => CallBudget | undefined;
}

/** The journal of one work (a turn, a run, a round) in an object's SQLite. */
export class SqlJournal implements Journal {
  constructor(
    private readonly work: string,
    private readonly ports: JournalPorts,
    private readonly steps: WorkSteps,
    private readonly prefix = "",
  ) {}

  get budget(): CallBudget | undefined {
    return this.ports.budget?.();
  }

  step<T>(spec: StepSpec<T>, work: () => Promise<T>): Promise<T> {
    const { oneAtATime } = this.ports;
    const isCall = spec.kind === "model" || spec.kind === "tool";
    const done = (): Promise<T> => this.stepOnce(spec, work);
    return oneAtATime !== undefined && isCall ? oneAtATime.run(done) : done();
  }

  private async stepOnce<T>(spec: StepSpec<T>, work: () => Promise<T>): Promise<T> {
    const { storage, now, oneAtATime } = this.ports;
    const id = this.prefix + spec.id;
    const known = this.steps.find(id);
    if (known?.result !== undefined) return spec.schema.parse(JSON.parse(known.result));
    this.assertLease();
    this.assertGoesOn();

    const begunAt = now();
    if (known !== undefined && spec.interrupted !== "again")
      return this.complete(id, spec, spec.interrupted(), begunAt);
    if (!needsNoBeginning(spec)) {
      this.steps.begin(id, spec.kind, spec.onBegin);
      if (oneAtATime !== undefined) await storage.sync();
    } else if (spec.kind === "load") this.steps.flushCommits();
    const result = await work();
    this.assertLease();
    return this.complete(id, spec, result, begunAt);
  }

  /** Without a beginning of its own: there is nothing between the two that could be interrupted. */
  async commit(id: string, onDone: () => void, { writtenWithNext }: CommitOptions = {}): Promise<void> {
    const step = this.prefix + id;
    if (this.steps.find(step)?.result !== undefined) return;
    this.assertLease();
    this.write({ id: step, kind: "commit", result: "true", begunAt: this.ports.now() }, onDone, writtenWithNext);
  }

  /** Has a write of the work go along with its next step. */
  withNext(write: () => void): void {
    this.assertLease();
    this.steps.writeWithNext(write);
  }

  ask(id: string, request: AskRequest): Ask {
    const ask = this.raise(id, request);
    if (ask.status === "open") throw new Parked([ask.askId]);
    return ask;
  }

  /** Opens an ask without waiting for it, or finds the one that was opened under this id. */
  raise(id: string, request: AskRequest): Ask {
    return this.ports.asks.find(this.work, this.prefix + id) ?? this.open(id, request);
  }

  scope(prefix: string): Journal {
    return new SqlJournal(this.work, this.ports, this.steps, `${this.prefix}${prefix}/`);
  }

  private open(id: string, request: AskRequest): Ask {
    this.assertLease();
    this.assertGoesOn();
    this.steps.flush();
    return this.ports.asks.open(this.work, this.prefix + id, request);
  }

  /** What is stored is what is returned, so that a replay can't differ from the first time. */
  private complete<T>(id: string, spec: StepSpec<T>, done: T, begunAt: number): T {
    const { kind, schema, onDone, writtenWithNext } = spec;
    const result = resultText(spec, done);
    const read = schema.parse(JSON.parse(result));
    this.write({ id, kind, result, begunAt }, () => onDone?.(read), writtenWithNext);
    return read;
  }

  private write(step: DoneStep, onDone: () => void, withNext = false): void {
    // Work that died before is to come forward with each of its steps.
    if (withNext && this.ports.oneAtATime === undefined) this.steps.completeWithNext(step, onDone);
    else this.steps.complete(step, onDone);
  }

  private assertGoesOn(): void {
    if (this.ports.isPaused?.() === true) throw new Parked([pausedBy]);
  }

  private assertLease(): void {
    if (!this.ports.isHeld()) throw new Superseded(`the work ${this.work} was cancelled or taken over`);
  }
}

/** What paused work waits for, in the place of an ask. */
export const pausedBy = "pause";

/**
 * Whether nobody has to know that a step was begun and never ended: it does no harm to do it again, and what it calls (models,
 * tools) are steps of their own.
 */
function needsNoBeginning<T>({ kind, interrupted, onBegin }: StepSpec<T>): boolean {
  return interrupted === "again" && onBegin === undefined && kind !== "model" && kind !== "tool";
}

/**
 * What all models of some work have taken so far: the agent, a supervising agent, a team within a
 * team. Each call that ended is a step of kind `model`, so that nothing else has to count.
 */
export function usageOf(sql: SqlStorage, work: string): Usage {
  const sums = tokenCounts.map((name) => `COALESCE(SUM(json_extract(result, '$.usage.${name}')), 0) AS "${name}"`);
  const taken = sql
    .exec<Record<keyof Usage, number>>(
      `SELECT COUNT(*) AS "modelCalls", ${sums.join(", ")}
       FROM journal WHERE work = ? AND kind = 'model' AND result IS NOT NULL`,
      work,
    )
    .one();
  return addUsage(noUsage, taken);
}

/** How far work (or, without one, all work of the object) has come: it changes with every step that is done. */
export function progressOf(sql: SqlStorage, work?: string): string {
  const count = "SELECT COUNT(*) AS n FROM journal WHERE result IS NOT NULL AND work = COALESCE(?, work)";
  return String(sql.exec<{ n: number }>(count, work ?? null).one().n);
}

/** The step of some work (or of any) that was begun most often and never ended, where there is one. */
export function stepUnderWay(sql: SqlStorage, work?: string): { kind: string; step: string } | undefined {
  return sql
    .exec<{ kind: string; step: string }>(
      `SELECT kind, step FROM journal WHERE result IS NULL AND work = COALESCE(?, work)
       ORDER BY attempts DESC, begun_at DESC LIMIT 1`,
      work ?? null,
    )
    .toArray()[0];
}
