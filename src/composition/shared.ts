/** What the compositions of one environment share: its stores, and how the models and vectors of a tenant are reached. */
import { CallSigner } from "../application/call-signer.js";
import { ExampleClassifiers } from "../application/example-classifiers.js";
import { ExampleVectors } from "../application/example-vectors.js";
import type { PriceOf, WorkLimits } from "../application/limits/work-limits.js";
import { lookUps } from "../application/look-ups.js";
import { McpServers } from "../application/mcp-servers.js";
import { MemoryService } from "../application/memory/memory-service.js";
import { MemorySupervision } from "../application/memory/memory-supervision.js";
import { logAttempt } from "../application/model-log.js";
import { loadOwnParts } from "../application/own-parts.js";
import { RemoteTools } from "../application/remote-tools.js";
import { SupervisorBuilder } from "../application/supervisor-builder.js";
import { ToolBuilder } from "../application/tool-builder.js";
import type { NewQueueJob } from "../catalogues/queue-jobs.js";
import { defined } from "../conversation/defined.js";
import { ownValue } from "../conversation/own-value.js";
import { BudgetGateway } from "../gateways/budget-gateway.js";
import { type Namespace, PlacedObjects, withNamedJurisdictions } from "../gateways/placement.js";
import { ThreadGateway } from "../gateways/thread-gateway.js";
import { createModelPort, type ModelConfig } from "../model/directory.js";
import type { ModelPort } from "../model/port.js";
import { meaningOfDefault } from "../model/provider-table.js";
import { BulkTurns } from "../platform/bulk-turns.js";
import { now, sleep, withDeadline } from "../platform/clock.js";
import { type Embedder, openAiEmbedder, workersAiEmbedder } from "../platform/embedder.js";
import { IsolateLoad } from "../platform/isolate-load.js";
import { measureWith } from "../platform/logging.js";
import type { OutgoingPolicy } from "../platform/outgoing.js";
import type { PublishedKeys } from "../platform/published-keys.js";
import {
  createSealer,
  createSigningSecrets,
  type Sealer,
  type SealingSecrets,
  sealingSecretsOf,
} from "../platform/secrets.js";
import type { Database } from "../platform/sql.js";
import { CreationClaims } from "../stores/creation-claims.js";
import { Bookmarks, PrimaryDatabase } from "../stores/database.js";
import { IdempotencyStore } from "../stores/idempotency-store.js";
import { LimitStore } from "../stores/limit-store.js";
import { ContextStore } from "../stores/memory/context-store.js";
import { DeadLetters } from "../stores/memory/dead-letters.js";
import { EntryStore } from "../stores/memory/entry-store.js";
import { MemoryEvents } from "../stores/memory/memory-events.js";
import { MemoryStore } from "../stores/memory/memory-store.js";
import { VectorIndex } from "../stores/memory/vector-index.js";
import { EntryVectors } from "../stores/memory/vectors.js";
import { PinnedTools } from "../stores/pinned-tools.js";
import type { PriceStore } from "../stores/price-store.js";
import { ResourceStore } from "../stores/resource-store.js";
import { SecretStore } from "../stores/secret-store.js";
import { D1TeamState } from "../stores/team-state.js";
import { TenantPlacements } from "../stores/tenant-placements.js";
import { type TenantReader, TenantSnapshots } from "../stores/tenant-snapshots.js";
import { type Tenant, TenantStore } from "../stores/tenant-store.js";
import { ToolCache } from "../stores/tool-cache.js";
import type { LimitFacts } from "../tenancy/limits/demand.js";
import { loaded } from "../text/lazily.js";
import { databaseNumber, firstEnvironment } from "./databases.js";

export interface Shared {
  readonly db: Database;
  readonly bookmarks: Bookmarks;
  readonly placements: TenantPlacements;
  readonly sealingSecrets: SealingSecrets;
  readonly sealer: Sealer;
  readonly resources: ResourceStore;
  readonly secrets: SecretStore;
  readonly tenants: TenantStore;
  readonly snapshots: TenantSnapshots;
  /** By the tenant as it was read, which never changes: gone when nobody keeps that any more. */
  readonly models: WeakMap<Tenant, ModelPort>;
  readonly policy: OutgoingPolicy;
  readonly tools: ToolBuilder;
  readonly remoteTools: RemoteTools;
  readonly signer: CallSigner;
  readonly signingSecrets: (tenantId: string) => Promise<string[]>;
  readonly supervisors: SupervisorBuilder;
  readonly memory: MemoryService;
  readonly memorySupervision: MemorySupervision;
  readonly answers: IdempotencyStore;
  readonly examples: ExampleClassifiers;
  readonly claims: CreationClaims;
  readonly load: IsolateLoad;
  readonly bulkTurns: BulkTurns;
  readonly prices: () => Promise<PriceStore>;
  readonly publishedKeys: () => Promise<PublishedKeys>;
  readonly limits: LimitStore;
  readonly budgets: BudgetGateway;
  /** @param tenants as they were read with the caller's key; as they are, if nothing is said */
  readonly limitsOfWork: (facts: LimitFacts, tenants?: TenantReader) => Promise<WorkLimits | undefined>;
}

