/** A job's tables: what it is, how far each kind is, and the files of an export. */
import { z } from "zod";
import { exec } from "../../src/platform/sql.js";
import { type FailureReason, failureReasons } from "../../src/tenancy/job-failure.js";
import {
  type Failure,
  type JobDefinition,
  jobDefinitionSchema,
  type ReceiptLine,
  type SubjectJob,
} from "../../src/tenancy/subjects.js";

type Row = Record<string, SqlStorageValue>;

export interface KindState {
  readonly kind: string;
  /** Nothing while it wasn't counted. */
  readonly found: number | undefined;
  readonly next: string;
}

/** Where a job is. */
export interface JobState {
  readonly definition: JobDefinition;
  readonly status: SubjectJob["status"];
  readonly endedAt: number | undefined;
  readonly holds: readonly string[];
  readonly failure: Failure | undefined;
  readonly passes: number;
}

const holdsSchema = z.array(z.string());

/** Characters of a part: the row of an object is at most 2 MB. */
const partCharacters = 400_000;

export class SubjectJobStore {
  private readonly exec;

  constructor(private readonly sql: SqlStorage) {
    this.exec = exec<Row>(sql);
  }

  create(definition: JobDefinition, kinds: readonly string[]): void {
    this.exec`INSERT INTO job (one, tenant_id, definition, status)
      VALUES (1, ${definition.tenantId}, ${JSON.stringify(definition)}, 'running')`;
    for (const [at, kind] of kinds.entries()) this.exec`INSERT INTO kinds (position, kind) VALUES (${at}, ${kind})`;
  }

  job(): JobState {
    const row = exec<Row>(this.sql)`SELECT * FROM job`.one();
    return {
      definition: jobDefinitionSchema().parse(JSON.parse(String(row.definition))),
      status: z.enum(["running", "on_hold", "failed", "completed"]).parse(row.status),
      endedAt: row.ended_at === null ? undefined : Number(row.ended_at),
      holds: holdsSchema.parse(JSON.parse(String(row.holds))),
      failure: row.failure === null ? undefined : readFailure(String(row.failure)),
      passes: Number(row.passes),
    };
  }

  setStatus(status: SubjectJob["status"], holds: readonly string[] = []): void {
    this.exec`UPDATE job SET status = ${status}, holds = ${JSON.stringify(holds)}`;
  }

  fail(reason: FailureReason | undefined): void {
    const failure = reason && `${this.nextKind()?.kind ?? "end"}: ${reason}`;
    this.exec`UPDATE job SET failure = ${failure} WHERE failure IS NOT ${failure}`;
  }

  end(definition: JobDefinition, at: number): void {
    this
      .exec`UPDATE job SET definition = ${JSON.stringify(definition)}, status = 'completed', ended_at = ${at}, failure = NULL`;
  }

  /** The kind that is at its turn. */
  nextKind(): KindState | undefined {
    const [row] = this.exec`SELECT kind, found, next FROM kinds WHERE is_done = 0 ORDER BY position LIMIT 1`.toArray();
    if (row === undefined) return undefined;
    return {
      kind: String(row.kind),
      found: row.found === null ? undefined : Number(row.found),
      next: row.next === null ? "" : String(row.next),
    };
  }

  counted(kind: string, found: number): void {
    // Of a later pass: what came in the meantime.
    this.exec`UPDATE kinds SET found = COALESCE(found, 0) + ${found} WHERE kind = ${kind}`;
  }

  advance(
    kind: string,
    {
      done,
      left = 0,
      why,
      next,
    }: { done: number; left?: number | undefined; why?: string | undefined; next?: string | undefined },
  ): void {
    this
      .exec`UPDATE kinds SET done = done + ${done}, kept = kept + ${left}, why = COALESCE(${why}, why), next = ${next},
      is_done = ${next === undefined ? 1 : 0} WHERE kind = ${kind}`;
  }

  /** All kinds once more. */
  again(kinds: readonly string[]): void {
    this.exec`UPDATE job SET passes = passes + 1`;
    for (const kind of kinds) this.exec`UPDATE kinds SET is_done = 0, next = NULL WHERE kind = ${kind}`;
  }

  receipt(isExport: boolean): ReceiptLine[] {
    return this.exec`SELECT kind, found, done, kept, why FROM kinds ORDER BY position`.toArray().map((row) => {
      const done = Number(row.done);
      const left = Number(row.kept);
      // What was written while it was counted was erased with the rest.
      const found = Math.max(Number(row.found ?? 0), isExport ? 0 : done + left);
      return {
        kind: String(row.kind),
        found,
        ...(isExport ? { exported: done } : { erased: done }),
        left,
        ...(row.why !== null && { why: String(row.why) }),
      };
    });
  }

  addLines(kind: string, lines: readonly unknown[]): void {
    let part = "";
    let count = 0;
    const put = (): void => {
      this.exec`INSERT INTO parts (kind, lines, body) VALUES (${kind}, ${count}, ${part})`;
      part = "";
      count = 0;
    };
    for (const line of lines) {
      const text = `${JSON.stringify(line)}\n`;
      count++;
      for (let at = 0; at < text.length; at += partCharacters) {
        if (part.length > 0 && part.length + Math.min(partCharacters, text.length - at) > partCharacters) put();
        part += text.slice(at, at + partCharacters);
      }
    }
    if (part.length > 0) put();
  }

  files(): { kind: string; lines: number; characters: number }[] {
    return this
      .exec`SELECT kind, SUM(lines) AS lines, SUM(length(body)) AS characters FROM parts GROUP BY kind ORDER BY MIN(n)`
      .toArray()
      .map((row) => ({ kind: String(row.kind), lines: Number(row.lines), characters: Number(row.characters) }));
  }

  /** The next part of a file. */
  part(kind: string, after: number): { readonly n: number; readonly body: string } | undefined {
    const [row] = this
      .exec`SELECT n, body FROM parts WHERE kind = ${kind} AND n > ${after} ORDER BY n LIMIT 1`.toArray();
    return row && { n: Number(row.n), body: String(row.body) };
  }
}

/** Versions before kept what was thrown, which nobody is shown any more. */
function readFailure(stored: string): Failure {
  const [step = "", named] = stored.split(": ");
  return { step, reason: failureReasons.find((reason) => reason === named) ?? "unforeseen" };
}
