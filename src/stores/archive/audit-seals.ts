/**
 * Seals of tenants' audits: made in slices, a subtree each, in writes that change nothing when they are repeated; and the proofs under them.
 */
import { z } from "zod";
import { consistencyPath, inclusionPath, isSame, rootOf } from "../../evidence/proof/merkle.js";
import type { CheckpointSigner } from "../../platform/checkpoint-signer.js";
import { all, batch, type Database, first, raw, run, sql } from "../../platform/sql.js";
import { limitEventsRoot } from "../../tenancy/limits/events.js";
import { lazily } from "../../text/lazily.js";
import { onTheWay } from "../on-the-way.js";
import { tellTenant, toldFailing } from "../tenant-events.js";
import { owedToAll } from "../webhook-deliveries.js";
import { BrokenArchiveError } from "./archive-error.js";
import { AuditTree, hashOf, sha256, shownHash } from "./audit-tree.js";
import { type Bucket, SegmentReader, segmentRows } from "./segment-reader.js";

const tenantRow = lazily(() => z.object({ tenant_id: z.string() }));
const stateRow = lazily(() => z.object({ next: z.int(), sealed: z.int(), whole: z.int(), kept: z.int() }));
const sealRow = lazily(() =>
  z.object({ size: z.int(), root: z.string(), at: z.number(), checkpoint: z.string(), key: z.string() }),
);
export type StoredSeal = z.infer<ReturnType<typeof sealRow>>;

export class AuditSeals {
  private readonly reader: SegmentReader;

  constructor(
    private readonly db: Database,
    private readonly sign: CheckpointSigner,
    bucket?: Pick<Bucket, "get">,
  ) {
    this.reader = new SegmentReader(db, bucket);
  }

  /** Tenants with lines that no seal covers, who have waited longest first; without those whose archive was found broken today. */
  async due(limit: number, now: number): Promise<string[]> {
    const found = await all(this.db, tenantRow())`SELECT tenant_id FROM audit_archive a INDEXED BY audit_unsealed
      WHERE next > sealed AND tenant_id NOT IN ${onTheWay} AND NOT ${toldFailing(raw("a.tenant_id"), raw("a.tenant_id"), now)}
      ORDER BY unsealed_since LIMIT ${limit}`;
    return found.map(({ tenant_id }) => tenant_id);
  }

  /** It had its turn and isn't done: it waits behind the others. */
  async waitAgain(tenantId: string, now: number): Promise<void> {
    await run(
      this.db,
    )`UPDATE audit_archive SET unsealed_since = ${now} WHERE tenant_id = ${tenantId} AND next > sealed`;
  }

  /**
   * Stores the root of one subtree that has become whole; once there is none, a seal over all lines there are.
   * @returns whether there is more to do
   * @throws {BrokenArchiveError} where lines are missing, or aren't those that are sealed already
   */
  async seal(tenantId: string, now: number): Promise<boolean> {
    const state = await this.stateOf(tenantId);
    if (state === undefined || state.next === state.sealed) return false;
    const { next, sealed } = state;
    const tree = this.treeOf(tenantId);
    const begin = state.whole * segmentRows;
    const last = await this.at(tenantId, sealed);
    // What the newest seal covers of this subtree is still as it was.
    if (last !== undefined && sealed > begin) {
      const again = await rootOf(0, sealed, tree.subtree, sha256);
      if (!isSame(again, hashOf(last.root))) {
        throw new BrokenArchiveError(`of the ${sealed} sealed lines of the audit one from ${begin} on is another`);
      }
    }
    if (begin + segmentRows <= next) {
      const root = shownHash(await tree.rootOfLines(begin));
      await batch(this.db, [
        sql`INSERT INTO audit_subtrees (tenant_id, first, root) VALUES (${tenantId}, ${begin}, ${root}) ON CONFLICT DO NOTHING`,
      ]);
      return true;
    }
    const root = shownHash(await rootOf(0, next, tree.subtree, sha256));
    const { checkpoint, key } = await this.sign(tenantId, next, root);
    await batch(this.db, [
      sql`INSERT INTO audit_seals (tenant_id, size, root, at, checkpoint, key)
        VALUES (${tenantId}, ${next}, ${root}, ${now}, ${checkpoint}, ${key}) ON CONFLICT DO NOTHING`,
      sql`UPDATE audit_archive SET sealed = MAX(sealed, ${next}) WHERE tenant_id = ${tenantId}`,
      tellTenant(tenantId, "audit.sealed", String(next), now, { size: next, root, checkpoint, key }),
      owedToAll(tenantId, limitEventsRoot, now),
    ]);
    return false;
  }

  /** The newest first; smaller than `below`. */
  list(tenantId: string, below: number, limit: number): Promise<StoredSeal[]> {
    return all(this.db, sealRow())`SELECT size, root, at, checkpoint, key FROM audit_seals
      WHERE tenant_id = ${tenantId} AND size < ${below} ORDER BY size DESC LIMIT ${limit}`;
  }

  at(tenantId: string, size: number): Promise<StoredSeal | undefined> {
    return first(this.db, sealRow())`SELECT size, root, at, checkpoint, key FROM audit_seals
      WHERE tenant_id = ${tenantId} AND size = ${size}`;
  }

  /** A line as it is stored, and what shows that it is under a seal. @param row smaller than the seal's size */
  async prove(
    tenantId: string,
    row: number,
    size: number,
  ): Promise<{ readonly line: string; readonly path: string[] } | undefined> {
    const tree = this.treeOf(tenantId);
    const line = await tree.line(row);
    if (line === undefined) return undefined;
    return { line, path: (await inclusionPath(row, size, tree.subtree, sha256)).map(shownHash) };
  }

  /** What shows that the lines of one seal begin those of a later one. */
  async proveConsistency(tenantId: string, from: number, to: number): Promise<string[]> {
    return (await consistencyPath(from, to, this.treeOf(tenantId).subtree, sha256)).map(shownHash);
  }

  /** Archived lines as they are stored, whether or not they are in their places, a subtree at a time. */
  async *lines(tenantId: string, from: number): AsyncGenerator<string[]> {
    const { next, kept } = (await this.stateOf(tenantId)) ?? { next: 0, kept: 0 };
    const tree = this.treeOf(tenantId);
    const start = Math.max(from, kept);
    for (let begin = start - (start % segmentRows); begin < next; begin += segmentRows) {
      const lines = await tree.storedLinesAt(begin);
      yield lines.filter((line) => Number(/^\{"n":(\d{1,15}),/.exec(line)?.[1] ?? from) >= from);
    }
  }

  private stateOf(tenantId: string) {
    return first(this.db, stateRow())`SELECT next, sealed,
        (SELECT COUNT(*) FROM audit_subtrees s WHERE s.tenant_id = a.tenant_id) AS whole,
        COALESCE((SELECT MIN(first) FROM audit_segments s WHERE s.tenant_id = a.tenant_id), next) AS kept
      FROM audit_archive a WHERE tenant_id = ${tenantId}`;
  }

  private treeOf(tenantId: string): AuditTree {
    return new AuditTree(this.db, this.reader, tenantId);
  }
}