const priceStore = loaded(() => import("../stores/price-store.js"));
const limiting = loaded(() => import("../application/limits/work-limits.js"));
const pricing = loaded(() => import("../model/prices.js"));

/** One set of stores per environment: what they keep is a cache of what can't change. */
const sharedOf = new WeakMap<Env, Shared>();

export function shared(env: Env): Shared {
  const known = sharedOf.get(env);
  if (known !== undefined) return known;
  measureWith(env.METRICS);
  const root = firstEnvironment(env);
  // What is of the isolate, or of no tenant, there is once.
  const ofAll = root === env ? undefined : shared(root);
  const bookmarks = new Bookmarks();
  const db = new PrimaryDatabase(env.DB, bookmarks);
  const placements = new TenantPlacements(db);
  const sealingSecrets = sealingSecretsOf(env.SEALING_SECRET, env.SEALING_SECRET_PREVIOUS);
  const sealer = createSealer(sealingSecrets);
  const policy: OutgoingPolicy = { allowLoopback: env.ENVIRONMENT === "local" };
  const vectorIndex = new VectorIndex(db, env.VECTORS, now, databaseNumber(env));
  const vectors = new EntryVectors(db, (tenantId) => tenantEmbedder(env, tenantId), now, vectorIndex);
  const secrets = new SecretStore(db, sealer, now);
  const resources = new ResourceStore(db, sealer, now, secrets);
  const answers = new IdempotencyStore(db, sealer, now);
  const claims = new CreationClaims(db, now);
  const memory = new MemoryService({
    db,
    now,
    memories: new MemoryStore(db, now),
    entries: new EntryStore(db, now, vectors),
    vectors,
    contexts: new ContextStore(db, now),
    threads: new ThreadGateway(new PlacedObjects(named(env, env.MEMORY_THREAD), placements)),
    deadLetters: new DeadLetters(db, now),
    events: new MemoryEvents(db),
    answers,
    claims,
    sendJobs: (jobs) =>
      env.FLUSHES.sendBatch(jobs.map((job) => ({ body: { kind: "flush", ...job } satisfies NewQueueJob }))).then(
        () => undefined,
      ),
  });
  const signingSecrets = createSigningSecrets(sealingSecrets);
  const signer = new CallSigner(signingSecrets, now);
  const tenants = new TenantStore(db, sealer, now);
  const supervisors = new SupervisorBuilder({
    policy,
    signer,
    now,
    model: (tenantId) => tenantModel(env, tenantId, tenants),
    provider: (tenantId, name) => tenantProvider(env, tenantId, name, tenants),
    ownParts: (of, names, journal) => loadOwnParts(of, names, journal, created),
  });
  const budgets = new BudgetGateway(new PlacedObjects(named(env, env.TENANT_BUDGET), placements), now);
  const memorySupervision = new MemorySupervision({
    tenants,
    resources,
    supervisors,
    db,
    now,
    prices: () => created.prices(),
    limitsOfWork: (...of) => created.limitsOfWork(...of),
    budgets,
  });
  const teamState = (tenantId: string): D1TeamState => new D1TeamState(db, tenantId, now);
  const created: Shared = {
    db,
    bookmarks,
    placements,
    sealingSecrets,
    sealer,
    resources,
    secrets,
    tenants,
    snapshots: new TenantSnapshots(resources, tenants),
    models: new WeakMap(),
    policy,
    signer,
    signingSecrets,
    remoteTools: new RemoteTools(new McpServers(policy, now, signer), new PinnedTools(db), now),
    tools: new ToolBuilder(policy, signer, new ToolCache(db, now), (tenantId) =>
      lookUps(tenantId, { memory, supervision: memorySupervision, resources, teamState }),
    ),
    supervisors,
    examples: new ExampleClassifiers(new ExampleVectors((tenantId) => tenantEmbedder(env, tenantId), now)),
    memory,
    memorySupervision,
    answers,
    claims,
    load: ofAll?.load ?? new IsolateLoad(now),
    prices: loaded(async () => new (await priceStore()).PriceStore(db, now)),
    publishedKeys:
      ofAll?.publishedKeys ??
      loaded(async () => new (await import("../platform/published-keys.js")).PublishedKeys(policy, now)),
    bulkTurns: ofAll?.bulkTurns ?? new BulkTurns({ now: () => performance.now(), sleep }),
    limits: new LimitStore(db, now),
    budgets,
    limitsOfWork: async (facts, of = tenants) =>
      (await limiting()).limitsOfWork(facts, { now, tenants: of, budgets, priceOf: () => priceOfNow(env) }),
  };
  sharedOf.set(env, created);
  return created;
}

