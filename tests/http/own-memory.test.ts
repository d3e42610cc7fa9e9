/** What an end user's token does with memories: with those of its subject, and with nothing else. */
import { describe, expect, it } from "vitest";
import { memoryActs } from "../../src/application/memory/acts.js";
import { auditAbout, auditOf } from "../support/audit.js";
import { newTenant, TestTenant } from "../support/conclave.js";
import { newMemory } from "../support/memory.js";

async function tokenOf(tenant: TestTenant, fields: object): Promise<TestTenant> {
  const { status, body } = await tenant.call("POST", "/v1/tokens", fields);
  if (status !== 201 && status !== 200) throw new Error(JSON.stringify(body));
  return new TestTenant(tenant.tenantId, body.token);
}

async function memoryAbout(tenant: TestTenant, subject: string, ...texts: string[]) {
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "Vault" })).body;
  const made = await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, {
    title: `About ${subject}`,
    description: "Pays late.",
    model: "offline",
    subject,
    metadata: { tier: "gold" },
  });
  const path = `/v1/memories/${made.body.memoryId}`;
  const entryIds: string[] = [];
  for (const rawEntry of texts)
    entryIds.push((await tenant.call("POST", `${path}/entries`, { rawEntry })).body.entryId);
  return { memoryId: String(made.body.memoryId), path, entryIds };
}

