/** A tenant handed out page by page and taken in elsewhere: again without doubling, without keys and secrets, and refused where it isn't known. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { type Answer, newTenant, send, TestTenant } from "../support/conclave.js";

const admin = new TestTenant("", env.ADMIN_SECRET);
// biome-ignore lint/suspicious/noExplicitAny: as in Answer
type Item = any;

async function pagesOf({ tenantId }: TestTenant): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const { status, body }: Answer = await admin.call("GET", `/v1/admin/tenants/${tenantId}/export${query}`);
    expect(status).toBe(200);
    pages.push(body.items);
    cursor = body.nextCursor;
  }
  return pages;
}

const take = (tenant: TestTenant, items: readonly Item[], format = 1): Promise<Answer> =>
  admin.call("POST", `/v1/admin/tenants/${tenant.tenantId}/import`, { format, items });

/** Something of everything. */
async function full(): Promise<{ tenant: TestTenant; memory: string; long: string }> {
  const providers = { acme: { baseUrl: "https://acme.example/v1", apiKey: "s3cret-key" } };
  const tenant = await newTenant({ strict: true, providers });
  const http = { url: "https://example.com/x", headers: { authorization: "Bearer s3cret-header" } };
  for (const description of ["Pays.", "Pays at once."])
    await tenant.put("tools", "pay", { server: "shop", description, http });
  const long = "Wörter über Wörter. ".repeat(2_300);
  for (const name of ["one", "two", ..."abcdefghi"]) await tenant.put("references", name, { text: `${name} ${long}` });
  await tenant.put("rules", "gone", { text: "Gone." });
  await tenant.call("DELETE", "/v1/rules/gone");
  await tenant.put("agents", "clerk", { kind: "model", model: "offline", instructions: "Help." });
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "Shop" })).body;
  const { memoryId } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, { title: "Ana" })).body;
  const memory = `/v1/memories/${memoryId}`;
  const { entryId } = (
    await tenant.call("POST", `${memory}/entries`, { rawEntry: "Her dog is Rex.", tags: { kind: "pet" } })
  ).body;
  await tenant.call("POST", `${memory}/entries/${entryId}/corrections`, { rawEntry: "Her dog is Max." });
  expect((await tenant.call("PUT", `${memory}/context`, { document: "# Pets\n- A dog." })).status).toBeLessThan(300);
  const session = await tenant.session({ agent: "clerk" });
  await tenant.say(session, "Walnut?");
  await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items.length).toBe(1);
  return { tenant, memory, long };
}

const shownOf = async (tenant: TestTenant, memory: string) => {
  const paths = ["agents/clerk", "references/two", "tools/pay", "tools/pay/versions/1"].map((path) => `/v1/${path}`);
  const resources = await Promise.all(paths.map((path) => tenant.call("GET", path)));
  const entries = (await tenant.call("GET", `${memory}/entries`)).body.items;
  return {
    resources: resources.map(({ body: { updatedAt: _, createdAt: __, author: ___, ...body } }) => body),
    entries: entries.map(({ rawEntry, tags, occurredAt }: Item) => ({ rawEntry, tags, occurredAt })),
    context: (await tenant.call("GET", `${memory}/context`)).body.document,
    vaults: (await tenant.call("GET", "/v1/vaults")).body.items.map(({ title }: Item) => title),
    found: (await tenant.call("POST", `${memory}/search`, { query: "dog" })).body.entries.map(
      ({ rawEntry }: Item) => rawEntry,
    ),
    strict: (await tenant.call("GET", "/v1/tenant")).body.settings.strict,
  };
};

