import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { answerAsk } from "../../src/application/asks/answer-ask.js";
import { answererOf } from "../../src/application/asks/ask-view.js";
import { cancelAsk } from "../../src/application/asks/cancel-ask.js";
import { listAsks } from "../../src/application/asks/list-asks.js";
import { readAsk } from "../../src/application/asks/read-ask.js";
import { exportAudit } from "../../src/application/audit/export-audit.js";
import {
  deleteChannel,
  retryChannelDelivery,
  rotateChannelAddress,
} from "../../src/application/channels/change-channels.js";
import { putChannel } from "../../src/application/channels/put-channel.js";
import { listChannelDeliveries, listChannels, readChannel } from "../../src/application/channels/read-channels.js";
import { receiveChannelEvents } from "../../src/application/channels/receive-events.js";
import { listParkedDeliveries, retryParkedDeliveries } from "../../src/application/deliveries/parked-deliveries.js";
import { canFollow, connectToEvents, followEvents } from "../../src/application/events/follow-events.js";
import { awaitConsistency } from "../../src/application/memory/await-consistency.js";
import { flushThread } from "../../src/application/memory/flush-thread.js";
import { keepDeadLetter, listDeadLetters, retryDeadLetter } from "../../src/application/memory/handle-dead-letters.js";
import * as entries from "../../src/application/memory/manage-entries.js";
import * as memories from "../../src/application/memory/manage-memories.js";
import { createVault, deleteVault, listVaults, readVault } from "../../src/application/memory/manage-vaults.js";
import * as contexts from "../../src/application/memory/read-contexts.js";
import { readPrompts } from "../../src/application/memory/read-prompts.js";
import { searchEntries } from "../../src/application/memory/search-entries.js";
import {
  deleteThread,
  endThread,
  listThreads,
  readThread,
  recordMessages,
  startThread,
} from "../../src/application/memory/use-threads.js";
import { restoreMemoryContext, writeMemoryContext } from "../../src/application/memory/write-contexts.js";
import { completeChat } from "../../src/application/openai/complete-chat.js";
import { deleteResponse } from "../../src/application/openai/delete-response.js";
import { readResponse } from "../../src/application/openai/read-response.js";
import { deleteResource } from "../../src/application/resources/delete-resource.js";
import { listResources } from "../../src/application/resources/list-resources.js";
import { pinTools } from "../../src/application/resources/pin-tools.js";
import { putResource } from "../../src/application/resources/put-resource.js";
import { readResource } from "../../src/application/resources/read-resource.js";
import {
  compareResourceVersions,
  listResourceVersions,
  readResourceVersion,
  restoreResource,
} from "../../src/application/resources/resource-versions.js";
import { continueRoundtable } from "../../src/application/roundtables/continue-roundtable.js";
import { controlRoundtable } from "../../src/application/roundtables/control-roundtable.js";
import { forkRoundtable } from "../../src/application/roundtables/fork-roundtable.js";
import { giveContext } from "../../src/application/roundtables/give-context.js";
import { listRoundtables } from "../../src/application/roundtables/list-roundtables.js";
import { readRoundtable } from "../../src/application/roundtables/read-roundtable.js";
import { startRoundtable } from "../../src/application/roundtables/start-roundtable.js";
import { synthesizeRoundtable } from "../../src/application/roundtables/synthesize-roundtable.js";
import { cancelRun } from "../../src/application/runs/cancel-run.js";
import { listRuns } from "../../src/application/runs/list-runs.js";
import { readRun } from "../../src/application/runs/read-run.js";
import { readTrace } from "../../src/application/runs/read-trace.js";
import { startRun, streamRun } from "../../src/application/runs/start-run.js";
import type { Services } from "../../src/application/services.js";
import { beginSession, ensureSession } from "../../src/application/sessions/begin-session.js";
import { cancelTurn } from "../../src/application/sessions/cancel-turn.js";
import { changeSessionContext } from "../../src/application/sessions/change-context.js";
import { changeSession } from "../../src/application/sessions/change-session.js";
import { deleteSession } from "../../src/application/sessions/delete-session.js";
import { editMessage } from "../../src/application/sessions/edit-message.js";
import { eraseMessage } from "../../src/application/sessions/erase-message.js";
import { listSessions } from "../../src/application/sessions/list-sessions.js";
import { readSessionContext } from "../../src/application/sessions/read-context.js";
import { readSession } from "../../src/application/sessions/read-session.js";
import { readSupervision } from "../../src/application/sessions/read-supervision.js";
import { readTranscript } from "../../src/application/sessions/read-transcript.js";
import { readTurn } from "../../src/application/sessions/read-turn.js";
import { readTurnTrace } from "../../src/application/sessions/read-turn-trace.js";
import { readVersions } from "../../src/application/sessions/read-versions.js";
import { restoreSessionContext } from "../../src/application/sessions/restore-context.js";
import { restoreMessage } from "../../src/application/sessions/restore-message.js";
import { sendMessage, streamMessage } from "../../src/application/sessions/send-message.js";
import { runMaintenance } from "../../src/application/system/run-maintenance.js";
import { changeTenant } from "../../src/application/tenants/change-tenant.js";
import { createKey } from "../../src/application/tenants/create-key.js";
import { createTenant } from "../../src/application/tenants/create-tenant.js";
import { deleteKey } from "../../src/application/tenants/delete-key.js";
import { deleteTenant } from "../../src/application/tenants/delete-tenant.js";
import { listKeys } from "../../src/application/tenants/list-keys.js";
import { listTenants } from "../../src/application/tenants/list-tenants.js";
import { createOwnKey, deleteOwnKey, listOwnKeys } from "../../src/application/tenants/own-keys.js";
import { changeSettings, readSettings } from "../../src/application/tenants/own-settings.js";
import { readSigningSecret } from "../../src/application/tenants/read-signing-secret.js";
import { readTenant } from "../../src/application/tenants/read-tenant.js";
import { mintToken } from "../../src/application/tokens/mint-token.js";
import { revokeSubject } from "../../src/application/tokens/revoke-subject.js";
import { readUsage } from "../../src/application/usage/read-usage.js";
import { deliverWebhooks } from "../../src/application/webhooks/deliver-webhooks.js";
import { listWebhookDeliveries, retryWebhookDelivery } from "../../src/application/webhooks/list-deliveries.js";
import * as webhooks from "../../src/application/webhooks/manage-webhooks.js";
import { testWebhook } from "../../src/application/webhooks/test-webhook.js";
import { webhookSchema } from "../../src/catalogues/webhooks.js";
import { connectionSchema } from "../../src/channels/connection.js";
import { contextChangeSchema } from "../../src/chat/context.js";
import { newSessionSchema } from "../../src/chat/session.js";
import { turnRequestSchema } from "../../src/chat/turn-request.js";
import { composeServices } from "../../src/composition.js";
import { type Result, refuse } from "../../src/conversation/problem.js";
import { newMemorySchema } from "../../src/memory/memory.js";
import { newRoundtableSchema } from "../../src/roundtable/roundtable.js";
import { newRunSchema } from "../../src/routing/run.js";
import { type Actor, deploymentActor, systemActor } from "../../src/tenancy/actor.js";
import { type Act, acts, type Requirement, widenableActs } from "../../src/tenancy/acts.js";
import { newTenantSchema } from "../../src/tenancy/tenant.js";
import { newTokenSchema } from "../../src/tenancy/user-token.js";

