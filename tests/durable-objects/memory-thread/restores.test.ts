/** A thread put back to a minute: its entries, contexts and vectors follow, an undo brings them back, and what was erased stays erased. */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { maintainMemories } from "../../../src/application/memory/maintenance.js";
import { resumeRestores } from "../../../src/application/restores/restore-root.js";
import { composeServices } from "../../../src/composition/services.js";
import { ThreadGateway } from "../../../src/gateways/thread-gateway.js";
import { newTenant } from "../../support/conclave.js";
import { newMemory, TestMemory } from "../../support/memory.js";
import { PlatformHistory } from "../../support/platform-history.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const minute = 60_000;
const path = (memory: TestMemory): string => `${memory.path}/threads/main/restore`;
const before = ["I keep bees.", "Noted.", "They are in Lund.", "Good.", "Six hives.", "Six."];
const later = ["The queen is Odette.", "Fine.", "I moved to Tarragona.", "I see.", "Odette died.", "Sad."];

/** Six messages and their context, noted as they were; a minute later there are six more. */
async function talked() {
  const memory = await newMemory();
  await memory.say(before);
  await memory.settled("context");
  const history = await new PlatformHistory(() => memory.object()).begin();
  const at = new Date().toISOString();
  await history.note(Date.parse(at));
  vi.setSystemTime(Date.now() + minute);
  await memory.say(["Storks nest on the roof."], "other");
  await memory.say(later);
  await memory.end("other");
  await memory.settled("context");
  await memory.settled("context", "other");
  const restore = (target: object, headers = {}) => memory.tenant.call("POST", path(memory), target, headers);
  return { memory, at, history, restore };
}

const texts = async (memory: TestMemory) => (await memory.entries("&threadId=main")).map(({ rawEntry }) => rawEntry);
const document = async (memory: TestMemory): Promise<string> => (await memory.context()).document;
const found = async (memory: TestMemory, query: string): Promise<string[]> =>
  (await memory.call("POST", "/search", { query })).entries.map(
    (one: { entry: { rawEntry: string } }) => one.entry.rawEntry,
  );
const erasures = async ({ memoryId }: TestMemory) =>
  Number(await env.DB.prepare("SELECT COUNT(*) AS n FROM erasures WHERE root_id = ?").bind(memoryId).first("n"));

it("nothing that came later is read any more, other threads stay, it goes on behind it, and its undo brings it back", async () => {
  const { memory, at, restore } = await talked();
  const [queen, , moved] = (await memory.entries("&threadId=main")).slice(6);
  await memory.call("PATCH", `/entries/${queen?.entryId}`, { tags: { by: "hand" } });
  const corrects = `/entries/${moved?.entryId}/corrections`;
  const { entryId: correction } = await memory.call("POST", corrects, { rawEntry: "I moved to Reus." });
  expect(await document(memory)).toContain("Odette");
  const back = await restore({ at });
  expect(back).toMatchObject({ status: 200, body: { undo: expect.any(String), erasedAgain: 0 } });
  expect(await texts(memory)).toEqual(before);
  expect(await document(memory)).toMatch(/Storks/);
  expect(await document(memory)).not.toMatch(/Odette|Tarragona/);
  expect(await found(memory, "Odette")).toEqual([]);
  expect((await memory.call("GET", "")).entryCount).toBe(before.length + 2);
  expect(await memory.call("GET", `/entries/${correction}`)).not.toHaveProperty("supersedes");
  expect(await erasures(memory)).toBe(0);

  await memory.say(["The new queen is Irma."]);
  await memory.settled();
  expect(await texts(memory)).toEqual([...before, "The new queen is Irma."]);
  await memory.end();
  await memory.settled("context");
  expect(await document(memory)).toContain("Irma");

  expect((await restore({ bookmark: back.body.undo })).status).toBe(200);
  expect(await texts(memory)).toEqual([...before, ...later].filter((text) => text !== "I moved to Tarragona."));
  expect(await found(memory, "Odette")).toContain("The queen is Odette.");
  expect(await found(memory, "Irma")).toEqual([]);
  expect(await memory.call("GET", `/entries/${correction}`)).toMatchObject({ supersedes: moved?.entryId });
  expect(await memory.call("GET", `/entries/${queen?.entryId}`)).toMatchObject({ tags: { by: "hand" } });
  await memory.settled("context");
  expect(await document(memory)).toMatch(/Odette/);
  expect(await document(memory)).not.toMatch(/Irma/);
  const listed = (await memory.tenant.call("GET", "/v1/restores")).body.items;
  expect(listed).toMatchObject([
    { kind: "thread", id: memory.memoryId, threadId: "main", status: "done", at },
    { kind: "thread", status: "done" },
  ]);
  const audit = (await memory.tenant.call("GET", "/v1/audit?format=jsonl")).body;
  expect(String(audit).split('"history.restored"')).toHaveLength(3);
});

it("a job of before changes nothing, and what was erased since stays erased, before and after the undo", async () => {
  const { memory, at, restore } = await talked();
  const all = await memory.entries("&threadId=main");
  const [first, queen] = [all[0], all[6]];
  await memory.call("DELETE", `/entries/${first?.entryId}`);
  const back = await restore({ at });
  expect(back).toMatchObject({ status: 200, body: { erasedAgain: 1 } });
  expect(await texts(memory)).toEqual(before.slice(1));
  expect(JSON.stringify(await memory.thread())).not.toContain("bees");
  await memory.object().deliver();
  expect(await texts(memory)).toEqual(before.slice(1));

  // What is set aside can be erased, and doesn't come back.
  await memory.call("DELETE", `/entries/${queen?.entryId}`);
  expect((await restore({ bookmark: back.body.undo })).status).toBe(200);
  expect(await texts(memory)).toEqual([...before.slice(1), ...later.slice(1)]);
  expect(JSON.stringify(await memory.thread())).not.toMatch(/bees|queen is Odette/);
  expect(await found(memory, "queen")).toEqual([]);
});

