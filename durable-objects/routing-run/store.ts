/** The SQL of a run. No rules: what a row means is decided elsewhere. */
import { z } from "zod";
import {
  type RunDefinition,
  type RunStatus,
  runDefinitionSchema,
  runOutcomeSchema,
  runStatuses,
  type StoredRunOutcome,
} from "../../src/routing/run.js";
import { type TraceEntry, traceEntrySchema } from "../../src/routing/trace.js";
import { number, numberOrNull, text, textOrNull } from "../../src/stores/columns.js";
import { readJsonRows } from "../kit/json-rows.js";
import { PassStore } from "../kit/pass-store.js";

const runRow = z
  .object({
    tenant_id: text,
    run_id: text,
    definition: text,
    salt: text,
    status: z.enum(runStatuses),
    input: textOrNull,
    created_at: number,
    ended_at: numberOrNull,
    outcome: textOrNull,
    key_id: textOrNull,
  })
  .transform((row) => ({
    tenantId: row.tenant_id,
    runId: row.run_id,
    definition: runDefinitionSchema.parse(JSON.parse(row.definition)),
    salt: row.salt,
    status: row.status,
    /** The effective input, once its verdict is in. */
    input: row.input ?? undefined,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
    keyId: row.key_id ?? undefined,
    outcome: row.outcome === null ? undefined : runOutcomeSchema.parse(JSON.parse(row.outcome)),
  }));
export type RunRecord = z.infer<typeof runRow>;

export class RoutingRunStore {
  readonly passes: PassStore;

  constructor(private readonly sql: SqlStorage) {
    this.passes = new PassStore(sql);
  }

  create(
    identity: { tenantId: string; runId: string; keyId?: string | undefined },
    definition: RunDefinition,
    salt: string,
    at: number,
  ): void {
    this.sql.exec(
      "INSERT INTO run (one, tenant_id, run_id, definition, salt, status, created_at, key_id) VALUES (1, ?, ?, ?, ?, 'running', ?, ?)",
      identity.tenantId,
      identity.runId,
      JSON.stringify(definition),
      salt,
      at,
      identity.keyId ?? null,
    );
  }

  run(): RunRecord {
    return runRow.parse(this.sql.exec("SELECT * FROM run").one());
  }

  status(): RunStatus {
    return z.enum(runStatuses).parse(this.sql.exec<{ status: string }>("SELECT status FROM run").one().status);
  }

  setStatus(status: RunStatus): void {
    this.sql.exec("UPDATE run SET status = ?", status);
  }

  setInput(input: string): void {
    this.sql.exec("UPDATE run SET input = ?", input);
  }

  end(status: RunStatus, outcome: StoredRunOutcome, at: number): void {
    this.sql.exec("UPDATE run SET status = ?, outcome = ?, ended_at = ?", status, JSON.stringify(outcome), at);
  }

  /** Returns the entry's number. */
  addTrace(entry: TraceEntry): number {
    return this.sql.exec<{ n: number }>("INSERT INTO trace (entry) VALUES (?) RETURNING n", JSON.stringify(entry)).one()
      .n;
  }

  traceEntry(n: number): TraceEntry | undefined {
    return readJsonRows(this.sql, traceEntrySchema, "SELECT entry FROM trace WHERE n = ?", n)[0];
  }

  trace(): TraceEntry[] {
    return readJsonRows(this.sql, traceEntrySchema, "SELECT entry FROM trace ORDER BY n");
  }
}
