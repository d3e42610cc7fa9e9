/** Jobs of which a step fails again and again: tried ever later, given up, told of, and begun again; an erasure by itself, each hour. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { checkHealth } from "../../src/application/system/check-health.js";
import { composeServices } from "../../src/composition/services.js";
import { SubjectStore } from "../../src/stores/subject-store.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { crash, passTime } from "../support/objects.js";
import { jobObject } from "../support/person.js";
import { toldOf } from "../support/told.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const read = async (tenant: TestTenant, jobId: string) => (await tenant.call("GET", `/v1/subject-jobs/${jobId}`)).body;

async function ring(tenant: TestTenant, jobId: string, afterMs: number): Promise<void> {
  passTime(afterMs);
  await runDurableObjectAlarm(jobObject(tenant, jobId));
}

/** Its kept answers can't be erased; those of other tenants can. */
function failingFor(tenantId: string, error: Error) {
  const tries = vi.fn();
  const { eraseKeys } = SubjectStore.prototype;
  const spy = vi.spyOn(SubjectStore.prototype, "eraseKeys").mockImplementation(function (this: SubjectStore, ref) {
    if (ref.tenantId !== tenantId) return eraseKeys.call(this, ref);
    tries();
    return Promise.reject(error);
  });
  return {
    tried: (times: number) => expect.poll(() => tries.mock.calls.length).toBe(times),
    mend: () => spy.mockRestore(),
  };
}

it("an erasure that fails begins again each hour by itself, evictions between, and says so wherever somebody looks", async () => {
  const tenant = await newTenant();
  const request = () => tenant.call("DELETE", "/v1/subjects/ada", { reason: "asked for" });
  const { tried, mend } = failingFor(tenant.tenantId, new Error("D1_ERROR: no room for ada"));
  const { jobId, pseudonym } = (await request()).body;

  await tried(2);
  const failure = "keptAnswers: the database failed";
  expect(await read(tenant, jobId)).toMatchObject({ status: "running", failure });
  await crash();
  await ring(tenant, jobId, 5_000);
  await tried(2);
  await ring(tenant, jobId, 5_001);
  await tried(3);
  await ring(tenant, jobId, 30_000);
  await tried(3);
  await ring(tenant, jobId, 30_001);
  await tried(4);
  const at = expect.stringMatching(/^2\d{3}-.*Z$/);
  await expect.poll(() => read(tenant, jobId)).toMatchObject({ status: "failed", failure, retryAt: at });
  const told = () => toldOf(tenant.tenantId);
  expect(await told()).toEqual([]);
  const warnings = async () => (await checkHealth(composeServices(env))).warnings ?? [];
  await ring(tenant, jobId, 60_000);
  const listed = async () => (await tenant.call("GET", "/v1/subject-jobs")).body.items;
  await expect.poll(listed).toMatchObject([{ jobId, status: "failed", failure, retryAt: at }]);
  const telling = { job: "erasure", jobId, step: "keptAnswers", reason: "database", retryAt: at };
  await expect.poll(told).toEqual([{ type: "job.failing", data: telling }]);
  expect(await warnings()).toContainEqual(expect.stringContaining("failed again and again"));

  // Before the hour nothing is tried; then all of it once more, from where it was.
  await crash();
  await ring(tenant, jobId, 3_500_000);
  await tried(4);
  await ring(tenant, jobId, 100_001);
  await tried(6);
  expect(await read(tenant, jobId)).toMatchObject({ status: "running", failure });
  await ring(tenant, jobId, 10_001);
  await tried(7);
  await ring(tenant, jobId, 60_001);
  await tried(8);
  await expect.poll(() => read(tenant, jobId)).toMatchObject({ status: "failed", failure, retryAt: at });

  mend();
  const other = await newTenant();
  expect((await other.call("GET", `/v1/subject-jobs/${jobId}`)).status).toBe(404);
  expect((await other.call("DELETE", "/v1/subjects/ada", { reason: "asked for" })).body.jobId).not.toBe(jobId);
  expect(await request()).toMatchObject({ status: 202, body: { jobId, pseudonym, status: "running" } });
  const { body: ended } = await tenant.call("GET", `/v1/subject-jobs/${jobId}?waitMs=30000`);
  expect(ended).toMatchObject({ status: "completed", pseudonym });
  expect(ended).not.toHaveProperty("failure");
  expect(ended).not.toHaveProperty("retryAt");
  expect(await listed()).toMatchObject([{ jobId, status: "completed" }]);
  // What has ended stays: the next request is another job.
  expect((await request()).body.jobId).not.toBe(jobId);
});

it("an erasure is done by the first hour in which nothing fails, without anybody asking", async () => {
  const tenant = await newTenant();
  const { tried, mend } = failingFor(tenant.tenantId, new TypeError("of ida"));
  const { jobId } = (await tenant.call("DELETE", "/v1/subjects/ida", { reason: "asked for" })).body;
  await tried(2);
  // Asked for again meanwhile, it is the same.
  expect((await tenant.call("DELETE", "/v1/subjects/ida", { reason: "asked for" })).body.jobId).toBe(jobId);
  await ring(tenant, jobId, 10_001);
  await tried(3);
  await ring(tenant, jobId, 60_001);
  const failure = "keptAnswers: something went wrong here; the log says what";
  await expect.poll(() => read(tenant, jobId)).toMatchObject({ status: "failed", failure });
  mend();
  await ring(tenant, jobId, 3_600_001);
  await expect.poll(() => read(tenant, jobId)).toMatchObject({ status: "completed" });
});

it("an export is given up and goes after a day; the same request with its key begins it again", async () => {
  const tenant = await newTenant();
  const request = () => tenant.call("POST", "/v1/subjects/ada/export", {}, { "idempotency-key": "once" });
  const failing = vi.spyOn(SubjectStore.prototype, "rootAfter").mockRejectedValue(new Error("D1_ERROR: no room"));
  const { jobId } = (await request()).body;
  const giveUp = async () => {
    await expect.poll(() => failing.mock.calls.length).toBe(2);
    await ring(tenant, jobId, 10_001);
    await expect.poll(() => failing.mock.calls.length).toBe(3);
    await ring(tenant, jobId, 60_001);
    const given = { status: "failed", failure: "sessions: the database failed" };
    await expect.poll(() => read(tenant, jobId)).toMatchObject(given);
    failing.mockClear();
  };
  await giveUp();
  expect((await request()).body).toMatchObject({ jobId, status: "running" });
  await giveUp();
  expect((await tenant.call("GET", `/v1/subject-jobs/${jobId}/files/sessions`)).status).toBe(404);
  await ring(tenant, jobId, 25 * 3_600_000);
  await expect.poll(async () => (await tenant.call("GET", `/v1/subject-jobs/${jobId}`)).status).toBe(404);
});
