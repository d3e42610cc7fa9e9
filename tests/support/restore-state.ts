/** Brings back what `record-state.ts` recorded of an earlier version: tables and rows as that version left them. */
import { type applyD1Migrations, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { z } from "zod";
import type { ChatSession } from "../../durable-objects/chat-session/object.js";
import type { MemoryThread } from "../../durable-objects/memory-thread/object.js";
import type { RoutingRun } from "../../durable-objects/routing-run/object.js";

type Stub = DurableObjectStub<ChatSession> | DurableObjectStub<RoutingRun> | DurableObjectStub<MemoryThread>;

const valueSchema = z.union([z.string(), z.number(), z.null()]);
const tablesSchema = z.object({
  schema: z.array(z.string()),
  rows: z.record(z.string(), z.array(z.record(z.string(), valueSchema))),
});
type Tables = z.infer<typeof tablesSchema>;

const recordingSchema = z.object({
  tenantId: z.string(),
  key: z.string(),
  waiting: z.object({ sessionId: z.string(), turnId: z.string(), askId: z.string(), model: z.string() }),
  interrupted: z.object({ sessionId: z.string(), turnId: z.string(), model: z.string() }),
  run: z.object({ runId: z.string(), askId: z.string(), supervisor: z.string(), worker: z.string() }),
  memory: z.object({ vaultId: z.string(), memoryId: z.string(), model: z.string() }),
  /** What came under keys; of recordings since 8acf45e. */
  keyed: z
    .object({
      sessionId: z.string(),
      turnId: z.string(),
      callId: z.string(),
      model: z.string(),
      hook: z.string(),
      responding: z.string(),
      responseId: z.string(),
      responseSession: z.string(),
      memoryId: z.string(),
      entryId: z.string(),
      ruleVersion: z.int(),
    })
    .optional(),
  objects: z.object({
    waiting: tablesSchema,
    interrupted: tablesSchema,
    run: tablesSchema,
    thread: tablesSchema,
    keyed: tablesSchema.optional(),
    response: tablesSchema.optional(),
  }),
  database: tablesSchema,
});
export type Recording = z.infer<typeof recordingSchema>;

/** @param json what was recorded; its upstream becomes the one of this test run */
export function readRecording(json: { readonly upstreamUrl: string }): Recording {
  const text = JSON.stringify(json).replaceAll(json.upstreamUrl, env.TEST_UPSTREAM);
  return recordingSchema.parse(JSON.parse(text));
}

/** An object as it was stored, and a new instance of today's version that finds it. */
export async function restoreObject(stub: Stub, { schema, rows }: Tables): Promise<void> {
  await runInDurableObject(stub, (_instance, { storage }) => {
    storage.transactionSync(() => {
      for (const statement of schema) storage.sql.exec(statement);
      for (const { sql, values } of insertions(rows, Object.keys(rows))) storage.sql.exec(sql, ...values);
    });
  });
  await evictDurableObject(stub);
}

/** D1 as it was stored, with the migrations on top that came since. */
export async function restoreDatabase({ schema, rows }: Tables, migrate: typeof applyD1Migrations): Promise<void> {
  const { results } = await env.DB.prepare(
    `SELECT type, name FROM sqlite_master WHERE type IN ('table', 'trigger')
     AND name NOT GLOB '_cf*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'entry_index_*'
     ORDER BY type = 'table', sql LIKE 'CREATE VIRTUAL%' DESC, rowid DESC`,
  ).all<{ type: string; name: string }>();
  // Memories count their entries by triggers: what they had counted is written last.
  const tables = Object.keys(rows).sort((a, b) => Number(a === "memories") - Number(b === "memories"));
  await env.DB.batch([
    env.DB.prepare("PRAGMA defer_foreign_keys = on"),
    ...results.map(({ type, name }) => env.DB.prepare(`DROP ${type} "${name}"`)),
    ...schema.map((statement) => env.DB.prepare(statement)),
    // A setting of the index is a row of its own tables, which recordings leave out; every later test shares this database.
    env.DB.prepare("INSERT INTO entry_index (entry_index, rank) VALUES ('secure-delete', 1)"),
    ...insertions(rows, tables).map(({ sql, values }) => env.DB.prepare(sql).bind(...values)),
  ]);
  await migrate(env.DB, env.TEST_MIGRATIONS);
}

function insertions(rows: Tables["rows"], tables: readonly string[]) {
  return tables.flatMap((table) =>
    (rows[table] ?? []).map((row) => {
      const columns = Object.keys(row);
      const places = columns.map(() => "?").join(", ");
      return {
        sql: `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`).join(", ")}) VALUES (${places})`,
        values: Object.values(row),
      };
    }),
  );
}
