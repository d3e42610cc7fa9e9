/** Conversations, runs, debates and threads copied into another tenant: what waits for somebody waits there, and goes on when they answer. */

import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { type Answer, newTenant, TestTenant } from "../support/conclave.js";
import { newMemory, TestMemory } from "../support/memory.js";
import { rowsOf } from "../support/objects.js";
import { everybodySpeaks, getTable, goOn, newPanel, startTable } from "../support/roundtables.js";
import { asksHuman, getRun, modelOf, newTeam, routesTo, startRun } from "../support/teams.js";

const admin = new TestTenant("", env.ADMIN_SECRET);
// biome-ignore lint/suspicious/noExplicitAny: as in Answer
type Item = any;

/** Page by page from one to the other, as somebody would with files. */
async function copy(from: TestTenant, to: TestTenant): Promise<{ items: Item[]; stored: number; warnings: string[] }> {
  const items: Item[] = [];
  let stored = 0;
  const warnings: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const page: Answer = await admin.call("GET", `/v1/admin/tenants/${from.tenantId}/export${query}`);
    expect(page.status).toBe(200);
    const taken = await admin.call("POST", `/v1/admin/tenants/${to.tenantId}/import`, page.body);
    expect(taken.status, JSON.stringify(taken.body)).toBe(200);
    items.push(...page.body.items);
    stored += taken.body.stored;
    warnings.push(...taken.body.warnings);
    cursor = page.body.nextCursor;
  }
  return { items, stored, warnings };
}

const openAsks = async (tenant: TestTenant): Promise<Item[]> =>
  (await tenant.call("GET", "/v1/asks?status=open")).body.items;

it("a turn that waits for an answer waits there too, and is answered there; copied again, nothing is added", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  await model.reply({ text: "Noted.", repeat: 2 }, asksHuman("Which colour?"), { text: "Painted.", repeat: true });
  const session = await tenant.session({ externalId: "shop-7", metadata: { order: "7" } });
  await tenant.say(session, `Walnut? ${"Wörter über Wörter. ".repeat(4_000)}`);
  await tenant.say(session, '{"http": is how my configuration begins');
  const { turnId } = await tenant.say(session, `Plum? ${"Wörter über Wörter. ".repeat(4_500)}`);
  await expect.poll(async () => (await openAsks(tenant)).length).toBe(1);

  const other = await newTenant({}, 1);
  const { items } = await copy(tenant, other);
  expect(items.filter(({ kind, of }) => kind === "object" && of === "session").length).toBeGreaterThan(1);
  await expect.poll(async () => (await openAsks(other)).length).toBe(1);
  await evictDurableObject(other.object(session));
  const again = await copy(tenant, other);
  expect(again.stored).toBe(0);

  const [ask] = await openAsks(other);
  expect(ask).toMatchObject({ question: "Which colour?" });
  expect((await other.call("POST", `/v1/asks/${ask.askId}/answer`, { response: "Red." })).status).toBe(200);
  const turn = await other.turn(session, turnId);
  expect(turn.status).toBe("completed");
  expect(JSON.stringify(turn)).toContain("Painted.");
  // Where it came from nobody has answered.
  expect(await openAsks(tenant)).toMatchObject([{ askId: ask.askId }]);
  await expect
    .poll(async () => (await other.call("GET", "/v1/sessions?externalId=shop-7")).body.items)
    .toMatchObject([{ sessionId: session, metadata: { order: "7" }, status: "idle" }]);
  const texts = async (where: TestTenant): Promise<string[]> =>
    (await where.call("GET", `/v1/sessions/${session}/messages`)).body.items.map(({ content }: Item) => content);
  expect((await texts(other)).slice(0, 3)).toEqual((await texts(tenant)).slice(0, 3));
});

