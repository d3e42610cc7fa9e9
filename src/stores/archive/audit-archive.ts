/**
 * Rows of the audit go to segments: gzipped lines, numbered by their arrival in the tenant, first in D1, where a segment takes a quarter of
 * its rows, and when they are old to R2. Whoever is interrupted at any point has lost and doubled nothing: a segment and the going of
 * its rows are one batch, and what is written to R2 is known, written again and compared before it goes.
 */
import { z } from "zod";
import { sha256Hex } from "../../platform/digest.js";
import { gunzip, gzip } from "../../platform/gzip.js";
import { all, batch, type Database, first, type Sql, sql } from "../../platform/sql.js";
import { lazily } from "../../text/lazily.js";
import { onTheWay } from "../on-the-way.js";
import { type AuditRow, auditRow, LineWriter } from "./archive-row.js";
import { retireSegments } from "./retire-segments.js";
import { type Bucket, linesOf, SegmentReader, segmentRows } from "./segment-reader.js";

/** Rows that are taken at once. Fewer are added to the newest segment while it has room for them among so many. */
const takenRows = 1_024;
/** Rows younger than this stay: others of their time may still be on their way. */
const settleMs = 600_000;
/** How far behind the newest archived row ones that came late are looked for each time; what came still later waits until it is old. */
const lateMs = 2 * 86_400_000;

const newestRow = lazily(() =>
  z.object({ first: z.int(), rows: z.int(), min_at: z.number(), max_at: z.number(), notable: z.int() }),
);
type Newest = z.infer<ReturnType<typeof newestRow>>;
const nextRow = lazily(() => z.object({ next: z.int(), up_to: z.number() }));
const tenantRow = lazily(() => z.object({ tenant_id: z.string() }));
const personRow = lazily(() => z.object({ ref: z.string(), value: z.string() }));
const wordsRow = lazily(() => z.object({ ref: z.string(), words: z.string() }));
const hereRow = lazily(() =>
  z.object({ first: z.int(), rows: z.int(), min_at: z.number(), max_at: z.number(), object: z.string().nullable() }),
);
type Here = z.infer<ReturnType<typeof hereRow>>;

/** Where a row stands among all of its tenant. */
const keyOf = ({ at, owner_id, revision }: AuditRow): string => JSON.stringify([at, owner_id, revision]);
/** A pass in which all allowed and that nobody is named of: it needs no index, and goes. */
const isPlain = ({ type, decision, actor }: AuditRow): boolean =>
  type === "supervision" && decision === "allow" && actor === null;

export class AuditArchive {
  constructor(
    private readonly db: Database,
    private readonly bucket?: Bucket,
  ) {}

  /** Whether there is anywhere to move segments to. */
  get canMove(): boolean {
    return this.bucket !== undefined;
  }

  /** Tenants whose rows are to be archived now, those first whose newest archived row is the oldest. */
  async due(now: number, limit: number): Promise<string[]> {
    const waiting = sql`SELECT 1 FROM audit INDEXED BY audit_by_time
      WHERE audit.tenant_id = t.tenant_id AND at >= COALESCE(up_to, 0) AND archived IS NULL`;
    const found = await all(this.db, tenantRow())`
      SELECT t.tenant_id FROM tenants t LEFT JOIN audit_archive USING (tenant_id)
      WHERE EXISTS (${waiting} AND at < ${now - settleMs}) AND t.tenant_id NOT IN ${onTheWay} ORDER BY COALESCE(up_to, 0) LIMIT ${limit}`;
    return found.map(({ tenant_id }) => tenant_id);
  }

