/**
 * Work that comes in bulk, such as the entries of an import, done piece by piece: objects of an isolate, and all who use D1, share a thread, and whoever
 * asks a question meanwhile waits for what is queued before it. Plain data, no promise of another object is waited for.
 *
 * @example await turns.run(tenantId, () => entries.put(memory, entry, seq));
 */

/** Pieces that are done at the same time, of all tenants together. */
const atOnce = 2;
/** A piece is followed by a pause of its own length, at most so long, in milliseconds: others have at least half of the time. */
const longestPauseMs = 25;
/** How often who waits looks whether it may, in milliseconds. A timer of its own: everybody else's events come in between. */
const pollMs = 10;
/** Who hasn't looked for so long waits no longer: its object died. In milliseconds. */
const gaveUpAfterMs = 1_000;
/** A piece that is never ended, since its object died, counts no longer after so long, in milliseconds. */
const deadAfterMs = 30_000;

export interface BulkTurnsPorts {
  /** Milliseconds since whenever; never goes back. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

export class BulkTurns {
  /** When each of the places is free again. */
  private readonly freeAt: number[] = Array.from({ length: atOnce }, () => 0);
  /** When a tenant last looked whether it may. */
  private readonly lookedAt = new Map<string, number>();
  /** Which turn a tenant had last. */
  private readonly lastTurn = new Map<string, number>();
  private turns = 0;

  constructor(private readonly ports: BulkTurnsPorts) {}

  /** Does a piece when it is the tenant's turn. */
  async run<T>(tenantId: string, piece: () => Promise<T>): Promise<T> {
    const { now, sleep } = this.ports;
    let place = this.take(tenantId);
    while (place === undefined) {
      await sleep(pollMs);
      place = this.take(tenantId);
    }
    const began = now();
    try {
      return await piece();
    } finally {
      const ended = now();
      this.freeAt[place] = ended + Math.min(ended - began, longestPauseMs);
    }
  }

  /** A place, unless there is none, or another tenant that waits had its last turn longer ago. */
  private take(tenantId: string): number | undefined {
    const now = this.ports.now();
    this.lookedAt.set(tenantId, now);
    const place = this.freeAt.findIndex((at) => at <= now);
    if (place < 0 || this.longestWaiting(now) !== tenantId) return undefined;
    this.freeAt[place] = now + deadAfterMs;
    this.lookedAt.delete(tenantId);
    this.lastTurn.set(tenantId, ++this.turns);
    return place;
  }

  private longestWaiting(now: number): string | undefined {
    let longest: string | undefined;
    for (const [tenantId, at] of this.lookedAt) {
      if (at + gaveUpAfterMs <= now) {
        this.lookedAt.delete(tenantId);
        this.lastTurn.delete(tenantId);
      } else if (longest === undefined || (this.lastTurn.get(tenantId) ?? 0) < (this.lastTurn.get(longest) ?? 0)) {
        longest = tenantId;
      }
    }
    return longest;
  }
}
