/** Deletions that go through objects and tables: whoever starts one, the same is gone afterwards. */
import type { BudgetGateway } from "../gateways/budget-gateway.js";
import type { ChannelGateway } from "../gateways/channel-gateway.js";
import type { DatasetGateway } from "../gateways/dataset-gateway.js";
import type { RoundtableGateway } from "../gateways/roundtable-gateway.js";
import type { RunGateway } from "../gateways/run-gateway.js";
import type { SessionGateway } from "../gateways/session-gateway.js";
import type { SubjectJobGateway } from "../gateways/subject-job-gateway.js";
import type { AuditArchive } from "../stores/archive/audit-archive.js";
import type { ChannelStore } from "../stores/channel-store.js";
import type { CreationClaims } from "../stores/creation-claims.js";
import type { EvidenceIndex } from "../stores/evidence-index.js";
import type { IdempotencyStore } from "../stores/idempotency-store.js";
import type { RoundtableIndex } from "../stores/roundtable-index.js";
import type { RunIndex } from "../stores/run-index.js";
import type { SessionIndex } from "../stores/session-index.js";
import type { SubjectStore } from "../stores/subject-store.js";
import type { TenantStore } from "../stores/tenant-store.js";
import type { WebhookDeliveries } from "../stores/webhook-deliveries.js";
import type { WorkClaim } from "../stores/work-claims.js";
import { deploymentScope } from "../tenancy/actor.js";
import type { DoneBy } from "../tenancy/audit.js";
import type { MemoryService } from "./memory/memory-service.js";
import type { Services } from "./services.js";

export interface RemovalPorts {
  readonly sessions: Pick<SessionGateway, "remove">;
  readonly index: Pick<SessionIndex, "sessions" | "knows" | "forget">;
  readonly runs: Pick<RunGateway, "remove">;
  readonly runIndex: Pick<RunIndex, "runs">;
  readonly roundtables: Pick<RoundtableGateway, "remove">;
  readonly roundtableIndex: Pick<RoundtableIndex, "roundtables">;
  readonly memory: Pick<MemoryService, "deleteAll">;
  readonly claims: Pick<CreationClaims, "forget">;
  readonly tenants: Pick<TenantStore, "removeKeys" | "remove">;
  readonly webhookDeliveries: Pick<WebhookDeliveries, "forget">;
  readonly answers: Pick<IdempotencyStore, "forget" | "forgetAll">;
  readonly channels: Pick<ChannelStore, "conversations" | "forgetConversations">;
  readonly conversations: Pick<ChannelGateway, "remove">;
  readonly budgets: Pick<BudgetGateway, "remove">;
  readonly auditArchive: () => Promise<Pick<AuditArchive, "remove">>;
  readonly datasets: () => Promise<Pick<DatasetGateway, "remove">>;
  readonly evidence: () => Promise<Pick<EvidenceIndex, "datasets">>;
  readonly subjects: Pick<SubjectStore, "jobs">;
  readonly subjectJobs: Pick<SubjectJobGateway, "remove">;
}

/** Objects that are emptied at the same time. */
const atOnce = 100;

/**
 * Removes a session with its copies; false when there is none. What is repeated after an interruption goes on: the copy goes last.
 * @param deleted whose wish it is, for the audit; absent where it is the system's own
 */
export async function removeSession(
  tenantId: string,
  sessionId: string,
  ports: RemovalPorts,
  deleted?: DoneBy,
): Promise<boolean> {
  // First, so that nobody is led to what is going.
  await ports.claims.forget(tenantId, sessionId);
  const removed = await ports.sessions.remove(tenantId, sessionId);
  if (!removed && !(await ports.index.knows(tenantId, sessionId))) return false;
  await ports.answers.forget(tenantId, sessionId);
  await ports.webhookDeliveries.forget(tenantId, sessionId);
  await ports.index.forget(tenantId, sessionId, deleted);
  return true;
}

/** Removes a run or a roundtable with its copies. What is repeated after an interruption goes on: the copy goes last. */
export async function removeRoot(
  tenantId: string,
  { kind, id }: { readonly kind: "runs" | "roundtables"; readonly id: string },
  ports: Pick<RemovalPorts, "runs" | "roundtables" | "claims" | "answers" | "webhookDeliveries"> & {
    readonly subjects: Pick<SubjectStore, "forgetRoot">;
  },
): Promise<void> {
  await ports.claims.forget(tenantId, id);
  await ports[kind].remove(tenantId, id);
  await ports.answers.forget(tenantId, id);
  await ports.webhookDeliveries.forget(tenantId, id);
  await ports.subjects.forgetRoot(tenantId, kind, id);
}

