/** Connections to chat platforms in D1, their health, and copies of what could not be delivered. Every query carries the tenant. */
import {
  type ChannelDelivery,
  type Connection,
  connectionSchema,
  mapCredentials,
  type OpenConnection,
} from "../channels/connection.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import { ownValue } from "../conversation/own-value.js";
import { opens, type Sealer } from "../platform/secrets.js";
import { all, batch, type Database, first, hasChanged, run, type Sql, sql } from "../platform/sql.js";
import type { DoneBy } from "../tenancy/audit.js";
import { changedFields } from "../tenancy/changed-fields.js";
import { insertChannelDeletion, insertResourceAct } from "./audit-log.js";
import {
  channelRow,
  conversationRow,
  deliveryRow,
  goingRow,
  type StoredChannel,
  sealedBody,
  storedRow,
} from "./channel-rows.js";
import type { SecretStore } from "./secret-store.js";
import type { StoreChange } from "./store-change.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

/** How often a connection that is used all the time notes that it was, in milliseconds. */
const noteEveryMs = 5_000;

const selectChannels = sql`SELECT c.*,
    (SELECT COUNT(*) FROM channel_deliveries d WHERE d.channel_id = c.channel_id AND d.status = 'parked') AS parked
  FROM channels c`;

export class ChannelStore {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly now: () => number,
    private readonly secrets: SecretStore,
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
      const change = await this.changeOf(tenantId, name, connection, ids);
      if (change === undefined || change === "other_kind") return false;
      const { decision, statements } = change;
      const [written] = await claimingBatch(this.db, [
        ...statements({ by, at: this.now() }),
        ...claimStatements(claim, decision),
      ]);
      if (hasChanged(written)) return decision === "created";
      // Somebody else stored or deleted it meanwhile: decide anew.
    }
  }

  /** What storing it changes, and takes; undefined where it is all that already. Nothing is changed where what is stored is another by then. */
  async changeOf(
    tenantId: string,
    name: string,
    connection: Connection,
    ids: { readonly channelId: string; readonly connectionId: string },
  ): Promise<StoreChange | "other_kind" | undefined> {
    const known = await this.stored(tenantId, name);
    if (known !== undefined && known.kind !== connection.kind) return "other_kind";
    const before = known && sealedBody().parse(JSON.parse(known.body));
    const body = await this.sealed(connection, before?.credentials ?? {});
    const fields = before && changedFields(before, body);
    // One whose deletion was interrupted stays, where it is stored anew.
    if (fields?.length === 0 && known?.removed_at === null) return undefined;
    const decision = known === undefined ? "created" : "changed";
    const text = JSON.stringify(body);
    const statements = ({ by, at }: DoneBy): Sql[] => [
      known === undefined
        ? sql`INSERT INTO channels (channel_id, tenant_id, name, kind, connection_id, body, created_at, updated_at)
          VALUES (${ids.channelId}, ${tenantId}, ${name}, ${connection.kind}, ${ids.connectionId}, ${text}, ${at}, ${at})
          ON CONFLICT (tenant_id, name) DO NOTHING`
        : sql`UPDATE channels SET body = ${text}, updated_at = ${at}, removed_at = NULL
          WHERE tenant_id = ${tenantId} AND channel_id = ${known.channel_id} AND body = ${known.body}`,
      insertResourceAct(tenantId, "channel.stored", { kind: "channels", name, changes: fields }, { by, at }, decision),
    ];
    return { decision, fields, statements };
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
      sql`UPDATE channels SET connection_id = ${connectionId}, updated_at = ${at}
        WHERE tenant_id = ${tenantId} AND name = ${name}`,
      insertResourceAct(tenantId, "channel.rotated", { kind: "channels", name }, { by, at }),
      ...claimStatements(claim, "rotated"),
    ]);
  }

  /** Begins a deletion, with its row of the audit: from here on nothing comes in. @param connectionId an address that nobody is told */
  async beginRemoval(
    channel: Pick<StoredChannel, "tenantId" | "channelId" | "name">,
    connectionId: string,
    done: DoneBy,
  ): Promise<void> {
    await batch(this.db, this.removalStatements(channel, connectionId, done));
  }

  removalStatements(
    { tenantId, channelId, name }: Pick<StoredChannel, "tenantId" | "channelId" | "name">,
    connectionId: string,
    done: DoneBy,
  ): Sql[] {
    return [
      sql`UPDATE channels SET connection_id = ${connectionId}, removed_at = COALESCE(removed_at, ${done.at})
        WHERE tenant_id = ${tenantId} AND channel_id = ${channelId}`,
      insertChannelDeletion(tenantId, { channelId, name }, done),
    ];
  }

  async find(tenantId: string, name: string): Promise<StoredChannel | undefined> {
    return first(this.db, channelRow())`${selectChannels} WHERE c.tenant_id = ${tenantId} AND c.name = ${name}`;
  }

  /** By name. */
  async list(tenantId: string, after: string, limit: number): Promise<StoredChannel[]> {
    return all(this.db, channelRow())`
      ${selectChannels} WHERE c.tenant_id = ${tenantId} AND c.name > ${after} ORDER BY c.name LIMIT ${limit}`;
  }

  /** Whose address this is, with its credentials opened. */
  async byAddress(kind: string, connectionId: string): Promise<OpenConnection | undefined> {
    const found = first(this.db, channelRow())`
      ${selectChannels} WHERE c.connection_id = ${connectionId} AND c.kind = ${kind}`;
    return this.filled(await found);
  }

  async byId(tenantId: string, channelId: string): Promise<OpenConnection | undefined> {
    const found = first(this.db, channelRow())`
      ${selectChannels} WHERE c.tenant_id = ${tenantId} AND c.channel_id = ${channelId}`;
    return this.filled(await found);
  }

  /** The sealed credentials of a connection, opened; those that it names are named. */
  async open(stored: StoredChannel | undefined): Promise<OpenConnection | undefined> {
    if (stored === undefined) return undefined;
    const { tenantId, channelId, name, origin } = stored;
    const connection = await mapCredentials(stored.connection, (secret) => this.sealer.open(secret));
    return { tenantId, channelId, name, origin, connection: connectionSchema().parse(connection) };
  }

  /** To be used: with the secrets that it names in their places. */
  private async filled(stored: StoredChannel | undefined): Promise<OpenConnection | undefined> {
    const open = await this.open(stored);
    if (open === undefined) return undefined;
    const { tenantId } = open;
    const url = "apiBaseUrl" in open.connection.credentials ? open.connection.credentials.apiBaseUrl : undefined;
    const connection = await mapCredentials(open.connection, (secret) => this.secrets.valueOf(tenantId, secret, url));
    return { ...open, connection: connectionSchema().parse(connection) };
  }

  async remove(tenantId: string, channelId: string, claim?: WorkClaim): Promise<void> {
    await claimingBatch(this.db, [
      sql`DELETE FROM channels WHERE tenant_id = ${tenantId} AND channel_id = ${channelId}`,
      ...claimStatements(claim, "deleted"),
      sql`DELETE FROM channel_deliveries WHERE tenant_id = ${tenantId} AND channel_id = ${channelId}`,
    ]);
  }

  /** Those whose deletion began before a time and isn't at its end; of every tenant. */
  async going(begunBefore: number, limit: number): Promise<{ tenantId: string; channelId: string }[]> {
    const rows = await all(this.db, goingRow())`SELECT tenant_id, channel_id FROM channels
      WHERE removed_at IS NOT NULL AND removed_at < ${begunBefore} ORDER BY removed_at LIMIT ${limit}`;
    return rows.map(({ tenant_id, channel_id }) => ({ tenantId: tenant_id, channelId: channel_id }));
  }

  /** Ends such a deletion, unless somebody has stored it anew meanwhile. */
  async removeGoing(tenantId: string, channelId: string, begunBefore: number): Promise<void> {
    const going = sql`tenant_id = ${tenantId} AND channel_id = ${channelId}`;
    await batch(this.db, [
      sql`DELETE FROM channels WHERE ${going} AND removed_at < ${begunBefore}`,
      sql`DELETE FROM channel_deliveries WHERE ${going} AND NOT EXISTS (SELECT 1 FROM channels WHERE ${going})`,
    ]);
  }

  /** Objects of a connection, or of all of a tenant's. */
  async conversations(
    tenantId: string,
    after: { readonly channelId: string; readonly conversation: string },
    limit: number,
    channelId?: string,
  ): Promise<{ channelId: string; conversation: string }[]> {
    return all(this.db, conversationRow())`SELECT channel_id, conversation FROM channel_conversations
      WHERE tenant_id = ${tenantId} AND (channel_id, conversation) > (${after.channelId}, ${after.conversation})
        AND (${channelId} IS NULL OR channel_id = ${channelId})
      ORDER BY channel_id, conversation LIMIT ${limit}`;
  }

  async forgetConversations(tenantId: string, channelId: string): Promise<void> {
    await run(this.db)`DELETE FROM channel_conversations WHERE tenant_id = ${tenantId} AND channel_id = ${channelId}`;
  }

  /** The platform sent something that was signed. @param origin where, as `https://host` */
  async noteEvent(channelId: string, origin: string): Promise<void> {
    const now = this.now();
    await run(this.db)`UPDATE channels SET last_event_at = ${now}, origin = ${origin}
      WHERE channel_id = ${channelId}
        AND (last_event_at IS NULL OR last_event_at < ${now - noteEveryMs} OR origin IS NOT ${origin})`;
  }

  async noteFailure(channelId: string, detail: string): Promise<void> {
    const now = this.now();
    const failure = detail.slice(0, 500);
    await run(this.db)`UPDATE channels SET last_failure_at = ${now}, last_failure = ${failure}
      WHERE channel_id = ${channelId}
        AND (last_failure_at IS NULL OR last_failure_at < ${now - noteEveryMs} OR last_failure <> ${failure})`;
  }

  async deliveries(
    tenantId: string,
    channelId: string,
    status: string | undefined,
    before: string | undefined,
    limit: number,
  ): Promise<ChannelDelivery[]> {
    return all(this.db, deliveryRow())`SELECT * FROM channel_deliveries
      WHERE tenant_id = ${tenantId} AND channel_id = ${channelId} AND (${status} IS NULL OR status = ${status})
        AND (${before} IS NULL OR delivery_id < ${before})
      ORDER BY delivery_id DESC LIMIT ${limit}`;
  }

  async delivery(tenantId: string, channelId: string, deliveryId: string): Promise<ChannelDelivery | undefined> {
    return first(this.db, deliveryRow())`SELECT * FROM channel_deliveries
      WHERE tenant_id = ${tenantId} AND channel_id = ${channelId} AND delivery_id = ${deliveryId}`;
  }

  private async stored(tenantId: string, name: string) {
    return first(this.db, storedRow())`
      SELECT channel_id, kind, body, removed_at FROM channels WHERE tenant_id = ${tenantId} AND name = ${name}`;
  }

  /** @param known sealed credentials that are stored: one that is the same isn't sealed anew, so that it reads the same */
  private sealed(connection: Connection, known: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    return mapCredentials(connection, async (secret, field) => {
      const sealed = ownValue(known, field);
      const isSame = typeof sealed === "string" && (await opens(this.sealer, sealed, secret));
      return isSame ? sealed : this.sealer.seal(secret);
    });
  }
}
