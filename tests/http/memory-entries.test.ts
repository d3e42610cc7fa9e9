import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";
import { newMemory, type TestMemory } from "../support/memory.js";

function add(memory: TestMemory, rawEntry: string, fields: Record<string, unknown> = {}, headers = {}) {
  return memory.call("POST", "/entries", { rawEntry, ...fields }, headers);
}

async function found(memory: TestMemory, query: string, more: Record<string, unknown> = {}): Promise<string[]> {
  const { entries } = await memory.call("POST", "/search", { query, ...more });
  return entries.map(({ entry }: { entry: { rawEntry: string } }) => entry.rawEntry);
}

describe("entries", () => {
  it("are added with times said and recorded, and their own beginning as a summary where none is given", async () => {
    const memory = await newMemory();
    const entry = await add(memory, "The boat is called Pequod.", { occurredAt: "2024-05-01T12:00:00+02:00" });
    expect(entry).toMatchObject({
      summary: "The boat is called Pequod.",
      summarySource: "extractive",
      occurredAt: "2024-05-01T10:00:00.000Z",
      tags: {},
    });
    expect(await memory.call("GET", `/entries/${entry.entryId}`)).toEqual(entry);
  });

  it("are there once under an Idempotency-Key; another body under it is a 409", async () => {
    const memory = await newMemory();
    const key = { "idempotency-key": "k1" };
    const first = await add(memory, "Once.", {}, key);
    expect(await add(memory, "Once.", {}, key)).toEqual(first);
    const other = await memory.tenant.call("POST", `${memory.path}/entries`, { rawEntry: "Twice." }, key);
    expect(other).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
    expect(await memory.entries()).toHaveLength(1);
  });

  it("are listed in pages that lose nothing, also where many have the same time", async () => {
    const memory = await newMemory();
    const occurredAt = "2024-01-01T00:00:00.000Z";
    for (let at = 0; at < 9; at++) await add(memory, `Entry ${at}.`, { occurredAt });
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { items: { rawEntry: string }[]; nextCursor: string | null } = await memory.call(
        "GET",
        `/entries?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      seen.push(...page.items.map(({ rawEntry }) => rawEntry));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(Array.from({ length: 9 }, (_, at) => `Entry ${at}.`));
  });

  it("are filtered by role, tag and time", async () => {
    const memory = await newMemory();
    await add(memory, "A.", {
      role: "user",
      tags: { topic: "boats", urgent: true },
      occurredAt: "2024-01-01T00:00:00Z",
    });
    await add(memory, "B.", { role: "assistant", tags: { topic: "cars" }, occurredAt: "2024-02-01T00:00:00Z" });
    const texts = async (query: string) => (await memory.entries(query)).map(({ rawEntry }) => rawEntry);
    expect(await texts("&role=assistant")).toEqual(["B."]);
    expect(await texts("&tag=topic")).toEqual(["A.", "B."]);
    expect(await texts("&tag=topic%3Dboats")).toEqual(["A."]);
    expect(await texts("&tag=urgent%3Dtrue")).toEqual(["A."]);
    expect(await texts("&after=2024-01-15T00:00:00Z")).toEqual(["B."]);
    expect(await texts("&before=2024-01-15T00:00:00Z")).toEqual(["A."]);
  });

  it("answer with what holds: now the new address, in May the old one", async () => {
    const memory = await newMemory();
    const old = await add(memory, "Ada's address is Elm Street 1.", { occurredAt: "2024-04-01T00:00:00Z" });
    const corrected = await memory.call("POST", `/entries/${old.entryId}/corrections`, {
      rawEntry: "Ada's address is Oak Avenue 2.",
      occurredAt: "2024-06-01T00:00:00Z",
    });
    expect(corrected).toMatchObject({ supersedes: old.entryId });
    expect(await memory.call("GET", `/entries/${old.entryId}`)).toMatchObject({ supersededBy: corrected.entryId });
    const query = "Where does Ada live, what is the address?";
    expect(await found(memory, query)).toEqual(["Ada's address is Oak Avenue 2."]);
    expect(await found(memory, query, { asOf: "2024-05-15T00:00:00Z" })).toEqual(["Ada's address is Elm Street 1."]);
    expect(await memory.entries("&asOf=2024-05-15T00:00:00Z")).toMatchObject([{ entryId: old.entryId }]);
    const again = await memory.tenant.call("POST", `${memory.path}/entries/${old.entryId}/corrections`, {
      rawEntry: "No.",
    });
    expect(again).toMatchObject({ status: 409 });
  });

  it("expire, and are not found any more", async () => {
    const memory = await newMemory();
    await add(memory, "The password of the day is fish.", {
      expiresAt: "2024-01-02T00:00:00Z",
      occurredAt: "2024-01-01T00:00:00Z",
    });
    expect(await found(memory, "password of the day")).toEqual([]);
    expect(await found(memory, "password of the day", { asOf: "2024-01-01T12:00:00Z" })).toHaveLength(1);
  });

  it("take new tags, and the index with them", async () => {
    const memory = await newMemory();
    const entry = await add(memory, "Something plain.", { tags: { topic: "boats" } });
    await memory.call("PATCH", `/entries/${entry.entryId}`, { tags: { topic: "zeppelins" } });
    expect(await found(memory, "zeppelins")).toEqual(["Something plain."]);
    expect(await found(memory, "boats")).toEqual([]);
    expect(await found(memory, "plain", { filter: { tag: "topic=zeppelins" } })).toHaveLength(1);
    expect(await found(memory, "plain", { filter: { tag: "topic=boats" } })).toEqual([]);
  });

  it("are found with the reasons for their scores, which add up", async () => {
    const memory = await newMemory();
    await add(memory, "Caroline: I painted a sunrise over the lake.", { occurredAt: "2023-05-07T10:00:00Z" });
    await add(memory, "Melanie: The children went swimming.", { occurredAt: "2023-05-08T10:00:00Z" });
    const { entries, latestContext } = await memory.call("POST", "/search", { query: "What did Caroline paint?" });
    const [{ entry, score, why }] = entries;
    expect(entry.speaker).toBe("Caroline");
    expect(why.terms).toMatchObject([{ word: "paint" }]);
    expect(why.speaker).toBeGreaterThan(0);
    expect(score).toBeCloseTo(why.total);
    expect(latestContext).toMatchObject({ version: 0 });
  });

  it("of one memory are neither found nor weighed in another, of the same tenant or another's", async () => {
    const tenant = await newTenant();
    const [memory, sibling] = [await newMemory("offline", tenant), await newMemory("offline", tenant)];
    const stranger = await newMemory();
    const entry = await add(memory, "The lighthouse keeper is called Moira.");
    await add(memory, "Nothing else matters.");
    const search = () => memory.call("POST", "/search", { query: "lighthouse keeper" });
    const before = await search();
    for (const other of [sibling, stranger]) {
      for (let at = 0; at < 20; at++) await add(other, `Another lighthouse keeper, number ${at}.`);
      expect(await found(other, "Moira")).toEqual([]);
      for (const [method, path] of [
        ["GET", `/entries/${entry.entryId}`],
        ["DELETE", `/entries/${entry.entryId}`],
        ["PATCH", `/entries/${entry.entryId}`],
        ["POST", `/entries/${entry.entryId}/corrections`],
      ] as const) {
        const body = method === "PATCH" ? { tags: {} } : method === "POST" ? { rawEntry: "No." } : undefined;
        expect((await other.tenant.call(method, other.path + path, body)).status).toBe(404);
      }
    }
    expect(await search()).toEqual(before);
  });

  it("and every other route of a memory are a 404 for another tenant", async () => {
    const memory = await newMemory();
    await memory.say(["Hello."]);
    const stranger = await newTenant();
    const calls: [string, string, unknown?][] = [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/threads/main/start", {}],
      ["POST", "/threads/main/messages", { role: "user", content: "Hi." }],
      ["POST", "/threads/main/end", {}],
      ["GET", "/threads/main"],
      ["GET", "/entries"],
      ["POST", "/entries", { rawEntry: "Hi." }],
      ["GET", "/context"],
      ["PUT", "/context", { document: "## Facts\n- None." }],
      ["GET", "/contexts"],
      ["GET", "/contexts/0"],
      ["GET", "/contexts/0/sources"],
      ["GET", "/contexts/0/diff/0"],
      ["POST", "/contexts/0/restore", {}],
      ["POST", "/search", { query: "Hello" }],
      ["GET", "/dead-letters"],
      ["POST", "/dead-letters/dlq_1/retry", {}],
      ["POST", "/await-consistency", { level: "stored" }],
    ];
    for (const [method, path, body] of calls) {
      expect([path, (await stranger.call(method, memory.path + path, body)).status]).toEqual([path, 404]);
    }
    expect((await stranger.call("GET", `/v1/vaults/${memory.vaultId}`)).status).toBe(404);
    expect((await stranger.call("GET", `/v1/vaults/${memory.vaultId}/memories`)).status).toBe(404);
  });

  it("go with their memory, and with their tenant, from every table", async () => {
    const memory = await newMemory();
    await memory.say(["Unforgettable zirconium."]);
    await memory.settled();
    await memory.tenant.call("DELETE", memory.path);
    const { results } = await env.DB.prepare("SELECT term FROM entry_vocab WHERE term LIKE '%zirconium%'").all();
    expect(results).toEqual([]);
    expect((await memory.tenant.call("GET", memory.path)).status).toBe(404);
  });
});
