/** The tries of an object's work: each is counted before it is made, durably, so that work which takes its process down is known. */
import {
  type AttemptRecord,
  afterDeath,
  type Company,
  decideAttempt,
  maxDeathsAlone,
  newAttempt,
} from "../../src/agent/attempts.js";
import type { IsolateLoad } from "../../src/platform/isolate-load.js";
import { progressOf, stepUnderWay } from "./journal.js";
import { OneAtATime } from "./one-at-a-time.js";

export interface AttemptPorts {
  readonly storage: DurableObjectStorage;
  /** Of the object, within its isolate. */
  readonly objectId: string;
  readonly now: () => number;
  readonly random: () => number;
  readonly load: IsolateLoad;
  /** Work has died: its object was gone before its try ended. */
  readonly died: (work: string, record: AttemptRecord) => void;
  /** Sees to it that the loop looks again then; needless without a time. */
  readonly retryAt: (at: number | undefined) => void;
  /** A try is about to begin; `isNew`: of work that was made in this very synchronous section. */
  readonly begins: (work: string, isNew: boolean) => void;
  /** When the first try of work began that is on record in a row of its own alone: see `KitPorts`. */
  readonly firstTry?: ((work: string) => number | undefined) | undefined;
}

/** What becomes of work that is to be tried. */
export type Attempt = "go" | "later" | "given_up";

interface AttemptRow extends Record<string, SqlStorageValue> {
  deaths: number;
  deaths_alone: number;
  progress: string;
  began_at: number;
  company: string;
  retry_at: number;
  under_way: number;
}

export class Attempts {
  /** What this instance tries now. */
  private current: { readonly work: string; readonly oneAtATime: OneAtATime | undefined } | undefined;

  constructor(private readonly ports: AttemptPorts) {}

  /**
   * Counts a try of some work before it is made: once it resolves with `go`, that is on the disk. `later`: the work died or threw
   * when it was tried last (the loop looks again in time). `given_up`: it has died so often
   * that it is to be ended as failed.
   * @param progress changes whenever the work has come forward; by default the steps of its journal that are done
   * @param isNew the work was made in this very synchronous section: that it is tried is on the disk as soon as the work itself
   */
  async begin(work: string, progress?: string, isNew = false): Promise<Attempt> {
    const { storage, now, load } = this.ports;
    const name = this.nameOf(work);
    const record = isNew ? newAttempt : this.known(work, progress ?? progressOf(this.ports.storage.sql, work));
    const decision = decideAttempt(record, load.beside(name), now());
    switch (decision.kind) {
      case "given_up":
        return decision.kind;
      case "later":
        this.ports.retryAt(decision.at);
        return decision.kind;
      case "go": {
        // What was made with its first try has that in its own row.
        if (!isNew || this.ports.firstTry?.(work) === undefined)
          this.store(work, { ...record, beganAt: now(), company: decision.company }, true);
        this.current = { work, oneAtATime: record.deaths > 0 ? new OneAtATime() : undefined };
        load.begin(name, record.deathsAlone > 0);
        if (record.retryAt > 0) this.ports.retryAt(undefined);
        this.ports.begins(work, isNew);
        if (!isNew) await storage.sync();
        return decision.kind;
      }
    }
  }

  /** What the calls of the try that is under way go through, where it is of work that died before. */
  get oneAtATime(): OneAtATime | undefined {
    return this.current?.oneAtATime;
  }

  /** When work is tried again that died, threw or waits for a provider, in milliseconds since the epoch; nothing where it is tried now, or isn't kept waiting. */
  retryAt(work: string): number | undefined {
    const at = this.current?.work === work ? 0 : (this.row(work)?.retry_at ?? 0);
    return at > this.ports.now() ? at : undefined;
  }

  /** The same as views of work have it. */
  retryField(work: string): { retryAt?: string } {
    const at = this.retryAt(work);
    return at === undefined ? {} : { retryAt: new Date(at).toISOString() };
  }

  /** How often work has died since it last came forward. */
  deaths(work: string): number {
    return this.row(work)?.deaths ?? 0;
  }

  /** For operators: why work was given up. To be asked before it is ended. */
  whyGivenUp(work: string): string {
    const { sql } = this.ports.storage;
    const step = stepUnderWay(sql, work) ?? stepUnderWay(sql);
    const where = step === undefined ? "" : `, lastly in the step "${step.step}" (${step.kind})`;
    return `its process died ${this.deaths(work)} times while it was tried${where}`;
  }