it("what was handed out is there in another tenant, in every version, and taken again it changes nothing", async () => {
  const { tenant, memory } = await full();
  const pages = await pagesOf(tenant);
  expect(pages.length).toBeGreaterThan(1);
  const other = await newTenant();
  const stored: Item[] = [];
  for (const page of pages) {
    const taken = await take(other, page);
    expect(taken.status, JSON.stringify(taken.body)).toBe(200);
    stored.push(taken.body);
  }
  expect(await shownOf(other, memory)).toEqual(await shownOf(tenant, memory));
  expect(stored.flatMap(({ warnings }) => warnings).toSorted()).toEqual([
    "settings.providers: acme have to be stored again, with their keys",
    "tools/pay: its secrets have to be stored again",
  ]);
  const before = await shownOf(other, memory);
  for (const page of pages.toReversed()) expect((await take(other, page)).status).toBe(200);
  for (const page of pages) {
    const again = (await take(other, page)).body;
    expect(again.stored).toBe(0);
  }
  expect(await shownOf(other, memory)).toEqual(before);
});

it("holds transcripts as they are read, and no key, no secret and nothing that was deleted", async () => {
  const { tenant } = await full();
  const items = (await pagesOf(tenant)).flat();
  const text = JSON.stringify(items);
  expect(text).toContain("Walnut?");
  expect(text).not.toMatch(/s3cret|sealed|cnk_|"gone"/);
  expect(text).not.toContain(tenant.key);
  const kinds = new Set(items.map(({ kind }) => kind));
  expect([...kinds]).toEqual([
    "tenant",
    "resource",
    "vault",
    "memory",
    "entry",
    "context",
    "session",
    "messages",
    "object",
    "limit",
  ]);
});

const secret = "whsec_c2VjcmV0LW9mLWEtd2ViaG9vaw";
const rest = async (tenant: TestTenant): Promise<Item[]> =>
  (await pagesOf(tenant)).flat().filter(({ kind }) => ["limit", "webhook", "person", "channel"].includes(kind));
const webhook = { url: "https://example.com/hook", events: ["turn.completed"], filter: { subject: "ida" } };
const ida = { name: "Ida", email: "ida@example.com", role: "operator" };

/** What is neither a resource nor somebody's words. */
async function staffed(): Promise<{ tenant: TestTenant; items: Item[] }> {
  const tenant = await newTenant();
  await tenant.put("agents", "clerk", { kind: "model", model: "offline", instructions: "Help." });
  await tenant.put("limits", "messages-a-minute", { per: "subject", measure: "messages", max: 5, window: "minute" });
  await tenant.put("limits", "own", { per: "tenant", measure: "requests", max: 900 });
  await tenant.put("limits", "keyed", { per: "key", measure: "requests", max: 9, match: { keyId: "key_1" } });
  const raise = { by: 7, until: "2099-01-01T00:00:00Z", reason: "A fair" };
  expect((await tenant.call("POST", "/v1/limits/own/raise", raise)).status).toBeLessThan(300);
  await tenant.put("webhooks", "hook", { ...webhook, secret });
  const gone = (await tenant.call("POST", "/v1/people", { ...ida, name: "Bo", email: "bo@example.com" })).body;
  await tenant.call("PATCH", `/v1/people/${gone.personId}`, { status: "suspended" });
  expect((await tenant.call("POST", "/v1/people", ida)).status).toBe(201);
  const credentials = { secret: "s3cret-s3cret-s3cret-s3cret", replyUrl: "https://example.com/in" };
  await tenant.put("channels", "chat", { kind: "generic", agent: "clerk", credentials });
  return { tenant, items: await rest(tenant) };
}

