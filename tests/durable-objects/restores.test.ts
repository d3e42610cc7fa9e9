/** Sessions, runs and roundtables put back to an earlier state: what D1 says follows, what was erased stays erased, and it is on record. */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { mostTries, resumeRestores } from "../../src/application/restores/restore-root.js";
import { composeServices } from "../../src/composition/services.js";
import { RoundtableGateway } from "../../src/gateways/roundtable-gateway.js";
import { SessionGateway } from "../../src/gateways/session-gateway.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { PlatformHistory } from "../support/platform-history.js";
import { asksHuman, newTeam, routesTo } from "../support/teams.js";
import { toldOf } from "../support/told.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const minute = 60_000;

/** A session with a turn, noted as it was; a minute later there is another. */
async function talked() {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  await model.reply({ text: "First." }, { text: "Second." }, asksHuman("Which?"), {
    text: "Afterwards.",
    repeat: true,
  });
  const session = await tenant.session();
  const path = `/v1/sessions/${session}`;
  const first = await tenant.say(session, "Walnut?");
  const history = await new PlatformHistory(() => tenant.object(session)).begin();
  const at = new Date().toISOString();
  await history.note(Date.parse(at));
  vi.setSystemTime(Date.now() + minute);
  const second = await tenant.say(session, "Plum?");
  const waiting = await tenant.say(session, "Quince?");
  const texts = async () => JSON.stringify((await tenant.call("GET", `${path}/messages`)).body.items);
  const asks = async () => (await tenant.call("GET", "/v1/asks?status=open")).body.items.length;
  return { tenant, session, path, at, first, second, waiting, history, texts, asks };
}

const auditOf = async (tenant: TestTenant): Promise<string> =>
  (await tenant.call("GET", "/v1/audit?format=jsonl")).body;

it("a session is as it was then, its list, asks and later turns agree, and the answer's bookmark undoes it", async () => {
  const { tenant, session, path, at, texts, asks } = await talked();
  await expect.poll(asks).toBe(1);
  const restored = await tenant.call("POST", `${path}/restore`, { at });
  expect(restored).toMatchObject({ status: 200, body: { undo: expect.any(String), erasedAgain: 0 } });
  expect(await texts()).toContain("Walnut?");
  expect(await texts()).not.toMatch(/Plum|Quince/);
  await expect.poll(asks).toBe(0);
  await expect
    .poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items)
    .toMatchObject([{ sessionId: session, status: "idle" }]);
  // It goes on, and what it sends from now on counts as newer than all it sent before.
  await tenant.say(session, "Cherry?");
  await tenant.call("PATCH", path, { metadata: { fruit: "cherry" } });
  await expect
    .poll(async () => (await tenant.call("GET", "/v1/sessions?metadata.fruit=cherry")).body.items)
    .toHaveLength(1);
  await expect.poll(() => auditOf(tenant)).toContain('"history.restored"');

  const undone = await tenant.call("POST", `${path}/restore`, { bookmark: restored.body.undo });
  expect(undone.status).toBe(200);
  expect(await texts()).toMatch(/Plum.*Quince/);
  expect(await texts()).not.toContain("Cherry");
  await expect.poll(asks).toBe(1);
});

it("who follows its events goes on behind the last one, and hears that it was put back", async () => {
  const { tenant, path, at } = await talked();
  const log = async () => (await tenant.call("GET", `${path}/events?lingerMs=0`)).body;
  const numbers = (text: string) => [...text.matchAll(/^id: ?(\d+)/gm)].map(([, seq]) => Number(seq));
  const before = Math.max(...numbers(await log()));
  await tenant.call("POST", `${path}/restore`, { at });
  const after = await log();
  expect(after).toContain("history.restored");
  expect(Math.max(...numbers(after))).toBeGreaterThan(before);
});

it("what was erased since is erased again, also where its record was lost with what came later", async () => {
  const { tenant, path, at, first, texts } = await talked();
  const { messageId } = first.message ?? {};
  expect((await tenant.call("POST", `${path}/messages/${messageId}/erase`)).status).toBe(200);
  expect(await texts()).not.toContain("Walnut");
  expect((await tenant.call("POST", `${path}/restore`, { at })).body.erasedAgain).toBe(1);
  expect(await texts()).not.toContain("Walnut");
  expect(await texts()).toContain("First.");
});

