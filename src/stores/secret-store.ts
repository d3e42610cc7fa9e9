/** A tenant's secrets in D1: each under a name that resources, webhooks, channels and providers put in a secret's place. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import { defined } from "../conversation/defined.js";
import { type ProblemIssue, problem } from "../conversation/problem.js";
import { referenceTo, referredSecret } from "../conversation/secret-text.js";
import { opens, type Sealer } from "../platform/secrets.js";
import { all, type Database, first, hasChanged, listed, type Sql, sql } from "../platform/sql.js";
import type { DoneBy } from "../tenancy/audit.js";
import { mapSecrets, referencesIn } from "../tenancy/secrets.js";
import { lazily } from "../text/lazily.js";
import { insertResourceAct } from "./audit-log.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

/** Secrets that a tenant may have. */
export const maxSecrets = 200;

const secretRow = lazily(() =>
  z.object({
    name: z.string(),
    hosts: z.string().nullable(),
    description: z.string().nullable(),
    created_at: z.number(),
    updated_at: z.number(),
  }),
);
const valueRow = lazily(() => z.object({ name: z.string(), sealed: z.string(), hosts: z.string().nullable() }));
const hostsSchema = lazily(() => z.array(z.string()));
const usesRow = lazily(() => z.object({ uses: z.string() }));
const usesSchema = lazily(() => z.array(z.string()));
const countRow = lazily(() => z.object({ n: z.number() }));

export interface StoredSecret {
  readonly name: string;
  readonly hosts?: readonly string[] | undefined;
  readonly description?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewSecret {
  readonly value: string;
  readonly hosts?: readonly string[] | undefined;
  readonly description?: string | undefined;
}

/** A reference, and where the secret is sent. */
export interface SecretUse {
  readonly name: string;
  /** Empty where it goes to an address that only the platform knows. */
  readonly url: string;
}

export class SecretStore {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly now: () => number,
  ) {}

  /** What is as it was isn't stored again. */
  async put(
    tenantId: string,
    name: string,
    { value, hosts, description }: NewSecret,
    by: ActorRecord,
    claim?: WorkClaim,
  ): Promise<"created" | "changed" | "too_many"> {
    const known = await first(this.db, valueRow())`${selectValues} WHERE tenant_id = ${tenantId} AND name = ${name}`;
    const at = this.now();
    const hostList = hosts === undefined ? null : JSON.stringify(hosts);
    const isSame = known !== undefined && (await opens(this.sealer, known.sealed, value));
    const sealed = isSame ? known.sealed : await this.sealer.seal(value);
    const decision = known === undefined ? "created" : "changed";
    const [written] = await claimingBatch(this.db, [
      sql`INSERT INTO secrets (tenant_id, name, sealed, hosts, description, created_at, updated_at)
        SELECT ${tenantId}, ${name}, ${sealed}, ${hostList}, ${description ?? null}, ${at}, ${at} WHERE EXISTS
          (SELECT 1 FROM secrets WHERE tenant_id = ${tenantId} AND name = ${name})
          OR (SELECT COUNT(*) FROM secrets WHERE tenant_id = ${tenantId}) < ${maxSecrets}
        ON CONFLICT DO UPDATE SET sealed = ${sealed}, hosts = ${hostList}, description = ${description ?? null},
          updated_at = ${at}
        WHERE sealed <> ${sealed} OR hosts IS NOT ${hostList} OR description IS NOT ${description ?? null}`,
      insertResourceAct(tenantId, "secret.stored", { kind: "secrets", name }, { by, at }, decision),
      ...claimStatements(claim, decision),
    ]);
    return known === undefined && !hasChanged(written) ? "too_many" : decision;
  }

  async get(tenantId: string, name: string): Promise<StoredSecret | undefined> {
    const row = await first(this.db, secretRow())`
      SELECT name, hosts, description, created_at, updated_at FROM secrets WHERE tenant_id = ${tenantId} AND name = ${name}`;
    return row && storedOf(row);
  }

  /** By name. */
  async list(tenantId: string, after: string, limit: number): Promise<StoredSecret[]> {
    const rows = await all(this.db, secretRow())`
      SELECT name, hosts, description, created_at, updated_at FROM secrets
      WHERE tenant_id = ${tenantId} AND name > ${after} ORDER BY name LIMIT ${limit}`;
    return rows.map(storedOf);
  }

  /** `used`: something names it, and it stays. */
  async remove(
    tenantId: string,
    name: string,
    { by, at }: DoneBy,
    claim?: WorkClaim,
  ): Promise<"removed" | "used" | "none"> {
    const answers = await claimingBatch(this.db, [
      sql`DELETE FROM secrets WHERE tenant_id = ${tenantId} AND name = ${name}
        AND NOT EXISTS (SELECT 1 FROM (${namesOf(tenantId, name)}))`,
      insertResourceAct(tenantId, "secret.deleted", { kind: "secrets", name }, { by, at }),
      ...claimStatements(claim, "deleted"),
      sql`SELECT COUNT(*) AS n FROM secrets WHERE tenant_id = ${tenantId} AND name = ${name}`,
    ]);
    if (hasChanged(answers[0])) return "removed";
    return countRow().parse(answers.at(-1)?.results[0]).n > 0 ? "used" : "none";
  }

