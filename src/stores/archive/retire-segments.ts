/** Archived rows of the audit that their tenant keeps no longer: whole segments, the oldest first, with the words that only they hold. */
import { z } from "zod";
import { hexOf } from "../../platform/bytes.js";
import { idAt } from "../../platform/ids.js";
import { all, batch, type Database, first, type Sql, sql } from "../../platform/sql.js";
import { lazily } from "../../text/lazily.js";
import { leavesOf } from "./audit-tree.js";
import { type Bucket, SegmentReader, segmentRows } from "./segment-reader.js";

/** Segments that go at once. */
const segmentsAtOnce = 16;

const segmentRow = lazily(() => z.object({ first: z.int(), max_at: z.number(), digest: z.string() }));
const lowestRow = lazily(() => z.object({ first: z.int().nullable() }));
const firstOf = /\/(\d+)-\d+\.jsonl\.gz$/;

/**
 * Whoever is interrupted goes on: rows of D1 go first, and every object of R2 that lies before the oldest segment is one that went.
 * @param before milliseconds since the epoch: segments whose newest row is older go
 * @returns how many segments went
 */
export async function retireSegments(
  { db, bucket }: { readonly db: Database; readonly bucket: Bucket | undefined },
  tenantId: string,
  before: number,
): Promise<number> {
  const oldest = await all(db, segmentRow())`SELECT first, max_at, digest FROM audit_segments
    WHERE tenant_id = ${tenantId} ORDER BY first LIMIT ${segmentsAtOnce}`;
  const kept = oldest.findIndex((segment) => segment.max_at >= before);
  const gone = kept < 0 ? oldest : oldest.slice(0, kept);
  const reader = new SegmentReader(db, bucket);
  for (const segment of gone) {
    const lines = await reader.lines(tenantId, segment);
    const owners = new Set((await reader.resolved(tenantId, lines)).map(({ owner_id }) => owner_id));
    const hashes = (await leavesOf(lines)).map(hexOf).join("");
    // Whoever archives at the same time may have added to it, or made it one with those behind it: then it isn't this one that is due.
    const same = sql`tenant_id = ${tenantId} AND first = ${segment.first} AND digest = ${segment.digest}`;
    const asRead = sql`EXISTS (SELECT 1 FROM audit_segments WHERE ${same})`;
    await batch(db, [
      // What is left of its 4,096 lines is proven with them, and seals go on over them.
      sql`INSERT INTO audit_leaves (tenant_id, first, hashes) SELECT ${tenantId}, ${segment.first}, ${hashes}
        WHERE ${asRead} ON CONFLICT DO NOTHING`,
      sql`${forgetWords(tenantId, [...owners], before)} AND ${asRead}`,
      sql`DELETE FROM audit_segments WHERE ${same}`,
    ]);
  }
  const lowest =
    (await first(db, lowestRow())`SELECT MIN(first) AS first FROM audit_segments WHERE tenant_id = ${tenantId}`)
      ?.first ?? undefined;
  // Nothing is left that could name anybody.
  if (lowest === undefined) {
    await batch(db, [
      sql`DELETE FROM audit_people WHERE tenant_id = ${tenantId}`,
      sql`DELETE FROM audit_words WHERE tenant_id = ${tenantId}`,
    ]);
  }
  await batch(db, [
    sql`DELETE FROM audit_leaves WHERE tenant_id = ${tenantId} AND first < ${lowest ?? Number.MAX_SAFE_INTEGER}
      AND first < (SELECT COUNT(*) * ${segmentRows} FROM audit_subtrees WHERE tenant_id = ${tenantId})
      AND first - first % ${segmentRows} + ${segmentRows} <= ${lowest ?? Number.MAX_SAFE_INTEGER}`,
  ]);
  await removeBefore(tenantId, lowest ?? Number.MAX_SAFE_INTEGER, bucket);
  return gone.length;
}

/** What was said in work of which nothing newer can be there; of the tenant's own words (`''`) nothing. */
function forgetWords(tenantId: string, owners: readonly string[], before: number): Sql {
  return sql`DELETE FROM audit_words WHERE tenant_id = ${tenantId} AND owner_id <> ''
    AND owner_id IN (SELECT value FROM json_each(${JSON.stringify(owners)}))
    AND owner_id NOT IN (SELECT session_id FROM sessions WHERE tenant_id = ${tenantId} AND session_id = owner_id AND updated_at >= ${before})
    AND NOT (owner_id >= ${idAt("run", before)} AND owner_id < 'run_~' OR owner_id >= ${idAt("rt", before)} AND owner_id < 'rt_~')`;
}

async function removeBefore(tenantId: string, lowest: number, bucket: Bucket | undefined): Promise<void> {
  if (bucket === undefined) return;
  // Their names sort by their first number.
  const { objects } = await bucket.list({ prefix: `audit/${tenantId}/`, limit: 500 });
  const gone = objects.filter(({ key }) => Number(firstOf.exec(key)?.[1] ?? lowest) < lowest);
  if (gone.length > 0) await bucket.delete(gone.map(({ key }) => key));
}
