/**
 * What is known of a tenant is kept by its revision, so that everything that changes a tenant has to give it another one: also after the
 * database was set back to an earlier time, when counting alone would come to the same number for another state.
 */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { acts } from "../../src/application/acts.js";
import { defined } from "../../src/conversation/defined.js";
import { type Answer, newTenant, send, type TestTenant } from "../support/conclave.js";
import { upstreamFor } from "../support/upstream-client.js";

type Change = (tenant: TestTenant) => Promise<Answer | Response>;

const admin = (method: string, path: string, body?: unknown) =>
  send(method, `/v1/admin/tenants/${path}`, { key: env.ADMIN_SECRET, ...defined({ body }) });
const limit = { per: "tenant", measure: "messages", max: 1_000 };
const forTenant = ({ tenantId }: TestTenant) => ({ ...limit, match: { tenantId } });
const ofDeployment = ({ tenantId }: TestTenant, method: string, path: string, body?: unknown) =>
  send(method, `/v1/admin/limits/of-${tenantId.slice(-20)}${path}`, { key: env.ADMIN_SECRET, ...defined({ body }) });
const reference =
  (text: string): Change =>
  (tenant) =>
    tenant.call("PUT", "/v1/references/city", { text });
const keyOf = async (tenant: TestTenant): Promise<string> =>
  (await tenant.call("GET", "/v1/keys")).body.items.find(({ role }: { role: string }) => role === "client").keyId;

const experiment = { agent: "a", variants: [{ name: "b", agent: "a", share: 0.1 }] };
const agentOf: Change = (tenant) =>
  tenant.call("PUT", "/v1/agents/a", { kind: "model", model: "offline", instructions: "Help." });
const putSlack: Change = (tenant) =>
  tenant.call("PUT", "/v1/channels/desk", {
    ...{ kind: "slack", agent: "a" },
    credentials: { signingSecret: "s-1", botToken: "xoxb-1" },
  });

/** The acts that change what is kept of a tenant, each with what it needs before it, and itself. */
const raising = {
  changeSettings: [(tenant) => tenant.call("PATCH", "/v1/tenant", { settings: { strict: true } })],
  changeTenant: [({ tenantId }) => admin("PATCH", tenantId, { settings: { strict: true } })],
  createOwnKey: [(tenant) => tenant.call("POST", "/v1/keys", { role: "client" })],
  createKey: [({ tenantId }) => admin("POST", `${tenantId}/keys`, { role: "client" })],
  deleteOwnKey: [
    (tenant) => tenant.call("POST", "/v1/keys", { role: "client" }),
    async (tenant) => tenant.call("DELETE", `/v1/keys/${await keyOf(tenant)}`),
  ],
  deleteKey: [
    (tenant) => tenant.call("POST", "/v1/keys", { role: "client" }),
    async (tenant) => admin("DELETE", `${tenant.tenantId}/keys/${await keyOf(tenant)}`),
  ],
  putResource: [reference("Turin"), reference("Rome")],
  applyConfig: [
    (tenant) => tenant.call("POST", "/v1/config/apply", { resources: { references: { city: { text: "Turin" } } } }),
    (tenant) => tenant.call("POST", "/v1/config/apply", { resources: { references: { city: { text: "Rome" } } } }),
  ],
  putSecret: [
    (tenant) => tenant.call("PUT", "/v1/secrets/TOKEN", { value: "Turin" }),
    (tenant) => tenant.call("PUT", "/v1/secrets/TOKEN", { value: "Rome" }),
  ],
  deleteSecret: [
    (tenant) => tenant.call("PUT", "/v1/secrets/TOKEN", { value: "Turin" }),
    (tenant) => tenant.call("DELETE", "/v1/secrets/TOKEN"),
  ],
  deleteResource: [reference("Turin"), (tenant) => tenant.call("DELETE", "/v1/references/city")],
  restoreResource: [
    reference("Turin"),
    reference("Rome"),
    (tenant) => tenant.call("POST", "/v1/references/city/versions/1/restore"),
  ],
  putLimit: [(tenant) => tenant.call("PUT", "/v1/limits/few", limit)],
  raiseLimit: [
    (tenant) => tenant.call("PUT", "/v1/limits/few", limit),
    (tenant) => tenant.call("POST", "/v1/limits/few/raise", { by: 1, until: "2100-01-01T00:00:00Z", reason: "more" }),
  ],
  putExperiment: [agentOf, (tenant) => tenant.call("PUT", "/v1/experiments/e", experiment)],
  startExperiment: [
    agentOf,
    (tenant) => tenant.call("PUT", "/v1/experiments/e", experiment),
    (tenant) => tenant.call("POST", "/v1/experiments/e/start"),
  ],
  stopExperiment: [
    agentOf,
    (tenant) => tenant.call("PUT", "/v1/experiments/e", experiment),
    (tenant) => tenant.call("POST", "/v1/experiments/e/start"),
    (tenant) => tenant.call("POST", "/v1/experiments/e/stop"),
  ],
  promoteExperiment: [
    agentOf,
    (tenant) => tenant.call("PUT", "/v1/experiments/e", experiment),
    (tenant) => tenant.call("POST", "/v1/experiments/e/start"),
    (tenant) => tenant.call("POST", "/v1/experiments/e/promote", { variant: "b" }),
  ],
  deleteExperiment: [
    agentOf,
    (tenant) => tenant.call("PUT", "/v1/experiments/e", experiment),
    (tenant) => tenant.call("DELETE", "/v1/experiments/e"),
  ],
  deleteLimit: [(tenant) => tenant.call("DELETE", "/v1/limits/messages-a-day")],
  putDeploymentLimit: [(tenant) => ofDeployment(tenant, "PUT", "", forTenant(tenant))],
  raiseDeploymentLimit: [
    (tenant) => ofDeployment(tenant, "PUT", "", forTenant(tenant)),
    (tenant) => ofDeployment(tenant, "POST", "/raise", { by: 1, until: "2100-01-01T00:00:00Z", reason: "more" }),
  ],
  deleteDeploymentLimit: [
    (tenant) => ofDeployment(tenant, "PUT", "", forTenant(tenant)),
    (tenant) => ofDeployment(tenant, "DELETE", ""),
  ],
  putWebhook: [(tenant) => tenant.call("PUT", "/v1/webhooks/crm", { url: hookUrl(), events: ["turn.completed"] })],
  deleteWebhook: [
    (tenant) => tenant.call("PUT", "/v1/webhooks/crm", { url: hookUrl(), events: ["turn.completed"] }),
    (tenant) => tenant.call("DELETE", "/v1/webhooks/crm"),
  ],
  putChannel: [agentOf, putSlack],
  deleteChannel: [agentOf, putSlack, (tenant) => tenant.call("DELETE", "/v1/channels/desk")],
} satisfies Readonly<Record<string, readonly Change[]>>;