it("interrupted anywhere it goes on to the same end, by its key or by the schedule", async () => {
  const { tenant, path, at, first, texts } = await talked();
  const { messageId } = first.message ?? {};
  await tenant.call("POST", `${path}/messages/${messageId}/erase`);
  const key = { "idempotency-key": "back" };
  const dying = vi.spyOn(SessionGateway.prototype, "restored").mockRejectedValueOnce(new Error("killed"));
  expect((await tenant.call("POST", `${path}/restore`, { at }, key)).status).toBe(500);
  dying.mockRestore();
  const services = composeServices(env);
  await resumeRestores(Date.now() + 2 * minute, services);
  expect(await texts()).not.toMatch(/Walnut|Plum/);
  await tenant.say(path.split("/").at(-1) ?? "", "Cherry?");
  // The same request again puts nothing back twice.
  expect((await tenant.call("POST", `${path}/restore`, { at }, key)).status).toBe(200);
  expect(await texts()).toContain("Cherry?");
  expect((await auditOf(tenant)).split('"history.restored"')).toHaveLength(2);
});

it("what fails every time is given up after so many tries, and is shown with why", async () => {
  const { tenant, path, at } = await talked();
  const key = { "idempotency-key": "back" };
  vi.spyOn(SessionGateway.prototype, "restored").mockRejectedValue(new Error("killed"));
  await tenant.call("POST", `${path}/restore`, { at }, key);
  const listed = async () => (await tenant.call("GET", "/v1/restores")).body.items;
  expect(await listed()).toMatchObject([{ kind: "session", status: "running", tries: 0, at }]);
  const services = composeServices(env);
  for (let minutes = 2; minutes < 40; minutes++) await resumeRestores(Date.now() + minutes * minute, services);
  expect(await listed()).toMatchObject([{ status: "given_up", tries: mostTries, failure: expect.any(String) }]);
  expect(await toldOf(tenant.tenantId)).toMatchObject([
    { type: "job.failing", data: { job: "restore", reason: expect.any(String) } },
  ]);
  vi.restoreAllMocks();
  const again = await tenant.call("POST", `${path}/restore`, { at }, key);
  expect(again).toMatchObject({ status: 409, body: { detail: expect.stringContaining("given up") } });
  expect((await tenant.call("GET", "/v1/restores?limit=1")).body.items).toHaveLength(1);
});

it("a run that waits is put back to before its question was answered, and is answered anew", async () => {
  const tenant = await newTenant();
  const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
  await tenant.put("teams", "help", team.definition);
  await team.supervisor.reply(asksHuman("Which?"), { ...routesTo("billing"), repeat: true });
  await team.workers.billing?.reply({ text: "Done.", repeat: true });
  const { runId, asks } = (await tenant.call("POST", "/v1/runs", { team: "help", input: "Paid?" })).body;
  const history = await new PlatformHistory(() => env.ROUTING_RUN.getByName(`${tenant.tenantId}/${runId}`)).begin();
  const at = new Date().toISOString();
  await history.note(Date.parse(at));
  vi.setSystemTime(Date.now() + minute);
  const answer = () => tenant.call("POST", `/v1/asks/${asks[0].askId}/answer`, { response: "That." });
  const status = async () => (await tenant.call("GET", `/v1/runs/${runId}?waitMs=30000`)).body.status;
  await answer();
  expect(await status()).toBe("completed");
  expect((await tenant.call("POST", `/v1/runs/${runId}/restore`, { at })).status).toBe(200);
  expect(await status()).toBe("waiting");
  await expect
    .poll(async () => (await tenant.call("GET", "/v1/runs")).body.items)
    .toMatchObject([{ runId, status: "waiting" }]);
  expect((await answer()).status).toBe(200);
  expect(await status()).toBe("completed");
});

it("locally, where the platform keeps no history, it is refused and says why; nothing is changed or on record", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "First.", repeat: true });
  const session = await tenant.session();
  await tenant.say(session, "Walnut?");
  const path = `/v1/sessions/${session}`;
  const refused = await tenant.call("POST", `${path}/restore`, { at: new Date(Date.now() - 1_000).toISOString() });
  expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(refused.body.detail).toContain("Local development has none");
  expect(await auditOf(tenant)).not.toContain("history.restored");
  expect((await tenant.say(session, "Plum?")).status).toBe("completed");
});

it("only admins do it, of what is their own, to a time that the platform may still know", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  const path = `/v1/sessions/${await tenant.session()}/restore`;
  const at = new Date().toISOString();
  expect((await (await tenant.withRole("operator")).call("POST", path, { at })).status).toBe(403);
  expect((await (await newTenant()).call("POST", path, { at })).status).toBe(404);
  for (const wrong of [{}, { at, bookmark: "x" }, { at: "2020-01-01T00:00:00Z" }, { at: "2999-01-01T00:00:00Z" }]) {
    expect((await tenant.call("POST", path, wrong)).status).toBe(422);
  }
  expect(RoundtableGateway.prototype.restored).toBe(SessionGateway.prototype.restored);
});
