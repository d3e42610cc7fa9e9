/**
 * The account, as Cloudflare's API shows it: what is read for the plan, and the few things that wrangler doesn't make by itself or not early
 * enough (a database before its migrations, a queue that is only consumed, the account's name below workers.dev).
 */
import { z } from "zod";
import { type Placement, Refusal } from "./options.js";
import { type Bucket, bucketBinding, type Target } from "./target.js";

export interface AccountState {
  /** Its name below workers.dev. */
  readonly subdomain?: string | undefined;
  /** Those of the target that are there, by their numbers. */
  readonly databases: readonly (DatabaseState | undefined)[];
  readonly queues: readonly string[];
  /**
   * The target's bucket, where it wants one; `gone`: the Worker that runs is bound to it, `refused`: the account has no R2, which somebody
   * has to enable.
   */
  readonly bucket?: "there" | "absent" | "gone" | "refused" | undefined;
  /** Missing where nothing was deployed yet. */
  readonly worker?: { readonly secrets: readonly string[]; readonly deployments: readonly Deployment[] } | undefined;
  /** Custom domains of the account, and the Worker that each leads to. */
  readonly domains: readonly { readonly hostname: string; readonly service: string }[];
}

export interface DatabaseState {
  readonly id: string;
  readonly jurisdiction?: string | undefined;
  readonly migrations: readonly string[];
  readonly tenants: number;
  /** Those that have gone from here, and when. */
  readonly moves: readonly { readonly tenant_id: string; readonly to_database: number; readonly at: number }[];
}

/** The newest first. */
export interface Deployment {
  readonly at: string;
  readonly versions: readonly { readonly id: string; readonly percentage: number; readonly tag?: string | undefined }[];
}

interface Share {
  readonly id: string;
  /** Of the requests, from 0 to 100. */
  readonly percentage: number;
}

/** Where the API is and who asks. */
export interface Access {
  readonly fetch: typeof fetch;
  readonly apiUrl: string;
  readonly token: string;
  readonly accountId: string;
}

const databaseSchema = z.object({ uuid: z.string(), name: z.string(), jurisdiction: z.string().nullish() });
const queueSchema = z.object({ queue_name: z.string() });
const deploymentsSchema = z.object({
  deployments: z.array(
    z.object({
      created_on: z.string(),
      versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
    }),
  ),
});
const boundSchema = z.object({
  resources: z.object({
    bindings: z.array(z.object({ type: z.string(), name: z.string(), text: z.string().optional() })),
  }),
});
const versionSchema = z.object({ annotations: z.record(z.string(), z.unknown()).optional() });

/** Deployments whose versions are looked at: enough to go back. */
const deploymentsRead = 10;

export class Account {
  readonly id: string;

  constructor(private readonly access: Access) {
    this.id = access.accountId;
  }

  /** Only reads. */
  async look(target: Target): Promise<AccountState> {
    const [subdomain, databases, queues, worker, domains, bucket] = await Promise.all([
      this.find("/workers/subdomain", z.object({ subdomain: z.string() })),
      Promise.all(target.databases.map((name) => this.findDatabase(name))),
      this.list("/queues", queueSchema),
      this.findWorker(target.worker),
      this.list("/workers/domains", z.object({ hostname: z.string(), service: z.string() })),
      target.bucket && this.findBucket(target.bucket),
    ]);
    const running = worker?.deployments[0]?.versions[0]?.id;
    const isBound = running !== undefined && (await this.isBucketBound(target.worker, running));
    return {
      subdomain: subdomain?.subdomain,
      databases,
      queues: queues.map(({ queue_name: name }) => name),
      bucket: bucket === "absent" && isBound ? "gone" : bucket,
      worker,
      domains,
    };
  }

  async createDatabase(name: string, placement: Placement): Promise<void> {
    const where =
      "jurisdiction" in placement
        ? { jurisdiction: placement.jurisdiction }
        : placement.location === "auto"
          ? {}
          : { primary_location_hint: placement.location };
    await this.send("POST", "/d1/database", { name, ...where });
  }

  async createQueue(name: string): Promise<void> {
    await this.send("POST", "/queues", { queue_name: name });
  }

