/** Connections to chat platforms in D1, their health, and copies of what could not be delivered. Every query carries the tenant. */
import {
  type ChannelDelivery,
  type Connection,
  connectionSchema,
  mapCredentials,
  type OpenConnection,
} from "../channels/connection.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import { opens, type Sealer } from "../platform/secrets.js";
import type { DoneBy } from "../tenancy/audit.js";
import { changedFields } from "../tenancy/changed-fields.js";
import { insertChannelDeletion, insertResourceAct } from "./audit-log.js";
import { channelOf, deliveryOf, type StoredChannel, sealedBody, storedRow } from "./channel-rows.js";
import type { Database } from "./database.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

/** How often a connection that is used all the time notes that it was, in milliseconds. */
const noteEveryMs = 5_000;

const selectChannels = `
  SELECT c.*, (SELECT COUNT(*) FROM channel_deliveries d WHERE d.channel_id = c.channel_id AND d.status = 'parked') AS parked
  FROM channels c`;

export class ChannelStore {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly now: () => number,
  ) {}

  /**
   * Stores it under its name: a new one with these ids, or what is there changed. One of another kind stays as it is.
   * @param by who does, for the audit
   * @returns whether it is new
   */
  async put(
    tenantId: string,
    name: string,
    connection: Connection,
    { by, ...ids }: { readonly channelId: string; readonly connectionId: string; readonly by: ActorRecord },
    claim?: WorkClaim,
  ): Promise<boolean> {
    for (;;) {
      const known = await this.stored(tenantId, name);
      if (known !== undefined && known.kind !== connection.kind) return false;
      const before = known && sealedBody.parse(JSON.parse(known.body));
      const body = await this.sealed(connection, before?.credentials ?? {});
      const changes = before && changedFields(before, body);
      if (changes?.length === 0) return false;
      const decision = known === undefined ? "created" : "changed";
      const at = this.now();
      const text = JSON.stringify(body);
      const write =
        known === undefined
          ? this.db
              .prepare(
                `INSERT INTO channels (channel_id, tenant_id, name, kind, connection_id, body, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT (tenant_id, name) DO NOTHING`,
              )
              .bind(ids.channelId, tenantId, name, connection.kind, ids.connectionId, text, at)
          : this.db
              .prepare(
                "UPDATE channels SET body = ?, updated_at = ? WHERE tenant_id = ? AND channel_id = ? AND body = ?",
              )
              .bind(text, at, tenantId, known.channel_id, known.body);
      const [written] = await claimingBatch(this.db, [
        write,
        insertResourceAct(this.db, tenantId, {
          type: "channel.stored",
          decision,
          actor: by,
          subject: { kind: "channels", name, changes },
          reasons: [],
          at,
        }),
        ...claimStatements(this.db, claim, decision),
      ]);
      if ((written?.meta.changes ?? 0) > 0) return known === undefined;
      // Somebody else stored or deleted it meanwhile: decide anew.
    }
  }

  /** Gives it another address. */
  async rotate(
    tenantId: string,
    name: string,
    connectionId: string,
    { by, at }: DoneBy,
    claim?: WorkClaim,
  ): Promise<void> {
    await claimingBatch(this.db, [
      this.db
        .prepare("UPDATE channels SET connection_id = ?, updated_at = ? WHERE tenant_id = ? AND name = ?")
        .bind(connectionId, at, tenantId, name),
      insertResourceAct(this.db, tenantId, {
        ...{ type: "channel.rotated", decision: "rotated", actor: by, reasons: [], at },
        subject: { kind: "channels", name },
      }),
      ...claimStatements(this.db, claim, "rotated"),
    ]);
  }

  /** Begins a deletion, with its row of the audit: from here on nothing comes in. @param connectionId an address that nobody is told */
  async beginRemoval(
    { tenantId, channelId, name }: Pick<StoredChannel, "tenantId" | "channelId" | "name">,
    connectionId: string,
    done: DoneBy,
  ): Promise<void> {
    await this.db.batch([
      this.db
        .prepare("UPDATE channels SET connection_id = ? WHERE tenant_id = ? AND channel_id = ?")
        .bind(connectionId, tenantId, channelId),
      insertChannelDeletion(this.db, tenantId, { channelId, name }, done),
    ]);
  }

  async find(tenantId: string, name: string): Promise<StoredChannel | undefined> {
    return this.one(`${selectChannels} WHERE c.tenant_id = ? AND c.name = ?`, tenantId, name);
  }

  /** By name. */
  async list(tenantId: string, after: string, limit: number): Promise<StoredChannel[]> {
    const { results } = await this.db
      .prepare(`${selectChannels} WHERE c.tenant_id = ? AND c.name > ? ORDER BY c.name LIMIT ?`)
      .bind(tenantId, after, limit)
      .all();
    return results.map(channelOf);
  }

  /** Whose address this is, with its credentials opened. */
  async byAddress(kind: string, connectionId: string): Promise<OpenConnection | undefined> {
    return this.open(await this.one(`${selectChannels} WHERE c.connection_id = ? AND c.kind = ?`, connectionId, kind));
  }

  async byId(tenantId: string, channelId: string): Promise<OpenConnection | undefined> {
    return this.open(
      await this.one(`${selectChannels} WHERE c.tenant_id = ? AND c.channel_id = ?`, tenantId, channelId),
    );
  }

  /** The sealed credentials of a connection, opened. */
  async open(stored: StoredChannel | undefined): Promise<OpenConnection | undefined> {
    if (stored === undefined) return undefined;
    const { tenantId, channelId, name } = stored;
    const connection = await mapCredentials(stored.connection, (secret) => this.sealer.open(secret));
    return { tenantId, channelId, name, connection: connectionSchema.parse(connection) };
  }

  async remove(tenantId: string, channelId: string, claim?: WorkClaim): Promise<void> {
    await claimingBatch(this.db, [
      this.db.prepare("DELETE FROM channels WHERE tenant_id = ? AND channel_id = ?").bind(tenantId, channelId),
      ...claimStatements(this.db, claim, "deleted"),
      this.db
        .prepare("DELETE FROM channel_deliveries WHERE tenant_id = ? AND channel_id = ?")
        .bind(tenantId, channelId),
    ]);
  }

  /** Objects of a connection, or of all of a tenant's. */
  async conversations(
    tenantId: string,
    after: { readonly channelId: string; readonly conversation: string },
    limit: number,
    channelId?: string,
  ): Promise<{ channelId: string; conversation: string }[]> {
    const { results } = await this.db
      .prepare(
        `SELECT channel_id, conversation FROM channel_conversations
         WHERE tenant_id = ?1 AND (channel_id, conversation) > (?2, ?3) AND (?4 IS NULL OR channel_id = ?4)
         ORDER BY channel_id, conversation LIMIT ?5`,
      )
      .bind(tenantId, after.channelId, after.conversation, channelId ?? null, limit)
      .all<{ channel_id: string; conversation: string }>();
    return results.map((found) => ({ channelId: found.channel_id, conversation: found.conversation }));
  }

  async forgetConversations(tenantId: string, channelId: string): Promise<void> {
    await this.db
      .prepare("DELETE FROM channel_conversations WHERE tenant_id = ? AND channel_id = ?")
      .bind(tenantId, channelId)
      .run();
  }

  /** The platform sent something that was signed. */
  async noteEvent(channelId: string): Promise<void> {
    const now = this.now();
    await this.db
      .prepare(
        "UPDATE channels SET last_event_at = ?1 WHERE channel_id = ?2 AND (last_event_at IS NULL OR last_event_at < ?3)",
      )
      .bind(now, channelId, now - noteEveryMs)
      .run();
  }

  async noteFailure(channelId: string, detail: string): Promise<void> {
    const now = this.now();
    await this.db
      .prepare(
        `UPDATE channels SET last_failure_at = ?1, last_failure = ?2
         WHERE channel_id = ?3 AND (last_failure_at IS NULL OR last_failure_at < ?4 OR last_failure <> ?2)`,
      )
      .bind(now, detail.slice(0, 500), channelId, now - noteEveryMs)
      .run();
  }

  async deliveries(
    tenantId: string,
    channelId: string,
    status: string | undefined,
    before: string | undefined,
    limit: number,
  ): Promise<ChannelDelivery[]> {
    const { results } = await this.db
      .prepare(
        `SELECT * FROM channel_deliveries WHERE tenant_id = ?1 AND channel_id = ?2 AND (?3 IS NULL OR status = ?3)
         AND (?4 IS NULL OR delivery_id < ?4) ORDER BY delivery_id DESC LIMIT ?5`,
      )
      .bind(tenantId, channelId, status ?? null, before ?? null, limit)
      .all();
    return results.map(deliveryOf);
  }

  async delivery(tenantId: string, channelId: string, deliveryId: string): Promise<ChannelDelivery | undefined> {
    const found = await this.db
      .prepare("SELECT * FROM channel_deliveries WHERE tenant_id = ? AND channel_id = ? AND delivery_id = ?")
      .bind(tenantId, channelId, deliveryId)
      .first();
    return found === null ? undefined : deliveryOf(found);
  }

  private async stored(tenantId: string, name: string) {
    const found = await this.db
      .prepare("SELECT channel_id, kind, body FROM channels WHERE tenant_id = ? AND name = ?")
      .bind(tenantId, name)
      .first();
    return found === null ? undefined : storedRow.parse(found);
  }

  /** @param known sealed credentials that are stored: one that is the same isn't sealed anew, so that it reads the same */
  private sealed(connection: Connection, known: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    return mapCredentials(connection, async (secret, field) => {
      const sealed = known[field];
      const isSame = typeof sealed === "string" && (await opens(this.sealer, sealed, secret));
      return isSame ? sealed : this.sealer.seal(secret);
    });
  }

  private async one(query: string, ...bindings: string[]): Promise<StoredChannel | undefined> {
    const found = await this.db
      .prepare(query)
      .bind(...bindings)
      .first();
    return found === null ? undefined : channelOf(found);
  }
}
