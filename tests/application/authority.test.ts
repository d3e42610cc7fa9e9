import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { acts } from "../../src/application/acts.js";
import { answerAsk } from "../../src/application/asks/answer-ask.js";
import { answerAsks } from "../../src/application/asks/answer-asks.js";
import { answererOf } from "../../src/application/asks/ask-view.js";
import { claimAsk, deferAsk } from "../../src/application/asks/claim-ask.js";
import { readInboxRevision } from "../../src/application/asks/count-asks.js";
import { declineAsk } from "../../src/application/asks/decline-ask.js";
import { readAsk } from "../../src/application/asks/read-ask.js";
import { exportAudit } from "../../src/application/audit/export-audit.js";
import { listAudit } from "../../src/application/audit/list-audit.js";
import { exportAuditRows } from "../../src/application/audit/prove-audit.js";
import { putChannel } from "../../src/application/channels/put-channel.js";
import { receiveChannelEvents } from "../../src/application/channels/receive-events.js";
import { applyConfig } from "../../src/application/config/apply-config.js";
import { planConfig } from "../../src/application/config/plan-config.js";
import { followEvents } from "../../src/application/events/follow-events.js";
import { compareSupervisors } from "../../src/application/evidence/compare-supervisors.js";
import { drawItems } from "../../src/application/evidence/draw-items.js";
import { putDataset } from "../../src/application/evidence/manage-datasets.js";
import { readComparison, resumeEval, startEval } from "../../src/application/evidence/manage-evals.js";
import { promoteExperiment, putExperiment } from "../../src/application/evidence/manage-experiments.js";
import { addItems, labelItem } from "../../src/application/evidence/manage-items.js";
import { replaySession, replaySessions } from "../../src/application/evidence/replay-turns.js";
import {
  grantAccess,
  listOwnGrants,
  readAccessRequest,
  refuseAccess,
  revokeOwnGrant,
} from "../../src/application/grants/manage-grants.js";
import { listLimitEvents } from "../../src/application/limits/list-events.js";
import { putDeploymentLimit, putLimit } from "../../src/application/limits/manage-limits.js";
import { raiseDeploymentLimit, raiseLimit } from "../../src/application/limits/raise-limit.js";
import { awaitConsistency } from "../../src/application/memory/await-consistency.js";
import { flushThread } from "../../src/application/memory/flush-thread.js";
import { keepDeadLetter } from "../../src/application/memory/handle-dead-letters.js";
import { listMemoryEvents } from "../../src/application/memory/list-events.js";
import * as entries from "../../src/application/memory/manage-entries.js";
import * as memories from "../../src/application/memory/manage-memories.js";
import { createVault } from "../../src/application/memory/manage-vaults.js";
import { readPrompts } from "../../src/application/memory/read-prompts.js";
import { searchEntries, searchMemories } from "../../src/application/memory/search-entries.js";
import { recordMessages } from "../../src/application/memory/use-threads.js";
import { writeMemoryContext } from "../../src/application/memory/write-contexts.js";
import { completeChat } from "../../src/application/openai/complete-chat.js";
import { deleteResponse } from "../../src/application/openai/delete-response.js";
import { readResponse } from "../../src/application/openai/read-response.js";
import { inviteFirstPerson } from "../../src/application/people/invite-first-person.js";
import { changePerson, invitePerson } from "../../src/application/people/manage-people.js";
import { addOwnPasskey, deleteOwnPasskey, listOwnPasskeys, signOut } from "../../src/application/people/own-sign-in.js";
import { readPeopleNames } from "../../src/application/people/read-names.js";
import { putPrices } from "../../src/application/prices/prices.js";
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
import { restoreRoundtable, restoreRun, restoreSession, restoreThread } from "../../src/application/restores/acts.js";
import { listErasures, replayErasures } from "../../src/application/restores/ledger.js";
import { continueRoundtable } from "../../src/application/roundtables/continue-roundtable.js";
import { controlRoundtable } from "../../src/application/roundtables/control-roundtable.js";
import { forkRoundtable } from "../../src/application/roundtables/fork-roundtable.js";
import { giveContext } from "../../src/application/roundtables/give-context.js";
import { startRoundtable } from "../../src/application/roundtables/start-roundtable.js";
import { synthesizeRoundtable } from "../../src/application/roundtables/synthesize-roundtable.js";
import { readTrace } from "../../src/application/runs/read-trace.js";
import { startRun, streamRun } from "../../src/application/runs/start-run.js";
import { deleteSecret, putSecret, readSecret } from "../../src/application/secrets/manage-secrets.js";
import type { Services } from "../../src/application/services.js";
import { beginSession, ensureSession } from "../../src/application/sessions/begin-session.js";
import { changeSessionContext } from "../../src/application/sessions/change-context.js";
import { changeSession } from "../../src/application/sessions/change-session.js";
import { editMessage } from "../../src/application/sessions/edit-message.js";
import { giveFeedback } from "../../src/application/sessions/give-feedback.js";
import { readTurnTrace } from "../../src/application/sessions/read-turn-trace.js";
import { requestPerson } from "../../src/application/sessions/request-person.js";
import { sendMessage, streamMessage } from "../../src/application/sessions/send-message.js";
import { writeAsStaff } from "../../src/application/sessions/write-as-staff.js";
import { eraseSubject, exportSubject } from "../../src/application/subjects/begin-job.js";
import { putHold } from "../../src/application/subjects/holds.js";
import { readSubjectFile } from "../../src/application/subjects/read-jobs.js";
import { labelDecision, labelMessage } from "../../src/application/supervision/label-decision.js";
import { replayDecisions } from "../../src/application/supervision/replay-decisions.js";
import { triedSupervisors } from "../../src/application/supervision/tried-supervisors.js";
import { trySupervision } from "../../src/application/supervision/try-supervisors.js";
import { runMaintenance } from "../../src/application/system/run-maintenance.js";
import { changeTenant } from "../../src/application/tenants/change-tenant.js";
import { createTenant } from "../../src/application/tenants/create-tenant.js";
import { importTenant } from "../../src/application/tenants/import-tenant.js";
import { createKey } from "../../src/application/tenants/keys.js";
import { moveTenant } from "../../src/application/tenants/move-tenant.js";
import { createOwnKey } from "../../src/application/tenants/own-keys.js";
import { changeSettings } from "../../src/application/tenants/own-settings.js";
import { mintToken } from "../../src/application/tokens/mint-token.js";
import { deliverWebhooks } from "../../src/application/webhooks/deliver-webhooks.js";
import { putWebhook } from "../../src/application/webhooks/manage-webhooks.js";
import { webhookSchema } from "../../src/catalogues/webhooks.js";
import { connectionSchema } from "../../src/channels/connection.js";
import { contextChangeSchema } from "../../src/chat/context.js";
import { newSessionSchema } from "../../src/chat/session.js";
import { turnRequestSchema } from "../../src/chat/turn-request.js";
import { composeServices } from "../../src/composition/services.js";
import { attempt, problem } from "../../src/conversation/problem.js";
import { newMemorySchema } from "../../src/memory/memory.js";
import { newRoundtableSchema } from "../../src/roundtable/roundtable.js";
import { newRunSchema } from "../../src/routing/run.js";
import { type Actor, deploymentActor, systemActor } from "../../src/tenancy/actor.js";
import type { Requirement } from "../../src/tenancy/acts.js";
import { newTenantSchema } from "../../src/tenancy/tenant.js";
import { newTokenSchema } from "../../src/tenancy/user-token.js";

