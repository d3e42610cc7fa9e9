/** The only place that reads bindings and puts things together, with what shared.ts and objects.ts hold. */

import type { Services } from "../application/services.js";
import type { NewQueueJob } from "../catalogues/queue-jobs.js";
import type { LaterJob } from "../catalogues/webhooks.js";
import { channelOf } from "../channels/connection.js";
import { AskGateway } from "../gateways/ask-gateway.js";
import { ChannelGateway } from "../gateways/channel-gateway.js";
import { DebateGateway } from "../gateways/debate-gateway.js";
import { locationHint, type Namespace, PlacedObjects } from "../gateways/placement.js";
import { RoundtableGateway } from "../gateways/roundtable-gateway.js";
import { RunGateway } from "../gateways/run-gateway.js";
import { SessionGateway } from "../gateways/session-gateway.js";
import { SubjectJobGateway } from "../gateways/subject-job-gateway.js";
import { configuredProviders } from "../model/provider-table.js";
import { now } from "../platform/clock.js";
import type { Database } from "../platform/sql.js";
import { createTokenSigner } from "../platform/token-signer.js";
import { CallerStore } from "../stores/caller-store.js";
import { ChannelStore } from "../stores/channel-store.js";
import { ConfigStore } from "../stores/config-store.js";
import { NearDatabase } from "../stores/database.js";
import { HoldStore } from "../stores/hold-store.js";
import { type NearStores, nearStores } from "../stores/near-stores.js";
import { ReaderStore } from "../stores/reader-store.js";
import { ResealStore } from "../stores/reseal-store.js";
import { ResourceVersions } from "../stores/resource-versions.js";
import { RestoreStore } from "../stores/restore-store.js";
import { RoundtableIndex } from "../stores/roundtable-index.js";
import { RunIndex } from "../stores/run-index.js";
import { SessionIndex } from "../stores/session-index.js";
import { SubjectStore } from "../stores/subject-store.js";
import { TenantCopy } from "../stores/tenant-copy.js";
import { WebhookDeliveries } from "../stores/webhook-deliveries.js";
import { WebhookStore } from "../stores/webhook-store.js";
import { loaded } from "../text/lazily.js";
import { databaseJurisdictions, databaseNumber, databasesOf, environmentAt, movedTenants } from "./databases.js";
import { named, shared } from "./shared.js";

/** A request, as far as it says where and when to read and where to make things. */
export interface RequestOrigin {
  /** What the platform says of where it comes from. */
  readonly cf?: unknown;
  /** Of D1, as an answer before gave it to the caller. */
  readonly bookmark?: string | undefined;
  /** Where it reached the deployment: `https://host`. */
  readonly origin?: string;
}

/** What a request is given. Most of it is made once, for every request that comes from the same part of the world. */
export function composeServices(env: Env, { cf, bookmark, origin = "" }: RequestOrigin = {}): Services {
  const { bookmarks, sealingSecrets } = shared(env);
  const services = {
    ...servicesFrom(env, locationHint(cf)),
    database: databaseNumber(env),
    databaseJurisdictions: databaseJurisdictions(env),
    databases: databasesOf(env),
    moved: movedTenants(env),
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
    people: loaded(async () => new (await import("../stores/people-store.js")).PeopleStore(db, now)),
    askReminders: loaded(async () => new (await import("../stores/ask-reminders.js")).AskReminders(db)),
    consoles: loaded(async () => new (await import("../stores/console-store.js")).ConsoleStore(db, placements, now)),
    grants: loaded(async () => new (await import("../stores/grant-store.js")).GrantStore(db, now)),
    readers: new ReaderStore(db, now),
    resourceVersions: new ResourceVersions(db, sealer),
    config: new ConfigStore(db, sealer, now),
    datasets: loaded(async () => {
      const { DatasetGateway } = await import("../gateways/dataset-gateway.js");
      return new DatasetGateway(new PlacedObjects(named(env, env.DATASET), placements, place));
    }),
    experiments: loaded(async () => new (await import("../stores/experiment-store.js")).ExperimentStore(db)),
    evidence: loaded(async () => new (await import("../stores/evidence-index.js")).EvidenceIndex(db)),
    sessions,
    index: new SessionIndex(db),
    runs,
    runIndex: new RunIndex(db, now),
    reseals: new ResealStore(db, sealer, now),
    restores: new RestoreStore(db, now),
    copy: new TenantCopy(db, sealer),
    moves: loaded(async () => new (await import("../stores/tenant-moves.js")).TenantMoves(db, now)),
    copies: loaded(async () => {
      const { CopyGateway } = await import("../gateways/copy-gateway.js");
      const placed = <O>(namespace: Namespace<O>) => new PlacedObjects(named(env, namespace), placements, place);
      return new CopyGateway({
        thread: placed(env.MEMORY_THREAD),
        dataset: placed(env.DATASET),
        session: placed(env.CHAT_SESSION),
        run: placed(env.ROUTING_RUN),
        roundtable: placed(env.ROUNDTABLE),
        conversation: placed(env.CHANNEL_CONVERSATION),
      });
    }),
    subjects: new SubjectStore(db),
    holds: new HoldStore(db, now),
    retention: loaded(async () => new (await import("../stores/retention-store.js")).RetentionStore(db)),
    subjectJobs: new SubjectJobGateway(new PlacedObjects(named(env, env.SUBJECT_JOB), placements)),
    auditArchive: loaded(
      async () => new (await import("../stores/archive/audit-archive.js")).AuditArchive(db, env.ARCHIVE),
    ),
    auditSeals: loaded(async () => {
      const { AuditSeals } = await import("../stores/archive/audit-seals.js");
      const { createCheckpointSigner } = await import("../platform/checkpoint-signer.js");
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
    "tokens" | "bookmark" | "origin" | "database" | "databases" | "moved" | "databaseJurisdictions" | "at"
  >;
}

function nearStoresOf(env: Env, db: Database): NearStores {
  const { sealer, memory } = shared(env);
  return nearStores(db, { sealer, now, vectors: memory.ports.vectors, bucket: env.ARCHIVE });
}

export function conversationsOf(env: Env): ChannelGateway {
  return new ChannelGateway(new PlacedObjects(named(env, env.CHANNEL_CONVERSATION), shared(env).placements));
}

/** How many messages a queue takes at once. */
const maxBatch = 100;

export const sendWebhookJobs = (env: Env, jobs: readonly LaterJob[]): Promise<void> =>
  sendJobs(env.WEBHOOKS, "webhook", jobs);

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
