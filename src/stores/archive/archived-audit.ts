/** Pages of the archived audit: segment by segment in the order of their times, as far as a page needs. */
import { z } from "zod";
import { actorRecordSchema } from "../../conversation/actor-record.js";
import { all, type Database } from "../../platform/sql.js";
import { lazily } from "../../text/lazily.js";
import { ownersOf } from "../audit-filter.js";
import { type ArchivedAudit, type AuditFilter, type AuditPosition, isBehind, placeOf } from "../audit-place.js";
import type { ArchivedRow } from "./archive-row.js";
import { type Bucket, type Segment, SegmentMovedError, SegmentReader } from "./segment-reader.js";

/** Segments that are looked through for a page: one that needs more ends before, and the next goes on. */
const mostSegments = 16;
/** More than ever lie at one time. */
const listedSegments = 1_000;

const idRow = lazily(() => z.object({ id: z.string() }));

export class ArchivePages implements ArchivedAudit {
  private readonly reader: SegmentReader;

  constructor(
    private readonly db: Database,
    bucket?: Pick<Bucket, "get">,
  ) {
    this.reader = new SegmentReader(db, bucket);
  }

  async page(...wanted: Parameters<ArchivedAudit["page"]>): ReturnType<ArchivedAudit["page"]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.look(...wanted);
      } catch (error) {
        if (!(error instanceof SegmentMovedError) || tries === 3) throw error;
      }
    }
  }

  private async look(
    tenantId: string,
    range: { readonly from: number; readonly to: number },
    after: AuditPosition | undefined,
    limit: number,
    selection: AuditFilter,
  ): Promise<{ readonly rows: readonly ArchivedRow[]; readonly until: AuditPosition | undefined }> {
    const times = { from: Math.max(range.from, after?.at ?? 0), to: range.to };
    const segments = await this.reader.segments(tenantId, times, listedSegments);
    if (segments.length === 0) return { rows: [], until: undefined };
    const isMeant = await this.meant(tenantId, selection);
    // What isn't a plain pass stays in the table while its segment is in D1.
    const isNotable =
      (selection.type ?? "supervision") !== "supervision" || (selection.decision ?? "allow") !== "allow";
    const found: ArchivedRow[] = [];
    for (const [index, segment] of segments.entries()) {
      // All that comes from here on is younger than a whole page.
      const page = inOrder(found)[limit - 1];
      if (page !== undefined && page.at < segment.min_at) break;
      if (index >= mostSegments && segment.min_at > times.from) {
        // Everything before this segment's first row is known.
        return { rows: inOrder(found), until: { at: segment.min_at, ownerId: "", revision: Number.MIN_SAFE_INTEGER } };
      }
      if ((isNotable || selection.actor !== undefined) && (segment.here === 1 || segment.notable === 0)) continue;
      const isWanted = (row: ArchivedRow): boolean => (after === undefined || isBehind(row, after)) && isMeant(row);
      found.push(...(await this.firstOf(tenantId, segment, times, limit, isWanted)));
    }
    return { rows: inOrder(found), until: undefined };
  }

  /** The first rows of a segment that are wanted, a page of them at least if there are so many. No more of its lines are read than need be. */
  private async firstOf(
    tenantId: string,
    segment: Segment,
    { from, to }: { readonly from: number; readonly to: number },
    limit: number,
    isWanted: (row: ArchivedRow) => boolean,
  ): Promise<ArchivedRow[]> {
    const lines = (await this.reader.lines(tenantId, segment))
      .map((line) => ({ line, at: timeOf(line) }))
      .filter(({ at }) => at >= from && at < to)
      .sort((a, b) => a.at - b.at);
    const found: ArchivedRow[] = [];
    for (let read = 0; read < lines.length; read += limit) {
      // Others of the same time may come before it.
      const page = inOrder(found)[limit - 1];
      if (page !== undefined && page.at < (lines[read]?.at ?? 0)) break;
      const rows = await this.reader.resolved(
        tenantId,
        lines.slice(read, read + limit).map(({ line }) => line),
      );
      found.push(...rows.filter(isWanted));
    }
    return found;
  }

  private async meant(
    tenantId: string,
    { type, decision, actor, subject }: AuditFilter,
  ): Promise<(row: ArchivedRow) => boolean> {
    const owned = subject === undefined ? [] : await all(this.db, idRow())`${ownersOf(tenantId, subject)}`;
    const theirs = new Set([...owned.map(({ id }) => id), `subjects/${subject ?? ""}`]);
    return (row) => {
      if (type !== undefined && row.type !== type) return false;
      if (decision !== undefined && row.decision !== decision) return false;
      if (actor === undefined && subject === undefined) return true;
      const by = row.actor === null ? undefined : actorRecordSchema.parse(JSON.parse(row.actor));
      if (actor !== undefined && by?.id !== actor) return false;
      return subject === undefined || theirs.has(row.owner_id) || by?.subject === subject;
    };
  }
}

/** When a row was written, of its line, which begins with its number and that. */
function timeOf(line: string): number {
  const mark = '"at":';
  const at = line.indexOf(mark) + mark.length;
  return Number(line.slice(at, line.indexOf(",", at)));
}

function inOrder(rows: ArchivedRow[]): ArchivedRow[] {
  return rows.sort((a, b) => (isBehind(a, placeOf(b)) ? 1 : -1));
}