type Call = (actor: Actor, services: Services) => Promise<unknown>;

const tenantId = "ten_1";
const config = { resources: {}, prune: false };
const page = { limit: 10 };
const response = `resp_ses_${"0".repeat(26)}_${"0".repeat(26)}`;
const message = { sessionId: "ses_1", messageId: "msg_1" };
const thread = { memoryId: "mem_1", threadId: "main" };
const entry = { memoryId: "mem_1", entryId: "ent_1" };
const newEntry = { rawEntry: "The cat is called Tom.", role: "user", tags: {} };
const _version = { memoryId: "mem_1", version: 1 };
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
const newLimit = { per: "tenant", measure: "messages", max: 1 };
const newRaise = { by: 1, until: "2100-01-01T00:00:00Z", reason: "more" };
const newWebhook = webhookSchema.parse({ url: "https://crm.example/hook", events: ["turn.completed"] });
const newRoundtable = { ...newRoundtableSchema.parse({ topic: "Ship it?", panel: "review" }), waitMs: 0 };
const sentPanel = { ...newRoundtableSchema.parse({ topic: "Ship it?", seats: [{ id: "a" }, { id: "b" }] }), waitMs: 0 };
const trial = { agent: "a", variants: [{ name: "b", agent: "a", share: 0.1 }] };
const wantedEval = {
  dataset: "texts",
  candidates: [{ name: "now", supervisors: ["privacy"] }],
  repeats: 1,
  parallel: 1,
  callHttp: false,
  copy: false,
  estimate: false,
};
const { dataset: _, ...ofTurns } = wantedEval;
const wantedReplay = { ...ofTurns, sample: 1, seed: "1" };
const table = { roundtableId: "rt_1" };
const at = "2026-11-24T10:00:00Z";
const newTenant = newTenantSchema.parse({ name: "Acme" });
const connection = connectionSchema().parse({
  kind: "generic",
  agent: "assistant",
  credentials: { secret: "a secret of the channel", replyUrl: "https://chat.example/replies" },
});
const request = { query: "cat", topEntries: 1, topContexts: 1, filter: {} };