  /**
   * Archives what has settled, as one segment or as the end of the newest.
   * @param since rows from then on, up to `before`; by default all that have settled, and those that came a little late
   * @returns whether more may be left
   */
  async pack(
    tenantId: string,
    now: number,
    { since, before = now - settleMs }: { readonly since?: number; readonly before?: number } = {},
  ): Promise<boolean> {
    const [state] = await all(this.db, nextRow())`SELECT next, up_to FROM audit_archive WHERE tenant_id = ${tenantId}`;
    const { next = 0, up_to: upTo = 0 } = state ?? {};
    const room = Math.min(takenRows, segmentRows - (next % segmentRows));
    const taken = await all(this.db, auditRow())`
      SELECT owner_id, revision, at, turn_id, hook, decision, body, type, actor FROM audit INDEXED BY audit_by_time
      WHERE tenant_id = ${tenantId} AND at >= ${since ?? upTo - lateMs} AND at < ${before} AND archived IS NULL
      ORDER BY at, owner_id, revision LIMIT ${room}`;
    const newest = taken.at(-1);
    if (newest === undefined) return false;
    const known = await this.knownAmong(tenantId, taken, upTo);
    const rows = taken.filter((row) => !known.has(keyOf(row)));
    const gone = taken.filter((row) => isPlain(row));
    const kept = taken.filter((row) => !isPlain(row));
    const arrivals = new Map(rows.map((row, index) => [row, next + index]));
    await batch(this.db, [
      ...(await this.segmentOf(tenantId, next, rows)),
      sql`INSERT INTO audit_archive (tenant_id, next, up_to, unsealed_since)
        VALUES (${tenantId}, ${next + rows.length}, ${newest.at}, ${now})
        ON CONFLICT DO UPDATE SET next = excluded.next, up_to = MAX(up_to, excluded.up_to),
          unsealed_since = iif(next > sealed, unsealed_since, excluded.unsealed_since)`,
      sql`DELETE FROM audit WHERE tenant_id = ${tenantId} AND ${among(gone)}`,
      sql`UPDATE audit SET archived = 1, arrival = COALESCE(kept.value ->> 2, arrival)
        FROM json_each(${JSON.stringify(kept.map((row) => [row.owner_id, row.revision, arrivals.get(row) ?? null]))}) AS kept
        WHERE tenant_id = ${tenantId} AND owner_id = kept.value ->> 0 AND revision = kept.value ->> 1`,
    ]);
    return taken.length === room;
  }

  /** The rows that stand in a segment already, and were delivered once more: only what came late can. */
  private async knownAmong(tenantId: string, rows: readonly AuditRow[], upTo: number): Promise<Set<string>> {
    const late = rows.filter(({ at }) => at <= upTo);
    const [first] = late;
    if (first === undefined) return new Set();
    const reader = new SegmentReader(this.db, this.bucket);
    const times = { from: first.at, to: (late.at(-1)?.at ?? first.at) + 1 };
    const known = new Set<string>();
    for (const segment of await reader.segments(tenantId, times)) {
      if (!late.some(({ at }) => at >= segment.min_at && at <= segment.max_at)) continue;
      for (const row of await reader.rows(tenantId, segment)) known.add(keyOf(row));
    }
    return known;
  }

