import { env } from "cloudflare:workers";
import { decodeTime } from "ulid";
import { expect, it } from "vitest";
import { applyRetention } from "../../src/application/system/apply-retention.js";
import { composeServices } from "../../src/composition.js";
import { newTenant } from "../support/conclave.js";

const dayMs = 86_400_000;
const daysLater = (days: number): number => Date.now() + days * dayMs;

it("lets go what its tenant keeps for a time only, once that is over, and nothing that a hold names", async () => {
  const tenant = await newTenant({ retention: { sessions: 30, memories: 60 } });
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
  const [ana, ben] = [await tenant.session({ subject: "ana" }), await tenant.session({ subject: "ben" })];
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "V" })).body;
  const { memoryId } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, { title: "M", model: "offline" }))
    .body;
  for (const session of [ana, ben]) await tenant.say(session, "Hello.");
  const listed = async () =>
    (await tenant.call("GET", "/v1/sessions?status=idle")).body.items.map(
      (one: { sessionId: string }) => one.sessionId,
    );
  await expect.poll(listed).toHaveLength(2);
  await tenant.call("PUT", "/v1/holds/case", { subjects: ["ana"], reason: "A dispute." });
  const services = composeServices(env);

  await applyRetention(daysLater(29), services);
  expect(await listed()).toHaveLength(2);
  await applyRetention(daysLater(31), services);
  expect(await listed()).toEqual([ana]);
  expect((await tenant.call("GET", `/v1/sessions/${ben}`)).status).toBe(404);
  expect((await tenant.call("GET", `/v1/memories/${memoryId}`)).status).toBe(200);
  // Ids never go back: where another test was in the future, this memory's is of then.
  const made = Math.max(Date.now(), decodeTime(memoryId.slice(-26).toUpperCase()));
  await applyRetention(made + 61 * dayMs, services);
  expect((await tenant.call("GET", `/v1/memories/${memoryId}`)).status).toBe(404);

  // The setting counts for what is there already, from the next run on.
  await tenant.call("DELETE", "/v1/holds/case");
  await tenant.call("PATCH", "/v1/tenant", { settings: { retention: { sessions: 400 } } });
  await applyRetention(daysLater(100), services);
  expect(await listed()).toEqual([ana]);
  await applyRetention(daysLater(401), services);
  expect(await listed()).toEqual([]);
});

it("keeps everything where nothing is said, and the audit for half a year unless less is chosen on purpose", async () => {
  const tenant = await newTenant();
  const change = (retention: object) => tenant.call("PATCH", "/v1/tenant", { settings: { retention } });
  expect(await change({ audit: 90 })).toMatchObject({ status: 422 });
  expect(await change({ audit: 90, shortAudit: true })).toMatchObject({ status: 200 });
  expect(await change({ audit: 183 })).toMatchObject({
    status: 200,
    body: { settings: { retention: { audit: 183 } } },
  });
  const rows = async () => (await tenant.call("GET", "/v1/audit?format=json")).body.items.length;
  const services = composeServices(env);
  const before = await rows();
  await applyRetention(daysLater(182), services);
  expect(await rows()).toBeGreaterThanOrEqual(before);
  await applyRetention(daysLater(184), services);
  // But for the rows of having read it.
  expect(await rows()).toBeLessThan(before);
});
