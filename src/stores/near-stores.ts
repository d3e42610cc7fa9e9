/**
 * The reads of acts that only look up, from a replica near the caller where there is one. What decides (keys, revisions, claims,
 * removals, anything that is written) never goes this way: these stores have no method for it.
 */
import type { Sealer } from "../platform/secrets.js";
import type { Database } from "../platform/sql.js";
import { loaded } from "../text/lazily.js";
import type { Bucket } from "./archive/segment-reader.js";
import { AskIndex } from "./ask-index.js";
import { AuditLog } from "./audit-log.js";
import { ContextStore } from "./memory/context-store.js";
import { EntryStore } from "./memory/entry-store.js";
import { MemoryStore } from "./memory/memory-store.js";
import type { EntryVectors } from "./memory/vectors.js";
import { ResourceStore } from "./resource-store.js";
import { ResourceVersions } from "./resource-versions.js";
import { RoundtableIndex } from "./roundtable-index.js";
import { RunIndex } from "./run-index.js";
import { SecretStore } from "./secret-store.js";
import { SessionIndex } from "./session-index.js";
import { UsageStore } from "./usage-store.js";

export interface NearStores {
  readonly db: Database;
  readonly sessions: Pick<SessionIndex, "sessions">;
  readonly runs: Pick<RunIndex, "runs">;
  readonly roundtables: Pick<RoundtableIndex, "roundtables">;
  readonly asks: Pick<
    AskIndex,
    "list" | "version" | "openCounts" | "openIn" | "furtherCounts" | "closed" | "openAges" | "oldestOpen"
  >;
  readonly audit: Pick<AuditLog, "page">;
  readonly usage: Pick<UsageStore, "report" | "recent">;
  readonly resources: Pick<ResourceStore, "get" | "list" | "pins" | "autoPins" | "toolPins" | "excerpts" | "versions">;
  readonly resourceVersions: Pick<ResourceVersions, "list" | "get">;
  readonly memories: Pick<MemoryStore, "find" | "memory" | "memories" | "vault" | "vaults" | "threadSummaries">;
  readonly entries: Pick<EntryStore, "get" | "list" | "byIds">;
  readonly contexts: Pick<ContextStore, "current" | "version" | "versions" | "sources">;
}

const archivePages = loaded(() => import("./archive/archived-audit.js"));

/** Made for each request: `db` is a session of its own. */
export function nearStores(
  db: Database,
  {
    sealer,
    now,
    vectors,
    bucket,
  }: { sealer: Sealer; now: () => number; vectors: EntryVectors; bucket: Bucket | undefined },
): NearStores {
  return {
    db,
    sessions: new SessionIndex(db),
    runs: new RunIndex(db, now),
    roundtables: new RoundtableIndex(db),
    asks: new AskIndex(db, now),
    audit: new AuditLog(db, async () => new (await archivePages()).ArchivePages(db, bucket)),
    usage: new UsageStore(db),
    resources: new ResourceStore(db, sealer, now, new SecretStore(db, sealer, now)),
    resourceVersions: new ResourceVersions(db, sealer),
    memories: new MemoryStore(db, now),
    entries: new EntryStore(db, now, vectors),
    contexts: new ContextStore(db, now),
  };
}