  async createBucket({ name, jurisdiction }: Bucket): Promise<void> {
    await this.send("POST", "/r2/buckets", { name }, [], lawOf(jurisdiction));
  }

  async createSubdomain(name: string): Promise<void> {
    await this.send("PUT", "/workers/subdomain", { subdomain: name });
  }

  /** Gives each version its share of the requests. */
  async deployVersions(worker: string, versions: readonly Share[], message: string): Promise<void> {
    const shares = versions.map(({ id, percentage }) => ({ version_id: id, percentage }));
    const annotations = { "workers/message": message };
    const body = { strategy: "percentage", versions: shares, annotations };
    await this.send("POST", `/workers/scripts/${worker}/deployments`, body);
  }

  /** The one that was uploaded last, whether it has requests or not. */
  async newestVersion(worker: string): Promise<{ readonly id: string; readonly tag?: string | undefined } | undefined> {
    const path = `/workers/scripts/${worker}`;
    const found = await this.find(`${path}/versions`, z.object({ items: z.array(z.object({ id: z.string() })) }));
    const [newest] = found?.items ?? [];
    return newest && { id: newest.id, tag: await this.tagOf(path, newest.id) };
  }

  private async findBucket({ name, jurisdiction }: Bucket): Promise<AccountState["bucket"]> {
    const path = `/r2/buckets/${encodeURIComponent(name)}`;
    const { success, errors } = await this.send("GET", path, undefined, [/^10006:/, /^10042:/], lawOf(jurisdiction));
    if (success) return "there";
    return errors?.some(({ code }) => code === 10042) ? "refused" : "absent";
  }

  private async isBucketBound(worker: string, versionId: string): Promise<boolean> {
    const version = await this.find(`/workers/scripts/${worker}/versions/${versionId}`, boundSchema);
    return (
      version?.resources.bindings.some(({ type, name }) => type === "r2_bucket" && name === bucketBinding) ?? false
    );
  }

  private async findDatabase(name: string): Promise<DatabaseState | undefined> {
    const listed = await this.list(`/d1/database?name=${encodeURIComponent(name)}`, databaseSchema);
    const found = listed.find((one) => one.name === name);
    if (found === undefined) return undefined;
    const migrations = await this.query(found.uuid, "SELECT name FROM d1_migrations ORDER BY id", { name: z.string() });
    const [tenants] = await this.query(found.uuid, "SELECT COUNT(*) AS n FROM tenants", { n: z.number() });
    const moves = await this.query(
      found.uuid,
      "SELECT tenant_id, to_database, at FROM moves WHERE status NOT IN ('leaving', 'arriving')",
      { tenant_id: z.string(), to_database: z.int(), at: z.int() },
    );
    return {
      id: found.uuid,
      moves,
      jurisdiction: found.jurisdiction ?? undefined,
      migrations: migrations.map((one) => one.name),
      tenants: tenants?.n ?? 0,
    };
  }

  /** @returns nothing where the table isn't there yet */
  private async query<S extends z.ZodRawShape>(database: string, sql: string, row: S) {
    const results = z.array(z.object({ results: z.array(z.object(row)) }));
    const { result: found } = await this.send("POST", `/d1/database/${database}/query`, { sql }, [/no such table/]);
    return found === undefined ? [] : (results.parse(found)[0]?.results ?? []);
  }

  private async findWorker(name: string): Promise<AccountState["worker"]> {
    const path = `/workers/scripts/${name}`;
    const found = await this.find(`${path}/deployments`, deploymentsSchema);
    if (found === undefined) return undefined;
    const secrets = await this.list(`${path}/secrets`, z.object({ name: z.string() }));
    const recent = found.deployments.slice(0, deploymentsRead);
    const ids = [...new Set(recent.flatMap(({ versions }) => versions.map((one) => one.version_id)))];
    const tags = new Map(await Promise.all(ids.map(async (id) => [id, await this.tagOf(path, id)] as const)));
    return {
      secrets: secrets.map((one) => one.name),
      deployments: recent.map(({ created_on: at, versions }) => ({
        at,
        versions: versions.map(({ version_id: id, percentage }) => ({ id, percentage, tag: tags.get(id) })),
      })),
    };
  }

