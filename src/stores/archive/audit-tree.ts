/**
 * The Merkle tree over a tenant's archived lines, as they are in D1 or R2. 4,096 lines are one subtree, whose root is stored once they are all
 * there: what a proof reads is the subtree of its line, the one at the end, and the roots of the others.
 */
import { z } from "zod";
import { type Hash, leafHash, levelsOf, type Sha256, type Subtree } from "../../evidence/proof/merkle.js";
import { base64Of, fromBase64 } from "../../platform/bytes.js";
import { all, type Database } from "../../platform/sql.js";
import { lazily } from "../../text/lazily.js";
import { BrokenArchiveError } from "./archive-error.js";
import { bytesOfHex, SegmentMovedError, type SegmentReader, segmentRows } from "./segment-reader.js";

const leavesRow = lazily(() => z.object({ first: z.int(), hashes: z.string() }));
const rootRow = lazily(() => z.object({ first: z.int(), root: z.string() }));
const encoder = new TextEncoder();

export const sha256: Sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

export class AuditTree {
  private readonly levels = new Map<number, Promise<(readonly Hash[])[]>>();
  private roots: Promise<ReadonlyMap<number, Hash>> | undefined;

  constructor(
    private readonly db: Database,
    private readonly reader: SegmentReader,
    private readonly tenantId: string,
  ) {}

  readonly subtree: Subtree = async (start, size) => {
    if (size < segmentRows) {
      const levels = await this.levelsAt(start - (start % segmentRows));
      return found(levels[Math.log2(size)]?.[(start % segmentRows) / size], start);
    }
    this.roots ??= this.storedRoots();
    const roots = await this.roots;
    const wanted = Array.from({ length: size / segmentRows }, (_, at) => {
      const first = start + at * segmentRows;
      return found(roots.get(first), first);
    });
    const levels = await levelsOf(wanted, sha256);
    return found(levels.at(-1)?.[0], start);
  };

  /** The root over the 4,096 lines from `first` on, of the lines themselves. */
  async rootOfLines(first: number): Promise<Hash> {
    const levels = await this.levelsAt(first);
    return found(levels[Math.log2(segmentRows)]?.[0], first);
  }

  /** The line of an arrival number; undefined of one that is kept no longer. @throws {BrokenArchiveError} */
  async line(row: number): Promise<string | undefined> {
    const first = row - (row % segmentRows);
    const { gone, lines } = await this.linesAt(first);
    return lines[row - first - gone.length];
  }

  /** Hashes of the first lines from `first` on, which are kept no longer. */
  private async leavesAt(first: number): Promise<Hash[]> {
    const rows = await all(this.db, leavesRow())`SELECT first, hashes FROM audit_leaves
      WHERE tenant_id = ${this.tenantId} AND first >= ${first} AND first < ${first + segmentRows} ORDER BY first`;
    return rows.flatMap(({ hashes }) => (hashes.match(/.{64}/g) ?? []).map(bytesOfHex));
  }

  /** Up to the next multiple of 4,096: the hashes of lines that are kept no longer, and the lines behind them. */
  private async linesAt(begin: number): Promise<{ readonly gone: Hash[]; readonly lines: string[] }> {
    for (let gone = await this.leavesAt(begin); ; ) {
      const first = begin + gone.length;
      const lines = await this.storedLinesAt(begin);
      const wrong = lines.findIndex((line, at) => !line.startsWith(`{"n":${first + at},`));
      if (wrong === -1) return { gone, lines };
      // Lines that went between the two reads have left their hashes.
      const now = await this.leavesAt(begin);
      if (now.length === gone.length) {
        throw new BrokenArchiveError(`the line ${first + wrong} of the audit's archive isn't in its place`);
      }
      gone = now;
    }
  }

  /** The same, as they are. */
  async storedLinesAt(first: number): Promise<string[]> {
    for (let tries = 1; ; tries++) {
      try {
        const lines: string[] = [];
        for (const segment of await this.reader.segmentsAt(this.tenantId, first, first + segmentRows)) {
          lines.push(...(await this.reader.lines(this.tenantId, segment)));
        }
        return lines;
      } catch (error) {
        if (!(error instanceof SegmentMovedError) || tries === 3) throw error;
      }
    }
  }

  private levelsAt(first: number): Promise<(readonly Hash[])[]> {
    const known = this.levels.get(first);
    if (known !== undefined) return known;
    const made = this.linesAt(first).then(async ({ gone, lines }) =>
      levelsOf([...gone, ...(await leavesOf(lines))], sha256),
    );
    this.levels.set(first, made);
    return made;
  }

  private async storedRoots(): Promise<ReadonlyMap<number, Hash>> {
    const rows = await all(
      this.db,
      rootRow(),
    )`SELECT first, root FROM audit_subtrees WHERE tenant_id = ${this.tenantId}`;
    return new Map(rows.map(({ first, root }) => [first, hashOf(root)]));
  }
}

export function leavesOf(lines: readonly string[]): Promise<Hash[]> {
  return Promise.all(lines.map((line) => leafHash(encoder.encode(line), sha256)));
}

export function hashOf(base64: string): Hash {
  return fromBase64(base64) ?? new Uint8Array(0);
}

export function shownHash(hash: Hash): string {
  return base64Of(hash);
}

function found(hash: Hash | undefined, start: number): Hash {
  if (hash === undefined) throw new BrokenArchiveError(`lines of the audit's archive are missing from ${start} on`);
  return hash;
}