  /** How many steps of all work of the object are done, as text. */
  stepsDone(): string {
    return progressOf(this.ports.storage.sql);
  }

  /** The try is over, and the object lives: whatever became of it was not its death. */
  over(): void {
    const { current } = this;
    if (current === undefined) return;
    this.keep(current.work);
    this.ports.storage.sql.exec("UPDATE attempts SET under_way = 0 WHERE work = ?", current.work);
    this.leave();
  }

  /** To be called in the write with which the work ends, or begins to wait. */
  forget(work: string): void {
    this.ports.storage.sql.exec("DELETE FROM attempts WHERE work = ?", work);
    if (this.current?.work === work) this.leave();
  }

  /** The object is empty now: nothing is written any more. */
  leave(): void {
    if (this.current !== undefined) this.ports.load.end(this.nameOf(this.current.work));
    this.current = undefined;
  }

  /** Work that threw isn't tried again before. */
  postpone(work: string, at: number): void {
    this.keep(work);
    this.ports.storage.sql.exec("UPDATE attempts SET retry_at = ? WHERE work = ?", at, work);
  }

  /** Work that was given up and can't be ended is tried once more then, and given up again at its next death. */
  setAside(work: string, at: number): void {
    const { storage } = this.ports;
    this.keep(work);
    const reset = "UPDATE attempts SET deaths = ?, deaths_alone = ?, retry_at = ? WHERE work = ?";
    storage.sql.exec(reset, maxDeathsAlone, maxDeathsAlone - 1, at, work);
    this.ports.retryAt(at);
  }

  private known(work: string, progress: string): AttemptRecord {
    const row = this.row(work);
    if (row === undefined) return { ...newAttempt, progress };
    const record: AttemptRecord = {
      deaths: row.deaths,
      deathsAlone: row.deaths_alone,
      progress: row.progress,
      beganAt: row.began_at,
      company: companyOf(row.company),
      retryAt: row.retry_at,
    };
    if (row.under_way === 0 || this.current?.work === work) return record;
    const { now, random } = this.ports;
    const dead = afterDeath(record, {
      now: now(),
      progress,
      lastSignAt: Math.max(record.beganAt, this.lastWrite()),
      random: random(),
    });
    this.store(work, dead, false);
    this.ports.died(work, dead);
    return dead;
  }

  private lastWrite(): number {
    const latest = "SELECT COALESCE(MAX(MAX(begun_at, COALESCE(ended_at, 0))), 0) AS at FROM journal";
    return this.ports.storage.sql.exec<{ at: number }>(latest).one().at;
  }

  private row(work: string): AttemptRow | undefined {
    const query = "SELECT * FROM attempts WHERE work = ?";
    return this.ports.storage.sql.exec<AttemptRow>(query, work).toArray()[0] ?? this.firstRow(work);
  }

  /** The first try of work that has no row for it, as if it had one. */
  private firstRow(work: string): AttemptRow | undefined {
    const beganAt = this.ports.firstTry?.(work);
    if (beganAt === undefined) return undefined;
    const counts = { deaths: 0, deaths_alone: 0, retry_at: 0, under_way: 1 };
    return { ...counts, progress: newAttempt.progress, began_at: beganAt, company: newAttempt.company };
  }

  /** A first try that has no row gets one: what becomes of it is to be stored. */
  private keep(work: string): void {
    const row = this.firstRow(work);
    if (row === undefined) return;
    const { progress, began_at, company } = row;
    const query = `INSERT OR IGNORE INTO attempts (work, deaths, deaths_alone, progress, began_at, company, retry_at, under_way)
       VALUES (?, 0, 0, ?, ?, ?, 0, 1)`;
    this.ports.storage.sql.exec(query, work, progress, began_at, company);
  }

  private store(work: string, record: AttemptRecord, underWay: boolean): void {
    this.ports.storage.sql.exec(
      `INSERT OR REPLACE INTO attempts (work, deaths, deaths_alone, progress, began_at, company, retry_at, under_way)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      work,
      record.deaths,
      record.deathsAlone,
      record.progress,
      record.beganAt,
      record.company,
      record.retryAt,
      underWay ? 1 : 0,
    );
  }

  private nameOf(work: string): string {
    return `${this.ports.objectId}/${work}`;
  }
}

function companyOf(stored: string): Company {
  return stored === "alone" || stored === "suspect" ? stored : "others";
}
