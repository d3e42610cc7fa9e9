import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { newTenant, send, type TestTenant } from "../support/conclave.js";
import { crash, passTime, ringAlarm } from "../support/objects.js";
import { jobObject } from "../support/person.js";
import { received, receiver, subscribe, taken } from "../support/webhook-receivers.js";

afterEach(() => vi.useRealTimers());

async function talked(subject = "ada"): Promise<{ tenant: TestTenant; sessionId: string; messageId: string }> {
  const tenant = await newTenant();
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
  const sessionId = await tenant.session({ subject });
  const turn = await tenant.say(sessionId, "Hello.");
  await expect
    .poll(async () => (await tenant.call("GET", `/v1/sessions?subject=${subject}`)).body.items)
    .toHaveLength(1);
  return { tenant, sessionId, messageId: turn.message?.messageId ?? "" };
}

const jobOf = async (tenant: TestTenant, jobId: string) =>
  (await tenant.call("GET", `/v1/subject-jobs/${jobId}?waitMs=30000`)).body;

it("keep what they name from every erasure, and say so; what they don't name goes", async () => {
  const { tenant, sessionId, messageId } = await talked();
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "V" })).body;
  const memory = { title: "M", subject: "ada", model: "offline" };
  const { memoryId } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, memory)).body;
  const hold = { subjects: ["ada"], reason: "A dispute." };
  expect((await tenant.call("PUT", "/v1/holds/case-7", hold)).status).toBe(201);

  for (const [method, path, body] of [
    ["DELETE", "/v1/subjects/ada", { reason: "asked for" }],
    ["DELETE", `/v1/sessions/${sessionId}`],
    ["POST", `/v1/sessions/${sessionId}/messages/${messageId}/erase`],
    ["DELETE", `/v1/memories/${memoryId}`],
    ["DELETE", `/v1/vaults/${vaultId}`],
  ] as const) {
    expect(await tenant.call(method, path, body), path).toMatchObject({ status: 409, body: { code: "on_hold" } });
  }
  const ofTenant = await send("DELETE", `/v1/admin/tenants/${tenant.tenantId}`, { key: env.ADMIN_SECRET });
  expect(ofTenant.status).toBe(409);
  expect((await tenant.call("GET", "/v1/subjects/ada")).body).toMatchObject({
    holds: ["case-7"],
    counts: { sessions: 1 },
  });

  await tenant.call("PUT", "/v1/holds/case-7", { sessions: [sessionId], reason: "The conversation alone." });
  expect((await tenant.call("DELETE", `/v1/memories/${memoryId}`)).status).toBe(204);
  // The session is the person's: all of them waits.
  expect((await tenant.call("DELETE", "/v1/subjects/ada", { reason: "asked for" })).status).toBe(409);
  await tenant.call("DELETE", "/v1/holds/case-7");
  expect((await tenant.call("DELETE", `/v1/sessions/${sessionId}`)).status).toBe(204);
});

it("stop an erasure that is under way, which goes on once they are gone", async () => {
  const { tenant, sessionId } = await talked();
  await tenant.call("PUT", "/v1/holds/case-7", { subjects: ["ada"], reason: "A dispute." });
  const jobId = `sjb_${tenant.tenantId.slice(4)}`;
  const by = { kind: "key", id: "key_1" };
  const definition = {
    tenantId: tenant.tenantId,
    jobId,
    kind: "erasure",
    subject: "ada",
    pseudonym: "psn_1",
    by,
    at: 1,
  };
  // As if the hold had come between the request and the job's first step.
  await jobObject(tenant, jobId).begin({ json: JSON.stringify(definition) });
  expect(await jobOf(tenant, jobId)).toMatchObject({ status: "on_hold", holds: ["case-7"] });
  expect((await tenant.call("GET", `/v1/sessions/${sessionId}`)).status).toBe(200);

  await tenant.call("DELETE", "/v1/holds/case-7");
  passTime(3_700_000);
  await runDurableObjectAlarm(jobObject(tenant, jobId));
  expect(await jobOf(tenant, jobId)).toMatchObject({ status: "completed" });
  expect((await tenant.call("GET", `/v1/sessions/${sessionId}`)).status).toBe(404);
});

it("don't reach over to other tenants, whose jobs and holds are theirs alone", async () => {
  const { tenant, sessionId } = await talked();
  const other = await newTenant();
  await other.call("PUT", "/v1/holds/theirs", { subjects: ["ada"], sessions: [sessionId], reason: "Theirs." });
  expect((await other.call("DELETE", "/v1/subjects/ada", { reason: "no" })).status).toBe(409);
  const { status, body } = await tenant.call("DELETE", "/v1/subjects/ada", { reason: "asked for" });
  expect(status).toBe(202);
  expect((await other.call("GET", `/v1/subject-jobs/${body.jobId}`)).status).toBe(404);
  expect(await jobOf(tenant, body.jobId)).toMatchObject({ status: "completed" });
});

it("an erasure goes on after a crash, ends once, and webhooks hear of it without the name", async () => {
  const { tenant } = await talked();
  const hook = await receiver(taken);
  await subscribe(tenant, hook, { events: ["subject.erased"] });
  const { body: begun } = await tenant.call("DELETE", "/v1/subjects/ada", { reason: "asked for" });
  await crash();
  await ringAlarm(jobObject(tenant, begun.jobId));

  const job = await jobOf(tenant, begun.jobId);

  expect(job).toMatchObject({
    status: "completed",
    receipt: expect.arrayContaining([{ kind: "sessions", found: 1, erased: 1, left: 0 }]),
  });
  await expect.poll(() => received(hook), { timeout: 20_000 }).toHaveLength(1);
  const [told] = await received(hook);
  expect(told).toMatchObject({ type: "subject.erased", data: { jobId: begun.jobId, pseudonym: begun.pseudonym } });
  expect(JSON.stringify(told)).not.toContain("ada");
  const { body: ledger } = await tenant.call("GET", "/v1/audit?type=subject.erased&format=json");
  expect(ledger.items).toMatchObject([
    { subject: { kind: "subjects", name: begun.pseudonym }, reasons: ["asked for"] },
  ]);
});