  /** What stores rows as a segment. Two who do it at once can't both: one has the other's first number. */
  private async segmentOf(tenantId: string, begin: number, rows: readonly AuditRow[]): Promise<Sql[]> {
    const [oldest] = rows;
    if (oldest === undefined) return [];
    const [people, words] = await Promise.all([
      all(this.db, personRow())`SELECT ref, value FROM audit_people WHERE tenant_id = ${tenantId} AND value IN
        (SELECT value FROM json_each(${JSON.stringify(rows.flatMap(({ actor, owner_id }) => [actor, owner_id]))}))`,
      all(this.db, wordsRow())`SELECT ref, words FROM audit_words WHERE tenant_id = ${tenantId} AND owner_id = ''`,
    ]);
    const writer = new LineWriter({
      people: new Map(people.map(({ ref, value }) => [value, ref])),
      words: new Map(words.map(({ ref, words: said }) => [said, ref])),
    });
    const lines: string[] = [];
    for (const [index, row] of rows.entries()) lines.push(`${await writer.line(row, begin + index)}\n`);
    const newest = await this.newestWithRoom(tenantId, begin, rows.length);
    const before = newest === undefined ? "" : await new SegmentReader(this.db, this.bucket).text(tenantId, newest);
    const text = before + lines.join("");
    const isNotable = newest?.notable === 1 || rows.some((row) => !isPlain(row));
    const [minAt, maxAt] = [newest?.min_at ?? oldest.at, newest?.max_at ?? 0];
    return [
      // Of two who add to it at once one finds it longer than it was, and fails with the number that is taken.
      ...(newest === undefined
        ? []
        : [
            sql`DELETE FROM audit_segments WHERE tenant_id = ${tenantId} AND first = ${newest.first} AND rows = ${newest.rows}`,
          ]),
      sql`INSERT INTO audit_segments (tenant_id, first, rows, min_at, max_at, notable, digest, body)
        VALUES (${tenantId}, ${newest?.first ?? begin}, ${(newest?.rows ?? 0) + rows.length}, ${Math.min(minAt, oldest.at)},
          ${Math.max(maxAt, rows.at(-1)?.at ?? 0)}, ${isNotable ? 1 : 0}, ${await sha256Hex(text)}, ${await gzip(text)})`,
      sql`INSERT INTO audit_people (tenant_id, ref, value, subject)
        SELECT ${tenantId}, value ->> 'ref', value ->> 'value', value ->> 'subject' FROM json_each(${JSON.stringify(writer.people)})
        WHERE TRUE ON CONFLICT DO NOTHING`,
      sql`INSERT INTO audit_words (tenant_id, owner_id, ref, salt, words)
        SELECT ${tenantId}, value ->> 'owner', value ->> 'ref', value ->> 'salt', value ->> 'words'
        FROM json_each(${JSON.stringify(writer.words)}) WHERE TRUE ON CONFLICT DO NOTHING`,
    ];
  }

  /** The segment that ends before `next`, if it lies here and rows can be added to it. */
  private newestWithRoom(tenantId: string, next: number, rows: number): Promise<Newest | undefined> {
    if (next % segmentRows === 0) return Promise.resolve(undefined);
    return first(this.db, newestRow())`SELECT first, rows, min_at, max_at, notable FROM audit_segments
      WHERE tenant_id = ${tenantId} AND first = (SELECT MAX(first) FROM audit_segments WHERE tenant_id = ${tenantId})
        AND first + rows = ${next} AND body IS NOT NULL AND object IS NULL AND rows + ${rows} <= ${takenRows}`;
  }

  /** Tenants with segments here that end before a time, the oldest first. */
  async toMove(before: number, limit: number): Promise<string[]> {
    const found = await all(this.db, tenantRow())`SELECT DISTINCT tenant_id FROM
      (SELECT tenant_id FROM audit_segments INDEXED BY audit_segments_here
        WHERE body IS NOT NULL AND max_at < ${before} AND tenant_id NOT IN ${onTheWay} ORDER BY max_at LIMIT ${limit})`;
    return found.map(({ tenant_id }) => tenant_id);
  }

