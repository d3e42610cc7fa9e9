/** Named deadlines over an object's one alarm. */
import { exec } from "../../src/platform/sql.js";

export class Deadlines {
  /** What the alarm was last set to by this instance; unknown after a wake-up. */
  private armedAt: number | undefined | "unknown" = "unknown";
  /** As they are stored; read when they are asked for. */
  private stored: Map<string, number> | undefined;
  /** Those of this instance alone: the alarm stands for them, and an object that wakes up looks itself what is to be done. */
  private readonly brief = new Map<string, number>();

  private readonly sql: SqlStorage;

  constructor(private readonly storage: DurableObjectStorage) {
    this.sql = storage.sql;
  }

  /** Sets, moves or (with nothing) clears a deadline, in the same write as whatever is written around it. */
  move(name: string, at: number | undefined): void {
    const before = this.known().get(name);
    if (at === undefined && before !== undefined) exec(this.sql)`DELETE FROM deadlines WHERE name = ${name}`;
    if (at !== undefined && at !== before)
      exec(this.sql)`
        INSERT INTO deadlines (name, at) VALUES (${name}, ${at}) ON CONFLICT DO UPDATE SET at = excluded.at`;
    if (at === undefined) this.known().delete(name);
    else this.known().set(name, at);
    this.arm();
  }

  /** The same, unless it is set already and passes before `at`, but not before now: a caller that sets it anew each time needs one write. */
  within(name: string, at: number, now: number): void {
    const set = this.known().get(name);
    if (set === undefined || set <= now || set > at) this.move(name, at);
  }

  /**
   * The same for one that isn't stored: it passes at this time or earlier, as long as the alarm is set for earlier anyway; when it is cleared, the alarm stays. For what
   * an instance that wakes up finds without being told.
   */
  moveBrief(name: string, at: number | undefined): void {
    if (at === undefined) this.brief.delete(name);
    else this.brief.set(name, at);
    // One that versions before have stored.
    if (this.known().delete(name)) exec(this.sql)`DELETE FROM deadlines WHERE name = ${name}`;
    // An alarm that nobody needs any more may ring and find nothing: taking it back, and setting the next one, costs a write each.
    const next = this.next();
    if (typeof this.armedAt === "number" && (next === undefined || this.armedAt <= next)) return;
    this.arm();
  }

  /** The same, unless it is set already and passes before `at`, but not before now. */
  withinBrief(name: string, at: number, now: number): void {
    const set = this.brief.get(name);
    if (set === undefined || set <= now || set > at) this.moveBrief(name, at);
  }

  /** When one passes that is stored; milliseconds since the epoch. */
  at(name: string): number | undefined {
    return this.known().get(name);
  }

  /** Names of those that have passed, the earliest first. They stay until they are cleared or moved. */
  passed(now: number): string[] {
    return [...this.known(), ...this.brief]
      .filter(([, at]) => at <= now)
      .sort(([one, a], [other, b]) => a - b || (one < other ? -1 : 1))
      .map(([name]) => name);
  }

  /** To be called when the alarm has rung: the slot is empty then. */
  rearm(): void {
    this.armedAt = "unknown";
    this.arm();
  }

  /** A write was rolled back: what is stored is read anew, and the alarm that it may have set is set again for what is left. */
  onRollback(): void {
    this.forget();
    this.arm();
  }

  /** Nothing is stored any more. */
  onErased(): void {
    this.forget();
    this.brief.clear();
  }

  private forget(): void {
    this.stored = undefined;
    this.armedAt = "unknown";
  }

  private known(): Map<string, number> {
    this.stored ??= new Map(
      exec<{ name: string; at: number }>(this.sql)`SELECT name, at FROM deadlines`
        .toArray()
        .map(({ name, at }) => [name, at]),
    );
    return this.stored;
  }

  private next(): number | undefined {
    const all = [...this.known().values(), ...this.brief.values()];
    return all.length === 0 ? undefined : Math.min(...all);
  }

  private arm(): void {
    const next = this.next();
    if (next === this.armedAt) return;
    this.armedAt = next;
    // Not awaited: it is part of the surrounding write, and a failed write resets the object.
    if (next === undefined) void this.storage.deleteAlarm();
    else void this.storage.setAlarm(next);
  }
}