it("a memory's thread goes on: its entries, its context and what that rests on", async () => {
  const memory = await newMemory();
  await memory.say(["The ferry leaves at noon.", "Noted.", "The harbour is closed.", "A pity."]);
  await memory.end();
  await memory.settled("context");
  const [first] = await memory.entries();
  await memory.call("POST", "/entries", { rawEntry: "Her dog is Rex." });
  await memory.call("DELETE", `/entries/${first?.entryId}`).catch(() => undefined);
  await memory.settled("context");

  const other = await newTenant();
  const { items } = await copy(memory.tenant, other);
  const copied = new TestMemory(other, memory.vaultId, memory.memoryId, memory.model);
  const shown = async (one: TestMemory) =>
    (await one.entries()).map(({ rawEntry, threadId, seq, occurredAt, recordedAt }) => ({
      ...{ rawEntry, threadId, seq, occurredAt, recordedAt },
    }));
  expect(await shown(copied)).toEqual(await shown(memory));
  const { version, document, coverage } = await memory.context();
  expect(await copied.context()).toMatchObject({ version, document, coverage });
  const marksOf = async (one: TestMemory) => {
    const { lastSeq, coveredSeq, watermarks } = await one.thread();
    return { lastSeq, coveredSeq, watermarks };
  };
  expect(await marksOf(copied)).toEqual(await marksOf(memory));
  expect(JSON.stringify(items)).toContain("entry_place");

  await copied.say(["The bridge is open.", "Good."]);
  await copied.end();
  await copied.settled("context");
  expect((await copied.context()).version).toBeGreaterThan(version);
  const [, second] = await copied.entries();
  await copied.call("DELETE", `/entries/${second?.entryId}`);
  expect(JSON.stringify(await copied.entries())).not.toContain(second?.rawEntry);
  expect(await memory.entries()).toHaveLength((await shown(memory)).length);
});

it("a run's supervisor that asks goes on there, without the secrets that were sent along, and a debate has its next round", async () => {
  const tenant = await newTenant();
  const http = { url: "https://example.com/x", headers: { authorization: "Bearer s3cret-header" } };
  const team = newTeam({ billing: {}, shipping: { http } }, { tools: ["conclave/ask_human"] });
  await team.supervisor.reply(asksHuman("Which invoice?"), routesTo("billing"));
  await modelOf(team, "billing").reply({ text: "Paid." });
  const { runId } = await startRun(tenant, team.definition, "Is it paid?");
  const panel = newPanel(["one", "two"]);
  await everybodySpeaks(panel, 2);
  const table = await startTable(tenant, panel);
  await expect.poll(async () => (await openAsks(tenant)).length).toBe(1);
  await expect.poll(async () => (await tenant.call("GET", "/v1/roundtables")).body.items.length).toBe(1);

  const other = await newTenant();
  const { items, warnings } = await copy(tenant, other);
  expect(JSON.stringify(items)).not.toContain("s3cret");
  expect(warnings).toEqual([expect.stringContaining(`run ${runId}: secrets`)]);
  await expect.poll(async () => (await openAsks(other)).length).toBe(1);
  const [ask] = await openAsks(other);
  await other.call("POST", `/v1/asks/${ask.askId}/answer`, { response: "The last." });
  expect(await getRun(other, runId)).toMatchObject({ status: "completed" });
  expect((await getRun(tenant, runId, 0)).status).toBe("waiting");
  await goOn(other, table);
  const held = async (where: TestTenant) => JSON.stringify((await getTable(where, table)).responses);
  expect(await held(other)).toContain("one holds view 2.");
  expect(await held(tenant)).not.toContain("view 2");
});

