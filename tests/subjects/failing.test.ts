/** Jobs of which a step fails again and again: tried ever later, given up, and begun again. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { SubjectStore } from "../../src/stores/subject-store.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { crash, passTime } from "../support/objects.js";
import { jobObject } from "../support/person.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const read = async (tenant: TestTenant, jobId: string) => (await tenant.call("GET", `/v1/subject-jobs/${jobId}`)).body;

async function ring(tenant: TestTenant, jobId: string, afterMs: number): Promise<void> {
  passTime(afterMs);
  await runDurableObjectAlarm(jobObject(tenant, jobId));
}

it("an erasure is given up in the step that fails, evictions between, and the same request goes on with it", async () => {
  const tenant = await newTenant();
  const request = () => tenant.call("DELETE", "/v1/subjects/ada", { reason: "asked for" });
  const failing = vi.spyOn(SubjectStore.prototype, "eraseKeys").mockRejectedValue(new Error("no room"));
  const { jobId, pseudonym } = (await request()).body;
  const tried = (times: number) => expect.poll(() => failing.mock.calls.length).toBe(times);

  await tried(2);
  expect(await read(tenant, jobId)).toMatchObject({ status: "running", failure: expect.stringContaining("no room") });
  await crash();
  await ring(tenant, jobId, 5_000);
  await tried(2);
  await ring(tenant, jobId, 5_001);
  await tried(3);
  await ring(tenant, jobId, 30_000);
  await tried(3);
  await ring(tenant, jobId, 30_001);
  await tried(4);
  await expect
    .poll(() => read(tenant, jobId))
    .toMatchObject({ status: "failed", failure: "keptAnswers: Error: no room" });
  await ring(tenant, jobId, 60_000);
  const listed = async () => (await tenant.call("GET", "/v1/subject-jobs")).body.items;
  await expect.poll(listed).toMatchObject([{ jobId, status: "failed", failure: "keptAnswers: Error: no room" }]);
  await crash();
  await ring(tenant, jobId, 3_600_000);
  await tried(4);

  failing.mockRestore();
  const other = await newTenant();
  expect((await other.call("GET", `/v1/subject-jobs/${jobId}`)).status).toBe(404);
  expect((await other.call("DELETE", "/v1/subjects/ada", { reason: "asked for" })).body.jobId).not.toBe(jobId);
  expect(await request()).toMatchObject({ status: 202, body: { jobId, pseudonym, status: "running" } });
  const { body: ended } = await tenant.call("GET", `/v1/subject-jobs/${jobId}?waitMs=30000`);
  expect(ended).toMatchObject({ status: "completed", pseudonym });
  expect(ended).not.toHaveProperty("failure");
  expect(await listed()).toMatchObject([{ jobId, status: "completed" }]);
  // What has ended stays: the next request is another job.
  expect((await request()).body.jobId).not.toBe(jobId);
});

it("an export is given up and goes after a day; the same request with its key begins it again", async () => {
  const tenant = await newTenant();
  const request = () => tenant.call("POST", "/v1/subjects/ada/export", {}, { "idempotency-key": "once" });
  const failing = vi.spyOn(SubjectStore.prototype, "rootAfter").mockRejectedValue(new Error("no room"));
  const { jobId } = (await request()).body;
  const giveUp = async () => {
    await expect.poll(() => failing.mock.calls.length).toBe(2);
    await ring(tenant, jobId, 10_001);
    await expect.poll(() => failing.mock.calls.length).toBe(3);
    await ring(tenant, jobId, 60_001);
    const given = { status: "failed", failure: "sessions: Error: no room" };
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
