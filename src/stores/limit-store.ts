/** Limits in D1, of tenants and of the deployment, and what was told of them. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import { all, batch, type Database, first, hasChanged, run, type Sql, sql } from "../platform/sql.js";
import { deploymentScope } from "../tenancy/actor.js";
import type { DoneBy } from "../tenancy/audit.js";
import type { LimitView, NewLimit, Raise, StoredLimit } from "../tenancy/limits/limit.js";
import { loaded } from "../text/lazily.js";
import { insertResourceAct } from "./audit-log.js";
import { integer, number, text } from "./columns.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

/** As it was checked when it was stored. */
type StoredBody = NewLimit & { readonly raises?: readonly Raise[] };

const bodyColumn = text.transform((json): StoredBody => JSON.parse(json));
const limitRow = z.object({ tenant_id: text, name: text, body: bodyColumn, version: integer, updated_at: number });
const eventRow = z.object({ seq: integer, type: text, at: number, data: text });
const dataSchema = z.record(z.string(), z.unknown());

/** A limit that the deployment sets for tenants, as it is stored. */
export type DeploymentLimit = z.infer<typeof limitRow>;

/** Limits that a tenant, or the deployment, may have. */
export const maxLimits = 50;

/** How long an event is kept for receivers that fail, in milliseconds: longer than the last try. */
const keptMs = 30 * 86_400_000;

/** The limits of a tenant `t` and those of the deployment, as one text with what is read of the tenant. */
export const limitsColumn = sql`(SELECT json_group_array(json_object('tenant', l.tenant_id, 'name', l.name, 'body', json(l.body)))
  FROM limits l WHERE l.tenant_id IN (t.tenant_id, ${deploymentScope})) AS limits`;

/** Of what a tenant has limits. */
export const measuresColumn = sql`(SELECT json_group_array(DISTINCT json_extract(l.body, '$.measure'))
  FROM limits l WHERE l.tenant_id IN (t.tenant_id, ${deploymentScope})) AS measures`;

interface LimitColumn {
  readonly tenant: string;
  readonly name: string;
  readonly body: StoredBody;
}

/** Reads {@link limitsColumn}. */
export function limitsOf(column: string): StoredLimit[] {
  const limits: LimitColumn[] = JSON.parse(column);
  return limits.map(({ tenant, name, body }) => ({
    ...body,
    name,
    ofDeployment: tenant === deploymentScope,
    raises: body.raises ?? [],
  }));
}

const limitModule = loaded(() => import("../tenancy/limits/limit.js"));

/** What a new tenant begins with, behind the statement that makes it. */
export async function insertDefaultLimits(tenantId: string, now: number): Promise<Sql[]> {
  const { defaultLimits } = await limitModule();
  return Object.entries(defaultLimits).map(
    ([name, limit]) =>
      sql`INSERT INTO limits (tenant_id, name, body, version, updated_at)
        VALUES (${tenantId}, ${name}, ${JSON.stringify(limit)}, 1, ${now}) ON CONFLICT DO NOTHING`,
  );
}

/** Rows of the audit of whom a limit is about, where they live in this database; a deployment's limit of all tenants has its record in itself and in the log. */
function recorded(tenantId: string, { match }: Pick<NewLimit, "match">, row: (tenantId: string) => Sql): Sql[] {
  const of = tenantId === deploymentScope ? match?.tenantId : tenantId;
  return of === undefined ? [] : [sql`${row(of)} AND EXISTS (SELECT 1 FROM tenants WHERE tenant_id = ${of})`];
}

export class LimitStore {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  async get(tenantId: string, name: string): Promise<LimitView | undefined> {
    const row = await first(this.db, limitRow)`SELECT * FROM limits WHERE tenant_id = ${tenantId} AND name = ${name}`;
    return row && this.viewOf(row);
  }