it("limits, webhooks and people come without what lets in or signs, once; and what can't come is named", async () => {
  const { items } = await staffed();
  expect(items.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    ...["limit keyed", "limit messages-a-day", "limit messages-a-minute", "limit own", "webhook hook"],
    ...["person Bo", "person Ida", "channel chat"],
  ]);
  expect(JSON.stringify(items)).not.toMatch(/whsec|s3cret|sealed|credentials|raises|join#/);
  const other = await newTenant();
  const toDo = [
    "limits/keyed: it is about a key, and keys are not carried: store it again (PUT) for one of here",
    "webhooks/hook: switched off; store it again (PUT) with its secret",
    "channels/chat: store it again (PUT) with its credentials",
    "people: 1 have to be invited again",
  ];
  expect((await take(other, items)).body).toEqual({ stored: 6, there: 1, leftOut: 1, warnings: toDo });
  expect((await take(other, items)).body).toEqual({ stored: 0, there: 7, leftOut: 1, warnings: toDo.slice(1) });

  const limits = (await other.call("GET", "/v1/limits")).body.items;
  expect(limits.map(({ name, max, raises }: Item) => [name, max, raises])).toEqual([
    ...[
      ["keyed", 9, []],
      ["messages-a-day", 2_000, []],
      ["messages-a-minute", 5, []],
      ["own", 900, []],
    ],
  ]);
  expect((await other.call("GET", "/v1/webhooks/hook")).body).toMatchObject({ ...webhook, status: "disabled" });
  const people = (await other.call("GET", "/v1/people")).body.items;
  expect(people.map(({ name, status }: Item) => `${name} ${status}`)).toEqual(["Bo suspended", "Ida suspended"]);
  const { personId } = people[1];
  expect(personId).toBe(items.find(({ name }) => name === "Ida").personId);
  expect((await other.call("POST", `/v1/people/${personId}/invitations`)).status).toBe(409);
  // The same again hands out the same, but for what wasn't carried.
  const back = (await rest(other)).map((item) => (item.kind === "person" ? { ...item, status: "x" } : item));
  const sent = items.map((item) => (item.kind === "person" ? { ...item, status: "x" } : item));
  expect(back).toEqual(sent.filter(({ kind }) => kind !== "channel"));

  // Stored and invited here: nothing has to be done any more, and another import leaves it so.
  await other.put("webhooks", "hook", { ...webhook, secret });
  expect((await other.call("PATCH", `/v1/people/${personId}`, { status: "active" })).status).toBe(200);
  expect((await other.call("POST", `/v1/people/${personId}/invitations`)).status).toBe(201);
  expect((await take(other, items)).body).toMatchObject({
    stored: 0,
    warnings: [expect.stringContaining("channels/")],
  });
  expect((await other.call("GET", "/v1/webhooks/hook")).body.status).toBe("active");
});

it("limits, webhooks, people and channels that are here stay, and those deleted here stay so", async () => {
  const { tenant, items } = await staffed();
  // Where they come from they are all there.
  const untouched = (await take(tenant, items)).body;
  expect(untouched).toEqual({ stored: 0, there: 8, leftOut: 0, warnings: [] });

  const other = await newTenant();
  await other.put("limits", "own", { per: "tenant", measure: "requests", max: 300 });
  await other.put("limits", "messages-a-minute", { per: "subject", measure: "messages", max: 70, window: "minute" });
  await other.put("webhooks", "hook", { ...webhook, url: "https://example.com/other", secret });
  const here = await other.call("POST", "/v1/people", { ...ida, name: "Ours", role: "admin" });
  const taken = (await take(other, items)).body;
  expect(taken.warnings).toContain("limits/own: it was set here, and stays");
  expect((await other.call("GET", "/v1/limits/own")).body.max).toBe(300);
  expect((await other.call("GET", "/v1/limits/messages-a-minute")).body.max).toBe(70);
  expect((await other.call("GET", "/v1/webhooks/hook")).body).toMatchObject({
    status: "active",
    url: "https://example.com/other",
  });
  const people = (await other.call("GET", "/v1/people")).body.items;
  expect(people.find(({ email }: Item) => email === ida.email)).toMatchObject({
    ...{ personId: here.body.personId, name: "Ours", role: "admin", status: "invited" },
  });

  const bo = people.find(({ name }: Item) => name === "Bo");
  for (const path of ["limits/own", "webhooks/hook", `people/${bo.personId}`])
    expect((await other.call("DELETE", `/v1/${path}`)).status).toBe(204);
  const again = (await take(other, items)).body;
  expect(again).toMatchObject({ stored: 0, leftOut: 4 });
  expect(again.warnings).toEqual(expect.arrayContaining([`people: ${bo.personId} was deleted here`]));
  expect((await other.call("GET", "/v1/webhooks")).body.items).toEqual([]);
  expect((await other.call("GET", "/v1/people")).body.items.map(({ name }: Item) => name)).toEqual(["Ours"]);
  // Another's address or id isn't written anew, and what isn't one is refused before anything is changed.
  const person = items.find(({ kind }) => kind === "person");
  expect(await take(other, [{ ...person, role: "owner" }])).toMatchObject({ status: 422 });
  expect(await take(other, [{ kind: "webhook", name: "x", body: { ...webhook, secret } }])).toMatchObject({
    status: 422,
  });
});

