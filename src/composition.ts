/** The only place that reads bindings and puts things together, with what composition/shared.ts holds. */

import type { ChannelPlatform } from "./application/channels/channel-platform.js";
import { platformCall } from "./application/channels/platform-call.js";
import type { DatasetPlatform } from "./application/evidence/dataset-platform.js";
import type { BudgetPlatform } from "./application/limits/budget-platform.js";
import type { PriceOf } from "./application/limits/work-limits.js";
import { eraseFromD1 } from "./application/memory/erasure.js";
import type { MemoryPlatform } from "./application/memory/memory-platform.js";
import { memoryPrompts } from "./application/memory/memory-prompts.js";
import { SessionMemory } from "./application/memory/session-memory.js";
import type { RootPlatform } from "./application/root-platform.js";
import type { Services } from "./application/services.js";
import type { SubjectJobPlatform } from "./application/subjects/job-platform.js";
import { callHttpWorker } from "./application/worker-caller.js";
import type { NewQueueJob } from "./catalogues/queue-jobs.js";
import type { LaterJob } from "./catalogues/webhooks.js";
import { channelOf } from "./channels/connection.js";
import { databaseJurisdictions, databaseNumber, databasesOf, environmentAt } from "./composition/databases.js";
import { named, shared, tenantModel, tenantProvider } from "./composition/shared.js";
import { AskGateway } from "./gateways/ask-gateway.js";
import { ChannelGateway } from "./gateways/channel-gateway.js";
import { DebateGateway } from "./gateways/debate-gateway.js";
import { locationHint, PlacedObjects } from "./gateways/placement.js";
import { RoundtableGateway } from "./gateways/roundtable-gateway.js";
import { RunGateway } from "./gateways/run-gateway.js";
import { SessionGateway } from "./gateways/session-gateway.js";
import { SubjectJobGateway } from "./gateways/subject-job-gateway.js";
import { configuredProviders, meaningOfDefault } from "./model/provider-table.js";
import { now } from "./platform/clock.js";
import type { Database } from "./platform/sql.js";
import { createTokenSigner } from "./platform/token-signer.js";
import { CallerStore } from "./stores/caller-store.js";
import { ChannelStore } from "./stores/channel-store.js";
import { ConfigStore } from "./stores/config-store.js";
import { NearDatabase } from "./stores/database.js";
import { deliverToD1 } from "./stores/deliveries.js";
import { HoldStore } from "./stores/hold-store.js";
import { type NearStores, nearStores } from "./stores/near-stores.js";
import { ReaderStore } from "./stores/reader-store.js";
import { ResealStore } from "./stores/reseal-store.js";
import { ResourceVersions } from "./stores/resource-versions.js";
import { RestoreStore } from "./stores/restore-store.js";
import { RoundtableIndex } from "./stores/roundtable-index.js";
import { RunIndex } from "./stores/run-index.js";
import { SessionIndex } from "./stores/session-index.js";
import { SubjectStore } from "./stores/subject-store.js";
import { D1TeamState } from "./stores/team-state.js";
import { TenantCopy } from "./stores/tenant-copy.js";
import { WebhookDeliveries } from "./stores/webhook-deliveries.js";
import { WebhookStore } from "./stores/webhook-store.js";
import { databaseOf } from "./tenancy/home.js";
import { loaded } from "./text/lazily.js";

/** Of this tenant's database: what an object of the tenant is composed of. */
export function environmentOf(env: Env, tenantId: string): Env {
  return environmentAt(env, databaseOf(tenantId));
}