/** All others: what they change lies in objects, or in tables that nobody keeps by the revision. */
const keeping = {
  sessions:
    "beginSession equipSession chooseSessionContext superviseSession listSessions readSession changeSession deleteSession sendMessage completeChat instructAgent readResponse deleteResponse readTurn readTurnTrace cancelTurn readTranscript readConversation readVersions readOriginals editMessage restoreMessage eraseMessage holdSession releaseSession writeAsStaff requestPerson withdrawPersonRequest giveFeedback listFeedback readSessionContext changeSessionContext restoreSessionContext readSupervision followEvents",
  asks: "answerAsk claimAsk releaseAsk deferAsk cancelAsk answerStaffAsks readInboxRevision declineAsk answerAsks",
  runs: "startRun sendTeam readTrace cancelRun",
  roundtables:
    "startRoundtable sendPanel listRoundtables readRoundtable continueRoundtable giveContext synthesizeRoundtable controlRoundtable forkRoundtable",
  memories:
    "createVault listVaults readVault deleteVault createMemory listMemories findMemories readMemory changeMemory deleteMemory startThread recordMessages endThread readThread listThreads deleteThread awaitConsistency listMemoryEvents listDeadLetters retryDeadLetter addEntry listEntries readEntry tagEntry correctEntry deleteEntry searchEntries searchMemories readMemoryContext writeMemoryContext restoreMemoryContext listContextVersions readContextVersion listContextSources compareContextVersions readPrompts",
  // Where its events come in is asked with each of them; a configuration says nothing of it.
  channels: "rotateChannelAddress retryChannelDelivery receiveChannelEvents",
  reads:
    "readResource listResources readWholeResource listResourceVersions readResourceVersion compareResourceVersions readWebhook listWebhooks listWebhookDeliveries exportAudit listAudit suggestChanges exportAuditRows listAuditSeals proveAuditRow proveAuditConsistency planConfig listLimitEvents",
  // Tokens and revoked subjects are read with each request.
  tokens: "mintToken revokeSubject",
  // Holds are asked for before each erasure.
  subjects: "exportSubject eraseSubject readSubjectFile putHold deleteHold",
  // Who signs in is read with each page.
  people:
    "inviteFirstPerson listPeople readPeopleNames invitePerson invitePersonAgain changePerson deletePerson endPersonSessions listOwnPasskeys addOwnPasskey deleteOwnPasskey signOut",
  // Grants are read with each request.
  grants: "revokeGrant readAccessRequest grantAccess refuseAccess listOwnGrants revokeOwnGrant",
  // The tenant comes into being, or is gone with everything.
  tenants: "createTenant deleteTenant",
  // A remote tool's list raises it as its row changes, below; nothing else that these do is kept.
  // What models cost is the deployment's, and read by its version.
  prices: "putPrices",
  evidence:
    "putDataset deleteDataset addItems drawItems labelItem eraseItem startEval replaySession replaySessions readComparison compareSupervisors cancelEval retryEval resumeEval",
  experiments: "readExperimentReport",
  supervision: "trySupervision sendSupervisor replayDecisions labelDecision labelMessage",
  others:
    "pinTools runMaintenance resealSecrets replayErasures listErasures listRestores importTenant moveTenant restoreSession restoreRun restoreRoundtable restoreThread retryParkedDeliveries retryWebhookDelivery testWebhook flushThread deliverWebhooks keepDeadLetter",
};

