/** The SQL of a dataset's evals: how far each is, and every result, once. */
import { z } from "zod";
import {
  candidateSchema,
  type EvalStatus,
  estimateSchema,
  evalStatuses,
  judgeSchema,
  type Result,
  resultSchema,
} from "../../src/evidence/evaluation.js";
import { exec } from "../../src/platform/sql.js";
import { lazily } from "../../src/text/lazily.js";

type Row = Record<string, SqlStorageValue>;

/** What an eval was begun with, supervisors pinned to their versions. */
export const definitionSchema = lazily(() =>
  z.object({
    candidates: z.array(candidateSchema()),
    repeats: z.int(),
    parallel: z.int(),
    callHttp: z.boolean(),
    copy: z.boolean().default(false),
    judge: judgeSchema().optional(),
    keyId: z.string().optional(),
  }),
);
export type EvalDefinition = z.infer<ReturnType<typeof definitionSchema>>;

const evalRow = lazily(() =>
  z
    .object({
      eval_id: z.string(),
      version: z.number(),
      definition: z.string(),
      status: z.enum(evalStatuses),
      reason: z.string().nullable(),
      items: z.number(),
      wanted: z.number(),
      estimate: z.string(),
      max_tokens: z.number().nullable(),
      done_to: z.number(),
      slice: z.number(),
      spent: z.number(),
      reserved: z.number(),
      greatest: z.number(),
      created_at: z.number(),
      ended_at: z.number().nullable(),
    })
    .transform((row) => ({
      evalId: row.eval_id,
      version: row.version,
      definition: definitionSchema().parse(JSON.parse(row.definition)),
      status: row.status,
      reason: row.reason ?? undefined,
      items: row.items,
      wanted: row.wanted,
      estimate: estimateSchema().parse(JSON.parse(row.estimate)),
      maxTokens: row.max_tokens ?? undefined,
      doneTo: row.done_to,
      slice: row.slice,
      spent: row.spent,
      reserved: row.reserved,
      greatest: row.greatest,
      createdAt: row.created_at,
      endedAt: row.ended_at ?? undefined,
    })),
);
export type EvalRecord = z.infer<ReturnType<typeof evalRow>>;

export interface NewEvalRecord {
  readonly evalId: string;
  readonly version: number;
  readonly definition: EvalDefinition;
  readonly items: number;
  readonly estimate: z.infer<ReturnType<typeof estimateSchema>>;
  readonly maxTokens: number | undefined;
  /** What one unit may come to, in tokens; grows where it was too little. */
  readonly greatest: number;
}

export interface StoredResult {
  readonly n: number;
  readonly candidate: number;
  readonly repeat: number;
  readonly correct: boolean | undefined;
  readonly result: Result;
}

export class EvalStore {
  private readonly exec;

  constructor(sql: SqlStorage) {
    this.exec = exec<Row>(sql);
  }

  add({ evalId, version, definition, items, estimate, maxTokens, greatest }: NewEvalRecord, at: number): void {
    this
      .exec`INSERT INTO evals (eval_id, version, definition, status, items, wanted, estimate, max_tokens, done_to, slice,
        spent, reserved, greatest, created_at)
      VALUES (${evalId}, ${version}, ${JSON.stringify(definition)}, 'running', ${items}, ${estimate.calls},
        ${JSON.stringify(estimate)}, ${maxTokens}, 0, 0, 0, 0, ${greatest}, ${at})`;
  }

  find(evalId: string): EvalRecord | undefined {
    const [row] = this.exec`SELECT * FROM evals WHERE eval_id = ${evalId}`.toArray();
    return row && evalRow().parse(row);
  }

  ids(): string[] {
    return this.exec`SELECT eval_id FROM evals ORDER BY created_at, eval_id`
      .toArray()
      .map((row) => String(row.eval_id));
  }

  /** The oldest that runs. */
  running(): EvalRecord | undefined {
    const [row] = this
      .exec`SELECT * FROM evals WHERE status = 'running' ORDER BY created_at, eval_id LIMIT 1`.toArray();
    return row && evalRow().parse(row);
  }