it("another version that is here stays, and is named; what isn't known is refused before anything is changed", async () => {
  const { tenant } = await full();
  const items = (await pagesOf(tenant)).flat().filter(({ kind }) => kind === "resource");
  const other = await newTenant();
  await other.put("agents", "clerk", { kind: "model", model: "offline", instructions: "Ours." });
  const clerk = items.filter(({ name }) => name === "clerk");
  expect((await take(other, clerk)).body).toMatchObject({
    stored: 0,
    warnings: [expect.stringContaining("agents/clerk")],
  });
  // A higher number is none of ours either, and what was deleted here stays so.
  const higher = clerk.map((item) => ({ ...item, version: 7 }));
  expect((await take(other, higher)).body.stored).toBe(0);
  expect((await other.call("GET", "/v1/agents/clerk")).body.instructions).toBe("Ours.");
  await other.call("DELETE", "/v1/agents/clerk");
  expect((await take(other, higher)).body.stored).toBe(0);
  expect((await other.call("GET", "/v1/agents/clerk")).status).toBe(404);

  const pay = items.find(({ name }) => name === "pay");
  expect(await take(other, [pay], 2)).toMatchObject({ status: 422, body: { errors: [{ path: "format" }] } });
  const unknown = await take(other, [pay, { kind: "spaceship" }]);
  expect(unknown).toMatchObject({ status: 422, body: { errors: [{ path: "items.1.kind" }] } });
  expect(await take(other, [{ ...pay, body: {} }])).toMatchObject({ status: 422 });
  expect((await other.call("GET", "/v1/tools/pay")).status).toBe(404);
});

it("a memory or a vault that was deleted here doesn't come back with a copy of before", async () => {
  const { tenant, memory } = await full();
  const items = (await pagesOf(tenant))
    .flat()
    .filter(({ kind }) => ["vault", "memory", "entry", "context"].includes(kind));
  const other = await newTenant();
  expect((await take(other, items)).body.leftOut).toBe(0);
  expect((await other.call("DELETE", memory)).status).toBe(204);
  const again = (await take(other, items)).body;
  expect(again).toMatchObject({ stored: 0, warnings: [expect.stringMatching(/^memory mem_.*deleted here/)] });
  expect((await other.call("GET", memory)).status).toBe(404);
  const [vault] = items;
  expect((await other.call("DELETE", `/v1/vaults/${vault.vaultId}`)).status).toBe(204);
  expect((await take(other, items)).body).toMatchObject({ stored: 0, leftOut: items.length });
  expect((await other.call("GET", "/v1/vaults")).body.items).toEqual([]);
});

it("an entry that was erased doesn't come back, where it was copied from or where it was copied to", async () => {
  const { tenant, memory } = await full();
  const items = (await pagesOf(tenant)).flat().filter(({ kind }) => ["vault", "memory", "entry"].includes(kind));
  const other = await newTenant();
  await take(other, items);
  const holding = async (where: TestTenant) =>
    (await where.call("GET", `${memory}/entries`)).body.items.filter(({ rawEntry }: Item) => /Max/.test(rawEntry));
  for (const where of [tenant, other]) {
    const [{ entryId }] = await holding(where);
    expect((await where.call("DELETE", `${memory}/entries/${entryId}`)).status).toBe(204);
    await take(where, items);
    expect(await holding(where)).toEqual([]);
  }
});

it("is for who runs the deployment alone, and goes on behind a cursor of its own", async () => {
  const tenant = await newTenant();
  const path = `/v1/admin/tenants/${tenant.tenantId}/export`;
  expect((await tenant.call("GET", path)).status).toBe(401);
  expect((await admin.call("GET", `${path}?cursor=nonsense`)).status).toBe(422);
  expect((await send("GET", "/v1/admin/tenants/ten_none/export", { key: env.ADMIN_SECRET })).status).toBe(404);
});