  async list(tenantId: string, after: string, limit: number): Promise<LimitView[]> {
    const rows = await all(this.db, limitRow)`
      SELECT * FROM limits WHERE tenant_id = ${tenantId} AND name > ${after} ORDER BY name LIMIT ${limit}`;
    return rows.map((row) => this.viewOf(row));
  }

  /** Stores a limit, with the raises that hold. What is as it was isn't stored again. */
  async put(
    tenantId: string,
    name: string,
    limit: NewLimit,
    by: ActorRecord,
    claim?: WorkClaim,
  ): Promise<"created" | "changed" | "too_many"> {
    const known = await this.get(tenantId, name);
    const decision = known === undefined ? "created" : "changed";
    const [written] = await claimingBatch(this.db, [
      ...this.putStatements(tenantId, name, limit, decision, { by, at: this.now() }),
      ...claimStatements(claim, decision),
    ]);
    return known === undefined && !hasChanged(written) ? "too_many" : decision;
  }

  /** The first changes nothing where it is as it was, or one too many. */
  putStatements(
    tenantId: string,
    name: string,
    limit: NewLimit,
    decision: "created" | "changed",
    { by, at }: DoneBy,
  ): Sql[] {
    const body = JSON.stringify({ ...limit, raises: [] });
    // Of the row as it is in that very write: a raise of the same moment isn't lost.
    const raised = sql`json_set(${body}, '$.raises', (SELECT json_group_array(json(value))
      FROM json_each(limits.body, '$.raises') WHERE json_extract(value, '$.until') > ${new Date(at).toISOString()}))`;
    return [
      sql`INSERT INTO limits (tenant_id, name, body, version, updated_at)
        SELECT ${tenantId}, ${name}, ${body}, 1, ${at} WHERE EXISTS
          (SELECT 1 FROM limits WHERE tenant_id = ${tenantId} AND name = ${name})
          OR (SELECT COUNT(*) FROM limits WHERE tenant_id = ${tenantId}) < ${maxLimits}
        ON CONFLICT DO UPDATE SET body = ${raised}, version = version + 1, updated_at = ${at} WHERE body <> ${raised}`,
      ...recorded(tenantId, limit, (of) =>
        insertResourceAct(of, "limit.stored", { kind: "limits", name }, { by, at }, decision),
      ),
    ];
  }

  /** Lets more through for a while; nothing where there is no such limit. */
  async raise(
    tenantId: string,
    limit: Pick<LimitView, "name" | "match">,
    raise: Raise,
    { by, at }: DoneBy,
    claim?: WorkClaim,
  ): Promise<boolean> {
    const { name } = limit;
    // The same again is no second one.
    const text = JSON.stringify(raise);
    const [written] = await claimingBatch(this.db, [
      sql`UPDATE limits SET version = version + 1, updated_at = ${at}, body = json_set(body, '$.raises', json_insert(
          (SELECT json_group_array(json(value)) FROM json_each(body, '$.raises')
            WHERE json_extract(value, '$.until') > ${new Date(at).toISOString()} AND value <> ${text}), '$[#]', json(${text})))
        WHERE tenant_id = ${tenantId} AND name = ${name}`,
      ...recorded(tenantId, limit, (of) =>
        insertResourceAct(of, "limit.raised", { kind: "limits", name }, { by, at, reason: raise.reason }),
      ),
      ...claimStatements(claim, "raised"),
    ]);
    return hasChanged(written);
  }

  async remove(
    tenantId: string,
    limit: Pick<LimitView, "name" | "match">,
    done: DoneBy,
    claim?: WorkClaim,
  ): Promise<boolean> {
    const [removed] = await claimingBatch(this.db, [
      ...this.removeStatements(tenantId, limit, done),
      ...claimStatements(claim, "deleted"),
    ]);
    return hasChanged(removed);
  }

