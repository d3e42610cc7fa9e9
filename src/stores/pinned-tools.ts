/** The pinned lists of remote MCP servers' tools in D1, one for each version of a stored tool server. */
import { z } from "zod";
import { type RemoteTool, remoteToolSchema } from "../agent/remote-tool.js";
import { all, batch, type Database, first, run, sql } from "../platform/sql.js";
import type { DoneBy } from "../tenancy/audit.js";
import { insertPinning, insertResourceAct } from "./audit-log.js";
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
    return first(this.db, pinRow)`SELECT tools, seen, listed_at, checked_at FROM pinned_tools
      WHERE tenant_id = ${tenantId} AND name = ${name} AND version = ${version}`;
  }

  /**
   * Pins a list in place of whatever is pinned.
   * @param done who accepted it, for the audit
   */
  async pin(pinOf: PinOf, tools: readonly RemoteTool[], done: DoneBy, claim?: WorkClaim): Promise<void> {
    const { tenantId, name, version } = pinOf;
    const text = JSON.stringify(tools);
    await claimingBatch(this.db, [
      insertPinning(pinOf, text, done),
      sql`INSERT INTO pinned_tools (tenant_id, name, version, tools, listed_at, checked_at)
        VALUES (${tenantId}, ${name}, ${version}, ${text}, ${done.at}, ${done.at}) ON CONFLICT DO UPDATE
        SET tools = ${text}, listed_at = ${done.at}, checked_at = ${done.at}, seen = NULL`,
      ...claimStatements(claim, "pinned"),
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
    await batch(this.db, [
      sql`INSERT INTO pinned_tools (tenant_id, name, version, tools, listed_at, checked_at)
        VALUES (${tenantId}, ${name}, ${version}, ${text}, ${text === null ? null : at}, ${at}) ON CONFLICT DO UPDATE
        SET tools = ${text}, listed_at = ${text === null ? null : at}, checked_at = ${at} WHERE tools IS NULL`,
      ...(changes.length === 0
        ? []
        : [insertResourceAct(tenantId, "tools.pinned", { kind: "tools", name, version, changes }, { by, at })]),
    ]);
  }

  /** Whether the caller is the one to ask the server now: nobody has since `before`. */
  async claimCheck({ tenantId, name, version }: PinOf, before: number, at: number): Promise<boolean> {
    const changes = await run(this.db)`UPDATE pinned_tools SET checked_at = ${at}
      WHERE tenant_id = ${tenantId} AND name = ${name} AND version = ${version} AND checked_at <= ${before}
        AND tools IS NOT NULL`;
    return changes > 0;
  }

  /** Notes what the server lists by now, or with `undefined` that it lists what is pinned. */
  async note({ tenantId, name, version }: PinOf, seen: readonly RemoteTool[] | undefined): Promise<void> {
    await run(this.db)`UPDATE pinned_tools SET seen = ${seen === undefined ? null : JSON.stringify(seen)}
      WHERE tenant_id = ${tenantId} AND name = ${name} AND version = ${version}`;
  }

  /** Lists that are in use and weren't compared since `before`, those that wait longest first. */
  async due(before: number, limit: number): Promise<PinOf[]> {
    return (
      await all(this.db, currentRow)`SELECT p.tenant_id, p.name, p.version FROM pinned_tools p
        JOIN resource_heads h ON h.tenant_id = p.tenant_id AND h.kind = 'tools' AND h.name = p.name
          AND h.version = p.version
        WHERE p.checked_at <= ${before} AND p.tools IS NOT NULL AND h.deleted = 0 ORDER BY p.checked_at LIMIT ${limit}`
    ).map(({ tenant_id, name, version }) => ({ tenantId: tenant_id, name, version }));
  }
}
