/**
 * What a tenant has in D1, in the order in which it is copied to another database: what is referred to first, and before rows that housekeeping
 * works on what it needs to do so. What triggers write follows from what is copied: `ask_supervisors`, `ask_counts`, the index of entries.
 */

export interface MovedTable {
  readonly name: string;
  /** The columns behind the tenant's id that its rows are read by. */
  readonly key: readonly string[];
  /** Where the tenant's id isn't its own column of that name. */
  readonly of?: "scope" | "memory_key" | "entry_key";
  /** Columns whose numbers every tenant of a database shares, by the table that numbers them: they are others in another database. */
  readonly numbers?: Readonly<Record<string, NumberedTable>>;
  /** The column that numbers this table's own rows, of all tenants. */
  readonly number?: string;
  /** Large rows, of which few are read at once. */
  readonly isHeavy?: true;
  /** Columns that the database makes itself. */
  readonly without?: readonly string[];
  /** What triggers may have written already: it is the same, or gives way. */
  readonly conflict?: "IGNORE" | "REPLACE";
}

/** Those with a number of their own for each row, the newest having the highest. */
export const numberedTables = ["memories", "entries", "memory_events", "limit_events"] as const;
export type NumberedTable = (typeof numberedTables)[number];

const ofMemory = { of: "memory_key", numbers: { memory_key: "memories" } } as const;

function rows(name: string, key: string, more: Omit<MovedTable, "name" | "key"> = {}): MovedTable {
  return { name, key: key.split(" "), ...more };
}

export const movedTables: readonly MovedTable[] = [
  rows("tenants", "tenant_id"),
  rows("resource_versions", "kind name version", { isHeavy: true }),
  rows("resource_heads", "kind name"),
  rows("pinned_tools", "name version", { isHeavy: true }),
  rows("secrets", "name"),
  rows("cors_origins", "origin"),
  rows("limits", "name"),
  rows("people", "person_id"),
  rows("keys", "key_id"),
  rows("invitations", "code_hash"),
  rows("console_sessions", "session_hash"),
  rows("passkeys", "credential_id"),
  rows("access_grants", "grant_id"),
  rows("revoked_subjects", "subject"),
  rows("holds", "name"),
  rows("held_things", "kind id name"),
  rows("sessions", "session_id"),
  rows("runs", "run_id"),
  rows("roundtables", "roundtable_id"),
  rows("external_ids", "kind external_id"),
  rows("parked_outboxes", "owner_id"),
  rows("asks", "ask_id", { without: ["inbox_key"] }),
  rows("inboxes", "version", { conflict: "REPLACE" }),
  rows("feedback", "session_id about actor_kind actor_id"),
  rows("decisions", "owner_id revision step"),
  rows("decision_labels", "owner_id revision step actor_kind actor_id"),
  rows("datasets", "name"),
  rows("evals", "eval_id", { isHeavy: true }),
  rows("experiment_units", "seed unit"),
  rows("experiment_negatives", "seed unit"),
  rows("experiments", "name"),
  rows("vaults", "vault_id"),
  rows("memories", "memory_id", { number: "key", numbers: { key: "memories" } }),
  rows("memory_threads", "memory_key thread_id", ofMemory),
  rows("entries", "memory_key occurred_at entry_id", {
    of: "memory_key",
    number: "key",
    numbers: { key: "entries", memory_key: "memories" },
  }),
  rows("entry_vectors", "entry_key", { of: "entry_key", numbers: { entry_key: "entries" } }),
  rows("entry_vectors_due", "entry_key", {
    of: "memory_key",
    numbers: { entry_key: "entries", memory_key: "memories" },
  }),
  rows("contexts", "memory_key version", { ...ofMemory, isHeavy: true }),
  rows("context_coverage", "memory_key thread_id version", ofMemory),
  rows("context_sources", "memory_key entry_id version", ofMemory),
  rows("memory_dead_letters", "memory_id dead_letter_id"),
  rows("memory_events", "memory_id seq", { number: "seq", numbers: { seq: "memory_events" } }),
  rows("limit_events", "seq", { number: "seq", numbers: { seq: "limit_events" } }),
  rows("memory_shadows", "memory_id shadow_id"),
  rows("audit_people", "ref"),
  rows("audit_words", "owner_id ref", { isHeavy: true }),
  rows("audit_subtrees", "first"),
  rows("audit_leaves", "first", { isHeavy: true }),
  rows("audit_segments", "first", { isHeavy: true }),
  rows("audit_seals", "size"),
  rows("audit_archive", "next"),
  rows("audit", "owner_id revision"),
  rows("usage_hours", "up_to"),
  rows("usage", "work_id model"),
  rows("erasures", "seq", { without: ["seq"], conflict: "IGNORE" }),
  rows("subject_jobs", "job_id"),
  rows("restores", "restore_id"),
  rows("creation_keys", "sender idempotency_key"),
  rows("run_keys", "idempotency_key"),
  rows("key_claims", "sender idempotency_key", { of: "scope" }),
  rows("idempotency", "idempotency_key", { of: "scope" }),
  rows("routing_turns", "team claim"),
  rows("worker_claims", "work claim"),
  rows("tool_results", "tool arguments_hash", { isHeavy: true }),
  rows("connections", "reader_id key_id owner_id"),
  rows("channels", "channel_id"),
  rows("channel_conversations", "channel_id conversation"),
  rows("channel_deliveries", "delivery_id"),
  rows("webhooks", "name"),
  rows("webhook_deliveries", "delivery_id"),
  rows("webhook_streams", "name root_id"),
];

/** What is of no tenant, is made anew by triggers, or says where tenants are. */
export const keptTables: readonly string[] = [
  ...["ask_supervisors", "ask_counts", "entry_index", "entry_vectors_gone", "moves"],
  ...["admin_failures", "prices", "reseals", "used_challenges", "retention_nights"],
];