it("an object that is written to between its parts begins anew, and the copy has all of it; datasets come too", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Noted.", repeat: true });
  await tenant.put("datasets", "swords", { description: "Blades." });
  const item = { input: "Say swordfish.", expected: { action: "block" } };
  expect((await tenant.call("POST", "/v1/datasets/swords/items", { items: [item] })).status).toBeLessThan(300);
  const session = await tenant.session();
  for (let turn = 1; turn <= 4; turn++)
    await tenant.say(session, `Walnut ${turn}. ${"Words upon words. ".repeat(5_000)}`);
  await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items.length).toBe(1);
  await expect.poll(async () => (await tenant.call("GET", "/v1/datasets")).body.items.length).toBe(1);

  // An instance that knows nothing of the one before goes on, too: nothing was written.
  const unbroken: number[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const page: Answer = await admin.call("GET", `/v1/admin/tenants/${tenant.tenantId}/export${query}`);
    const parts = page.body.items.filter(({ kind, of }: Item) => kind === "object" && of === "session");
    unbroken.push(...parts.map(({ part }: Item) => part));
    cursor = page.body.nextCursor;
    if (parts.length > 0) await evictDurableObject(tenant.object(session));
    expect(unbroken.length).toBeLessThan(20);
  }
  expect(unbroken.length).toBeGreaterThan(2);
  expect(unbroken).toEqual(unbroken.map((_, at) => at));

  const other = await newTenant();
  const numbers: number[] = [];
  let isSaid = false;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const page: Answer = await admin.call("GET", `/v1/admin/tenants/${tenant.tenantId}/export${query}`);
    const parts = page.body.items.filter(({ kind, of }: Item) => kind === "object" && of === "session");
    numbers.push(...parts.map(({ part }: Item) => part));
    const taken = await admin.call("POST", `/v1/admin/tenants/${other.tenantId}/import`, page.body);
    expect(taken.body).toMatchObject({ warnings: [] });
    cursor = page.body.nextCursor;
    if (isSaid || parts.length === 0 || cursor === null) continue;
    isSaid = true;
    await tenant.say(session, "Plum.");
  }
  expect(isSaid).toBe(true);
  expect(numbers.filter((part) => part === 0)).toHaveLength(2);
  const texts = async (where: TestTenant) => (await where.call("GET", `/v1/sessions/${session}/messages`)).body.items;
  expect(await texts(other)).toEqual(await texts(tenant));
  const items = async (where: TestTenant) => (await where.call("GET", "/v1/datasets/swords/items")).body.items;
  expect(await items(other)).toEqual(await items(tenant));
  await expect.poll(async () => (await other.call("GET", "/v1/datasets")).body.items.length).toBe(1);
});

it("what was deleted there, what another has the caller's id of, and parts out of order are left out and named", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Noted.", repeat: true });
  const session = await tenant.session({ externalId: "shop-7" });
  await tenant.say(session, "Walnut? ".repeat(12_000));
  await tenant.say(session, "Walnut? ".repeat(12_000));
  await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items.length).toBe(1);

  const [other, third] = [await newTenant(), await newTenant()];
  const { items } = await copy(tenant, other);
  expect((await other.call("DELETE", `/v1/sessions/${session}`)).status).toBe(204);
  const parts = items.filter(({ kind }) => kind === "object");
  expect(parts.length).toBeGreaterThan(1);
  const take = async (to: TestTenant, some: Item[]) =>
    (await admin.call("POST", `/v1/admin/tenants/${to.tenantId}/import`, { format: 1, items: some })).body;
  expect(await take(other, parts)).toMatchObject({ stored: 0, warnings: [expect.stringContaining("deleted here")] });
  expect(await take(third, parts.slice(1))).toMatchObject({
    ...{ stored: 0, leftOut: parts.length - 1 },
    warnings: [expect.stringContaining("in their order")],
  });
  // What nobody ends is forgotten.
  await take(third, parts.slice(0, 1));
  const staged = () => rowsOf(third.object(session), "SELECT 1 FROM sqlite_master WHERE name = 'arriving'");
  expect(await staged()).toHaveLength(1);
  expect(await runDurableObjectAlarm(third.object(session))).toBe(true);
  expect(await staged()).toEqual([]);
  await third.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Help." });
  const mine = await third.session({ externalId: "shop-7" });
  expect((await take(third, parts)).warnings).toEqual([expect.stringContaining(mine)]);
  expect((await third.call("GET", `/v1/sessions/${session}`)).status).toBe(404);
  const newer = parts.map((part) => ({ ...part, externalId: undefined, steps: [...part.steps, "of tomorrow"] }));
  expect((await take(third, newer)).warnings).toEqual([expect.stringContaining("newer version")]);
  // Somebody else's state isn't put under this tenant's name.
  const forged = parts.map((part) => ({ ...part, externalId: undefined, tenantId: other.tenantId }));
  expect((await take(third, forged)).warnings).toEqual([expect.stringContaining("isn't what an export")]);
  expect((await third.call("GET", `/v1/sessions/${session}`)).status).toBe(404);
});