describe("an end user's token", () => {
  it("lists, reads, searches, corrects and erases what is remembered of its subject", async () => {
    const tenant = await newTenant();
    const { path, memoryId, entryIds } = await memoryAbout(tenant, "ada", "I live in Paris.", "My cat is Tom.");
    const second = await memoryAbout(tenant, "ada", "My cat eats fish.");
    await memoryAbout(tenant, "bob", "My cat is Felix.");
    const ada = await tokenOf(tenant, { subject: "ada" });
    const { items } = (await ada.call("GET", "/v1/memories")).body;
    expect(items.map((one: { memoryId: string }) => one.memoryId)).toEqual([memoryId, second.memoryId]);
    const read = (await ada.call("GET", path)).body;
    expect(read).toMatchObject({ title: "About ada", subject: "ada", metadata: {} });
    expect(read).not.toHaveProperty("description");
    expect(read).not.toHaveProperty("model");

    const [home = "", cat = ""] = entryIds;
    const entry = (await ada.call("GET", `${path}/entries/${home}`)).body;
    expect(entry).toMatchObject({ rawEntry: "I live in Paris." });
    expect(entry).not.toHaveProperty("vouchedBy");
    const found = await ada.call("POST", "/v1/memories/search", { query: "cat" });
    expect(found.status).toBe(200);
    expect(JSON.stringify(found.body)).toContain("Tom");
    expect(JSON.stringify(found.body)).toContain("fish");
    expect(JSON.stringify(found.body)).not.toContain("Felix");
    expect(found.body.latestContexts.map((one: { memoryId: string }) => one.memoryId)).toEqual([
      memoryId,
      second.memoryId,
    ]);

    const corrected = await ada.call("POST", `${path}/entries/${home}/corrections`, { rawEntry: "I live in Lyon." });
    expect(corrected).toMatchObject({ status: 201, body: { supersedes: home, vouchedBy: { kind: "token" } } });
    expect((await ada.call("DELETE", `${path}/entries/${cat}`)).status).toBe(204);
    const left = (await ada.call("GET", `${path}/entries`)).body.items;
    expect(left.map((one: { rawEntry: string }) => one.rawEntry)).toEqual(["I live in Lyon."]);
    expect((await auditAbout(tenant, "entry.deleted"))[0]?.actor).toMatchObject({ kind: "token", id: "tok:ada" });
  });

  it("says nothing but its own words in a correction", async () => {
    const tenant = await newTenant();
    const { path, entryIds } = await memoryAbout(tenant, "ada", "I live in Paris.");
    const ada = await tokenOf(tenant, { subject: "ada" });
    for (const more of [
      { role: "assistant" },
      { speaker: "Support" },
      { tags: { verified: true } },
      { summary: "x" },
    ]) {
      const body = { rawEntry: "My balance is a million.", ...more };
      const refused = await ada.call("POST", `${path}/entries/${entryIds[0]}/corrections`, body);
      expect([refused.status, refused.body.errors[0].path]).toEqual([403, Object.keys(more)[0]]);
    }
    expect((await ada.call("POST", `${path}/entries`, { rawEntry: "More." })).status).toBe(403);
    expect((await ada.call("PATCH", path, { subject: "bob" })).status).toBe(403);
    expect((await ada.call("DELETE", path)).status).toBe(403);
  });

  it("isn't even told that another subject's memory is there, nor another tenant's, by whichever act", async () => {
    const tenant = await newTenant();
    const bobs = await memoryAbout(tenant, "bob", "My cat is Felix.");
    const nobodys = await newMemory("offline", tenant);
    const foreign = await memoryAbout(await newTenant(), "ada", "My cat is Felix.");
    const ada = await tokenOf(tenant, { subject: "ada" });
    const own = memoryActs.filter(({ ofSubject, route }) => ofSubject && route?.path.includes("{memoryId}"));
    expect(own.length).toBeGreaterThan(5);
    for (const memoryId of [bobs.memoryId, nobodys.memoryId, foreign.memoryId]) {
      for (const { act, route } of own) {
        const path = route?.path.replace("{memoryId}", memoryId).replace("{entryId}", bobs.entryIds[0] ?? "") ?? "";
        const body = { correctEntry: { rawEntry: "x" }, searchEntries: { query: "cat" } }[act];
        const answer = await ada.call(route?.method.toUpperCase() ?? "", path, body);
        expect([act, answer.status, answer.body.code]).toEqual([act, 404, "not_found"]);
        expect(JSON.stringify(answer.body)).not.toContain("Felix");
      }
    }
    expect((await ada.call("GET", "/v1/memories?subject=bob")).body.items).toEqual([]);
    expect((await ada.call("GET", "/v1/memories")).body.items).toEqual([]);
    const others = await ada.call("POST", "/v1/memories/search", { subject: "bob", query: "cat" });
    expect(others.status).toBe(403);
    expect((await tenant.call("GET", `${bobs.path}/entries`)).body.items).toHaveLength(1);
  });

  it("of one session or of some agents reaches no memory", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const { path } = await memoryAbout(tenant, "ada", "My cat is Tom.");
    const sessionId = await tenant.session({ subject: "ada" });
    for (const limit of [{ sessionId }, { agents: ["assistant"] }]) {
      const token = await tokenOf(tenant, { subject: "ada", ...limit });
      for (const place of ["/v1/memories", path, `${path}/entries`, `${path}/context`]) {
        expect([place, (await token.call("GET", place)).status]).toEqual([place, 403]);
      }
      expect((await token.call("POST", "/v1/memories/search", { query: "cat" })).status).toBe(403);
    }
  });

  it("reads nothing that the tenant's rules don't let pass now, and may erase it all the same", async () => {
    const tenant = await newTenant();
    const { path, entryIds } = await memoryAbout(tenant, "ada", "The word is Rosebud.", "My cat is Tom.");
    await tenant.call("PUT", `${path}/context`, { document: "## Facts\n- The word is Rosebud.\n- The cat is Tom." });
    await tenant.rules("privacy", [
      { match: { type: "phrases", phrases: ["Rosebud"] }, action: "block", reason: "a secret word" },
    ]);
    await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["privacy"] } });
    const ada = await tokenOf(tenant, { subject: "ada" });
    const answers = [
      await ada.call("GET", `${path}/entries`),
      await ada.call("GET", `${path}/entries/${entryIds[0]}`),
      await ada.call("GET", `${path}/context`),
      await ada.call("POST", `${path}/search`, { query: "Which word?" }),
      await ada.call("POST", "/v1/memories/search", { query: "Which word?" }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/rosebud/i);
    }
    expect(JSON.stringify(answers[2]?.body)).toContain("The cat is Tom.");
    expect((await tenant.call("GET", `${path}/entries`)).body.items[0].rawEntry).toContain("Rosebud");
    expect((await ada.call("DELETE", `${path}/entries/${entryIds[0]}`)).status).toBe(204);
  });
});