/** @param revision of the tenant that it is for, where somebody has just read it */
export function composeRootPlatform(env: Env, revision?: number): RootPlatform {
  const {
    snapshots,
    tenants: store,
    tools,
    remoteTools,
    supervisors,
    examples,
    memory,
    memorySupervision,
    policy,
    signer,
    load,
    prices,
    budgets,
  } = shared(env);
  const { resources, tenants, renew } = snapshots.at(revision);
  const model: RootPlatform["model"] = (tenantId) => tenantModel(env, tenantId, tenants);
  return {
    at: async (tenantId, known) => composeRootPlatform(env, known ?? (await store.revision(tenantId))),
    revision: (tenantId) => store.revision(tenantId),
    renew,
    now,
    load,
    examples,
    memory: new SessionMemory(memory, memorySupervision.with({ resources, tenants })),
    resources,
    tenants,
    tools,
    remoteTools,
    supervisors: supervisors.with({
      model,
      provider: (tenantId, name) => tenantProvider(env, tenantId, name, tenants),
    }),
    model,
    teamState: (tenantId) => new D1TeamState(shared(env).db, tenantId, now),
    callWorker: (work, call, signal) => callHttpWorker(call, signal, { ...work, policy, signer }),
    budgets,
    priceOf: () => priceOfNow(env),
    openAsks: (...of) => shared(env).limits.openAsks(...of),
    limitsOfWork: async (facts) =>
      (await limiting()).limitsOfWork(facts, { now, tenants, budgets, priceOf: () => priceOfNow(env) }),
    deliver: async (delivery) =>
      (await settling()).deliverSettled(delivery, budgets, (copies) =>
        deliverToD1(shared(env).db, copies, {
          waking: { now, send: (jobs) => sendWebhookJobs(env, jobs) },
          prices,
        }),
      ),
    conversations: conversationsOf(env),
  };
}

export function composeChannelPlatform(env: Env): ChannelPlatform {
  return {
    now,
    services: composeServices(env),
    channelOf,
    call: platformCall(shared(env).policy, now),
    deliver: (delivery) => deliverToD1(shared(env).db, delivery),
  };
}

export function composeDatasetPlatform(env: Env): DatasetPlatform {
  const { db, tenants, budgets, prices, load } = shared(env);
  return {
    now,
    load,
    services: composeServices(env),
    work: composeRootPlatform(env).at,
    limitsOfWork: async (facts) =>
      (await limiting()).limitsOfWork(facts, { now, tenants, budgets, priceOf: () => priceOfNow(env) }),
    deliver: async (delivery) =>
      (await settling()).deliverSettled(delivery, budgets, (copies) => deliverToD1(db, copies, { prices })),
  };
}

/** What the object of a tenant's limits needs. */
export function composeBudgetPlatform(env: Env): BudgetPlatform {
  return {
    now,
    renew: (tenantId, renewal) => shared(env).budgets.renew(tenantId, renewal),
    deliver: (delivery) =>
      deliverToD1(shared(env).db, delivery, { waking: { now, send: (jobs) => sendWebhookJobs(env, jobs) } }),
  };
}

/** What the object of a job on a person's data needs: the platform is loaded when there is such a job. */
export function composeSubjectJob(env: Env) {
  const platform = loaded(
    async (): Promise<SubjectJobPlatform> =>
      (await import("./application/subjects/job-platform.js")).subjectJobPlatform(composeServices(env)),
  );
  return { now, platform };
}

export function composeMemoryPlatform(env: Env): MemoryPlatform {
  const { db, memory, resources, tenants, load, bulkTurns, budgets, prices } = shared(env);
  const { memories, entries, contexts, vectors, sendJobs } = memory.ports;
  return {
    now,
    load,
    bulkTurns,
    budgets,
    limitsOfWork: async (facts) =>
      (await limiting()).limitsOfWork(facts, { now, tenants, budgets, priceOf: () => priceOfNow(env) }),
    deliver: (delivery) => deliverToD1(db, delivery, { prices }),
    memories,
    entries,
    contexts,
    vectors,
    sendJobs,
    model: (tenantId) => tenantModel(env, tenantId, tenants),
    prompts: (tenantId) => memoryPrompts(resources, tenantId),
    eraseEntry: async ({ tenantId, memoryId }, entryId, deleted) => {
      const found = await memories.find(tenantId, memoryId);
      if (found !== undefined) await eraseFromD1(found, entryId, memory.ports, deleted);
    },
  };
}

