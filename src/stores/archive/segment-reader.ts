/** Segments of the archived audit as they are read: from D1, or from R2. */
import { z } from "zod";
import { gunzip } from "../../platform/gzip.js";
import { all, type Database } from "../../platform/sql.js";
import { lazily } from "../../text/lazily.js";
import { BrokenArchiveError } from "./archive-error.js";
import { type ArchivedRow, readLine, refsOf } from "./archive-row.js";

/** Rows of a segment at most: one of its size is a perfect subtree of RFC 9162, and no segment crosses into the next. */
export const segmentRows = 4_096;

/** The part of an R2 bucket that is needed. */
export type Bucket = Pick<R2Bucket, "put" | "get" | "delete" | "list">;

const segmentRow = lazily(() =>
  z.object({
    first: z.int(),
    rows: z.int(),
    min_at: z.number(),
    max_at: z.number(),
    notable: z.int(),
    object: z.string().nullable(),
    here: z.int(),
  }),
);
export type Segment = z.infer<ReturnType<typeof segmentRow>>;

const firstRow = lazily(() => z.object({ first: z.int() }));
const bodyRow = lazily(() => z.object({ body: z.string().nullable(), object: z.string().nullable() }));
const refRow = lazily(() => z.object({ ref: z.string(), stands: z.string() }));

/** A segment went while somebody read: with others it is one now. */
export class SegmentMovedError extends Error {
  override readonly name = "SegmentMovedError";
}

export class SegmentReader {
  constructor(
    private readonly db: Database,
    private readonly bucket: Pick<Bucket, "get"> | undefined,
  ) {}

  /** Those with rows of a time, the oldest first. @param limit how many at most; more are left where it is reached */
  segments(
    tenantId: string,
    { from, to }: { readonly from: number; readonly to: number },
    limit = 100_000,
  ): Promise<Segment[]> {
    return all(this.db, segmentRow())`
      SELECT first, rows, min_at, max_at, notable, object, body IS NOT NULL AS here FROM audit_segments
      WHERE tenant_id = ${tenantId} AND max_at >= ${from} AND min_at < ${to} ORDER BY min_at, first LIMIT ${limit}`;
  }

  /** Those with lines of arrival numbers from `first` on, before `end`, in the order of those. */
  segmentsAt(tenantId: string, first: number, end: number): Promise<Pick<Segment, "first">[]> {
    return all(this.db, firstRow())`SELECT first FROM audit_segments
      WHERE tenant_id = ${tenantId} AND first >= ${first} AND first < ${end} ORDER BY first`;
  }

  /** Its lines, without whom and what they stand for. */
  async text(tenantId: string, { first }: Pick<Segment, "first">): Promise<string> {
    // Hexadecimal: D1 gives a blob as a list of numbers.
    const [found] = await all(this.db, bodyRow())`
      SELECT hex(body) AS body, object FROM audit_segments WHERE tenant_id = ${tenantId} AND first = ${first}`;
    if (found === undefined) throw new SegmentMovedError("it has become a part of another");
    if (found.body) return gunzip(bytesOfHex(found.body));
    const object = found.object ?? undefined;
    const stored = object === undefined ? null : await this.bucket?.get(object);
    if (stored === null || stored === undefined) {
      throw new BrokenArchiveError(`a segment of it can't be read: ${object}`);
    }
    return gunzip(new Uint8Array(await stored.arrayBuffer()));
  }

  async rows(tenantId: string, segment: Pick<Segment, "first">): Promise<ArchivedRow[]> {
    return this.resolved(tenantId, await this.lines(tenantId, segment));
  }

  async lines(tenantId: string, segment: Pick<Segment, "first">): Promise<string[]> {
    return linesOf(await this.text(tenantId, segment));
  }

  /** Lines as rows, with whom and what they stand for as far as that isn't erased. */
  async resolved(tenantId: string, lines: readonly string[]): Promise<ArchivedRow[]> {
    const refs = refsOf(lines);
    const [people, words] = await Promise.all([
      all(this.db, refRow())`SELECT ref, value AS stands FROM audit_people
        WHERE tenant_id = ${tenantId} AND ref IN (SELECT value FROM json_each(${JSON.stringify(refs.people)}))`,
      all(this.db, refRow())`SELECT ref, words AS stands FROM audit_words INDEXED BY audit_words_by_ref
        WHERE tenant_id = ${tenantId} AND ref IN (SELECT value FROM json_each(${JSON.stringify(refs.words)}))`,
    ]);
    const mapping = { people: mapOf(people), words: mapOf(words) };
    return lines.map((line) => readLine(line, mapping));
  }
}

export function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

function mapOf(rows: readonly { ref: string; stands: string }[]): Map<string, string> {
  return new Map(rows.map(({ ref, stands }) => [ref, stands]));
}

export function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}
