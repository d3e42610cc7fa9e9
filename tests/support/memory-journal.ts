/** A journal in memory that stores JSON as the real one does, and that a test can make crash at any step. */
import { z } from "zod";
import { type Journal, Parked, resultText, type StepSpec, Superseded } from "../../src/agent/journal.js";
import type { Answer } from "../../src/asks/answer.js";
import { type Ask, type AskRequest, answerAsk, openAsk } from "../../src/asks/ask.js";

/** What is left of a journal when its object dies. */
export class JournalStore {
  /** Results as JSON; undefined while a step is begun and not done. */
  readonly steps = new Map<string, string | undefined>();
  readonly asks = new Map<string, Ask>();
  /** How often the work of each step was begun. */
  readonly begun: string[] = [];

  /** A store that has only the first steps of this one, as if the object had died after them. */
  upTo(count: number): JournalStore {
    const copy = new JournalStore();
    for (const [id, result] of [...this.steps].slice(0, count)) copy.steps.set(id, result);
    for (const [id, ask] of this.asks) copy.asks.set(id, ask);
    return copy;
  }

  /** Answers the first open ask. */
  answer(said: Answer): void {
    for (const [id, ask] of this.asks) {
      const outcome = answerAsk(ask, said, { by: { kind: "key", id: "key_1", role: "admin" }, asStaff: true }, 1);
      if (outcome.kind === "accepted") return void this.asks.set(id, outcome.ask);
    }
    throw new Error("no open ask takes this answer");
  }
}

export interface CrashPoint {
  /** The step of this number (from 0, over all that do their work) is where it dies. */
  readonly step: number;
  /** Before its work, after its work and before its result is stored, or after. */
  readonly when: "begun" | "worked" | "stored";
}

export class MemoryJournal implements Journal {
  constructor(
    readonly store: JournalStore = new JournalStore(),
    private readonly crash: CrashPoint | undefined = undefined,
    private readonly prefix = "",
    private readonly count: { done: number } = { done: 0 },
  ) {}

  async step<T>(spec: StepSpec<T>, work: () => Promise<T>): Promise<T> {
    const { store } = this;
    const id = this.prefix + spec.id;
    const stored = store.steps.get(id);
    if (stored !== undefined) return spec.schema.parse(JSON.parse(stored));
    const known = store.steps.has(id);
    if (known && spec.interrupted !== "again") return this.complete(id, spec, spec.interrupted());
    const number = this.count.done++;
    store.steps.set(id, undefined);
    if (!known) spec.onBegin?.();
    this.dieAt(number, "begun");
    store.begun.push(id);
    const result = await work();
    this.dieAt(number, "worked");
    const read = this.complete(id, spec, result);
    this.dieAt(number, "stored");
    return read;
  }

  async commit(id: string, onDone: () => void): Promise<void> {
    await this.step(
      { id, kind: "commit", schema: z.literal(true), interrupted: "again", onDone },
      async () => true as const,
    );
  }

  ask(id: string, request: AskRequest): Ask {
    const key = this.prefix + id;
    const ask = this.store.asks.get(key) ?? openAsk(`ask_${key}`, request, {}, 0);
    this.store.asks.set(key, ask);
    if (ask.status === "open") throw new Parked([ask.askId]);
    return ask;
  }

  scope(prefix: string): Journal {
    return new MemoryJournal(this.store, this.crash, `${this.prefix}${prefix}/`, this.count);
  }

  private complete<T>(id: string, spec: StepSpec<T>, result: T): T {
    const text = resultText(spec, result);
    const read = spec.schema.parse(JSON.parse(text));
    this.store.steps.set(id, text);
    spec.onDone?.(read);
    return read;
  }

  private dieAt(number: number, when: CrashPoint["when"]): void {
    if (this.crash?.step === number && this.crash.when === when) throw new Superseded("the object died here");
  }
}