/** A request, as far as it says where and when to read and where to make things. */
export interface RequestOrigin {
  /** What the platform says of where it comes from. */
  readonly cf?: unknown;
  /** Of D1, as an answer before gave it to the caller. */
  readonly bookmark?: string | undefined;
  /** Where it reached the deployment: `https://host`. */
  readonly origin?: string;
}

const limiting = loaded(() => import("./application/limits/work-limits.js"));
const settling = loaded(() => import("./application/limits/deliver-settled.js"));
const pricing = loaded(() => import("./model/prices.js"));

/** What calls cost by the table that holds now: of a model that nobody has priced a limit of money lets no call through. */
async function priceOfNow(env: Env): Promise<PriceOf> {
  const [known, { priceOf }] = await Promise.all([
    (async () => (await shared(env).prices()).tableAt(now()))(),
    pricing(),
  ]);
  // What works without a provider is free without a table, too.
  const table = known ?? { version: 0, from: 0, currency: "", models: {} };
  return (model, usage) =>
    priceOf(model === "default" ? meaningOfDefault(env, env.DEFAULT_MODEL || undefined) : model, usage, table)?.money;
}

/** What a request is given. Most of it is made once, for every request that comes from the same part of the world. */
export function composeServices(env: Env, { cf, bookmark, origin = "" }: RequestOrigin = {}): Services {
  const { bookmarks, sealingSecrets } = shared(env);
  const services = {
    ...servicesFrom(env, locationHint(cf)),
    database: databaseNumber(env),
    databaseJurisdictions: databaseJurisdictions(env),
    databases: databasesOf(env),
    at: (database: number) => composeServices(environmentAt(env, database), { cf, bookmark, origin }),
    origin,
    // Its key is derived by the request that needs it: a promise isn't kept beyond its request.
    tokens: createTokenSigner(sealingSecrets),
  };
  // Where nobody has sent one, as in objects and queues, which live longer than a request, each look-up reads the primary.
  if (bookmark === undefined) return { ...services, bookmark: () => bookmarks.latest };
  const near = new NearDatabase(env.DB, bookmarks, bookmark);
  return { ...services, near: nearStoresOf(env, near), bookmark: () => near.bookmark };
}

type Place = ReturnType<typeof locationHint>;
const servicesOf = new WeakMap<Env, Map<Place, ReturnType<typeof makeServices>>>();

function servicesFrom(env: Env, place: Place): ReturnType<typeof makeServices> {
  const made = servicesOf.get(env) ?? new Map<Place, ReturnType<typeof makeServices>>();
  servicesOf.set(env, made);
  const services = made.get(place) ?? makeServices(env, place);
  made.set(place, services);
  return services;
}