/** Locally the platform knows no jurisdictions. */
export function named<O>(env: Env, namespace: Namespace<O>): Namespace<O> {
  return env.ENVIRONMENT === "local" ? withNamedJurisdictions(namespace) : namespace;
}

/** An OpenAI-compatible provider by its name: the tenant's own, or the deployment's under `openai`. */
export async function tenantProvider(
  env: Env,
  tenantId: string,
  name: string,
  tenants: TenantReader,
): Promise<{ baseUrl: string; apiKey: string } | undefined> {
  const { sealer, secrets } = shared(env);
  const providers = (await tenants.get(tenantId))?.settings.providers ?? {};
  const own = ownValue(providers, name);
  if (own !== undefined) {
    const apiKey = await secrets.valueOf(tenantId, await sealer.open(own.sealedApiKey), own.baseUrl);
    return { baseUrl: own.baseUrl, apiKey };
  }
  if (name !== "openai" || env.OPENAI_API_KEY === undefined || env.OPENAI_API_KEY === "") return undefined;
  return { baseUrl: env.OPENAI_BASE_URL || "https://api.openai.com/v1", apiKey: env.OPENAI_API_KEY };
}

/** What a tenant's vectors are made with; `undefined` where it has none. */
async function tenantEmbedder(env: Env, tenantId: string): Promise<Embedder | undefined> {
  const { tenants, policy } = shared(env);
  const settings = (await tenants.get(tenantId))?.settings.embeddings;
  if (settings === undefined) return undefined;
  const { provider, model } = settings;
  if (provider === "workers-ai") return env.AI === undefined ? undefined : workersAiEmbedder(env.AI, model);
  const found = await tenantProvider(env, tenantId, provider, tenants);
  return found === undefined ? undefined : openAiEmbedder(found, provider, model, policy);
}

export async function tenantModel(env: Env, tenantId: string, tenants: TenantReader): Promise<ModelPort> {
  const { sealer, models, secrets } = shared(env);
  const tenant = await tenants.get(tenantId);
  const known = tenant === undefined ? undefined : models.get(tenant);
  if (known !== undefined) return known;
  const settings = tenant?.settings;
  const opened = Object.entries(settings?.providers ?? {}).map(async ([name, { baseUrl, sealedApiKey }]) => {
    const apiKey = await secrets.valueOf(tenantId, await sealer.open(sealedApiKey), baseUrl);
    return [name, { baseURL: baseUrl, apiKey }] as const;
  });
  const providers = Object.fromEntries(await Promise.all(opened));
  const config: ModelConfig = {
    deployment: env,
    providers,
    ...defined({ defaultModel: env.DEFAULT_MODEL || undefined }),
  };
  const port = createModelPort(config, {
    sleep: (ms) => sleep(ms),
    random: Math.random,
    now,
    watch: (model, attempts) => logAttempt(tenantId, model, attempts),
    withDeadline,
  });
  if (tenant !== undefined) models.set(tenant, port);
  return port;
}

/** What calls cost by the table that holds now: of a model that nobody has priced a limit of money lets no call through. */
export async function priceOfNow(env: Env): Promise<PriceOf> {
  const [known, { priceOf }] = await Promise.all([
    (async () => (await shared(env).prices()).tableAt(now()))(),
    pricing(),
  ]);
  // What works without a provider is free without a table, too.
  const table = known ?? { version: 0, from: 0, currency: "", models: {} };
  return (model, usage) =>
    priceOf(model === "default" ? meaningOfDefault(env, env.DEFAULT_MODEL || undefined) : model, usage, table)?.money;
}
