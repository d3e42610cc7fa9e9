/**
 * The steps of one work as they stand in the journal, and those whose results go there with the next write: what one synchronous
 * section of the work has done is one write, and one row as far as its steps had none.
 */
import { z } from "zod";
import type { StepKind } from "../../src/agent/journal.js";
import type { ModelUsage } from "../../src/agent/work.js";
import { addTokens, noTokens, type TokenUsage, tokenUsageSchema } from "../../src/model/port.js";

/** How many turns of the microtask queue what waits to be written waits at most. */
const maxWaitTurns = 1_000;

/** How much may go along with a row in one write, in characters: beside the row's own result (1 MB at most) and what went along before, it has 2 MB. */
const maxSharedChars = 100_000;

/** Steps that stand in the row of another: id, kind, result. A contract with what is stored. */
const sharedSchema = z.array(z.tuple([z.string(), z.string(), z.unknown()]));

/** What the result of a model call says of its cost. Of a kind of step alone: its schema is the agent's. */
const modelResultSchema = z.object({
  model: z.string().optional(),
  usage: tokenUsageSchema.optional(),
  /** What `default` meant then. */
  metadata: z.object({ defaultModel: z.string() }).optional().catch(undefined),
});

export interface WorkStepsPorts {
  readonly sql: SqlStorage;
  readonly now: () => number;
  /** Does a write: all of it, or nothing. */
  readonly write: <T>(change: () => T) => T;
}

/** A step that is done. */
export interface DoneStep {
  readonly id: string;
  readonly kind: StepKind;
  /** JSON text. */
  readonly result: string;
  readonly begunAt: number;
}

/** What goes with the next write: a step's result, where it is of a step, and what is written with it. */
interface Waiting {
  readonly step?: DoneStep;
  readonly write: () => void;
}

/** A step that is about to be done. */
interface Beginning {
  readonly id: string;
  readonly kind: StepKind;
  readonly onBegin: (() => void) | undefined;
}

interface KnownStep {
  readonly kind: string;
  /** JSON text; nothing of a step that was begun and has not ended. */
  readonly result: string | undefined;
}