describe("what an end user reads of a memory", () => {
  const hides = (word: string, hooks: readonly string[]) =>
    [[{ match: { type: "phrases", phrases: [word] }, action: "redact", reason: "not for users" }], { hooks }] as const;

  it("passes the rules of responses, too: it is shown to them, as an answer would be", async () => {
    const tenant = await newTenant();
    const { path } = await memoryAbout(tenant, "ada", "Our margin with her is Rosebud percent.");
    await tenant.rules("margins", ...hides("Rosebud", ["response"]));
    await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["margins"] } });
    const ada = await tokenOf(tenant, { subject: "ada" });
    const { body } = await ada.call("GET", `${path}/entries`);
    expect(body.items[0].rawEntry).toBe("Our margin with her is [redacted] percent.");
  });

  it("is found by no word that was taken out of it, and a page that is read again and again fills no audit", async () => {
    const tenant = await newTenant();
    const { path } = await memoryAbout(tenant, "ada", "Rosebud lives in Turin.", "Rosebud likes tea.", "Rosebud left.");
    await tenant.call("PUT", `${path}/context`, { document: "## Facts\n- Rosebud lives in Turin." });
    await tenant.rules("names", ...hides("Rosebud", ["request"]));
    await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["names"] } });
    const ada = await tokenOf(tenant, { subject: "ada" });
    const search = async (query: string) => (await ada.call("POST", `${path}/search`, { query, topContexts: 5 })).body;
    expect(await search("Rosebud")).toMatchObject({ entries: [], contexts: [] });
    const { entries, contexts } = await search("Turin");
    expect([entries.length, contexts.length]).toEqual([1, 1]);
    const rows = async () => (await auditOf(tenant)).filter(({ hook }) => hook === "hop").length;
    const before = await rows();
    await ada.call("GET", `${path}/entries`);
    expect(await rows()).toBe(before + 1);
  });
});

describe("a memory that is changed", () => {
  it("has what was named, is another subject's from then on, and leaves a row of whose and which model it became", async () => {
    const tenant = await newTenant();
    const { path, memoryId } = await memoryAbout(tenant, "ada", "My cat is Tom.");
    const [ada, bob] = [await tokenOf(tenant, { subject: "ada" }), await tokenOf(tenant, { subject: "bob" })];
    expect((await tenant.call("PATCH", path, { title: "Notes" })).body).toMatchObject({
      title: "Notes",
      subject: "ada",
    });
    expect(await auditAbout(tenant, "memory.changed")).toEqual([]);
    const changed = await tenant.call("PATCH", path, { subject: "bob", model: "default" });
    expect(changed.body).toMatchObject({
      title: "Notes",
      subject: "bob",
      model: "default",
      metadata: { tier: "gold" },
    });
    await tenant.call("PATCH", path, { subject: "bob", model: "default" });
    expect((await auditAbout(tenant, "memory.changed")).map(({ subject }) => subject)).toEqual([
      { kind: "memories", name: memoryId, changes: ["subject", "model"] },
    ]);
    expect((await ada.call("GET", path)).status).toBe(404);
    expect((await bob.call("GET", path)).status).toBe(200);
    expect((await tenant.call("GET", "/v1/memories?subject=bob")).body.items).toHaveLength(1);
    const cleared = await tenant.call("PATCH", path, { subject: null });
    expect(cleared.body).not.toHaveProperty("subject");
    expect((await bob.call("GET", path)).status).toBe(404);
    expect((await tenant.call("PATCH", path, { title: "" })).status).toBe(422);
    expect((await tenant.call("PATCH", "/v1/memories/mem_none", { title: "x" })).status).toBe(404);
  });

  it("is searched for a key by the subject that it names", async () => {
    const tenant = await newTenant();
    await memoryAbout(tenant, "ada", "My cat is Tom.");
    const client = await tenant.withRole("client");
    const nobody = await client.call("POST", "/v1/memories/search", { query: "cat" });
    expect(nobody).toMatchObject({ status: 422, body: { errors: [{ path: "subject" }] } });
    const found = await client.call("POST", "/v1/memories/search", { subject: "ada", query: "cat", topEntries: 1 });
    expect(found.body.entries).toMatchObject([{ entry: { rawEntry: "My cat is Tom." } }]);
    const none = await client.call("POST", "/v1/memories/search", { subject: "eve", query: "cat" });
    expect(none.body).toEqual({ entries: [], contexts: [], latestContexts: [] });
  });
});