type Call = (actor: Actor, services: Services) => Promise<Result<unknown>>;

const tenantId = "ten_1";
const page = { limit: 10 };
const response = `resp_ses_${"0".repeat(26)}_${"0".repeat(26)}`;
const message = { sessionId: "ses_1", messageId: "msg_1" };
const turn = { sessionId: "ses_1", turnId: "trn_1" };
const thread = { memoryId: "mem_1", threadId: "main" };
const entry = { memoryId: "mem_1", entryId: "ent_1" };
const newEntry = { rawEntry: "The cat is called Tom.", role: "user", tags: {} };
const version = { memoryId: "mem_1", version: 1 };
const rule = { kind: "rules" as const, name: "polite" };
const job = { tenantId, memoryId: "mem_1", threadId: "main", fromSeq: 1, toSeq: 1 };
const root = { kind: "session" as const, id: "ses_1" };
const events = { after: 0, lingerMs: 0 };
const newSession = newSessionSchema.parse({ agent: "assistant" });
const newRun = newRunSchema.parse({ team: "support", input: "help" });
const newMemory = newMemorySchema.parse({ title: "Memory" });
const sentTeam = newRunSchema.parse({
  team: { supervisor: { strategy: "round-robin" }, workers: [{ id: "a", description: "x", model: "offline" }] },
  input: "help",
});
const newWebhook = webhookSchema.parse({ url: "https://crm.example/hook", events: ["turn.completed"] });
const newRoundtable = newRoundtableSchema.parse({ topic: "Ship it?", panel: "review" });
const sentPanel = newRoundtableSchema.parse({ topic: "Ship it?", seats: [{ id: "a" }, { id: "b" }] });
const table = { roundtableId: "rt_1", waitMs: 0 };
const newTenant = newTenantSchema.parse({ name: "Acme" });
const connection = connectionSchema.parse({
  kind: "generic",
  agent: "assistant",
  credentials: { secret: "a secret of the channel", replyUrl: "https://chat.example/replies" },
});
const request = { query: "cat", topEntries: 1, topContexts: 1, filter: {} };