export class WorkSteps {
  private known: Map<string, KnownStep> | undefined;
  private waiting: Waiting[] = [];
  /** Why results that were counted on could not be written. */
  private failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly work: string,
    private readonly ports: WorkStepsPorts,
  ) {}

  /** A step that was begun at least. */
  find(id: string): KnownStep | undefined {
    return this.waiting.find(({ step }) => step?.id === id)?.step ?? this.stored().get(id);
  }

  /** Stores that a step is begun, before anything of it is done; what waits goes with it. */
  begin(id: string, kind: StepKind, onBegin: (() => void) | undefined): void {
    this.writeWaiting(0, { id, kind, onBegin });
  }

  /** Stores that a step is done, and with it what waits. @param write in the same write, behind the result */
  complete(step: DoneStep, write: () => void): void {
    this.waiting.push({ step, write });
    this.flush(1);
  }

  /** The same with the next write, at the latest at the end of this synchronous section. */
  completeWithNext(step: DoneStep, write: () => void): void {
    this.wait({ step, write });
  }

  /** Has a write go along with the next one in the same way. */
  writeWithNext(write: () => void): void {
    this.wait({ write });
  }

  /**
   * Writes what waits. Where others' results are lost with the caller's own, nothing more is written until another try: whoever takes
   * the exception for a failure of theirs (a supervisor, a tool) must not go on without them.
   * @param ofCaller how many of those that wait are the caller's
   * @throws what the write threw: nothing of it was done then
   */
  flush(ofCaller = 0): void {
    if (this.failure !== undefined || this.waiting.length > 0) this.writeWaiting(ofCaller);
  }

  /** Writes what was decided and waits, with all that waits. Before something is loaded, which may call anybody without a beginning. */
  flushCommits(): void {
    if (this.waiting.some(({ step }) => step?.kind === "commit")) this.flush();
  }

  /**
   * The work ends in the write that is under way: what goes with its last results is written, its steps are forgotten.
   * @param isWhole whether it ends with what it came to: not where some of that could not be written
   * @returns what its models have taken
   */
  end(isWhole: boolean): ModelUsage[] {
    if (isWhole && this.failure !== undefined) throw this.failure.error;
    this.failure = undefined;
    const stored = this.stored();
    const last = this.taken();
    for (const { write } of last) write();
    const steps = [...stored.values(), ...last.flatMap(({ step }) => step ?? [])];
    this.forget();
    return usageByModel(steps);
  }

  /** What its models have taken so far. */
  usage(): ModelUsage[] {
    return usageByModel([...this.stored().values(), ...this.waiting.flatMap(({ step }) => step ?? [])]);
  }

  /** The work's steps go; what it came to stays. */
  forget(): void {
    this.taken();
    if (this.stored().size > 0) this.ports.sql.exec("DELETE FROM journal WHERE work = ?", this.work);
    this.known = undefined;
  }

  /** The work was made just now: nothing of it is stored. */
  begun(): void {
    this.known = new Map();
  }

  /** For another try of the work: it goes on from what is stored. */
  renew(): void {
    if (this.failure === undefined) this.flush();
    else this.taken();
    this.failure = undefined;
    this.known = undefined;
  }

  private stored(): Map<string, KnownStep> {
    this.known ??= this.read();
    return this.known;
  }

  private wait(waiting: Waiting): void {
    this.waiting.push(waiting);
    if (this.waiting.length === 1) void this.flushSoon(this.waiting);
  }

  /**
   * Whatever the work does without waiting for anything outside is done within so many turns, or is written in two parts. It is
   * all within the section, so that nothing is on the disk without what was done before it.
   */
  private async flushSoon(waiting: readonly Waiting[]): Promise<void> {
    for (let turn = 0; turn < maxWaitTurns; turn++) {
      await undefined;
      // Somebody has written it.
      if (this.waiting !== waiting) return;
    }
    try {
      this.flush();
    } catch (error) {
      this.failure ??= { error };
    }
  }

  private taken(): Waiting[] {
    const { waiting } = this;
    this.waiting = [];
    return waiting;
  }

  private writeWaiting(ofCaller: number, beginning?: Beginning): void {
    if (this.failure !== undefined) throw this.failure.error;
    const waiting = this.taken();
    try {
      this.ports.write(() => {
        const isFirst = beginning !== undefined && !this.stored().has(beginning.id);
        this.store(
          waiting.flatMap(({ step }) => step ?? []),
          beginning,
        );
        for (const { write } of waiting) write();
        if (isFirst) beginning.onBegin?.();
      });
    } catch (error) {
      this.known = undefined;
      if (waiting.length > ofCaller) this.failure = { error };
      throw error;
    }
  }

  /** Steps that were begun or are long have rows of their own, as one that begins; all others go along with the first of them. */
  private store(steps: readonly DoneStep[], beginning: Beginning | undefined): void {
    const { sql, now } = this.ports;
    const stored = this.stored();
    const alone: DoneStep[] = [];
    const together: DoneStep[] = [];
    let room = maxSharedChars;
    for (const step of steps) {
      const fits = !stored.has(step.id) && step.result.length <= room;
      if (fits) room -= step.result.length;
      (fits ? together : alone).push(step);
    }
    const haveRow = alone.length > 0 || beginning !== undefined;
    const rows = haveRow ? alone : together.slice(0, 1);
    let shared = sharedJson(haveRow ? together : together.slice(1));
    for (const { id, kind, result, begunAt } of rows) {
      sql.exec(
        `INSERT INTO journal (work, step, kind, attempts, result, begun_at, ended_at, also) VALUES (?, ?, ?, 1, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET result = excluded.result, ended_at = excluded.ended_at, ${appendShared}`,
        ...[this.work, id, kind, result, begunAt, now(), shared],
      );
      shared = null;
    }
    if (beginning !== undefined)
      sql.exec(
        `INSERT INTO journal (work, step, kind, attempts, begun_at, also) VALUES (?, ?, ?, 1, ?, ?)
         ON CONFLICT DO UPDATE SET attempts = attempts + 1, ${appendShared}`,
        ...[this.work, beginning.id, beginning.kind, now(), shared],
      );
    for (const { id, kind, result } of steps) stored.set(id, { kind, result });
    if (beginning !== undefined) stored.set(beginning.id, { kind: beginning.kind, result: undefined });
  }

  private read(): Map<string, KnownStep> {
    const rows = this.ports.sql
      .exec<{ step: string; kind: string; result: string | null; also: string | null }>(
        "SELECT step, kind, result, also FROM journal WHERE work = ?",
        this.work,
      )
      .toArray();
    const known = new Map<string, KnownStep>();
    for (const { step, kind, result, also } of rows) {
      known.set(step, { kind, result: result ?? undefined });
      for (const [other, ofKind, value] of sharedSchema.parse(also === null ? [] : JSON.parse(also)))
        known.set(other, { kind: ofKind, result: JSON.stringify(value) });
    }
    return known;
  }
}

/** What goes along with a row is added to what went along with it before: two lists as JSON text become one. */
const appendShared = `also = CASE WHEN also IS NULL OR excluded.also IS NULL THEN COALESCE(also, excluded.also)
  ELSE substr(also, 1, length(also) - 1) || ',' || substr(excluded.also, 2) END`;

function sharedJson(steps: readonly DoneStep[]): string | null {
  if (steps.length === 0) return null;
  // The results are JSON already.
  return `[${steps.map(({ id, kind, result }) => `[${JSON.stringify(id)},"${kind}",${result}]`).join(",")}]`;
}

/** What models have taken, by the one that answered; calls that failed have none. Of all callers in the work. */
function usageByModel(steps: readonly KnownStep[]): ModelUsage[] {
  const byModel = new Map<string, TokenUsage[]>();
  for (const { kind, result } of steps) {
    if (kind !== "model" || result === undefined) continue;
    const { model = "", usage = noTokens, metadata } = modelResultSchema.safeParse(JSON.parse(result)).data ?? {};
    const name = metadata?.defaultModel ?? model;
    byModel.set(name, [...(byModel.get(name) ?? []), usage]);
  }
  return [...byModel]
    .map(([model, calls]) => ({
      model,
      modelCalls: calls.length,
      ...calls.reduce(addTokens, noTokens),
      ...(calls.length > 1 && model !== "" && { calls }),
    }))
    .sort((a, b) => (a.model < b.model ? -1 : 1));
}
