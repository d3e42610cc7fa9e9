/** Named deadlines over an object's one alarm. */
export class Deadlines {
  /** What the alarm was last set to by this instance; unknown after a wake-up. */
  private armedAt: number | null | undefined;

  private readonly sql: SqlStorage;

  constructor(private readonly storage: DurableObjectStorage) {
    this.sql = storage.sql;
  }

  /** Sets, moves or (with nothing) clears a deadline, in the same write as whatever is written around it. */
  move(name: string, at: number | undefined): void {
    if (at === undefined) this.sql.exec("DELETE FROM deadlines WHERE name = ?", name);
    else
      this.sql.exec(
        "INSERT INTO deadlines (name, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = excluded.at",
        name,
        at,
      );
    this.arm();
  }

  /** The same, unless it is set already and passes before `at`, but not before now: whoever sets it anew each time needs one write. */
  within(name: string, at: number, now: number): void {
    const [set] = this.sql.exec<{ at: number }>("SELECT at FROM deadlines WHERE name = ?", name).toArray();
    if (set === undefined || set.at <= now || set.at > at) this.move(name, at);
  }

  /** Names of those that have passed, the earliest first. They stay until they are cleared or moved. */
  passed(now: number): string[] {
    return this.sql
      .exec<{ name: string }>("SELECT name FROM deadlines WHERE at <= ? ORDER BY at, name", now)
      .toArray()
      .map(({ name }) => name);
  }

  /** To be called when the alarm has rung: the slot is empty then. */
  rearm(): void {
    this.armedAt = undefined;
    this.arm();
  }

  private arm(): void {
    const next = this.sql.exec<{ at: number | null }>("SELECT MIN(at) AS at FROM deadlines").one().at;
    if (next === this.armedAt) return;
    this.armedAt = next;
    // Not awaited: it is part of the surrounding write, and a failed write resets the object.
    if (next === null) void this.storage.deleteAlarm();
    else void this.storage.setAlarm(next);
  }
}