  /**
   * Moves one segment of rows that are older than `before` to R2: those of 4,096 that lie here one behind the other become one object, which
   * is read back and compared before anything goes here. Rows that had stayed for their indexes go with it.
   * @returns whether more may be left; nothing is moved without a bucket
   */
  async move(tenantId: string, before: number): Promise<boolean> {
    const { bucket } = this;
    if (bucket === undefined) return false;
    const here = await all(this.db, hereRow())`SELECT first, rows, min_at, max_at, object FROM audit_segments
      WHERE tenant_id = ${tenantId} AND body IS NOT NULL AND (max_at < ${before} OR object IS NOT NULL) ORDER BY first LIMIT 64`;
    const parts = firstRun(here);
    const [begin] = parts;
    if (begin === undefined) return false;
    const rows = parts.reduce((sum, part) => sum + part.rows, 0);
    // The first of those it was named for may have been retired meanwhile, and objects before the oldest segment go.
    const named = `audit/${tenantId}/${String(begin.first).padStart(12, "0")}-`;
    const object = begin.object?.startsWith(named) ? begin.object : `${named}${rows}.jsonl.gz`;
    const firsts = JSON.stringify(parts.map(({ first }) => first));
    const ofParts = sql`tenant_id = ${tenantId} AND first IN (SELECT value FROM json_each(${firsts}))`;
    // Before it is written: whoever goes on after an interruption writes the same object, whatever has become old meanwhile.
    await batch(this.db, [sql`UPDATE audit_segments SET object = ${object} WHERE ${ofParts}`]);
    const reader = new SegmentReader(this.db, bucket);
    const text = (await Promise.all(parts.map((part) => reader.text(tenantId, part)))).join("");
    const digest = await sha256Hex(text);
    await bucket.put(object, await gzip(text), { customMetadata: { sha256: digest } });
    const stored = await bucket.get(object);
    const back = stored === null ? "" : await gunzip(new Uint8Array(await stored.arrayBuffer()));
    if (back !== text) throw new Error(`the segment ${object} isn't in R2 as it was written`);
    const notable = (await reader.resolved(tenantId, linesOf(text))).filter((row) => !isPlain(row));
    const one = sql`tenant_id = ${tenantId} AND first = ${begin.first}`;
    // All of them, or none: one that was retired since was due, and those behind it are not.
    const moved = sql`EXISTS (SELECT 1 FROM audit_segments WHERE ${one} AND digest = ${digest} AND body IS NULL)`;
    await batch(this.db, [
      sql`UPDATE audit_segments SET rows = ${rows}, min_at = ${Math.min(...parts.map((part) => part.min_at))},
          max_at = ${Math.max(...parts.map((part) => part.max_at))}, notable = ${notable.length > 0 ? 1 : 0},
          digest = ${digest}, body = NULL
        WHERE ${one} AND (SELECT SUM(rows) FROM audit_segments WHERE ${ofParts} AND body IS NOT NULL) = ${rows}`,
      sql`DELETE FROM audit_segments WHERE ${ofParts} AND first > ${begin.first} AND ${moved}`,
      sql`DELETE FROM audit WHERE tenant_id = ${tenantId} AND archived = 1 AND ${among(notable)} AND ${moved}`,
    ]);
    return here.length > parts.length || here.length === 64;
  }

  /** Lets segments go whose rows are all older. @returns how many went */
  retire(tenantId: string, before: number): Promise<number> {
    return retireSegments({ db: this.db, bucket: this.bucket }, tenantId, before);
  }

  /** Erases what a deleted tenant has in R2. */
  async remove(tenantId: string): Promise<void> {
    const { bucket } = this;
    if (bucket === undefined) return;
    for (;;) {
      const { objects } = await bucket.list({ prefix: `audit/${tenantId}/`, limit: 500 });
      if (objects.length === 0) return;
      await bucket.delete(objects.map(({ key }) => key));
    }
  }
}

/**
 * What makes the archive forget somebody, wherever its lines are: their references stand for nobody from then on, and what was said in what
 * was theirs is gone. No line is touched.
 * @param owners ids of their sessions, runs and roundtables
 */
export function forgetInArchive(tenantId: string, subject: string, owners: readonly string[]): Sql[] {
  return [
    sql`DELETE FROM audit_people WHERE tenant_id = ${tenantId} AND subject = ${subject}`,
    sql`DELETE FROM audit_words WHERE tenant_id = ${tenantId}
      AND owner_id IN (SELECT value FROM json_each(${JSON.stringify([...owners, `subjects/${subject}`])}))`,
  ];
}

/** The parts that become one object: of one segment of 4,096 and without a gap; or those that were to become one before. */
function firstRun(here: readonly Here[]): Here[] {
  const begin = here.find(({ object }) => object !== null) ?? here[0];
  if (begin === undefined) return [];
  const run: Here[] = [];
  let next = begin.first;
  for (const part of here.slice(here.indexOf(begin))) {
    const isOfRun = part.first === next && part.object === begin.object;
    if (!isOfRun || Math.floor(part.first / segmentRows) !== Math.floor(begin.first / segmentRows)) break;
    run.push(part);
    next += part.rows;
  }
  return run;
}

function among(rows: readonly AuditRow[]): Sql {
  const keys = JSON.stringify(rows.map(({ owner_id, revision }) => [owner_id, revision]));
  return sql`(owner_id, revision) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${keys}))`;
}
