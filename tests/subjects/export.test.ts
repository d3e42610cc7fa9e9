import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { newTenant } from "../support/conclave.js";
import { passTime } from "../support/objects.js";
import { jobObject } from "../support/person.js";

afterEach(() => vi.useRealTimers());

const lines = (text: string): unknown[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

it("hands out what the person saw, with originals to who may read them, for a day", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
  const redact = { match: { type: "phrases", phrases: ["quorzifu"] }, action: "redact", reason: "a secret" };
  await tenant.rules("guard", [redact]);
  const sessionId = await tenant.session({ subject: "ada", supervisors: ["guard"] });
  await tenant.say(sessionId, "My code is quorzifu.");
  await expect.poll(async () => (await tenant.call("GET", "/v1/sessions?subject=ada")).body.items).toHaveLength(1);
  const fileOf = async (request: object) => {
    const { status, body } = await tenant.call("POST", "/v1/subjects/ada/export", request);
    expect(status).toBe(202);
    const { body: job } = await tenant.call("GET", `/v1/subject-jobs/${body.jobId}?waitMs=30000`);
    expect(job).toMatchObject({ status: "completed", kind: "export" });
    const file = await tenant.call("GET", `/v1/subject-jobs/${body.jobId}/files/sessions`);
    return { job, file, text: file.body };
  };

  const seen = await fileOf({});
  expect(seen.text).not.toContain("quorzifu");
  expect(lines(seen.text)).toMatchObject([
    { session: { sessionId, subject: "ada" } },
    { sessionId, message: { role: "user" } },
    { sessionId, message: { role: "assistant" } },
  ]);
  expect(seen.job.receipt[0]).toEqual({ kind: "sessions", found: 1, exported: 3, left: 0 });
  const originals = await fileOf({ originals: true });
  expect(originals.text).toContain("My code is quorzifu.");

  const client = await tenant.withRole("client");
  expect((await client.call("GET", `/v1/subject-jobs/${seen.job.jobId}/files/sessions`)).status).toBe(403);
  passTime(25 * 3_600_000);
  await runDurableObjectAlarm(jobObject(tenant, seen.job.jobId));
  await expect
    .poll(async () => (await tenant.call("GET", `/v1/subject-jobs/${seen.job.jobId}/files/sessions`)).status)
    .toBe(404);
});
