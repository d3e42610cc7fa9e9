/** The pinned lists of remote MCP servers' tools in D1, one for each version of a stored tool server. */
import { z } from "zod";
import { type RemoteTool, remoteToolSchema } from "../agent/remote-tool.js";
import type { DoneBy } from "../tenancy/audit.js";
import { insertPinning, insertResourceAct } from "./audit-log.js";
import type { Database } from "./database.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

/** Which version of which stored tool server. */
export interface PinOf {
  readonly tenantId: string;
  readonly name: string;
  readonly version: number;
}

const toolsColumn = z
  .string()
  .nullable()
  .transform((text) => (text === null ? undefined : z.array(remoteToolSchema).parse(JSON.parse(text))));

const pinRow = z
  .object({ tools: toolsColumn, seen: toolsColumn, listed_at: z.number().nullable(), checked_at: z.number() })
  .transform(({ tools, seen, listed_at, checked_at }) => ({
    /** None: the server couldn't be reached when it was stored. */
    tools,
    /** What the server lists by now, where that differs. */
    seen,
    /** When what is pinned was listed. Milliseconds since the epoch, as all times here. */
    listedAt: listed_at ?? undefined,
    checkedAt: checked_at,
  }));
export type PinRecord = z.infer<typeof pinRow>;

const currentRow = z.object({ tenant_id: z.string(), name: z.string(), version: z.int() });

export class PinnedTools {
  constructor(private readonly db: Database) {}

  async get({ tenantId, name, version }: PinOf): Promise<PinRecord | undefined> {
    const row = await this.db
      .prepare(
        "SELECT tools, seen, listed_at, checked_at FROM pinned_tools WHERE tenant_id = ? AND name = ? AND version = ?",
      )
      .bind(tenantId, name, version)
      .first();
    return row === null ? undefined : pinRow.parse(row);
  }

  /**
   * Pins a list in place of whatever is pinned.
   * @param done who accepted it, for the audit
   */
  async pin(pinOf: PinOf, tools: readonly RemoteTool[], done: DoneBy, claim?: WorkClaim): Promise<void> {
    const { tenantId, name, version } = pinOf;
    const text = JSON.stringify(tools);
    await claimingBatch(this.db, [
      insertPinning(this.db, pinOf, text, done),
      this.db
        .prepare(
          `INSERT INTO pinned_tools (tenant_id, name, version, tools, listed_at, checked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
           ON CONFLICT DO UPDATE SET tools = ?4, listed_at = ?5, checked_at = ?5, seen = NULL`,
        )
        .bind(tenantId, name, version, text, done.at),
      ...claimStatements(this.db, claim, "pinned"),
    ]);
  }

  /**
   * Pins the list that a server begins with. Asking it took its time: a list that was pinned meanwhile stays.
   * @param tools `undefined` when the server couldn't be reached
   * @param done who is on record for it
   */
  async pinFirst(pinOf: PinOf, tools: readonly RemoteTool[] | undefined, { by, at }: DoneBy): Promise<void> {
    const { tenantId, name, version } = pinOf;
    const text = tools === undefined ? null : JSON.stringify(tools);
    const changes = [...new Set(tools?.map((tool) => tool.name))].sort();
    await this.db.batch([
      this.db
        .prepare(
          `INSERT INTO pinned_tools (tenant_id, name, version, tools, listed_at, checked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
           ON CONFLICT DO UPDATE SET tools = ?4, listed_at = ?5, checked_at = ?6 WHERE tools IS NULL`,
        )
        .bind(tenantId, name, version, text, text === null ? null : at, at),
      ...(changes.length === 0
        ? []
        : [
            insertResourceAct(this.db, tenantId, {
              ...{ type: "tools.pinned", decision: "pinned", actor: by, reasons: [], at },
              subject: { kind: "tools", name, version, changes },
            }),
          ]),
    ]);
  }

  /** Whether the caller is the one to ask the server now: nobody has since `before`. */
  async claimCheck({ tenantId, name, version }: PinOf, before: number, at: number): Promise<boolean> {
    const { meta } = await this.db
      .prepare(
        `UPDATE pinned_tools SET checked_at = ?5
         WHERE tenant_id = ?1 AND name = ?2 AND version = ?3 AND checked_at <= ?4 AND tools IS NOT NULL`,
      )
      .bind(tenantId, name, version, before, at)
      .run();
    return meta.changes > 0;
  }

  /** Notes what the server lists by now, or with `undefined` that it lists what is pinned. */
  async note({ tenantId, name, version }: PinOf, seen: readonly RemoteTool[] | undefined): Promise<void> {
    await this.db
      .prepare("UPDATE pinned_tools SET seen = ?4 WHERE tenant_id = ?1 AND name = ?2 AND version = ?3")
      .bind(tenantId, name, version, seen === undefined ? null : JSON.stringify(seen))
      .run();
  }

  /** Lists that are in use and weren't compared since `before`, those that wait longest first. */
  async due(before: number, limit: number): Promise<PinOf[]> {
    const { results } = await this.db
      .prepare(
        `SELECT p.tenant_id, p.name, p.version FROM pinned_tools p
         JOIN resource_heads h ON h.tenant_id = p.tenant_id AND h.kind = 'tools' AND h.name = p.name AND h.version = p.version
         WHERE p.checked_at <= ?1 AND p.tools IS NOT NULL AND h.deleted = 0 ORDER BY p.checked_at LIMIT ?2`,
      )
      .bind(before, limit)
      .all();
    return z
      .array(currentRow)
      .parse(results)
      .map(({ tenant_id, name, version }) => ({ tenantId: tenant_id, name, version }));
  }
}