  /** The databases that a version is bound to, by the names of their bindings. */
  async databasesOf(worker: string, versionId: string): Promise<string[]> {
    const version = await this.find(`/workers/scripts/${worker}/versions/${versionId}`, boundSchema);
    return version?.resources.bindings.filter(({ type }) => type === "d1").map(({ name }) => name) ?? [];
  }

  /** What a version was told in a variable. */
  async variableOf(worker: string, versionId: string, name: string): Promise<string> {
    const version = await this.find(`/workers/scripts/${worker}/versions/${versionId}`, boundSchema);
    return version?.resources.bindings.find((one) => one.type === "plain_text" && one.name === name)?.text ?? "";
  }

  /** The release that a version was deployed as: `deploy` marks each. */
  private async tagOf(path: string, id: string): Promise<string | undefined> {
    const version = await this.find(`${path}/versions/${id}`, versionSchema);
    const tag = version?.annotations?.["workers/tag"];
    return typeof tag === "string" ? tag : undefined;
  }

  /** @returns nothing where there is none */
  private async find<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const { result: found } = await this.send("GET", path, undefined, [/^10007:/, /^10090:/, /^404:/]);
    return found === undefined ? undefined : schema.parse(found);
  }

  /** Page by page; some lists have pages of their own size, and some say how many there are. */
  private async list<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
    const all: T[] = [];
    for (let page = 1; page <= maxPages; page++) {
      const sized = `${path}${path.includes("?") ? "&" : "?"}page=${page}&per_page=100`;
      const { result, result_info: info } = await this.send("GET", sized);
      const found = z.array(schema).nullable().parse(result) ?? [];
      all.push(...found);
      const isLast = info?.total_count === undefined ? found.length < 100 : all.length >= info.total_count;
      if (isLast || found.length === 0) break;
    }
    return all;
  }

  /** @param missing errors (`code: message`) that mean that it isn't there: then there is no result */
  private async send(
    method: string,
    path: string,
    body?: object,
    missing: readonly RegExp[] = [],
    more: Readonly<Record<string, string>> = {},
  ): Promise<z.infer<typeof answerSchema>> {
    const { fetch: send, apiUrl, token, accountId } = this.access;
    const response = await send(`${apiUrl}/accounts/${accountId}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...more },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch((error: unknown) => {
      throw new Refusal(
        `Cloudflare's API can't be reached (${error instanceof Error ? error.message : error}).${again}`,
      );
    });
    const answer = answerSchema.safeParse(await response.json().catch(() => undefined)).data;
    if (response.ok && answer?.success) return answer;
    const errors = (answer?.errors ?? []).map(({ code, message }) => `${code}: ${message}`);
    if (errors.length === 0) errors.push(`${response.status}: no reason was given`);
    const isMissing = response.status < 500 && errors.some((one) => missing.some((pattern) => pattern.test(one)));
    if (isMissing) return { success: false, errors: answer?.errors, result: undefined };
    throw new Refusal(
      `Cloudflare's API refused ${method} ${path}: ${errors.join("; ")}.${hintFor(response.status, path)}`,
    );
  }
}

/** More than any account has of what is listed here. */
const maxPages = 100;
const again = " Run the command again: what is done already stays.";

const answerSchema = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).optional(),
  result: z.unknown(),
  result_info: z.object({ total_count: z.number().optional() }).nullish(),
});

/** Buckets of a law are names of their own. */
function lawOf(jurisdiction: string | undefined): Record<string, string> {
  return jurisdiction === undefined ? {} : { "cf-r2-jurisdiction": jurisdiction };
}

function hintFor(status: number, path: string): string {
  if (status === 401 || status === 403) {
    const what = path.startsWith("/r2/") ? "Workers R2 Storage" : "Workers Scripts, D1 and Queues";
    return ` The token needs to edit ${what} of this account (docs/deployment.md).`;
  }
  if (path === "/workers/subdomain") return " The name may be taken: give another one, --subdomain <name>.";
  return again;
}