/** Every act, called with something that it takes. The compiler asks for a new one here. */
const calls: Record<Exclude<Act, "readOriginals">, Call> = {
  beginSession: (actor, services) => beginSession(actor, { definition: newSession }, services),
  equipSession: (actor, services) =>
    beginSession(actor, { definition: { ...newSession, metadata: { plan: "gold" } } }, services),
  chooseSessionContext: (actor, services) =>
    beginSession(
      actor,
      { definition: newSessionSchema.parse({ agent: "assistant", context: { tools: ["shop/refund"] } }) },
      services,
    ),
  listSessions: (actor, services) => listSessions(actor, page, services),
  changeSession: (actor, services) =>
    changeSession(actor, { sessionId: "ses_1", change: { subject: "ada" } }, services),
  readSession: (actor, services) => readSession(actor, "ses_1", services),
  deleteSession: (actor, services) => deleteSession(actor, "ses_1", services),
  completeChat: (actor, services) => {
    const request = turnRequestSchema.parse({});
    const caller = { signal: new AbortController().signal, background: () => {} };
    return completeChat(actor, { agent: "assistant", metadata: {}, content: "hi", request }, caller, services);
  },
  instructAgent: (actor, services) => {
    const request = turnRequestSchema.parse({ instructions: "Be brief." });
    const caller = { signal: new AbortController().signal, background: () => {} };
    return completeChat(actor, { agent: "assistant", metadata: {}, content: "hi", request }, caller, services);
  },
  sendMessage: (actor, services) => sendMessage(actor, { sessionId: "ses_1", content: "hi", waitMs: 0 }, services),
  readResponse: (actor, services) => readResponse(actor, response, services),
  deleteResponse: (actor, services) => deleteResponse(actor, response, services),
  readTurn: (actor, services) => readTurn(actor, { ...turn, waitMs: 0 }, services),
  cancelTurn: (actor, services) => cancelTurn(actor, turn, services),
  readTranscript: (actor, services) => readTranscript(actor, { ...page, sessionId: "ses_1" }, services),
  readVersions: (actor, services) => readVersions(actor, message, services),
  editMessage: (actor, services) =>
    editMessage(actor, { ...message, edit: { operations: [], baseHash: "x" } }, services),
  restoreMessage: (actor, services) => restoreMessage(actor, { ...message, version: 1 }, services),
  eraseMessage: (actor, services) => eraseMessage(actor, message, services),
  readSessionContext: (actor, services) => readSessionContext(actor, "ses_1", services),
  changeSessionContext: (actor, services) =>
    changeSessionContext(actor, { sessionId: "ses_1", change: contextChangeSchema.parse({}) }, services),
  restoreSessionContext: (actor, services) =>
    restoreSessionContext(actor, { sessionId: "ses_1", version: 1 }, services),
  readSupervision: (actor, services) => readSupervision(actor, { ...page, sessionId: "ses_1" }, services),
  followEvents: (actor, services) => followEvents(actor, { root, query: events }, services),
  listAsks: (actor, services) => listAsks(actor, page, services),
  readAsk: (actor, services) => readAsk(actor, "ask_1", services),
  answerAsk: (actor, services) => answerAsk(actor, { askId: "ask_1", answer: { response: "yes" } }, services),
  cancelAsk: (actor, services) => cancelAsk(actor, "ask_1", services),
  answerStaffAsks: async (actor, services) =>
    answererOf(actor).asStaff ? readAsk(actor, "ask_1", services) : refuse("forbidden", "not staff"),
  exportAudit: (actor, services) => exportAudit(actor, { format: "csv" }, services),
  listParkedDeliveries: (actor, services) => listParkedDeliveries(actor, "ses_1", services),
  retryParkedDeliveries: (actor, services) => retryParkedDeliveries(actor, "ses_1", services),
  startRun: (actor, services) => startRun(actor, { definition: newRun, waitMs: 0 }, services),
  sendTeam: (actor, services) => startRun(actor, { definition: sentTeam, waitMs: 0 }, services),
  listRuns: (actor, services) => listRuns(actor, page, services),
  readRun: (actor, services) => readRun(actor, { runId: "run_1", waitMs: 0 }, services),
  readTurnTrace: (actor, services) => readTurnTrace(actor, { sessionId: "ses_1", turnId: "trn_1" }, services),
  readTrace: (actor, services) => readTrace(actor, "run_1", services),
  cancelRun: (actor, services) => cancelRun(actor, "run_1", services),
  startRoundtable: (actor, services) => startRoundtable(actor, { start: newRoundtable, waitMs: 0 }, services),
  sendPanel: (actor, services) => startRoundtable(actor, { start: sentPanel, waitMs: 0 }, services),
  listRoundtables: (actor, services) => listRoundtables(actor, page, services),
  readRoundtable: (actor, services) => readRoundtable(actor, table, services),
  continueRoundtable: (actor, services) => continueRoundtable(actor, { ...table, command: {} }, services),
  giveContext: (actor, services) => giveContext(actor, { roundtableId: "rt_1", results: [] }, services),
  synthesizeRoundtable: (actor, services) => synthesizeRoundtable(actor, table, services),
  controlRoundtable: (actor, services) => controlRoundtable(actor, { ...table, action: "stop" }, services),
  forkRoundtable: (actor, services) => forkRoundtable(actor, { roundtableId: "rt_1", round: 1 }, services),
  pinTools: (actor, services) => pinTools(actor, { name: "docs" }, services),
  readSigningSecret: (actor, services) => readSigningSecret(actor, services),
  putResource: (actor, services) =>
    putResource(actor, { kind: "prompts", name: "summary", body: { text: "Sum it up." } }, services),
  readResource: (actor, services) => readResource(actor, { kind: "agents", name: "assistant" }, services),
  listResources: (actor, services) => listResources(actor, { ...page, kind: "agents" }, services),
  readWholeResource: (actor, services) => readResource(actor, rule, services),
  deleteResource: (actor, services) => deleteResource(actor, rule, services),
  listResourceVersions: (actor, services) => listResourceVersions(actor, { ...page, ...rule }, services),
  readResourceVersion: (actor, services) => readResourceVersion(actor, { ...rule, version: 1 }, services),
  compareResourceVersions: (actor, services) => compareResourceVersions(actor, { ...rule, from: 1, to: 2 }, services),
  restoreResource: (actor, services) => restoreResource(actor, { ...rule, version: 1 }, services),
  putChannel: (actor, services) => putChannel(actor, { name: "chat", connection }, services),
  readChannel: (actor, services) => readChannel(actor, "chat", services),
  listChannels: (actor, services) => listChannels(actor, page, services),
  deleteChannel: (actor, services) => deleteChannel(actor, "chat", services),
  rotateChannelAddress: (actor, services) => rotateChannelAddress(actor, "chat", services),
  listChannelDeliveries: (actor, services) => listChannelDeliveries(actor, { ...page, name: "chat" }, services),
  retryChannelDelivery: (actor, services) =>
    retryChannelDelivery(actor, { name: "chat", deliveryId: "dlv_1" }, services),
  receiveChannelEvents: (actor, services) =>
    receiveChannelEvents(
      actor,
      {
        open: { tenantId, channelId: "chn_1", name: "chat", connection },
        received: { kind: "answered", answer: {} },
      },
      services,
    ),
  createVault: (actor, services) => createVault(actor, { title: "Vault" }, services),
  listVaults: (actor, services) => listVaults(actor, page, services),
  readVault: (actor, services) => readVault(actor, "vlt_1", services),
  deleteVault: (actor, services) => deleteVault(actor, "vlt_1", services),
  createMemory: (actor, services) => memories.createMemory(actor, { vaultId: "vlt_1", memory: newMemory }, services),
  listMemories: (actor, services) => memories.listMemories(actor, { ...page, vaultId: "vlt_1" }, services),
  findMemories: (actor, services) => memories.findMemories(actor, page, services),
  readMemory: (actor, services) => memories.readMemory(actor, "mem_1", services),
  deleteMemory: (actor, services) => memories.deleteMemory(actor, "mem_1", services),
  startThread: (actor, services) => startThread(actor, thread, services),
  recordMessages: (actor, services) => recordMessages(actor, { ...thread, messages: [] }, services),
  endThread: (actor, services) => endThread(actor, thread, services),
  readThread: (actor, services) => readThread(actor, thread, services),
  listThreads: (actor, services) => listThreads(actor, { ...page, memoryId: "mem_1" }, services),
  deleteThread: (actor, services) => deleteThread(actor, thread, services),
  awaitConsistency: (actor, services) =>
    awaitConsistency(actor, { memoryId: "mem_1", level: "stored", timeoutMs: 0 }, services),
  listDeadLetters: (actor, services) => listDeadLetters(actor, { ...page, memoryId: "mem_1" }, services),
  retryDeadLetter: (actor, services) => retryDeadLetter(actor, { memoryId: "mem_1", deadLetterId: "dlq_1" }, services),
  addEntry: (actor, services) => entries.addEntry(actor, { memoryId: "mem_1", entry: newEntry }, services),
  listEntries: (actor, services) => entries.listEntries(actor, { ...page, memoryId: "mem_1", filter: {} }, services),
  readEntry: (actor, services) => entries.readEntry(actor, entry, services),
  tagEntry: (actor, services) => entries.tagEntry(actor, { ...entry, tags: {} }, services),
  correctEntry: (actor, services) => entries.correctEntry(actor, { ...entry, entry: newEntry }, services),
  deleteEntry: (actor, services) => entries.deleteEntry(actor, entry, services),
  searchEntries: (actor, services) => searchEntries(actor, { memoryId: "mem_1", request }, services),
  readMemoryContext: (actor, services) => contexts.readMemoryContext(actor, "mem_1", services),
  writeMemoryContext: (actor, services) => writeMemoryContext(actor, { memoryId: "mem_1", document: "x" }, services),
  restoreMemoryContext: (actor, services) => restoreMemoryContext(actor, version, services),
  listContextVersions: (actor, services) =>
    contexts.listContextVersions(actor, { ...page, memoryId: "mem_1" }, services),
  readContextVersion: (actor, services) => contexts.readContextVersion(actor, version, services),
  listContextSources: (actor, services) => contexts.listContextSources(actor, { ...page, ...version }, services),
  compareContextVersions: (actor, services) =>
    contexts.compareContextVersions(actor, { memoryId: "mem_1", from: 0, to: 1 }, services),
  readPrompts: (actor, services) => readPrompts(actor, services),
  putWebhook: (actor, services) => webhooks.putWebhook(actor, { name: "crm", webhook: newWebhook }, services),
  readWebhook: (actor, services) => webhooks.readWebhook(actor, "crm", services),
  listWebhooks: (actor, services) => webhooks.listWebhooks(actor, page, services),
  deleteWebhook: (actor, services) => webhooks.deleteWebhook(actor, "crm", services),
  listWebhookDeliveries: (actor, services) => listWebhookDeliveries(actor, { ...page, name: "crm" }, services),
  retryWebhookDelivery: (actor, services) =>
    retryWebhookDelivery(actor, { name: "crm", deliveryId: "whd_1" }, services),
  testWebhook: (actor, services) => testWebhook(actor, "crm", services),
  deliverWebhooks: (actor, services) => deliverWebhooks(actor, { tenantId, rootId: "ses_1" }, services),
  mintToken: (actor, services) => mintToken(actor, newTokenSchema.parse({ subject: "ada" }), services),
  revokeSubject: (actor, services) => revokeSubject(actor, "ada", services),
  readSettings: (actor, services) => readSettings(actor, services),
  changeSettings: (actor, services) => changeSettings(actor, { name: "New" }, services),
  createOwnKey: (actor, services) => createOwnKey(actor, { role: "client" }, services),
  listOwnKeys: (actor, services) => listOwnKeys(actor, page, services),
  deleteOwnKey: (actor, services) => deleteOwnKey(actor, "key_1", services),
  readUsage: (actor, services) => readUsage(actor, { groupBy: "day" }, services),
  createTenant: (actor, services) => createTenant(actor, newTenant, services),
  listTenants: (actor, services) => listTenants(actor, page, services),
  readTenant: (actor, services) => readTenant(actor, tenantId, services),
  changeTenant: (actor, services) => changeTenant(actor, { tenantId, change: { name: "New" } }, services),
  deleteTenant: (actor, services) => deleteTenant(actor, tenantId, services),
  createKey: (actor, services) => createKey(actor, { tenantId, role: "client" }, services),
  listKeys: (actor, services) => listKeys(actor, { ...page, tenantId }, services),
  deleteKey: (actor, services) => deleteKey(actor, { tenantId, keyId: "key_1" }, services),
  runMaintenance: (actor, services) => runMaintenance(actor, { at: 0 }, services),
  flushThread: (actor) => flushThread(actor, job, untouchableThreads),
  keepDeadLetter: (actor, services) => keepDeadLetter(actor, { messageId: "m1", job }, services),
};

