/**
 * An account of Cloudflare on the loopback: the part of its API that `npm run deploy` and wrangler call, and the Worker that was deployed
 * to it. D1 is SQLite. Shapes are those of the `cloudflare` package's types; what an account does beyond them it doesn't prove.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import type { DatabaseListResponse, QueryResult } from "cloudflare/resources/d1/database";
import type { Consumer } from "cloudflare/resources/queues/consumers";
import type { Queue } from "cloudflare/resources/queues/queues";
import type { Worker } from "cloudflare/resources/workers/beta/workers";
import type { DomainListResponse } from "cloudflare/resources/workers/domains";
import type { UploadCreateResponse } from "cloudflare/resources/workers/scripts/assets/upload";
import type { Deployment, DeploymentListResponse } from "cloudflare/resources/workers/scripts/deployments";
import type { ScheduleUpdateResponse } from "cloudflare/resources/workers/scripts/schedules";
import type { ScriptUpdateResponse } from "cloudflare/resources/workers/scripts/scripts";
import type { SecretListResponse } from "cloudflare/resources/workers/scripts/secrets";
import type { SubdomainCreateResponse } from "cloudflare/resources/workers/scripts/subdomain";
import type { VersionGetResponse } from "cloudflare/resources/workers/scripts/versions";
import type { SubdomainGetResponse } from "cloudflare/resources/workers/subdomains";
import { z } from "zod";
import { type Answer, FakeDeployedWorker } from "./fake-deployed-worker.js";

export const accountId = "acc0000000000000000000000000000f";

interface Call {
  readonly method: string;
  /** Behind the account, with its query; or of the deployed Worker. */
  readonly path: string;
  readonly body: Buffer;
  readonly authorization: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Version {
  readonly id: string;
  tag: string | undefined;
  readonly version: string;
  /** Bindings of its databases. */
  readonly databases: readonly string[];
  readonly buckets?: readonly string[];
  readonly variables?: ReadonlyMap<string, string>;
}

const apiPath = "/client/v4";

export class FakeCloudflare {
  subdomain: string | undefined;
  readonly databases = new Map<string, { readonly info: DatabaseListResponse; readonly db: DatabaseSync }>();
  readonly queues: (Queue & { readonly queue_id: string; consumers: (Consumer & { readonly script: string })[] })[] =
    [];
  /** By their names, with the law that each lies under; and whether somebody has enabled R2. */
  readonly buckets = new Map<string, string>();
  hasR2 = true;
  readonly secrets = new Map<string, string>();
  readonly variables = new Map<string, string>();
  readonly versions: Version[] = [];
  readonly deployments: Deployment[] = [];
  readonly domains: DomainListResponse[] = [];
  crons: string[] = [];
  /** Whatever the caller asks for. */
  queuesPerPage = 100;
  /** Method and path of each call, those of the deployed Worker too. */
  readonly calls: string[] = [];
  /** What changed something on the account or in the Worker. */
  readonly writes: string[] = [];
  /** Calls that nothing is known of: the fake is too small then. */
  readonly unknown: string[] = [];
  readonly worker = new FakeDeployedWorker({
    secrets: this.secrets,
    writes: this.writes,
    database: () => [...this.databases.values()][0]?.db,
    version: (id) =>
      this.versions.find((one) => one.id === (id ?? this.deployments[0]?.versions[0]?.version_id))?.version,
  });
  /** Called before a call is done, with its number, and after it, when its answer is still to be sent. */
  onCall: (number: number, when: "before" | "after") => void = () => undefined;