/** @param place where objects are made that aren't there yet */
function makeServices(env: Env, place: Place) {
  const { db, sealer, placements, secrets, sealingSecrets } = shared(env);
  const sessions = new SessionGateway(new PlacedObjects(named(env, env.CHAT_SESSION), placements, place));
  const runs = new RunGateway(new PlacedObjects(named(env, env.ROUTING_RUN), placements, place));
  const roundtables = new RoundtableGateway(new PlacedObjects(named(env, env.ROUNDTABLE), placements, place));
  return {
    ...shared(env),
    environment: env.ENVIRONMENT,
    adminSecret: env.ADMIN_SECRET,
    providers: configuredProviders(env),
    now,
    readPage: (file) => readAsset(env.PAGES, file.replace(/^docs/, "")),
    near: nearStoresOf(env, db),
    callers: new CallerStore(db, placements),
    people: loaded(async () => new (await import("./stores/people-store.js")).PeopleStore(db, now)),
    askReminders: loaded(async () => new (await import("./stores/ask-reminders.js")).AskReminders(db)),
    consoles: loaded(async () => new (await import("./stores/console-store.js")).ConsoleStore(db, placements, now)),
    grants: loaded(async () => new (await import("./stores/grant-store.js")).GrantStore(db, now)),
    readers: new ReaderStore(db, now),
    resourceVersions: new ResourceVersions(db, sealer),
    config: new ConfigStore(db, sealer, now),
    datasets: loaded(async () => {
      const { DatasetGateway } = await import("./gateways/dataset-gateway.js");
      return new DatasetGateway(new PlacedObjects(named(env, env.DATASET), placements, place));
    }),
    experiments: loaded(async () => new (await import("./stores/experiment-store.js")).ExperimentStore(db)),
    evidence: loaded(async () => new (await import("./stores/evidence-index.js")).EvidenceIndex(db)),
    sessions,
    index: new SessionIndex(db),
    runs,
    runIndex: new RunIndex(db, now),
    reseals: new ResealStore(db, sealer, now),
    restores: new RestoreStore(db, now),
    copy: new TenantCopy(db, sealer),
    subjects: new SubjectStore(db),
    holds: new HoldStore(db, now),
    retention: loaded(async () => new (await import("./stores/retention-store.js")).RetentionStore(db)),
    subjectJobs: new SubjectJobGateway(new PlacedObjects(named(env, env.SUBJECT_JOB), placements)),
    auditArchive: loaded(
      async () => new (await import("./stores/archive/audit-archive.js")).AuditArchive(db, env.ARCHIVE),
    ),
    auditSeals: loaded(async () => {
      const { AuditSeals } = await import("./stores/archive/audit-seals.js");
      const { createCheckpointSigner } = await import("./platform/checkpoint-signer.js");
      return new AuditSeals(db, createCheckpointSigner(sealingSecrets), env.ARCHIVE);
    }),
    webhooks: new WebhookStore(db, sealer, now, secrets),
    webhookDeliveries: new WebhookDeliveries(db, now),
    sendWebhookJobs: (jobs) => sendWebhookJobs(env, jobs),
    // With what takes long, so that no webhook waits behind it.
    sendRetentionJobs: (jobs) => sendJobs(env.FLUSHES, "retention", jobs),
    channels: new ChannelStore(db, sealer, now, secrets),
    conversations: conversationsOf(env),
    channelOf,
    roundtables,
    roundtableIndex: new RoundtableIndex(db),
    asks: new AskGateway({ ses: sessions, run: runs, rt: roundtables }),
    debates: new DebateGateway({ ses: sessions, run: runs }),
  } satisfies Omit<
    Services,
    "tokens" | "bookmark" | "origin" | "database" | "databases" | "databaseJurisdictions" | "at"
  >;
}

function nearStoresOf(env: Env, db: Database): NearStores {
  const { sealer, memory } = shared(env);
  return nearStores(db, { sealer, now, vectors: memory.ports.vectors, bucket: env.ARCHIVE });
}

function conversationsOf(env: Env): ChannelGateway {
  return new ChannelGateway(new PlacedObjects(named(env, env.CHANNEL_CONVERSATION), shared(env).placements));
}

/** How many messages a queue takes at once. */
const maxBatch = 100;

const sendWebhookJobs = (env: Env, jobs: readonly LaterJob[]): Promise<void> => sendJobs(env.WEBHOOKS, "webhook", jobs);

async function sendJobs(
  queue: Queue,
  kind: NewQueueJob["kind"],
  jobs: readonly { readonly inMs: number }[],
): Promise<void> {
  const messages = jobs.map(({ inMs, ...job }) => ({ body: { kind, ...job }, delaySeconds: Math.ceil(inMs / 1_000) }));
  for (let from = 0; from < messages.length; from += maxBatch)
    await queue.sendBatch(messages.slice(from, from + maxBatch));
}

/** The address is the binding's own: only the path counts. */
async function readAsset(assets: Fetcher, path: string): Promise<ArrayBuffer | undefined> {
  const found = await assets.fetch(`https://assets.local${path}`);
  return found.ok ? found.arrayBuffer() : undefined;
}