/** Further ways into an act, which stand under the same authority. */
const otherWays: readonly [Act, Call][] = [
  [
    "beginSession",
    (actor, services) => ensureSession(actor, { externalId: "room-1", definition: newSession }, services),
  ],
  [
    "createMemory",
    (actor, services) =>
      memories.ensureMemory(actor, { vaultId: "vlt_1", externalId: "ada", memory: newMemory }, services),
  ],
  ["startRun", (actor, services) => streamRun(actor, { definition: newRun }, services)],
  ["sendMessage", (actor, services) => streamMessage(actor, { sessionId: "ses_1", content: "hi" }, services)],
  [
    "followEvents",
    (actor, services) => connectToEvents(actor, { root, request: new Request("https://conclave.test") }, services),
  ],
  ["followEvents", (actor, services) => canFollow(actor, root, services)],
];

class TouchedError extends Error {}

/** Services of which nothing may be used, however deep. */
const untouchable = new Proxy(composeServices(env), {
  get: (_services, name) => {
    throw new TouchedError(`services.${String(name)} was used`);
  },
});

/** The one act that is given less than the services. */
const untouchableThreads = {
  deliver: () => Promise.reject(new TouchedError("a thread was used")),
};

function keyOf(role: "client" | "operator" | "admin"): Actor {
  return { tenantId, kind: "key", id: "key_1", role };
}