  countRunning(): number {
    return Number(this.exec`SELECT COUNT(*) AS n FROM evals WHERE status = 'running'`.one().n);
  }

  /** A slice is begun: what was reserved before and never settled counts as spent. */
  reserve(evalId: string, tokens: number): void {
    this
      .exec`UPDATE evals SET spent = spent + reserved, reserved = ${tokens}, slice = slice + 1 WHERE eval_id = ${evalId}`;
  }

  /** What a slice came to. */
  settle(evalId: string, { spent, doneTo, greatest }: { spent: number; doneTo: number; greatest: number }): void {
    this.exec`UPDATE evals SET spent = spent + ${spent}, reserved = 0, done_to = ${doneTo}, greatest = ${greatest}
      WHERE eval_id = ${evalId}`;
  }

  setStatus(evalId: string, status: EvalStatus, at: number | undefined, reason?: string): void {
    this.exec`UPDATE evals SET status = ${status}, ended_at = ${at}, reason = ${reason} WHERE eval_id = ${evalId}`;
  }

  goOn(evalId: string, maxTokens: number | undefined): void {
    this.exec`UPDATE evals SET status = 'running', ended_at = NULL, reason = NULL,
        max_tokens = COALESCE(${maxTokens}, max_tokens), greatest = MIN(greatest, COALESCE(${maxTokens}, greatest))
      WHERE eval_id = ${evalId}`;
  }

  /** Failures are forgotten, so that they are done again. @returns how many */
  forgetFailures(evalId: string): number {
    const { rowsWritten } = this.exec`DELETE FROM results WHERE eval_id = ${evalId} AND failed = 1`;
    this.exec`UPDATE evals SET done_to = 0 WHERE eval_id = ${evalId}`;
    return rowsWritten;
  }

  /** Once: what is there stays. */
  addResult(evalId: string, { n, candidate, repeat, correct, result }: StoredResult): void {
    const isCorrect = correct === undefined ? null : Number(correct);
    this.exec`INSERT INTO results (eval_id, n, candidate, repeat, failed, correct, body)
      VALUES (${evalId}, ${n}, ${candidate}, ${repeat}, ${result.failed === undefined ? 0 : 1}, ${isCorrect},
        ${JSON.stringify(result)}) ON CONFLICT DO NOTHING`;
  }

  /** Which units of an item have a result: `candidate repeat`. */
  doneOf(evalId: string, n: number): Set<string> {
    const rows = this.exec`SELECT candidate, repeat FROM results WHERE eval_id = ${evalId} AND n = ${n}`.toArray();
    return new Set(rows.map(({ candidate, repeat }) => `${candidate} ${repeat}`));
  }

  /** All of an item. */
  ofItem(evalId: string, n: number): StoredResult[] {
    return this.exec`SELECT * FROM results WHERE eval_id = ${evalId} AND n = ${n}`.toArray().map(stored);
  }

  counts(evalId: string): { readonly done: number; readonly failed: number } {
    const { done, failed } = this.exec`SELECT COUNT(*) AS done, COALESCE(SUM(failed), 0) AS failed FROM results
      WHERE eval_id = ${evalId}`.one();
    return { done: Number(done), failed: Number(failed) };
  }

  /** In the order of items. */
  results(evalId: string, after: number, limit: number): StoredResult[] {
    return this.exec`SELECT * FROM results WHERE eval_id = ${evalId} AND n > ${after}
        AND n <= (SELECT COALESCE(MAX(n), 0) FROM
          (SELECT DISTINCT n FROM results WHERE eval_id = ${evalId} AND n > ${after} ORDER BY n LIMIT ${limit}))
      ORDER BY n, candidate, repeat`
      .toArray()
      .map(stored);
  }
}

function stored({ n, candidate, repeat, correct, body }: Row): StoredResult {
  return {
    n: Number(n),
    candidate: Number(candidate),
    repeat: Number(repeat),
    correct: correct === null ? undefined : correct === 1,
    result: resultSchema().parse(JSON.parse(String(body))),
  };
}
