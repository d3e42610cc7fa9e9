/** Answers to writes that came with an `Idempotency-Key`: kept for a day, sealed, and forgotten with what they are about. */
import { z } from "zod";
import type { Sealer } from "../platform/secrets.js";
import { batch, type Database, hasChanged, run, sql } from "../platform/sql.js";

/** How long answers are kept, in milliseconds. */
const keptForMs = 24 * 3_600_000;
/** Stands where an answer was, or would have come: what it was about has been deleted. */
const forgotten = "";

/** Headers that name what an answer is about, beside its path. */
const naming = ["location", "x-conclave-session"] as const;

/** One request: whose it is, under which key, and the hash of all that makes it the same one again. */
export interface KeyedRequest {
  readonly scope: string;
  readonly key: string;
  readonly hash: string;
  readonly path: string;
  readonly isDeletion?: boolean | undefined;
}

const answerSchema = z.object({ body: z.string(), headers: z.record(z.string(), z.string()) });
export interface KeptAnswer extends z.infer<typeof answerSchema> {
  readonly status: number;
}

/** What is known of a request: nothing, that it came before and was not answered, or its answer. */
export type Claim =
  | { readonly kind: "new" | "begun" | "other_request" | "forgotten" }
  | { readonly kind: "answered"; readonly answer: KeptAnswer };

const rowSchema = z.object({
  request_hash: z.string(),
  status: z.number().nullable(),
  sealed_answer: z.string().nullable(),
});

export class IdempotencyStore {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly now: () => number,
  ) {}

  /** Notes that the request came. Doing its work once is up to whatever does it: what began it may have died. */
  async claim({ scope, key, hash, path }: KeyedRequest): Promise<Claim> {
    const [begun, known] = await batch(this.db, [
      sql`INSERT INTO idempotency (scope, idempotency_key, request_hash, about, created_at)
        VALUES (${scope}, ${key}, ${hash}, ${path}, ${this.now()}) ON CONFLICT DO NOTHING`,
      sql`
        SELECT request_hash, status, sealed_answer FROM idempotency WHERE scope = ${scope} AND idempotency_key = ${key}`,
    ]);
    if (hasChanged(begun)) return { kind: "new" };
    const { request_hash, status, sealed_answer } = rowSchema.parse(known?.results[0]);
    if (request_hash !== hash) return { kind: "other_request" };
    if (status === null || sealed_answer === null) return { kind: "begun" };
    if (sealed_answer === forgotten) return { kind: "forgotten" };
    const answer = answerSchema.parse(JSON.parse(await this.sealer.open(sealed_answer)));
    return { kind: "answered", answer: { status, ...answer } };
  }

  /** What answers a deletion tells nothing of what was deleted: it is kept all the same, so that a deletion can be repeated. */
  async keep(
    { scope, key, path, isDeletion = false }: KeyedRequest,
    { status, body, headers }: KeptAnswer,
  ): Promise<void> {
    const sealed = await this.sealer.seal(JSON.stringify({ body, headers }));
    const about = [path, ...naming.map((name) => headers[name] ?? "")].join(" ");
    const answer = isDeletion || body === "" ? sql`${sealed}` : sql`COALESCE(sealed_answer, ${sealed})`;
    await run(this.db)`UPDATE idempotency SET status = ${status}, about = ${about}, sealed_answer = ${answer}
      WHERE scope = ${scope} AND idempotency_key = ${key} AND status IS NULL`;
  }

  /** The request came to nothing that should be repeated: another one with its key may try again. */
  async release({ scope, key }: KeyedRequest): Promise<void> {
    await run(this.db)`DELETE FROM idempotency WHERE scope = ${scope} AND idempotency_key = ${key} AND status IS NULL`;
  }

  /** What has this id was deleted: the answers about it go, those of requests that are under way included. */
  async forget(scope: string, id: string): Promise<void> {
    await run(this.db)`
      UPDATE idempotency SET sealed_answer = ${forgotten} WHERE scope = ${scope} AND instr(about, ${id}) > 0`;
  }

  async forgetAll(scope: string): Promise<void> {
    await run(this.db)`DELETE FROM idempotency WHERE scope = ${scope}`;
  }

  /** Housekeeping: answers that nobody will ask for again. */
  async purgeExpired(now: number): Promise<void> {
    await run(this.db)`DELETE FROM idempotency WHERE created_at < ${now - keptForMs}`;
  }
}