const user: Actor = { tenantId, kind: "token", id: "tok:ada", role: "user", subject: "ada" };

/** Who may just do it, and who may just not. */
function actorsAround(needed: Requirement): { least: Actor; tooLow: Actor } {
  switch (needed) {
    case "client":
      return { least: keyOf("client"), tooLow: { tenantId, kind: "agent", id: "assistant" } };
    case "operator":
      return { least: keyOf("operator"), tooLow: keyOf("client") };
    case "admin":
      return { least: keyOf("admin"), tooLow: keyOf("operator") };
    case "deployment":
      return { least: deploymentActor, tooLow: keyOf("admin") };
    case "system":
      return { least: systemActor(tenantId, "queue"), tooLow: keyOf("admin") };
  }
}

const cases = [...Object.entries(calls), ...otherWays].flatMap(([name, call]) =>
  isAct(name) ? [{ act: name, call, ...actorsAround(acts[name].role) }] : [],
);

function isAct(name: string): name is Act {
  return Object.hasOwn(acts, name);
}

describe("an act", () => {
  it.each(cases)("is refused below its role without touching anything: $act", async ({ call, tooLow }) => {
    expect(await call(tooLow, untouchable)).toMatchObject({ ok: false, problem: { code: "forbidden" } });
  });

  it.each(cases)("is begun by the least role that may: $act", async ({ call, least }) => {
    await expect((async () => call(least, untouchable))()).rejects.toBeInstanceOf(TouchedError);
  });
});

const widenable = cases.flatMap(({ act, call }) =>
  widenableActs.includes(act) ? [{ act, call, client: { ...keyOf("client"), clientMay: [act] } }] : [],
);

describe("a client", () => {
  it.each(widenable)("may do what its tenant's settings name: $act", async ({ call, client }) => {
    await expect((async () => call(client, untouchable))()).rejects.toBeInstanceOf(TouchedError);
  });
});

const notOfSubjects = cases.flatMap(({ act, call }) => ("ofSubject" in acts[act] ? [] : [{ act, call }]));

describe("an end user", () => {
  it.each(notOfSubjects)("does nothing but what is its own subject's: not $act", async ({ call }) => {
    expect(await call(user, untouchable)).toMatchObject({ ok: false, problem: { code: "forbidden" } });
  });
});
