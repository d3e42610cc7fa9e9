/** What objects need of the bindings: the platform of each, in its tenant's database. */

import type { ChannelPlatform } from "../application/channels/channel-platform.js";
import { platformCall } from "../application/channels/platform-call.js";
import type { DatasetPlatform } from "../application/evidence/dataset-platform.js";
import type { BudgetPlatform } from "../application/limits/budget-platform.js";
import { eraseFromD1 } from "../application/memory/erasure.js";
import type { MemoryPlatform } from "../application/memory/memory-platform.js";
import { memoryPrompts } from "../application/memory/memory-prompts.js";
import { SessionMemory } from "../application/memory/session-memory.js";
import type { RootPlatform } from "../application/root-platform.js";
import type { SubjectJobPlatform } from "../application/subjects/job-platform.js";
import { callHttpWorker } from "../application/worker-caller.js";
import { channelOf } from "../channels/connection.js";
import { now } from "../platform/clock.js";
import { deliverToD1 } from "../stores/deliveries.js";
import { D1TeamState } from "../stores/team-state.js";
import { loaded } from "../text/lazily.js";
import { composeServices, conversationsOf, sendWebhookJobs } from "./services.js";
import { priceOfNow, shared, tenantModel, tenantProvider } from "./shared.js";

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
    limitsOfWork,
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
    limitsOfWork: (facts) => limitsOfWork(facts, tenants),
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
  const { db, tenants, budgets, prices, load, limitsOfWork } = shared(env);
  return {
    now,
    load,
    services: composeServices(env),
    work: composeRootPlatform(env).at,
    limitsOfWork: (facts) => limitsOfWork(facts, tenants),
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
      (await import("../application/subjects/job-platform.js")).subjectJobPlatform(composeServices(env)),
  );
  return { now, platform };
}

export function composeMemoryPlatform(env: Env): MemoryPlatform {
  const { db, memory, resources, tenants, load, bulkTurns, budgets, prices, limitsOfWork } = shared(env);
  const { memories, entries, contexts, vectors, sendJobs } = memory.ports;
  return {
    now,
    load,
    bulkTurns,
    budgets,
    limitsOfWork: (facts) => limitsOfWork(facts, tenants),
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

const settling = loaded(() => import("../application/limits/deliver-settled.js"));