  /** What names it: `tools/refund`, `webhooks/crm`, `providers`. */
  async usesOf(tenantId: string, name: string): Promise<string[]> {
    const row = await first(
      this.db,
      usesRow(),
    )`SELECT json_group_array(name) AS uses FROM (${namesOf(tenantId, name)})`;
    return row === undefined ? [] : usesSchema().parse(JSON.parse(row.uses));
  }

  /** Why uses of secrets can't be: there is none, or it isn't for that address. */
  async refusedUses(
    tenantId: string,
    uses: readonly (SecretUse & { readonly path: string })[],
  ): Promise<ProblemIssue[]> {
    if (uses.length === 0) return [];
    const known = await this.rows(tenantId, uses);
    return uses.flatMap(({ name, url, path }) => {
      const message = refusal(name, known.get(name), url);
      return message === undefined ? [] : [{ path, message }];
    });
  }

  /** A resource with the secrets that it names in their places. @throws {ProblemError} `unavailable`, naming what is missing */
  async fill<T extends object>(tenantId: string, body: T, read: (filled: object) => T): Promise<T> {
    const uses = referencesIn(body);
    if (uses.length === 0) return body;
    const values = await this.open(tenantId, uses);
    return read(mapSecrets(body, (secret) => values.get(referredSecret(secret) ?? "") ?? secret));
  }

  /** A secret, or the one that it names. */
  async valueOf(tenantId: string, secret: string, url = ""): Promise<string> {
    const name = referredSecret(secret);
    if (name === undefined) return secret;
    return (await this.open(tenantId, [{ name, url }])).get(name) ?? secret;
  }

  private async open(tenantId: string, uses: readonly SecretUse[]): Promise<ReadonlyMap<string, string>> {
    const known = await this.rows(tenantId, uses);
    for (const { name, url } of uses) {
      const why = refusal(name, known.get(name), url);
      if (why !== undefined) throw problem("unavailable", `A secret that is named can't be used: ${why}.`);
    }
    const opened = [...known].map(async ([name, { sealed }]) => [name, await this.sealer.open(sealed)] as const);
    return new Map(await Promise.all(opened));
  }

  private async rows(tenantId: string, uses: readonly SecretUse[]) {
    const names = [...new Set(uses.map(({ name }) => name))];
    const rows = await all(
      this.db,
      valueRow(),
    )`${selectValues} WHERE tenant_id = ${tenantId} AND name IN ${listed(names)}`;
    return new Map(rows.map((row) => [row.name, row]));
  }
}

const selectValues = sql`SELECT name, sealed, hosts FROM secrets`;

/** What names a secret now, where it stands as JSON text in what is stored. */
function namesOf(tenantId: string, name: string): Sql {
  const mark = `${referenceTo(name)}"`;
  return sql`SELECT h.kind || '/' || h.name AS name FROM resource_heads h
      JOIN resource_versions v USING (tenant_id, kind, name, version)
      WHERE h.tenant_id = ${tenantId} AND h.deleted = 0 AND h.kind IN ('tools', 'supervisors', 'teams')
        AND instr(v.body, ${mark}) > 0
    UNION ALL SELECT 'webhooks/' || name FROM webhooks WHERE tenant_id = ${tenantId} AND instr(body, ${mark}) > 0
    UNION ALL SELECT 'channels/' || name FROM channels WHERE tenant_id = ${tenantId} AND instr(body, ${mark}) > 0
    UNION ALL SELECT 'settings.providers' FROM tenants WHERE tenant_id = ${tenantId} AND instr(settings, ${mark}) > 0`;
}

function refusal(
  name: string,
  stored: z.infer<ReturnType<typeof valueRow>> | undefined,
  url: string,
): string | undefined {
  if (stored === undefined) return `there is no secret ${name}; store it with PUT /v1/secrets/${name}`;
  if (stored.hosts === null || url === "") return undefined;
  const host = /^https?:\/\/([^/?#]*)/.exec(url)?.[1] ?? "";
  if (hostsSchema().parse(JSON.parse(stored.hosts)).includes(host.toLowerCase())) return undefined;
  return `the secret ${name} may not be sent to ${host}; its hosts are named where it is stored`;
}

function storedOf({
  name,
  hosts,
  description,
  created_at,
  updated_at,
}: z.infer<ReturnType<typeof secretRow>>): StoredSecret {
  return {
    name,
    ...defined({ description: description ?? undefined }),
    ...(hosts === null ? {} : { hosts: hostsSchema().parse(JSON.parse(hosts)) }),
    createdAt: created_at,
    updatedAt: updated_at,
  };
}
