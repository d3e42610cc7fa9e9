/** The only place that reads bindings and puts things together, with what composition/shared.ts holds. */

import type { ChannelPlatform } from "./application/channels/channel-platform.js";
import { platformCall } from "./application/channels/platform-call.js";
import { eraseFromD1 } from "./application/memory/erasure.js";
import type { MemoryPlatform } from "./application/memory/memory-platform.js";
import { memoryPrompts } from "./application/memory/memory-prompts.js";
import { SessionMemory } from "./application/memory/session-memory.js";
import type { RootPlatform } from "./application/root-platform.js";
import type { Services } from "./application/services.js";
import { callHttpWorker } from "./application/worker-caller.js";
import type { NewQueueJob } from "./catalogues/queue-jobs.js";
import type { LaterJob } from "./catalogues/webhooks.js";
import { named, shared, tenantModel, tenantProvider } from "./composition/shared.js";
import { AskGateway } from "./gateways/ask-gateway.js";
import { ChannelGateway } from "./gateways/channel-gateway.js";
import { DebateGateway } from "./gateways/debate-gateway.js";
import { locationHint, PlacedObjects } from "./gateways/placement.js";
import { RoundtableGateway } from "./gateways/roundtable-gateway.js";
import { RunGateway } from "./gateways/run-gateway.js";
import { SessionGateway } from "./gateways/session-gateway.js";
import { now } from "./platform/clock.js";
import { createTokenSigner } from "./platform/token-signer.js";
import { CallerStore } from "./stores/caller-store.js";
import { ChannelStore } from "./stores/channel-store.js";
import { NearDatabase } from "./stores/database.js";
import { deliverToD1 } from "./stores/deliveries.js";
import { nearStores } from "./stores/near-stores.js";
import { ReaderStore } from "./stores/reader-store.js";
import { ResourceVersions } from "./stores/resource-versions.js";
import { RoundtableIndex } from "./stores/roundtable-index.js";
import { RunIndex } from "./stores/run-index.js";
import { SessionIndex } from "./stores/session-index.js";
import { D1TeamState } from "./stores/team-state.js";
import { WebhookDeliveries } from "./stores/webhook-deliveries.js";
import { WebhookStore } from "./stores/webhook-store.js";
import { channelOf } from "./webhooks/channels/table.js";

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
  } = shared(env);
  const { resources, tenants, renew } = snapshots.at(revision);
  const model: RootPlatform["model"] = (tenantId) => tenantModel(env, tenantId, tenants);
  return {
    at: (later) => composeRootPlatform(env, later),
    renew,
    revision: (tenantId) => store.revision(tenantId),
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
    deliver: (delivery) => deliverToD1(shared(env).db, delivery, { now, send: (jobs) => sendWebhookJobs(env, jobs) }),
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

export function composeMemoryPlatform(env: Env): MemoryPlatform {
  const { memory, resources, tenants, load } = shared(env);
  const { memories, entries, contexts, vectors, sendJobs } = memory.ports;
  return {
    now,
    load,
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
}

export function composeServices(env: Env, { cf, bookmark }: RequestOrigin = {}): Services {
  const place = locationHint(cf);
  const { db, bookmarks, sealer, memory, placements } = shared(env);
  // Where nobody has sent one, as in objects and queues, which live longer than a request, each look-up reads the primary.
  const near = bookmark === undefined ? undefined : new NearDatabase(env.DB, bookmarks, bookmark);
  const sessions = new SessionGateway(new PlacedObjects(named(env, env.CHAT_SESSION), placements, place));
  const runs = new RunGateway(new PlacedObjects(named(env, env.ROUTING_RUN), placements, place));
  const roundtables = new RoundtableGateway(new PlacedObjects(named(env, env.ROUNDTABLE), placements, place));
  return {
    ...shared(env),
    environment: env.ENVIRONMENT,
    adminSecret: env.ADMIN_SECRET,
    sealingSecret: env.SEALING_SECRET,
    providers: [...(env.OPENAI_API_KEY ? ["openai"] : []), ...(env.AI === undefined ? [] : ["workers-ai"])],
    now,
    readPage: (name) => readAsset(env.PAGES, `/${name}.md`),
    near: nearStores(near ?? db, { sealer, now, vectors: memory.ports.vectors }),
    bookmark: () => near?.bookmark ?? bookmarks.latest,
    tokens: createTokenSigner(env.SEALING_SECRET),
    callers: new CallerStore(db, placements),
    readers: new ReaderStore(db, now),
    resourceVersions: new ResourceVersions(db, sealer),
    sessions,
    index: new SessionIndex(db),
    runs,
    runIndex: new RunIndex(db, now),
    webhooks: new WebhookStore(db, sealer, now),
    webhookDeliveries: new WebhookDeliveries(db, now),
    sendWebhookJobs: (jobs) => sendWebhookJobs(env, jobs),
    channels: new ChannelStore(db, sealer, now),
    conversations: conversationsOf(env),
    channelOf,
    roundtables,
    roundtableIndex: new RoundtableIndex(db),
    asks: new AskGateway({ ses: sessions, run: runs, rt: roundtables }),
    debates: new DebateGateway({ ses: sessions, run: runs }),
  };
}

function conversationsOf(env: Env): ChannelGateway {
  return new ChannelGateway(new PlacedObjects(named(env, env.CHANNEL_CONVERSATION), shared(env).placements));
}

/** How many messages a queue takes at once. */
const maxBatch = 100;

async function sendWebhookJobs(env: Env, jobs: readonly LaterJob[]): Promise<void> {
  const messages = jobs.map(({ inMs, ...job }) => {
    const body = { kind: "webhook", ...job } satisfies NewQueueJob;
    return { body, delaySeconds: Math.ceil(inMs / 1_000) };
  });
  for (let from = 0; from < messages.length; from += maxBatch)
    await env.WEBHOOKS.sendBatch(messages.slice(from, from + maxBatch));
}

/** The address is the binding's own: only the path counts. */
async function readAsset(assets: Fetcher, path: string): Promise<string | undefined> {
  const found = await assets.fetch(`https://assets.local${path}`);
  return found.ok ? found.text() : undefined;
}