/** Acts that a path and a query say all of are called with what their route takes: anything has an id or a version of 1. */
const callsByRoute = Object.fromEntries(
  acts.flatMap((one): [string, Call][] => {
    if (!("read" in one) || one.route === undefined || one.route.body !== undefined) return [];
    const names = [...one.route.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const read = one.read(Object.fromEntries(names.map((name) => [name, "1"])));
    return read.ok ? [[one.act, read.perform]] : [];
  }),
);

const erasure = {
  tenantId: "ten_1",
  kind: "session",
  rootId: "ses_1",
  itemId: "",
  at: "2099-11-24T09:30:00.000Z",
} as const;

/** Every act, called with something that it takes. */
const calls: Readonly<Record<string, Call>> = {
  ...callsByRoute,
  beginSession: (actor, services) => beginSession(actor, { definition: newSession }, services),
  equipSession: (actor, services) =>
    beginSession(actor, { definition: { ...newSession, metadata: { plan: "gold" } } }, services),
  chooseSessionContext: (actor, services) =>
    beginSession(
      actor,
      { definition: newSessionSchema.parse({ agent: "assistant", context: { tools: ["shop/refund"] } }) },
      services,
    ),
  superviseSession: (actor, services) =>
    changeSession(actor, { sessionId: "ses_1", change: { addSupervisors: ["guard"] } }, services),
  changeSession: (actor, services) =>
    changeSession(actor, { sessionId: "ses_1", change: { subject: "ada" } }, services),
  completeChat: (actor, services) => {
    const request = turnRequestSchema.parse({});
    const caller = { signal: new AbortController().signal, background: () => {} };
    return completeChat(
      actor,
      { input: { agent: "assistant", metadata: {}, content: "hi", request }, caller },
      services,
    );
  },
  instructAgent: (actor, services) => {
    const request = turnRequestSchema.parse({ instructions: "Be brief." });
    const caller = { signal: new AbortController().signal, background: () => {} };
    return completeChat(
      actor,
      { input: { agent: "assistant", metadata: {}, content: "hi", request }, caller },
      services,
    );
  },
  sendMessage: (actor, services) => sendMessage(actor, { sessionId: "ses_1", content: "hi", waitMs: 0 }, services),
  readResponse: (actor, services) => readResponse(actor, { id: response }, services),
  deleteResponse: (actor, services) => deleteResponse(actor, { id: response }, services),
  editMessage: (actor, services) =>
    editMessage(actor, { ...message, edit: { operations: [], baseHash: "x" } }, services),
  writeAsStaff: (actor, services) =>
    writeAsStaff(actor, { sessionId: "ses_1", message: { content: "Here I am." } }, services),
  requestPerson: (actor, services) => requestPerson(actor, { sessionId: "ses_1", request: {} }, services),
  giveFeedback: (actor, services) =>
    giveFeedback(actor, { sessionId: "ses_1", feedback: { about: { turnId: "trn_1" }, score: 1 } }, services),
  changeSessionContext: (actor, services) =>
    changeSessionContext(actor, { sessionId: "ses_1", change: contextChangeSchema.parse({}) }, services),
  followEvents: async (actor, services) => (await followEvents(actor, root, services)).stream(events),
  answerAsk: (actor, services) => answerAsk(actor, { askId: "ask_1", answer: { response: "yes" } }, services),
  answerAsks: (actor, services) => answerAsks(actor, { answers: { askIds: ["ask_1"], decision: "accept" } }, services),
  readInboxRevision: (actor, services) => readInboxRevision(actor, {}, services),
  declineAsk: (actor, services) => declineAsk(actor, { askId: "ask_1" }, services),
  deferAsk: (actor, services) => deferAsk(actor, { askId: "ask_1", deferral: { until: null } }, services),
  claimAsk: (actor, services) => claimAsk(actor, { askId: "ask_1", claim: { takeOver: true } }, services),
  answerStaffAsks: (actor, services) =>
    answererOf(actor).asStaff
      ? readAsk(actor, { askId: "ask_1" }, services)
      : Promise.reject(problem("forbidden", "not staff")),
  exportAudit: (actor, services) => exportAudit(actor, { format: "csv" }, services),
  exportAuditRows: (actor, services) => exportAuditRows(actor, { from: 0 }, services),
  listAudit: (actor, services) => listAudit(actor, page, services),
  startRun: (actor, services) => startRun(actor, { definition: newRun, waitMs: 0 }, services),
  sendTeam: (actor, services) => startRun(actor, { definition: sentTeam, waitMs: 0 }, services),
  readTurnTrace: (actor, services) => readTurnTrace(actor, { sessionId: "ses_1", turnId: "trn_1" }, services),
  readTrace: (actor, services) => readTrace(actor, { runId: "run_1" }, services),
  startRoundtable: (actor, services) => startRoundtable(actor, { start: newRoundtable }, services),
  sendPanel: (actor, services) => startRoundtable(actor, { start: sentPanel }, services),
  continueRoundtable: (actor, services) => continueRoundtable(actor, { ...table, command: { waitMs: 0 } }, services),
  giveContext: (actor, services) =>
    giveContext(actor, { roundtableId: "rt_1", given: { contextResults: [] } }, services),
  synthesizeRoundtable: (actor, services) => synthesizeRoundtable(actor, { ...table, wait: { waitMs: 0 } }, services),
  controlRoundtable: (actor, services) =>
    controlRoundtable(actor, { ...table, control: { action: "stop", waitMs: 0 } }, services),
  forkRoundtable: (actor, services) => forkRoundtable(actor, { roundtableId: "rt_1", fork: { round: 1 } }, services),
  pinTools: (actor, services) => pinTools(actor, { name: "docs" }, services),
  putResource: (actor, services) =>
    putResource(actor, { kind: "prompts", name: "summary", body: { text: "Sum it up." } }, services),
  planConfig: (actor, services) => planConfig(actor, { config }, services),
  applyConfig: (actor, services) => applyConfig(actor, { config }, services),
  deleteSecret: (actor, services) => deleteSecret(actor, { name: "TOKEN" }, services),
  readSecret: (actor, services) => readSecret(actor, { name: "TOKEN" }, services),
  putSecret: (actor, services) => putSecret(actor, { name: "TOKEN", secret: { value: "x" } }, services),
  readResource: (actor, services) => readResource(actor, { kind: "agents", name: "assistant" }, services),
  listResources: (actor, services) => listResources(actor, { ...page, kind: "agents" }, services),
  readWholeResource: (actor, services) => readResource(actor, rule, services),
  readPeopleNames: (actor, services) => readPeopleNames(actor, { personIds: ["per_1"] }, services),
  putExperiment: (actor, services) => putExperiment(actor, { name: "e", experiment: trial }, services),
  promoteExperiment: (actor, services) => promoteExperiment(actor, { name: "e", winner: { variant: "b" } }, services),
  putDataset: (actor, services) => putDataset(actor, { name: "texts", dataset: {} }, services),
  addItems: (actor, services) => addItems(actor, { name: "texts", lines: '{"input": "a"}' }, services),
  drawItems: (actor, services) =>
    drawItems(
      actor,
      { name: "texts", draw: { labels: "none", filter: {}, sample: 1, seed: "1", copy: false } },
      services,
    ),
  labelItem: (actor, services) =>
    labelItem(actor, { name: "texts", itemId: "itm_1", label: { expected: { action: "allow" } } }, services),
  startEval: (actor, services) => startEval(actor, { eval: wantedEval }, services),
  replaySession: (actor, services) => replaySession(actor, { sessionId: "ses_1", replay: wantedReplay }, services),
  replaySessions: (actor, services) => replaySessions(actor, { replay: { ...wantedReplay, filter: {} } }, services),
  readComparison: (actor, services) => readComparison(actor, { evalId: "evl_1_texts" }, services),
  compareSupervisors: (actor, services) => compareSupervisors(actor, { name: "next", with: "privacy" }, services),
  resumeEval: (actor, services) => resumeEval(actor, { evalId: "evl_1_texts", budget: { maxTokens: 1 } }, services),
  trySupervision: (actor, services) =>
    trySupervision(actor, { trial: { supervisors: ["privacy"], on: { text: "Hello." }, callHttp: false } }, services),
  replayDecisions: (actor, services) =>
    replayDecisions(actor, { replay: { supervisor: "privacy", of: "privacy" } }, services),
  labelDecision: (actor, services) =>
    labelDecision(actor, { decisionId: "dec_ses_1_1_0", label: { label: "wrong" } }, services),
  labelMessage: (actor, services) => labelMessage(actor, { ...message, label: { label: "wrong" } }, services),
  sendSupervisor: (actor, services) =>
    triedSupervisors(
      [{ kind: "http", hooks: ["hop"], config: { url: "https://a.example", secret: "s" } }],
      actor,
      services,
    ),
  deleteResource: (actor, services) => deleteResource(actor, rule, services),
  listResourceVersions: (actor, services) => listResourceVersions(actor, { ...page, ...rule }, services),
  readResourceVersion: (actor, services) => readResourceVersion(actor, { ...rule, version: 1 }, services),
  compareResourceVersions: (actor, services) => compareResourceVersions(actor, { ...rule, from: 1, to: 2 }, services),
  restoreResource: (actor, services) => restoreResource(actor, { ...rule, version: 1 }, services),
  putChannel: (actor, services) => putChannel(actor, { name: "chat", connection }, services),
  receiveChannelEvents: (actor, services) =>
    receiveChannelEvents(
      actor,
      {
        open: { tenantId, channelId: "chn_1", name: "chat", connection },
        received: { kind: "answered", answer: {} },
      },
      services,
    ),
  createVault: (actor, services) => createVault(actor, { vault: { title: "Vault" } }, services),
  createMemory: (actor, services) => memories.createMemory(actor, { vaultId: "vlt_1", memory: newMemory }, services),
  recordMessages: (actor, services) => recordMessages(actor, { ...thread, sent: { messages: [] } }, services),
  awaitConsistency: (actor, services) =>
    awaitConsistency(actor, { memoryId: "mem_1", goal: { level: "stored", timeoutMs: 0 } }, services),
  addEntry: (actor, services) => entries.addEntry(actor, { memoryId: "mem_1", entry: newEntry }, services),
  tagEntry: (actor, services) => entries.tagEntry(actor, { ...entry, change: { tags: {} } }, services),
  correctEntry: (actor, services) => entries.correctEntry(actor, { ...entry, entry: newEntry }, services),
  changeMemory: (actor, services) =>
    memories.changeMemory(actor, { memoryId: "mem_1", change: { title: "x" } }, services),
  listMemoryEvents: (actor, services) => listMemoryEvents(actor, { memoryId: "mem_1", limit: 1 }, services),
  searchMemories: (actor, services) => searchMemories(actor, { request: { ...request, subject: "ada" } }, services),
  searchEntries: (actor, services) => searchEntries(actor, { memoryId: "mem_1", request }, services),
  writeMemoryContext: (actor, services) => writeMemoryContext(actor, { memoryId: "mem_1", document: "x" }, services),
  readPrompts: (actor, services) => readPrompts(actor, {}, services),
  putLimit: (actor, services) => putLimit(actor, { name: "few", limit: newLimit }, services),
  raiseLimit: (actor, services) => raiseLimit(actor, { name: "few", raise: newRaise }, services),
  listLimitEvents: (actor, services) => listLimitEvents(actor, { limit: 1 }, services),
  putDeploymentLimit: (actor, services) => putDeploymentLimit(actor, { name: "few", limit: newLimit }, services),
  raiseDeploymentLimit: (actor, services) => raiseDeploymentLimit(actor, { name: "few", raise: newRaise }, services),
  putWebhook: (actor, services) => putWebhook(actor, { name: "crm", webhook: newWebhook }, services),
  deliverWebhooks: (actor, services) => deliverWebhooks(actor, { tenantId, rootId: "ses_1" }, services),
  invitePerson: (actor, services) =>
    invitePerson(actor, { person: { name: "Ada", email: "ada@example.com", role: "reviewer" } }, services),
  changePerson: (actor, services) =>
    changePerson(actor, { personId: "per_2", change: { status: "suspended" } }, services),
  inviteFirstPerson: (actor, services) =>
    inviteFirstPerson(actor, { tenantId, person: { name: "Ada", email: "ada@example.com", role: "admin" } }, services),
  listOwnPasskeys: (actor, services) => listOwnPasskeys(actor, {}, services),
  addOwnPasskey: (actor, services) => {
    const passkey = { label: "x", challenge: "x.x", credentialId: "x", publicKey: "x", algorithm: -7 };
    const at = { origin: "https://conclave.test", host: "conclave.test" };
    return addOwnPasskey(actor, { passkey: { ...passkey, clientDataJSON: "x", authenticatorData: "x" }, at }, services);
  },
  deleteOwnPasskey: (actor, services) => deleteOwnPasskey(actor, { credentialId: "x" }, services),
  signOut: (actor, services) => signOut(actor, { sessionHash: "x" }, services),
  readAccessRequest: (actor, services) => readAccessRequest(actor, { search: "" }, services),
  grantAccess: (actor, services) => grantAccess(actor, { search: "", reach: "own" }, services),
  refuseAccess: (actor, services) => refuseAccess(actor, { search: "" }, services),
  listOwnGrants: (actor, services) => listOwnGrants(actor, {}, services),
  revokeOwnGrant: (actor, services) => revokeOwnGrant(actor, { grantId: "grt_1" }, services),
  mintToken: (actor, services) => mintToken(actor, { request: newTokenSchema.parse({ subject: "ada" }) }, services),
  exportSubject: (actor, services) => exportSubject(actor, { subject: "ada", request: { originals: false } }, services),
  eraseSubject: (actor, services) => eraseSubject(actor, { subject: "ada", request: { reason: "asked" } }, services),
  readSubjectFile: (actor, services) => readSubjectFile(actor, { jobId: "sjb_1", kind: "sessions" }, services),
  putHold: (actor, services) => putHold(actor, { name: "case", hold: { subjects: ["ada"], reason: "a" } }, services),
  changeSettings: (actor, services) => changeSettings(actor, { change: { name: "New" } }, services),
  restoreSession: (actor, services) => restoreSession(actor, { sessionId: "ses_1", target: { at } }, services),
  restoreRun: (actor, services) => restoreRun(actor, { runId: "run_1", target: { at } }, services),
  restoreThread: (actor, services) =>
    restoreThread(actor, { memoryId: "mem_1", threadId: "main", target: { at } }, services),
  restoreRoundtable: (actor, services) => restoreRoundtable(actor, { roundtableId: "rt_1", target: { at } }, services),
  listErasures: (actor, services) => listErasures(actor, { limit: 1, since: at }, services),
  replayErasures: (actor, services) => replayErasures(actor, { ledger: { since: at, items: [erasure] } }, services),
  importTenant: (actor, services) =>
    importTenant(actor, { tenantId: actor.tenantId, copy: { format: 1, items: [] } }, services),
  moveTenant: (actor, services) => moveTenant(actor, { tenantId, move: { to: 1 } }, services),
  createOwnKey: (actor, services) => createOwnKey(actor, { key: { role: "client" } }, services),
  putPrices: (actor, services) => putPrices(actor, { prices: { currency: "USD", models: {} } }, services),
  createTenant: (actor, services) => createTenant(actor, { tenant: newTenant }, services),
  changeTenant: (actor, services) => changeTenant(actor, { tenantId, change: { name: "New" } }, services),
  createKey: (actor, services) => createKey(actor, { tenantId, key: { role: "client" } }, services),
  runMaintenance: (actor, services) => runMaintenance(actor, { at: 0 }, services),
  flushThread: (actor, services) => flushThread(actor, job, services),
  keepDeadLetter: (actor, services) => keepDeadLetter(actor, { messageId: "m1", job }, services),
};

/** Further ways into an act, which stand under the same authority. */
const otherWays: readonly [string, Call][] = [
  [
    "beginSession",
    (actor, services) => ensureSession(actor, { externalId: "room-1", definition: newSession }, services),
  ],
  [
    "createMemory",
    (actor, services) =>
      memories.ensureMemory(actor, { vaultId: "vlt_1", externalId: "ada", memory: newMemory }, services),
  ],
  ["startRun", (actor, services) => streamRun(actor, newRun, services)],
  ["sendMessage", (actor, services) => streamMessage(actor, { sessionId: "ses_1", content: "hi" }, services)],
];

class TouchedError extends Error {}

/** Services of which nothing may be used, however deep. In which database they are isn't read there. */
const untouchable = new Proxy(composeServices(env), {
  get: (services, name) => {
    if (name === "database" || name === "databases" || name === "moved") return services[name];
    throw new TouchedError(`services.${String(name)} was used`);
  },
});

function keyOf(role: "client" | "operator" | "admin"): Actor {
  return { tenantId, kind: "key", id: "key_1", role };
}

const user: Actor = { tenantId, kind: "token", id: "tok:ada", role: "user", subject: "ada" };

const reviewer: Actor = { tenantId, kind: "person", id: "per_1", role: "reviewer" };

/** Who may just do it, and who may just not. */
function actorsAround(needed: Requirement): { least: Actor; tooLow: Actor } {
  switch (needed) {
    case "person":
      return { least: reviewer, tooLow: keyOf("admin") };
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
  acts
    .filter(({ act }) => act === name)
    .map((permission) => ({ ...permission, call, ...actorsAround(permission.role) })),
);

/** What a call comes to; those that refuse by a result are no values yet. */
async function outcome(call: Call, actor: Actor): Promise<unknown> {
  const done = await attempt(() => call(actor, untouchable));
  return done.ok ? done.value : done;
}

describe("an act", () => {
  it("is called here", () => {
    const names = acts.map(({ act }) => act).filter((act) => act !== "readOriginals");
    expect(names.filter((act) => !Object.hasOwn(calls, act))).toEqual([]);
  });

  it.each(cases)("is refused below its role without touching anything: $act", async ({ call, tooLow }) => {
    expect(await outcome(call, tooLow)).toMatchObject({ ok: false, problem: { code: "forbidden" } });
  });

  it.each(cases)("is begun by the least role that may: $act", async ({ call, least }) => {
    await expect((async () => call(least, untouchable))()).rejects.toBeInstanceOf(TouchedError);
  });
});

const widenable = cases.flatMap(({ act, call, clientMay }) =>
  clientMay ? [{ act, call, client: { ...keyOf("client"), clientMay: [act] } }] : [],
);

describe("a client", () => {
  it.each(widenable)("may do what its tenant's settings name: $act", async ({ call, client }) => {
    await expect((async () => call(client, untouchable))()).rejects.toBeInstanceOf(TouchedError);
  });
});

const notOfSubjects = cases.filter(({ ofSubject }) => !ofSubject);

describe("an end user", () => {
  it.each(notOfSubjects)("does nothing but what is its own subject's: not $act", async ({ call }) => {
    expect(await outcome(call, user)).toMatchObject({ ok: false, problem: { code: "forbidden" } });
  });
});

describe("a reviewer", () => {
  const may = cases.filter(({ reviewers, role }) => reviewers || role === "person");

  it.each(may)("does what the act lets reviewers do: $act", async ({ call }) => {
    await expect((async () => call(reviewer, untouchable))()).rejects.toBeInstanceOf(TouchedError);
  });

  it.each(cases.filter((one) => !may.includes(one)))("does nothing else: not $act", async ({ call }) => {
    expect(await outcome(call, reviewer)).toMatchObject({ ok: false, problem: { code: "forbidden" } });
  });
});