it("every act is known here: a new one says whether it changes what is kept of a tenant", () => {
  const known = [...Object.keys(raising), ...Object.values(keeping).flatMap((names) => names.split(" "))];
  const reading = acts.flatMap((one) => ("route" in one && one.route?.method === "get" ? [one.act] : []));
  expect([...new Set([...known, ...reading])].toSorted()).toEqual(acts.map(({ act }) => act).toSorted());
});

it.each(Object.entries(raising))("%s gives the tenant another revision", async (_act, steps) => {
  const tenant = await newTenant();
  const [change, ...before] = [...steps].reverse();
  for (const step of before.reverse()) expect((await step(tenant)).status).toBeLessThan(300);
  const at = await stateOf(tenant);
  expect((await change?.(tenant))?.status).toBeLessThan(300);
  const now = await stateOf(tenant);
  expect(now.revision).toBeGreaterThan(at.revision);
  expect(now.generation).not.toBe(at.generation);
});

it("so does a remote server's list of tools, as it is pinned and as it changes", async () => {
  const tenant = await newTenant();
  const at = await stateOf(tenant);
  const pin = (tools: string) =>
    env.DB.prepare(
      `INSERT INTO pinned_tools (tenant_id, name, version, tools, checked_at) VALUES (?1, 'shop', 1, ?2, 0)
       ON CONFLICT DO UPDATE SET tools = ?2`,
    )
      .bind(tenant.tenantId, tools)
      .run();
  await pin("[]");
  const pinned = await stateOf(tenant);
  await pin('["look"]');
  const changed = await stateOf(tenant);
  expect(pinned.revision).toBeGreaterThan(at.revision);
  expect(changed.revision).toBeGreaterThan(pinned.revision);
});

it("after the database was set back, what was kept of the time that is gone isn't used", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Noted.", repeat: true });
  for (const word of ["kestrel", "osprey"]) {
    await tenant.rules(word, [{ match: { type: "phrases", phrases: [word] }, action: "block", reason: "secret" }]);
  }
  const session = await tenant.session();
  const supervise = (name: string) => tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: [name] } });
  const earlier = await stateOf(tenant);
  await supervise("kestrel");
  expect(await tenant.say(session, "Of kestrel.")).toMatchObject({ status: "blocked" });
  const gone = await stateOf(tenant);

  // As the database was: the row with all its columns. What triggers make of it on the way is put back too.
  await env.DB.prepare("UPDATE tenants SET settings = ? WHERE tenant_id = ?")
    .bind(earlier.settings, tenant.tenantId)
    .run();
  await env.DB.prepare("UPDATE tenants SET revision = ?, generation = ? WHERE tenant_id = ?")
    .bind(earlier.revision, earlier.generation, tenant.tenantId)
    .run();
  await supervise("osprey");
  expect((await stateOf(tenant)).revision).toBe(gone.revision);
  expect(await tenant.say(session, "Of osprey.")).toMatchObject({ status: "blocked" });
  expect(await tenant.say(session, "Of kestrel.")).toMatchObject({ status: "completed" });
});

it("after the database was set back, a version whose number is given out again isn't taken for the one that is gone", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { supervisors: ["words"] });
  await model.reply({ text: "Noted.", repeat: true });
  const blocks = (word: string) =>
    tenant.rules("words", [{ match: { type: "phrases", phrases: [word] }, action: "block", reason: "secret" }]);
  const session = await tenant.session();
  await blocks("plain");
  await blocks("kestrel");
  expect(await tenant.say(session, "Of kestrel.")).toMatchObject({ status: "blocked" });

  const of = "tenant_id = ? AND kind = 'supervisors' AND name = 'words'";
  await env.DB.batch([
    env.DB.prepare(`UPDATE resource_heads SET version = 1 WHERE ${of}`).bind(tenant.tenantId),
    env.DB.prepare(`DELETE FROM resource_versions WHERE ${of} AND version = 2`).bind(tenant.tenantId),
  ]);
  vi.setSystemTime(Date.now() + 60_000);
  await blocks("osprey");
  vi.useRealTimers();
  expect((await tenant.call("GET", "/v1/supervisors/words")).body.version).toBe(2);
  expect(await tenant.say(session, "Of osprey.")).toMatchObject({ status: "blocked" });
  expect(await tenant.say(session, "Of kestrel.")).toMatchObject({ status: "completed" });
});

interface TenantState {
  readonly revision: number;
  readonly generation: number;
  readonly settings: string;
}

async function stateOf({ tenantId }: TestTenant): Promise<TenantState> {
  const query = env.DB.prepare("SELECT revision, generation, settings FROM tenants WHERE tenant_id = ?").bind(tenantId);
  const row = await query.first<TenantState>();
  if (row === null) throw new Error("the tenant is gone");
  return row;
}

function hookUrl(): string {
  return upstreamFor(env.TEST_UPSTREAM).hookURL;
}
