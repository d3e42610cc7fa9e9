/**
 * Commands that came under a key: each does its work once. The key is claimed in the write that does the work, so that one that comes again
 * after a crash finds either both or neither.
 */
import type { CommandKey } from "../../src/conversation/command-key.js";
import { type Result, refuse } from "../../src/conversation/problem.js";

/** How long a key stands for what was done under it, in milliseconds. */
const keyLifetimeMs = 24 * 3_600_000;

export interface CommandPorts {
  readonly sql: SqlStorage;
  readonly write: <T>(change: () => T) => T;
  readonly now: () => number;
}

/** What was done under a key: the note that was left with it. */
export type Done = { readonly kind: "done"; readonly note: string } | { readonly kind: "other_command" };

export class CommandBook {
  constructor(private readonly ports: CommandPorts) {}

  /** What was done under the key; undefined where nothing was, or too long ago, and for a command without a key. */
  find(command: CommandKey | undefined): Done | undefined {
    if (command === undefined) return undefined;
    const { sql } = this.ports;
    const [row] = sql
      .exec<{ hash: string; note: string }>(
        "SELECT hash, note FROM commands WHERE key = ? AND at >= ?",
        ...[command.key, this.keptSince()],
      )
      .toArray();
    if (row === undefined) return undefined;
    return row.hash === command.hash ? { kind: "done", note: row.note } : { kind: "other_command" };
  }

  /**
   * Claims the key, in the write that is under way.
   * @param note what a repetition needs to say the same; no text of anybody's
   */
  claim(command: CommandKey | undefined, note = ""): void {
    if (command === undefined) return;
    const { sql, now } = this.ports;
    sql.exec("DELETE FROM commands WHERE at < ?", this.keptSince());
    sql.exec("INSERT INTO commands (key, hash, note, at) VALUES (?, ?, ?, ?)", command.key, command.hash, note, now());
  }

  /**
   * Does what nothing has to be awaited for, with its claim in one write. What is refused claims nothing.
   * @param again what a repetition is told
   * @example
   * commands.once(command, () => ok(store.setPaused(true)), () => ok(undefined));
   */
  once<T>(command: CommandKey | undefined, work: () => Result<T>, again: () => Result<T>): Result<T> {
    const known = this.find(command);
    if (known !== undefined) return known.kind === "done" ? again() : otherCommand;
    return this.ports.write(() => {
      const done = work();
      if (done.ok) this.claim(command);
      return done;
    });
  }

  private keptSince(): number {
    return this.ports.now() - keyLifetimeMs;
  }
}

export const otherCommand = refuse(
  "idempotency_conflict",
  "This Idempotency-Key came with another request before. Use a new key.",
);
