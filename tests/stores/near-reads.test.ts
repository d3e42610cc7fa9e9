/**
 * Look-ups may read a replica of the database near their caller, and see at least what the caller has seen and written; whatever
 * decides reads the primary. D1's sessions say which is asked for: they are noted as each call begins them.
 */
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Conclave } from "../../src/client/index.js";
import { composeServices } from "../../src/composition/services.js";
import { Bookmarks, NearDatabase, PrimaryDatabase } from "../../src/stores/database.js";
import { atRest } from "../support/at-rest.js";
import { newTenant, origin, TestTenant } from "../support/conclave.js";
import { D1Calls } from "../support/d1-calls.js";
import { newMemory } from "../support/memory.js";

const header = "x-conclave-bookmark";

afterEach(() => vi.restoreAllMocks());

/** A tenant with something of everything that is looked up, and a bookmark that covers it. */
async function furnished() {
  const memory = await newMemory();
  const { tenant } = memory;
  await tenant.agent("assistant");
  // Nothing that its session has left goes to the database beside what is asked for.
  await atRest(tenant.object(await tenant.session()));
  const { entryId } = await memory.call("POST", "/entries", { rawEntry: "Ada moved to Turin." });
  await memory.call("PUT", "/context", { document: "## Facts\n- Ada lives in Turin." });
  const vault = (await tenant.call("GET", "/v1/vaults")).body.items[0].vaultId;
  const bookmark = (await tenant.call("GET", "/v1/tenant")).headers.get(header) ?? "";
  return { tenant, memory: memory.path, entryId, vault, bookmark };
}

describe("a look-up", () => {
  const lookUps = (of: { memory: string; entryId: string; vault: string }): [string, string, unknown?][] => [
    ["GET", "/v1/sessions"],
    ["GET", "/v1/runs"],
    ["GET", "/v1/roundtables"],
    ["GET", "/v1/asks"],
    ["GET", "/v1/usage"],
    ["GET", "/v1/agents"],
    ["GET", "/v1/agents/assistant"],
    ["GET", "/v1/agents/assistant/versions"],
    ["GET", "/v1/agents/assistant/versions/1"],
    ["GET", "/v1/vaults"],
    ["GET", `/v1/vaults/${of.vault}`],
    ["GET", `/v1/vaults/${of.vault}/memories`],
    ["GET", "/v1/memories"],
    ["GET", of.memory],
    ["GET", `${of.memory}/threads`],
    ["GET", `${of.memory}/entries`],
    ["GET", `${of.memory}/entries/${of.entryId}`],
    ["GET", `${of.memory}/context`],
    ["GET", `${of.memory}/contexts`],
    ["POST", `${of.memory}/search`, { query: "Where does Ada live?" }],
  ];

  it("continues from the bookmark that its caller sends; only who calls is read from the primary", async () => {
    const of = await furnished();
    const calls = new D1Calls(of.tenant);
    for (const [method, path, body] of lookUps(of)) {
      calls.taken();
      const answer = await of.tenant.call(method, path, body, { [header]: of.bookmark });
      expect([path, answer.status]).toEqual([path, 200]);
      const [authentication, ...read] = calls.takenWithSessions();
      expect([path, authentication]).toEqual([path, { kind: "keys", begun: "first-primary" }]);
      // Its settings say whom a search may ask for a vector: they decide.
      const lookedUp = read.filter(({ kind }) => kind !== "tenants");
      expect([path, new Set(lookedUp.map(({ begun }) => begun))]).toEqual([path, new Set([of.bookmark])]);
    }
  });

  it("reads the primary without a bookmark, or with one that D1 can't have given out", async () => {
    const of = await furnished();
    const calls = new D1Calls(of.tenant);
    const fromTheFuture = "ffffffff-ffffffff-ffffffff-ffffffffffffffffffffffffffffffff";
    for (const sent of [undefined, "", "garbage", "'; DROP TABLE keys", "0".repeat(4_000), fromTheFuture]) {
      calls.taken();
      const answer = await of.tenant.call("GET", "/v1/agents", undefined, sent === undefined ? {} : { [header]: sent });
      expect(answer.body.items).toHaveLength(1);
      expect(calls.takenWithSessions().map(({ begun }) => begun)).toEqual(["first-primary", "first-primary"]);
    }
  });
});

it("what decides reads the primary, whatever bookmark its caller sends", async () => {
  const { tenant, memory, entryId, bookmark } = await furnished();
  const session = await tenant.session();
  await atRest(tenant.object(session));
  const key = (await tenant.call("POST", "/v1/keys", { role: "client" })).body.keyId;
  const calls = new D1Calls(tenant);
  const decide: [string, string, unknown?][] = [
    ["GET", "/v1/keys"],
    ["DELETE", `/v1/keys/${key}`],
    ["PATCH", "/v1/tenant", { settings: { strict: true } }],
    ["POST", "/v1/tokens", { subject: "ada" }],
    ["POST", "/v1/subjects/ada/revoke"],
    ["PUT", "/v1/references/city", { text: "Turin" }],
    ["POST", "/v1/references/city/versions/1/restore"],
    ["DELETE", "/v1/references/city"],
    ["PUT", "/v1/sessions/by-external-id/mine", { agent: "assistant" }],
    ["POST", `${memory}/entries/${entryId}/corrections`, { rawEntry: "Ada moved to Rome." }],
    ["DELETE", `${memory}/entries/${entryId}`],
    ["DELETE", `/v1/sessions/${session}`],
  ];
  for (const [method, path, body] of decide) {
    calls.taken();
    const { status } = await tenant.call(method, path, body, { [header]: bookmark });
    expect([path, status < 300]).toEqual([path, true]);
    expect([path, new Set(calls.takenWithSessions().map(({ begun }) => begun))]).toEqual([
      path,
      new Set(["first-primary"]),
    ]);
  }
});

