import { expect, it } from "vitest";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { runEachMinute } from "../support/housekeeping.js";
import { newMemory } from "../support/memory.js";
import { received, receiver, subscribe, taken } from "../support/webhook-receivers.js";

const all = ["entry_added", "entry_corrected", "entry_erased", "context_written"].map((name) => `memory.${name}`);

async function eventsOf(tenant: TestTenant, memoryId: string) {
  return (await tenant.call("GET", `/v1/memories/${memoryId}/events`)).body.items;
}

it("what happens in a memory is listed and told to webhooks, in order, by ids alone", async () => {
  const tenant = await newTenant();
  const hook = await receiver(taken);
  await subscribe(tenant, hook, { events: all, filter: { subject: "ada" }, includeTexts: true });
  const memory = await newMemory("offline", tenant);
  const { memoryId } = memory;
  await memory.call("PATCH", "", { subject: "ada" });
  const other = await newMemory("offline", tenant);
  await other.call("POST", "/entries", { rawEntry: "Not for the hook." });
  const { entryId } = await memory.call("POST", "/entries", { rawEntry: "I live in Paris." });
  const corrected = await memory.call("POST", `/entries/${entryId}/corrections`, { rawEntry: "I live in Lyon." });
  await memory.call("PUT", "/context", { document: "Lives in Lyon." });
  await memory.call("DELETE", `/entries/${corrected.entryId}`);
  const listed = await eventsOf(tenant, memoryId);
  const named = listed.map(({ event, data }: { event: string; data: object }) => [event, data]);
  expect(named.slice(0, 3)).toEqual([
    ["memory.entry_added", { memoryId, entryId }],
    ["memory.entry_corrected", { memoryId, entryId: corrected.entryId, supersedes: entryId }],
    ["memory.context_written", { memoryId, version: 1 }],
  ]);
  expect(named).toContainEqual(["memory.entry_erased", { memoryId, entryId: corrected.entryId }]);
  await runEachMinute();
  await expect
    .poll(async () => (await received(hook)).slice(0, 4).map(({ type, data }) => [type, data.memoryId, data.subject]))
    .toEqual(named.slice(0, 4).map(([type]: [string]) => [type, memoryId, "ada"]));
  expect(JSON.stringify(await received(hook))).not.toMatch(/Paris|Lyon|hook\./);
  const [delivery] = (await tenant.call("GET", "/v1/webhooks/crm/deliveries")).body.items;
  expect(delivery).toMatchObject({ memoryId });
  await tenant.call("DELETE", `/v1/memories/${memoryId}`);
  expect((await tenant.call("GET", `/v1/memories/${memoryId}/events`)).status).toBe(404);
});

it("messages of a thread and the context that a flush writes are events too", async () => {
  const memory = await newMemory();
  await memory.say(["I moved to Turin.", "Nice."]);
  await memory.end();
  await memory.settled("context");
  const types = (await eventsOf(memory.tenant, memory.memoryId)).map(({ event }: { event: string }) => event);
  expect(types).toEqual(["memory.entry_added", "memory.entry_added", "memory.context_written"]);
  const foreign = await newTenant();
  expect((await foreign.call("GET", `${memory.path}/events`)).status).toBe(404);
});