  removeStatements(tenantId: string, limit: Pick<LimitView, "name" | "match">, { by, at }: DoneBy): Sql[] {
    const { name } = limit;
    return [
      sql`DELETE FROM limits WHERE tenant_id = ${tenantId} AND name = ${name}`,
      ...recorded(tenantId, limit, (of) =>
        insertResourceAct(of, "limit.deleted", { kind: "limits", name }, { by, at }),
      ),
    ];
  }

  /** Those of the deployment, as they are stored. */
  ofDeployment(): Promise<DeploymentLimit[]> {
    return all(this.db, limitRow)`SELECT * FROM limits WHERE tenant_id = ${deploymentScope} ORDER BY name`;
  }

  /**
   * Makes the deployment's limits here what they are in its first database: what is read of a tenant finds them beside it. A tenant that
   * lives here and that one of them is about has it on record.
   */
  async copy(limits: readonly DeploymentLimit[], done: DoneBy): Promise<void> {
    const here = await this.ofDeployment();
    const gone = here.filter(({ name }) => !limits.some((limit) => limit.name === name));
    const others = limits.filter(({ name, version, body }) => {
      const known = here.find((limit) => limit.name === name);
      return known?.version !== version || JSON.stringify(known.body) !== JSON.stringify(body);
    });
    const record = (type: "limit.stored" | "limit.deleted", { name, body }: DeploymentLimit) =>
      recorded(deploymentScope, body, (of) => insertResourceAct(of, type, { kind: "limits", name }, done));
    const statements = [
      ...gone.flatMap((limit) => [
        sql`DELETE FROM limits WHERE tenant_id = ${deploymentScope} AND name = ${limit.name}`,
        ...record("limit.deleted", limit),
      ]),
      ...others.flatMap((limit) => [
        sql`INSERT INTO limits (tenant_id, name, body, version, updated_at)
          VALUES (${deploymentScope}, ${limit.name}, ${JSON.stringify(limit.body)}, ${limit.version}, ${limit.updated_at})
          ON CONFLICT DO UPDATE SET body = excluded.body, version = excluded.version, updated_at = excluded.updated_at`,
        ...record("limit.stored", limit),
      ]),
    ];
    if (statements.length > 0) await batch(this.db, statements);
  }

  /** How many asks are open: of the tenant, a subject, or a session, a run or a roundtable. */
  async openAsks(tenantId: string, of: { readonly subject?: string; readonly ownerId?: string }): Promise<number> {
    const row = await first(this.db, z.object({ n: number }))`SELECT COUNT(*) AS n FROM asks
      WHERE tenant_id = ${tenantId} AND status = 'open' AND (${of.subject} IS NULL OR subject = ${of.subject})
        AND (${of.ownerId} IS NULL OR owner_id = ${of.ownerId})`;
    return row?.n ?? 0;
  }

  /** What webhooks are told of a tenant's limits, behind a number, or from a time on. */
  async events(
    tenantId: string,
    _rootId: string,
    { after = 0, since = 0, limit }: { after?: number | undefined; since?: number | undefined; limit: number },
  ) {
    const rows = await all(this.db, eventRow)`SELECT seq, type, at, data FROM limit_events
      WHERE tenant_id = ${tenantId} AND seq > ${after} AND at >= ${since} ORDER BY seq LIMIT ${limit}`;
    return rows.map(({ seq, type, at, data }) => ({
      seq,
      type,
      at: new Date(at).toISOString(),
      data: dataSchema.parse(JSON.parse(data)),
    }));
  }

  /** Housekeeping: what nobody is told any more. */
  async forgetOld(now: number): Promise<void> {
    await run(this.db)`DELETE FROM limit_events
      WHERE seq IN (SELECT seq FROM limit_events WHERE at < ${now - keptMs} LIMIT 5000)`;
  }

  private viewOf({ name, version, updated_at, body: { raises = [], ...limit } }: z.infer<typeof limitRow>): LimitView {
    return {
      ...limit,
      name,
      version,
      updatedAt: new Date(updated_at).toISOString(),
      raises: raises.filter(({ until }) => Date.parse(until) > this.now()),
    };
  }
}