it("cut off anywhere it comes to the same end by its key, or by the schedule", async () => {
  const { memory, at, restore } = await talked();
  const key = { "idempotency-key": "back" };
  const calls = ["numbers", "prepareRestore", "restored", "living", "rewriteAround"] as const;
  for (const call of calls) {
    const dying = vi.spyOn(ThreadGateway.prototype, call).mockRejectedValueOnce(new Error("killed"));
    const died = await restore({ at }, key);
    expect([call, died.status]).toEqual([call, 500]);
    dying.mockRestore();
  }
  await resumeRestores(Date.now() + 2 * minute, composeServices(env));
  expect(await texts(memory)).toEqual(before);
  expect(await document(memory)).not.toMatch(/Odette|Tarragona/);
  const done = await restore({ at }, key);
  expect(done.status).toBe(200);

  const undo = { "idempotency-key": "undo" };
  for (const call of ["restored", "living", "rebuild"] as const) {
    const dying = vi.spyOn(ThreadGateway.prototype, call).mockRejectedValueOnce(new Error("killed"));
    expect([call, (await restore({ bookmark: done.body.undo }, undo)).status]).toEqual([call, 500]);
    dying.mockRestore();
  }
  expect((await restore({ bookmark: done.body.undo }, undo)).status).toBe(200);
  expect(await texts(memory)).toEqual([...before, ...later]);
  await memory.settled("context");
  expect(await document(memory)).toMatch(/Odette/);
});

it("what is set aside goes for good once nothing can bring it back, and with its thread", async () => {
  const { memory, at, restore } = await talked();
  await restore({ at });
  const kept = ({ tenant }: TestMemory) =>
    env.DB.prepare("SELECT COUNT(*) AS n FROM entries WHERE tenant_id = ? AND raw_entry LIKE '%Tarragona%'")
      .bind(tenant.tenantId)
      .first("n");
  const services = composeServices(env);
  await maintainMemories(services.memory, Date.now() + 30 * 24 * 60 * minute);
  expect(await kept(memory)).toBe(1);
  await maintainMemories(services.memory, Date.now() + 32 * 24 * 60 * minute);
  expect(await kept(memory)).toBe(0);
  expect(await texts(memory)).toEqual(before);

  const other = await talked();
  await other.restore({ at: other.at });
  expect(await kept(other.memory)).toBe(1);
  await other.memory.call("DELETE", "/threads/main");
  expect(await kept(other.memory)).toBe(0);
});

it("of a memory that a hold names nothing expires, and nothing that was set aside goes, until the hold is gone", async () => {
  const { tenant, vaultId, model } = await newMemory();
  const about = { title: "Ana's", model: "offline", subject: "ana" };
  const { memoryId } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, about)).body;
  const memory = new TestMemory(tenant, vaultId, memoryId, model);
  const day = 24 * 60 * minute;
  const expiresAt = new Date(Date.now() + day).toISOString();
  for (const rawEntry of ["Ferrets sleep.", "Herons fish."])
    await memory.call("POST", "/entries", { rawEntry, expiresAt });
  await env.DB.prepare(
    "UPDATE entries SET aside = 'rst_1', deleted_at = ? WHERE tenant_id = ? AND raw_entry LIKE 'Herons%'",
  )
    .bind(new Date().toISOString(), tenant.tenantId)
    .run();
  const texts = async () => {
    const query = "SELECT raw_entry FROM entries WHERE tenant_id = ? AND raw_entry <> '' ORDER BY raw_entry";
    const { results } = await env.DB.prepare(query).bind(tenant.tenantId).all();
    return results.map(({ raw_entry }) => raw_entry);
  };
  await tenant.call("PUT", "/v1/holds/case", { subjects: ["ana"], reason: "A dispute." });
  const { memory: service } = composeServices(env);
  await maintainMemories(service, Date.now() + 40 * day);
  expect(await texts()).toEqual(["Ferrets sleep.", "Herons fish."]);
  await tenant.call("DELETE", "/v1/holds/case");
  await maintainMemories(service, Date.now() + 40 * day);
  expect(await texts()).toEqual([]);
});

it("it is refused locally, to who is no admin, and of what isn't there or is another tenant's", async () => {
  const memory = await newMemory();
  await memory.say(before);
  const at = new Date().toISOString();
  const refused = await memory.tenant.call("POST", path(memory), { at });
  expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(refused.body.detail).toContain("Local development has none");
  // What was ended for it goes on.
  await memory.settled();
  expect(await texts(memory)).toEqual(before);
  expect((await (await memory.tenant.withRole("operator")).call("POST", path(memory), { at })).status).toBe(403);
  expect((await (await newTenant()).call("POST", path(memory), { at })).status).toBe(404);
  expect((await memory.tenant.call("POST", `${memory.path}/threads/none/restore`, { at })).status).toBe(404);
  expect((await memory.tenant.call("GET", "/v1/restores")).body.items).toEqual([]);
});