/**
 * Removes a tenant and all it holds. What is repeated after an interruption goes on.
 * @param ofDeployment what who runs the deployment was answered about it
 */
export async function removeTenant(
  tenantId: string,
  ports: RemovalPorts,
  ofDeployment: Pick<IdempotencyStore, "forget"> = ports.answers,
): Promise<void> {
  const { index, sessions, runIndex, runs, roundtableIndex, roundtables, memory, tenants, answers } = ports;
  // From here on nobody makes anything that would be missed below.
  await tenants.removeKeys(tenantId);
  for (let page = await index.sessions(tenantId, {}, undefined, atOnce); page.length > 0; ) {
    await Promise.all(page.map(({ sessionId }) => sessions.remove(tenantId, sessionId)));
    page = await index.sessions(tenantId, {}, page.at(-1)?.sessionId, atOnce);
  }
  for (let page = await runIndex.runs(tenantId, {}, undefined, atOnce); page.length > 0; ) {
    await Promise.all(page.map(({ runId }) => runs.remove(tenantId, runId)));
    page = await runIndex.runs(tenantId, {}, page.at(-1)?.runId, atOnce);
  }
  await removeConversations(tenantId, ports);
  for (let page = await roundtableIndex.roundtables(tenantId, {}, undefined, atOnce); page.length > 0; ) {
    await Promise.all(page.map(({ sessionId }) => roundtables.remove(tenantId, sessionId)));
    page = await roundtableIndex.roundtables(tenantId, {}, page.at(-1)?.sessionId, atOnce);
  }
  for (let page = await ports.subjects.jobs(tenantId, undefined, atOnce); page.length > 0; ) {
    await Promise.all(page.map(({ jobId }) => ports.subjectJobs.remove(tenantId, jobId)));
    page = await ports.subjects.jobs(tenantId, page.at(-1)?.jobId, atOnce);
  }
  await memory.deleteAll(tenantId);
  await removeDatasets(tenantId, ports);
  await ports.budgets.remove(tenantId);
  await (await ports.auditArchive()).remove(tenantId);
  await answers.forgetAll(tenantId);
  await ofDeployment.forget(deploymentScope, tenantId);
  await tenants.remove(tenantId);
}

async function removeDatasets(
  tenantId: string,
  { datasets, evidence }: Pick<RemovalPorts, "datasets" | "evidence">,
): Promise<void> {
  const [objects, index] = await Promise.all([datasets(), evidence()]);
  for (let page = await index.datasets(tenantId, undefined, atOnce); page.length > 0; ) {
    await Promise.all(page.map(({ name }) => objects.remove(tenantId, name)));
    page = await index.datasets(tenantId, page.at(-1)?.name, atOnce);
  }
}

/** Removes a dataset with its evals. */
export async function removeDataset(
  tenantId: string,
  name: string,
  { datasets, evidence }: Pick<Services, "datasets" | "evidence">,
  claim?: WorkClaim,
): Promise<void> {
  await (await datasets()).remove(tenantId, name);
  await (await evidence()).forget(tenantId, name, claim);
}

/** What was copied into datasets: of a session its items, of one turn what candidates made of it. */
export async function eraseDrawn(
  tenantId: string,
  of: { readonly sessionId: string; readonly turnId?: string | undefined },
  { datasets, evidence }: Pick<Services, "datasets" | "evidence">,
): Promise<void> {
  const [objects, index] = await Promise.all([datasets(), evidence()]);
  for (let page = await index.datasets(tenantId, undefined, atOnce); page.length > 0; ) {
    await Promise.all(page.map(({ name }) => objects.eraseDrawn(tenantId, name, of)));
    page = page.length < atOnce ? [] : await index.datasets(tenantId, page.at(-1)?.name, atOnce);
  }
}

/** Empties the objects of a connection's conversations, or of all of the tenant's; the sessions they led to stay. */
export async function removeConversations(
  tenantId: string,
  { channels, conversations }: Pick<RemovalPorts, "channels" | "conversations">,
  channelId?: string,
): Promise<void> {
  const next = (after: { channelId: string; conversation: string }) =>
    channels.conversations(tenantId, after, atOnce, channelId);
  for (let page = await next({ channelId: "", conversation: "" }); page.length > 0; ) {
    await Promise.all(page.map((one) => conversations.remove({ tenantId, ...one })));
    page = await next(page.at(-1) ?? { channelId: "", conversation: "" });
  }
  if (channelId !== undefined) await channels.forgetConversations(tenantId, channelId);
}