  /** @returns where it listens, and how it is stopped */
  async listen(): Promise<{ readonly origin: string; readonly stop: () => Promise<void> }> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const { status, body } = this.call(request.method ?? "GET", request.url ?? "/", Buffer.concat(chunks), headers);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const stop = () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections());
    return { origin: `http://127.0.0.1:${port}`, stop };
  }

  /** For code that runs in the test's own process. */
  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input instanceof URL ? input.href : input, init);
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const answer = this.call(request.method, pathname + search, body, Object.fromEntries(request.headers));
    return Response.json(answer.body, { status: answer.status });
  };

  call(method: string, url: string, body: Buffer, headers: Readonly<Record<string, string>>): Answer {
    const number = this.calls.push(`${method} ${url}`);
    this.onCall(number, "before");
    const call = { method, body, headers, authorization: headers.authorization ?? "" };
    const answer = url.startsWith(apiPath)
      ? this.api({ ...call, path: url.slice(apiPath.length) })
      : this.worker.answer({ ...call, path: url });
    this.onCall(number, "after");
    return answer;
  }

  private api(call: Call): Answer {
    if (call.authorization !== "Bearer token") return refused(403, 10000, "Authentication error");
    if (call.path.startsWith("/accounts?")) return ok([{ id: accountId, name: "Test", type: "standard" }]);
    const prefix = `/accounts/${accountId}`;
    const { pathname, searchParams } = new URL(call.path.slice(prefix.length), "http://api");
    for (const [pattern, answer] of this.routes) {
      const [known, ...parts] = pattern.exec(`${call.method} ${pathname}`) ?? [];
      if (known === undefined) continue;
      const isQuery = pathname.endsWith("/query") && /"sql":"\s*SELECT/i.test(call.body.toString());
      if (call.method !== "GET" && !isQuery) this.writes.push(`${call.method} ${pathname}`);
      return answer(parts.map(decodeURIComponent), call, searchParams);
    }
    this.unknown.push(`${call.method} ${pathname}`);
    return refused(404, 7003, `The fake knows no ${call.method} ${pathname}`);
  }

  private readonly routes: readonly (readonly [
    RegExp,
    (parts: readonly string[], call: Call, query: URLSearchParams) => Answer,
  ])[] = [
    [/^GET \/d1\/database$/, (_, __, query) => this.listDatabases(query)],
    [/^POST \/d1\/database$/, (_, call) => this.createDatabase(call)],
    [/^GET \/d1\/database\/([^/]+)$/, ([name = ""]) => this.getDatabase(name)],
    [/^POST \/d1\/database\/([^/]+)\/query$/, ([id = ""], call) => this.query(id, call)],
    [/^GET \/r2\/buckets\/([^/]+)$/, ([name = ""], call) => this.getBucket(name, call)],
    [/^POST \/r2\/buckets$/, (_, call) => this.createBucket(call)],
    [/^GET \/queues$/, (_, __, query) => this.listQueues(query)],
    [/^POST \/queues$/, (_, call) => this.createQueue(call)],
    [/^GET \/queues\/([^/]+)\/consumers$/, ([id]) => ok(this.queues.find((one) => one.queue_id === id)?.consumers)],
    [/^(?:POST|PUT) \/queues\/([^/]+)\/consumers(?:\/[^/]+)?$/, ([id = ""], call) => this.putConsumer(id, call)],
    [/^GET \/workers\/subdomain$/, () => this.getSubdomain()],
    [/^PUT \/workers\/subdomain$/, (_, call) => this.putSubdomain(call)],
    [/^GET \/workers\/domains$/, () => ok(this.domains)],
    [
      /^POST \/workers\/scripts\/[^/]+\/domains\/changeset$/,
      () => ok({ added: [], removed: [], updated: [], conflicting: [] }),
    ],
    [/^PUT \/workers\/scripts\/([^/]+)\/domains\/records$/, ([name = ""], call) => this.putDomains(name, call)],
    [
      /^GET \/workers\/services\/([^/]+)$/,
      () =>
        this.ifDeployed(() => ({
          default_environment: { environment: "production", script: { last_deployed_from: "wrangler" } },
        })),
    ],
    [/^GET \/workers\/scripts\/[^/]+\/secrets$/, () => this.ifDeployed(() => this.listSecrets())],
    [/^GET \/workers\/scripts\/[^/]+\/settings$/, () => this.ifDeployed(() => ({ bindings: [], tags: [] }))],
    [/^PATCH \/workers\/scripts\/[^/]+\/script-settings$/, () => this.ifDeployed(() => ({}))],
    [
      /^GET \/workers\/scripts\/[^/]+\/deployments$/,
      () => this.ifDeployed((): DeploymentListResponse => ({ deployments: this.deployments })),
    ],
    [/^POST \/workers\/scripts\/[^/]+\/deployments$/, (_, call) => this.createDeployment(call)],
    [/^GET \/workers\/scripts\/[^/]+\/versions\/([^/]+)$/, ([id = ""]) => this.getVersion(id)],
    [
      /^GET \/workers\/scripts\/[^/]+\/versions$/,
      () => this.ifDeployed(() => ({ items: this.versions.map(({ id }) => this.versionOf(id)) })),
    ],
    [/^POST \/workers\/scripts\/[^/]+\/versions$/, (_, call) => this.upload(call, false)],
    [/^PUT \/workers\/scripts\/[^/]+$/, (_, call) => this.upload(call, true)],
    [
      /^POST \/workers\/scripts\/[^/]+\/assets-upload-session$/,
      () => ok<UploadCreateResponse>({ jwt: "e30.e30.done", buckets: [] }),
    ],
    [/^GET \/workers\/workers\/([^/]+)$/, ([name = ""]) => this.ifDeployed(() => this.workerOf(name))],
    [
      /^POST \/workers\/scripts\/[^/]+\/subdomain$/,
      () => ok<SubdomainCreateResponse>({ enabled: true, previews_enabled: false }),
    ],
    [/^PUT \/workers\/scripts\/[^/]+\/schedules$/, (_, call) => this.putSchedules(call)],
  ];

  private ifDeployed<T>(result: () => T): Answer {
    return this.versions.length === 0
      ? refused(404, 10007, "This Worker does not exist on your account.")
      : ok(result());
  }

  private listDatabases(query: URLSearchParams): Answer {
    const all = [...this.databases.values()].map(({ info }) => info);
    return ok(query.get("page") === "1" ? all.filter(({ name }) => name?.includes(query.get("name") ?? "")) : []);
  }

  private createDatabase(call: Call): Answer {
    const { name, jurisdiction } = z
      .object({
        name: z.string(),
        jurisdiction: z.enum(["eu", "us", "fedramp"]).optional(),
        primary_location_hint: z.string().optional(),
      })
      .parse(JSON.parse(call.body.toString()));
    if ([...this.databases.values()].some(({ info }) => info.name === name))
      return refused(400, 7502, `A database with that name already exists: ${name}`);
    const uuid = randomUUID();
    const info: DatabaseListResponse = { uuid, name, version: "production", jurisdiction: jurisdiction ?? null };
    this.databases.set(uuid, { info, db: new DatabaseSync(":memory:") });
    return ok(info);
  }

  private getDatabase(nameOrId: string): Answer {
    const found = [...this.databases.values()].find(({ info }) => info.uuid === nameOrId || info.name === nameOrId);
    return found === undefined ? refused(404, 7404, "The database could not be found") : ok(found.info);
  }

  /** Several statements are one transaction; rows come of one that stands alone. */
  private query(id: string, call: Call): Answer {
    const db = this.databases.get(id)?.db;
    if (db === undefined) return refused(404, 7404, "The database could not be found");
    const { sql } = z.object({ sql: z.string() }).parse(JSON.parse(call.body.toString()));
    try {
      if (/^\s*SELECT/i.test(sql))
        return ok<QueryResult[]>([{ results: db.prepare(sql).all(), success: true, meta: { duration: 1 } }]);
      db.exec("BEGIN");
      db.exec(sql);
      db.exec("COMMIT");
      return ok<QueryResult[]>([{ results: [], success: true, meta: { duration: 1, changes: 1 } }]);
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      return refused(400, 7500, `${error instanceof Error ? error.message : error}: SQLITE_ERROR`);
    }
  }

  private getBucket(name: string, { headers }: Call): Answer {
    if (!this.hasR2) return refused(403, 10042, "Please enable R2 through the Cloudflare Dashboard.");
    if (this.buckets.get(name) !== (headers["cf-r2-jurisdiction"] ?? "default"))
      return refused(404, 10006, "The specified bucket does not exist.");
    return ok({ name });
  }

  private createBucket({ body, headers }: Call): Answer {
    const { name } = z.object({ name: z.string() }).parse(JSON.parse(body.toString()));
    if (this.buckets.has(name)) return refused(409, 10004, "The bucket you tried to create already exists.");
    this.buckets.set(name, headers["cf-r2-jurisdiction"] ?? "default");
    return ok({ name });
  }

  private listQueues(query: URLSearchParams): Answer {
    const name = query.get("name");
    const found = this.queues.filter((one) => name === null || one.queue_name === name);
    const from = (Number(query.get("page") ?? 1) - 1) * this.queuesPerPage;
    return ok(found.slice(from, from + this.queuesPerPage), found.length);
  }

  private createQueue(call: Call): Answer {
    const { queue_name: name } = z.object({ queue_name: z.string() }).parse(JSON.parse(call.body.toString()));
    if (this.queues.some((one) => one.queue_name === name))
      return refused(409, 11009, `Queue name '${name}' is already taken.`);
    const queue = { queue_id: randomUUID(), queue_name: name, consumers: [], producers: [] };
    this.queues.push(queue);
    return ok<Queue>(queue);
  }

  /** A queue has one consumer that is a Worker. */
  private putConsumer(id: string, call: Call): Answer {
    const queue = this.queues.find((one) => one.queue_id === id);
    if (queue === undefined) return refused(404, 11000, "Queue not found.");
    const { script_name: script, dead_letter_queue: dead } = z
      .object({ script_name: z.string(), dead_letter_queue: z.string().optional() })
      .parse(JSON.parse(call.body.toString()));
    if (call.method === "POST" && queue.consumers.length > 0)
      return refused(400, 11004, "Queue already has a consumer.");
    const consumer = {
      consumer_id: randomUUID(),
      type: "worker",
      // The API answers `script` where its types say `script_name`; wrangler reads the former.
      script,
      script_name: script,
      ...(dead && { dead_letter_queue: dead }),
    } as const;
    queue.consumers = [consumer];
    return ok<Consumer>(consumer);
  }

  private getSubdomain(): Answer {
    if (this.subdomain === undefined) return refused(404, 10007, "This account has no workers.dev subdomain.");
    return ok<SubdomainGetResponse>({ subdomain: this.subdomain });
  }

  private putSubdomain(call: Call): Answer {
    this.subdomain = z.object({ subdomain: z.string() }).parse(JSON.parse(call.body.toString())).subdomain;
    return ok<SubdomainGetResponse>({ subdomain: this.subdomain });
  }

  private putDomains(service: string, call: Call): Answer {
    const { origins } = z
      .object({ origins: z.array(z.object({ hostname: z.string() })) })
      .parse(JSON.parse(call.body.toString()));
    this.domains.splice(0, this.domains.length, ...this.domains.filter((one) => one.service !== service));
    for (const { hostname } of origins) {
      const zone = { zone_id: "zone", zone_name: hostname.split(".").slice(-2).join(".") };
      this.domains.push({ id: randomUUID(), cert_id: "cert", environment: "production", hostname, service, ...zone });
    }
    return ok(this.domains);
  }

  private listSecrets(): SecretListResponse[] {
    return [...this.secrets.keys()].map((name) => ({ name, type: "secret_text" }));
  }

  /** What wrangler sends is a form with `metadata`, whose bindings have the secrets. */
  private upload(call: Call, isDeployed: boolean): Answer {
    const text = call.body.toString("latin1");
    const metadata = /name="metadata"(?:\r\n[^\r]+)*\r\n\r\n([^\r]+)\r\n/.exec(text)?.[1] ?? text;
    const { bindings, annotations } = metadataSchema.parse(JSON.parse(metadata));
    for (const { type, name, text: value } of bindings) {
      if (type === "secret_text" && value) this.secrets.set(name, value);
      if (type === "plain_text" && value !== undefined) this.variables.set(name, value);
    }
    const databases = bindings.filter(({ type }) => type === "d1").map(({ name }) => name);
    const buckets = bindings.filter(({ type }) => type === "r2_bucket").map(({ name }) => name);
    const variables = new Map(
      bindings.flatMap((one) => (one.type === "plain_text" ? [[one.name, one.text ?? ""] as const] : [])),
    );
    const tag = annotations?.["workers/tag"];
    const version = {
      id: randomUUID(),
      tag,
      version: tag?.replace("+next", "") ?? "0.0.0",
      databases,
      buckets,
      variables,
    };
    this.versions.unshift(version);
    if (!isDeployed)
      return ok({
        id: version.id,
        number: this.versions.length,
        startup_time_ms: 50,
        resources: {},
        metadata: { has_preview: false },
      });
    this.deploy([{ version_id: version.id, percentage: 100 }]);
    return ok<ScriptUpdateResponse & { deployment_id: string }>({
      startup_time_ms: 50,
      id: "worker",
      etag: "etag",
      deployment_id: randomUUID(),
    });
  }

  private createDeployment(call: Call): Answer {
    const { versions } = z
      .object({ versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })) })
      .parse(JSON.parse(call.body.toString()));
    return ok(this.deploy(versions));
  }

  private deploy(versions: Deployment["versions"]): Deployment {
    const at = `2026-11-24T12:00:${String(this.deployments.length).padStart(2, "0")}Z`;
    const deployment: Deployment = {
      id: randomUUID(),
      created_on: at,
      source: "wrangler",
      strategy: "percentage",
      versions,
    };
    this.deployments.unshift(deployment);
    return deployment;
  }

  private getVersion(id: string): Answer {
    const version = this.versions.find((one) => one.id === id);
    return version === undefined ? refused(404, 10007, "The version could not be found.") : ok(this.versionOf(id));
  }

  private versionOf(id: string): VersionGetResponse & { annotations: Record<string, string> } {
    const {
      tag,
      databases = [],
      buckets = [],
      variables = new Map<string, string>(),
    } = this.versions.find((one) => one.id === id) ?? {};
    const bindings = [
      ...databases.map((name) => ({ type: "d1" as const, name, id: name })),
      ...buckets.map((name) => ({ type: "r2_bucket" as const, name, bucket_name: name })),
      ...[...variables].map(([name, text]) => ({ type: "plain_text" as const, name, text })),
    ];
    const metadata = { created_on: "2026-11-24T12:00:00Z", author_email: "a@example.com", source: "wrangler" } as const;
    return {
      id,
      number: 1,
      resources: { bindings, script: {}, script_runtime: {} },
      metadata,
      annotations: tag === undefined ? {} : { "workers/tag": tag },
    };
  }

  private workerOf(name: string): Pick<Worker, "id" | "name" | "subdomain" | "tags"> {
    return { id: "worker", name, subdomain: { enabled: true, previews_enabled: false }, tags: [] };
  }

  private putSchedules(call: Call): Answer {
    this.crons = z
      .array(z.object({ cron: z.string() }))
      .parse(JSON.parse(call.body.toString()))
      .map(({ cron }) => cron);
    return ok<ScheduleUpdateResponse>({ schedules: this.crons.map((cron) => ({ cron })) });
  }
}

const metadataSchema = z.object({
  bindings: z.array(z.object({ type: z.string(), name: z.string(), text: z.string().optional() })).default([]),
  annotations: z.record(z.string(), z.string().optional()).optional(),
});

/** @param total how many there are on all pages */
function ok<T>(result: T, total = Array.isArray(result) ? result.length : 1): Answer {
  const info = { page: 1, per_page: 100, total_count: total, total_pages: 1 };
  return { status: 200, body: { success: true, errors: [], messages: [], result, result_info: info } };
}

function refused(status: number, code: number, message: string): Answer {
  return { status, body: { success: false, errors: [{ code, message }], messages: [], result: null } };
}
