/**
 * What is known of a tenant is kept by its revision, so that everything that changes a tenant has to give it another one: also after the
 * database was set back to an earlier time, when counting alone would come to the same number for another state.
 */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { type Act, acts } from "../../src/tenancy/acts.js";
import { type Answer, newTenant, send, type TestTenant } from "../support/conclave.js";
import { upstreamFor } from "../support/upstream-client.js";

type Change = (tenant: TestTenant) => Promise<Answer | Response>;

const admin = (method: string, path: string, body?: unknown) =>
  send(method, `/v1/admin/tenants/${path}`, { key: env.ADMIN_SECRET, ...(body === undefined ? {} : { body }) });
const reference =
  (text: string): Change =>
  (tenant) =>
    tenant.call("PUT", "/v1/references/city", { text });
const keyOf = async (tenant: TestTenant): Promise<string> =>
  (await tenant.call("GET", "/v1/keys")).body.items.find(({ role }: { role: string }) => role === "client").keyId;

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
  deleteResource: [reference("Turin"), (tenant) => tenant.call("DELETE", "/v1/references/city")],
  restoreResource: [
    reference("Turin"),
    reference("Rome"),
    (tenant) => tenant.call("POST", "/v1/references/city/versions/1/restore"),
  ],
  putWebhook: [(tenant) => tenant.call("PUT", "/v1/webhooks/crm", { url: hookUrl(), events: ["turn.completed"] })],
  deleteWebhook: [
    (tenant) => tenant.call("PUT", "/v1/webhooks/crm", { url: hookUrl(), events: ["turn.completed"] }),
    (tenant) => tenant.call("DELETE", "/v1/webhooks/crm"),
  ],
} satisfies Partial<Record<Act, readonly Change[]>>;

/** All others: what they change lies in objects, or in tables that nobody keeps by the revision. */
const keeping = {
  sessions:
    "beginSession equipSession chooseSessionContext listSessions readSession changeSession deleteSession sendMessage completeChat instructAgent readResponse deleteResponse readTurn readTurnTrace cancelTurn readTranscript readVersions readOriginals editMessage restoreMessage eraseMessage readSessionContext changeSessionContext restoreSessionContext readSupervision followEvents",
  asks: "listAsks readAsk answerAsk cancelAsk answerStaffAsks",
  runs: "startRun sendTeam listRuns readRun readTrace cancelRun",
  roundtables:
    "startRoundtable sendPanel listRoundtables readRoundtable continueRoundtable giveContext synthesizeRoundtable controlRoundtable forkRoundtable",
  memories:
    "createVault listVaults readVault deleteVault createMemory listMemories findMemories readMemory deleteMemory startThread recordMessages endThread readThread listThreads deleteThread awaitConsistency listDeadLetters retryDeadLetter addEntry listEntries readEntry tagEntry correctEntry deleteEntry searchEntries readMemoryContext writeMemoryContext restoreMemoryContext listContextVersions readContextVersion listContextSources compareContextVersions readPrompts",
  // A connection is read anew with each event; what a channel may do is asked then.
  channels:
    "putChannel readChannel listChannels deleteChannel rotateChannelAddress listChannelDeliveries retryChannelDelivery receiveChannelEvents",
  reads:
    "readResource listResources readWholeResource readSigningSecret listResourceVersions readResourceVersion compareResourceVersions readWebhook listWebhooks listWebhookDeliveries readSettings listOwnKeys readUsage listTenants readTenant listKeys exportAudit listParkedDeliveries",
  // Tokens and revoked subjects are read with each request.
  tokens: "mintToken revokeSubject",
  // The tenant comes into being, or is gone with everything.
  tenants: "createTenant deleteTenant",
  // A remote tool's list raises it as its row changes, below; nothing else that these do is kept.
  others:
    "pinTools runMaintenance retryParkedDeliveries retryWebhookDelivery testWebhook flushThread deliverWebhooks keepDeadLetter",
};

it("every act is known here: a new one says whether it changes what is kept of a tenant", () => {
  const known = [...Object.keys(raising), ...Object.values(keeping).flatMap((names) => names.split(" "))];
  expect(known.toSorted()).toEqual(Object.keys(acts).toSorted());
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
