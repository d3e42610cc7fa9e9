import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { newTenant } from "../support/conclave.js";
import { passTime } from "../support/objects.js";
import { jobObject, newPerson, newPlace } from "../support/person.js";
import { tracesInD1 } from "../support/traces.js";

afterEach(() => vi.useRealTimers());

it("leaves no word of a person anywhere, tells what became of everything, and takes nothing of anybody else", async () => {
  const tenant = await newTenant();
  const place = await newPlace(tenant);
  const ana = await newPerson(place, "anaquorzifu");
  const ben = await newPerson(place, "benlumifoxu");
  const path = `/v1/subjects/${ana.subject}`;
  const before = await tenant.call("GET", path);
  expect(before.body.counts).toMatchObject({ sessions: 5, runs: 1, roundtables: 1, memories: 1 });

  const begun = await tenant.call("DELETE", path, { reason: "asked for by mail" });
  expect(begun.status).toBe(202);
  const { jobId, pseudonym } = begun.body;
  const { body: job } = await tenant.call("GET", `/v1/subject-jobs/${jobId}?waitMs=30000`);

  expect(job).toMatchObject({ status: "completed", pseudonym, reason: "asked for by mail" });
  const receipt = new Map(job.receipt.map((line: { kind: string }) => [line.kind, line]));
  expect(receipt.get("sessions")).toEqual({ kind: "sessions", found: 5, erased: 5, left: 0 });
  expect(receipt.get("memories")).toEqual({ kind: "memories", found: 1, erased: 1, left: 0 });
  expect(receipt.get("usage")).toMatchObject({ erased: 0, why: expect.stringContaining(pseudonym) });
  expect((await tenant.call("GET", path)).body.counts).toMatchObject({ sessions: 0, runs: 0, usage: 0, audit: 0 });
  expect(await tracesInD1(ana.words)).toEqual([]);
  for (const sessionId of ana.sessions)
    expect((await tenant.call("GET", `/v1/sessions/${sessionId}`)).status).toBe(404);

  // The name stays for as long as it refuses tokens.
  passTime(2 * 3_600_000);
  await runDurableObjectAlarm(jobObject(tenant, jobId));
  await expect.poll(() => tracesInD1([ana.subject])).toEqual([]);
  expect(JSON.stringify((await tenant.call("GET", `/v1/subject-jobs/${jobId}`)).body)).not.toContain(ana.subject);

  const { body: kept } = await tenant.call("GET", `/v1/subjects/${ben.subject}`);
  expect(kept.counts).toMatchObject({ sessions: 5, runs: 1, roundtables: 1, memories: 1 });
  expect((await tracesInD1(ben.words)).length).toBeGreaterThan(5);
});