it("what looks up without a request, as objects and queues do, reads the primary each time, however long it lives", async () => {
  const tenant = await newTenant();
  const { near } = composeServices(env);
  const calls = new D1Calls(tenant);
  await near.resources.get(tenant.tenantId, "agents", "assistant");
  await near.resources.get(tenant.tenantId, "agents", "assistant");
  expect(calls.takenWithSessions().map(({ begun }) => begun)).toEqual(["first-primary", "first-primary"]);
});

it("a key that was deleted is refused, whatever bookmark from before is sent", async () => {
  const { tenant, bookmark } = await furnished();
  const { keyId, key } = (await tenant.call("POST", "/v1/keys", { role: "client" })).body;
  const client = new TestTenant(tenant.tenantId, key);
  expect((await client.call("GET", "/v1/sessions", undefined, { [header]: bookmark })).status).toBe(200);
  await tenant.call("DELETE", `/v1/keys/${keyId}`);
  expect((await client.call("GET", "/v1/sessions", undefined, { [header]: bookmark })).status).toBe(401);
});

it("an answer's bookmark covers what its request wrote, and the typed client sends it along by itself", async () => {
  const tenant = await newTenant();
  const sent: (string | null)[] = [];
  const given: string[] = [];
  const conclave = new Conclave({
    baseUrl: origin,
    token: tenant.key,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent.push(request.headers.get(header));
      const answer = await exports.default.fetch(request);
      given.push(answer.headers.get(header) ?? "");
      return answer;
    },
  });
  const agent = { kind: "model", model: "offline", instructions: "Help." };
  await conclave.request("PUT", "/v1/agents/assistant", { body: agent });
  await conclave.request("GET", "/v1/agents/assistant");
  await conclave.request("GET", "/v1/agents");
  expect(sent).toEqual([null, given[0], given[1]]);
  expect(given).toEqual(given.toSorted());
});

/** D1 with a replica that is always `lag` writes behind; each holds the number of the last write that it has. */
function replicated(lag: number) {
  let written = 0;
  const asked: string[] = [];
  const bookmarkOf = (write: number): string => `${"0".repeat(16)}-${String(write).padStart(8, "0")}`;
  const withSession = (begun = "first-unconstrained") => {
    let seen = begun.startsWith("first-") ? -1 : Number(begun.split("-")[1]);
    let isFirst = true;
    const read = (isWrite: boolean): number => {
      const atPrimary = isWrite || (isFirst && begun === "first-primary") || Math.max(0, written - lag) < seen;
      isFirst = false;
      if (isWrite) written++;
      asked.push(atPrimary ? "primary" : "replica");
      const answer = atPrimary ? written : Math.max(0, written - lag);
      seen = Math.max(seen, answer);
      return answer;
    };
    const statement = (query: string): D1PreparedStatement => {
      const answer = async () => ({ results: [{ answer: read(query === "write") }] });
      return Object.assign(env.DB.prepare("SELECT 1"), {
        bind: () => statement(query),
        first: async () => (await answer()).results[0] ?? null,
      });
    };
    return Object.assign(env.DB.withSession(begun), {
      prepare: statement,
      getBookmark: () => (seen < 0 ? null : bookmarkOf(seen)),
    });
  };
  return { db: { withSession }, asked, bookmarkOf };
}

describe("beside a replica that is behind", () => {
  it("a caller sees what they wrote, and what they didn't write comes from near them", async () => {
    const { db, asked } = replicated(2);
    const bookmarks = new Bookmarks();
    const primary = new PrimaryDatabase(db, bookmarks);
    const request = (sent = "none") => new NearDatabase(db, bookmarks, sent);
    const before = request();
    await primary.prepare("authenticate").first();
    const old = before.bookmark;
    for (let write = 0; write < 3; write++) await primary.prepare("write").bind(1).first();
    asked.length = 0;

    expect(await request(before.bookmark).prepare("look").first()).toEqual({ answer: 3 });
    expect(await request(old).prepare("look").first()).toEqual({ answer: 1 });
    expect(await request().prepare("look").first()).toEqual({ answer: 3 });
    expect(asked).toEqual(["primary", "replica", "primary"]);
  });

  it("what was looked up once isn't older the next time", async () => {
    const { db } = replicated(1);
    const bookmarks = new Bookmarks();
    const primary = new PrimaryDatabase(db, bookmarks);
    for (let write = 0; write < 2; write++) await primary.prepare("write").first();
    const first = new NearDatabase(db, bookmarks, "none");
    expect(await first.prepare("look").first()).toEqual({ answer: 2 });
    expect(await new NearDatabase(db, bookmarks, first.bookmark ?? "").prepare("look").first()).toEqual({ answer: 2 });
  });

  it("a bookmark that the database hasn't reached is no reason to wait", () => {
    const { bookmarkOf } = replicated(0);
    const bookmarks = new Bookmarks();
    expect(bookmarks.forLookUp(bookmarkOf(1))).toBe("first-primary");
    bookmarks.note(bookmarkOf(5));
    bookmarks.note(bookmarkOf(4));
    bookmarks.note(null);
    expect(bookmarks.latest).toBe(bookmarkOf(5));
    expect(bookmarks.forLookUp(bookmarkOf(5))).toBe(bookmarkOf(5));
    expect(bookmarks.forLookUp(bookmarkOf(6))).toBe("first-primary");
    expect(bookmarks.forLookUp("first-unconstrained")).toBe("first-primary");
  });
});
