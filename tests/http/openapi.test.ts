import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { problemCodes } from "../../src/conversation/problem.js";
import { GrantStore } from "../../src/stores/grant-store.js";
import { resourceKinds } from "../../src/tenancy/resources.js";
import { newTenant, origin, send, type TestTenant } from "../support/conclave.js";
import { newMemory } from "../support/memory.js";
import { expectProblem } from "./support.js";

const parameterSchema = z.object({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean().optional(),
  schema: z.object({}).loose(),
});
const contentSchema = z.record(z.string(), z.object({ schema: z.object({}).loose() }));
const operationSchema = z.object({
  summary: z.string().min(5),
  tags: z.array(z.string()).min(1),
  parameters: z.array(parameterSchema).optional(),
  requestBody: z.object({ content: contentSchema, required: z.literal(true) }).optional(),
  responses: z.record(
    z.string().regex(/^(\d{3}|default)$/),
    z.union([
      z.object({ $ref: z.string().startsWith("#/components/responses/Problem") }),
      z.object({ description: z.string().min(1), content: contentSchema.optional() }),
    ]),
  ),
  security: z.array(z.record(z.string(), z.array(z.string()))),
});
const documentSchema = z.object({
  openapi: z.string().regex(/^3\.1\./),
  info: z.object({ title: z.string(), version: z.string() }).loose(),
  paths: z.record(
    z.string().startsWith("/"),
    z.partialRecord(z.enum(["get", "put", "post", "patch", "delete"]), operationSchema),
  ),
  components: z
    .object({ schemas: z.record(z.string(), z.unknown()), securitySchemes: z.record(z.string(), z.unknown()) })
    .loose(),
});
type Operation = z.infer<typeof operationSchema>;

async function operations(): Promise<{ method: string; path: string; operation: Operation }[]> {
  const { paths } = documentSchema.parse(await (await send("GET", "/openapi.json")).json());
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

describe("the OpenAPI document", () => {
  it("is one: every operation has a summary, its parameters, its answers and its problems", async () => {
    const text = await (await send("GET", "/openapi.json")).text();
    const document = documentSchema.parse(JSON.parse(text));
    for (const { method, path, operation } of await operations()) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(declared.map(({ name }) => name).sort(), `${method} ${path}`).toEqual(named.sort());
      for (const { required } of declared) expect(required).toBe(true);
      expect(Object.keys(operation.responses), `${method} ${path}`).toContain("default");
      expect(Object.keys(operation.responses).some((status) => /^(101|[23])/.test(status))).toBe(true);
      for (const scheme of operation.security.flatMap((one) => Object.keys(one))) {
        expect(Object.keys(document.components.securitySchemes)).toContain(scheme);
      }
    }
    // No reference leads nowhere.
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
  });

  it("has no body that takes an unknown field, at any level", async () => {
    const document = documentSchema.parse(await (await send("GET", "/openapi.json")).json());
    const open: string[] = [];
    let objects = 0;
    /** Objects with named fields that take others too; those of a map name none. */
    const look = (schema: unknown, place: string, within: readonly string[]): void => {
      if (schema === null || typeof schema !== "object") return;
      const ref = z.object({ $ref: z.string() }).safeParse(schema).data?.$ref.split("/").at(-1);
      if (ref !== undefined && !within.includes(ref)) {
        look(document.components.schemas[ref], place, [...within, ref]);
      }
      if ("properties" in schema) {
        objects += 1;
        if (!("additionalProperties" in schema) || schema.additionalProperties !== false) open.push(place);
      }
      for (const [name, inner] of Object.entries(schema)) {
        // A default is a value and no schema.
        if (name !== "default") look(inner, `${place}.${name}`, within);
      }
    };
    for (const { method, path, operation } of await operations()) {
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        look(schema, `${method} ${path}`, []);
    }
    expect(objects).toBeGreaterThan(50);
    // Messages of clients have what each client puts there; of theirs only what is known is read.
    const ofClients =
      /^POST \/v1\/(ui-chat|chat\/completions)\.properties\.messages|^POST \/v1\/responses\S*\.properties\.input/;
    expect(open.filter((place) => !ofClients.test(place))).toEqual([]);
  });

  it("can be read as pages, without a script and without a key: one that lists everything, one a family, one a shape", async () => {
    const page = await send("GET", "/docs/api");
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const text = await page.text();
    for (const { path } of await operations()) expect(text).toContain(path);
    const families = linksOf(text).filter((link) => link.startsWith("/docs/api/"));
    expect(families.length).toBeGreaterThan(200);
    for (const address of new Set(families.map((link) => link.split("#")[0] ?? ""))) {
      const family = await (await send("GET", address)).text();
      expect(family.length, address).toBeLessThan(110_000);
      const shapes = linksOf(family).filter((link) => link.startsWith("/docs/shapes/"));
      for (const shape of shapes) expect(text).toContain(`href="${shape}"`);
      for (const link of families.filter((one) => one.startsWith(`${address}#`)))
        expect(family).toContain(`id="${link.split("#")[1]}"`);
    }
    expect(await (await send("GET", "/docs/shapes/ModelAgentInput")).text()).toContain("instructions");
    expect((await send("GET", "/docs/shapes/constructor")).status).toBe(404);
  });

  it("is made once, document and pages, and a 304 for whoever has it", async () => {
    for (const path of ["/openapi.json", "/docs", "/docs/api", "/docs/api/memory"]) {
      const first = await send("GET", path);
      const etag = first.headers.get("etag") ?? "";
      expect(etag, path).toMatch(/^"[0-9a-f]{32}"$/);
      expect(first.headers.get("cache-control")).toBe("public, max-age=300");
      await first.text();
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
        const again = await send("GET", path, { headers: { "if-none-match": known } });
        expect([again.status, await again.text(), again.headers.get("etag")], path).toEqual([304, "", etag]);
      }
      expect((await send("GET", path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
    }
  });

  it("begins with a page of at most 60 kB whose side bar leads to every page, for browsers and as Markdown", async () => {
    const first = await (await send("GET", "/docs")).text();
    expect(first.length).toBeLessThan(60_000);
    const links = new Set(linksOf(first.slice(first.indexOf("<nav"))));
    expect([...links]).toEqual(
      expect.arrayContaining(["/docs/errors", "/docs/sessions", "/docs/conclave", "/docs/api"]),
    );
    for (const address of [...links, "/docs/README"]) {
      const page = await send("GET", address, { headers: { accept: "text/html,*/*;q=0.8" } });
      expect([page.status, page.headers.get("content-type")], address).toEqual([200, "text/html; charset=UTF-8"]);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      const text = await page.text();
      expect(text).not.toContain("<script");
      expect(text).not.toContain("style=");
      for (const [, picture = ""] of text.matchAll(/<img src="([^"]+)"/g)) {
        const shown = await send("GET", picture);
        expect([shown.status, shown.headers.get("content-type")], picture).toEqual([
          200,
          expect.stringMatching(/^image/),
        ]);
        await shown.arrayBuffer();
      }
      if (address === "/docs/api") continue;
      const markdown = await send("GET", address === "/docs" ? "/docs/README" : address);
      expect(markdown.headers.get("content-type"), address).toBe("text/markdown; charset=utf-8");
      expect(await markdown.text()).toMatch(/^# /);
    }
    const sessions = await (await send("GET", "/docs/sessions", { headers: { accept: "text/html" } })).text();
    // A block of code stays text, and a link to another page leads to where the Worker serves it.
    expect(sessions).toContain("<pre ");
    expect(sessions).toMatch(/href="\/docs\/\w+(#[\w-]+)?"/);
    expect((await send("GET", "/docs/sessions.md")).status).toBe(200);
    expect((await send("GET", "/docs/site/style.css")).headers.get("content-type")).toContain("text/css");
    for (const nothing of ["/docs/constructor", "/docs/site/nothing.css", "/docs/..%2f/style.css", "/docs/site/style"])
      expect((await send("GET", nothing)).status, nothing).toBe(404);
  });

  it("is searched without a script: what is found leads to a heading of a page, and what is asked for is shown as text", async () => {
    const found = await (await send("GET", "/docs?q=how+do+I+exchange+a+secret")).text();
    expect(found).toContain('href="/docs/security#rotate-a-secret"');
    const hostile = await (await send("GET", `/docs?q=${encodeURIComponent('"><img src=x onerror=1>')}`)).text();
    expect(hostile).not.toContain("<img src=x");
    expect(await (await send("GET", "/docs?q=zzzzqqqq")).text()).toContain("Nothing was found");
    expect((await send("GET", `/docs?q=${"a".repeat(300)}`)).status).toBe(422);
  });

  it("explains each problem where its type leads, on the same origin, and says something to an end user", async () => {
    const tenant = await newTenant();
    const { body } = await tenant.call("GET", "/v1/sessions/ses_nowhere");
    expect(body).toMatchObject({ code: "not_found", userMessage: "That is not there, or not any more." });
    const { origin: served, pathname, hash } = new URL(body.type);
    expect({ served, pathname, hash }).toEqual({ served: origin, pathname: "/docs/errors", hash: "#not_found" });
    const page = await (await send("GET", pathname, { headers: { accept: "text/html" } })).text();
    for (const code of Object.keys(problemCodes)) expect(page).toContain(`<h2 id="${code}">`);
  });

  it("/health says what can be reached", async () => {
    const answer = await send("GET", "/health");
    expect(await answer.json()).toMatchObject({ status: "ok", checks: { database: "ok" } });
  });
});

/** Prompts have names of ours. */
const nameOf = (kind: string, name: string): string => (kind === "prompts" ? "summary" : name);

/** Everything that a tenant can have, under the names of the routes' parameters. */
async function everything(tenant: TestTenant, name = "only_mine"): Promise<Record<string, string>> {
  const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
  await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] });
  const externalId = "room-1";
  const sessionId = await tenant.session({ externalId });
  const turn = await tenant.say(sessionId, "hello");
  const bodies: Record<string, unknown> = {
    agents: { kind: "model", model: "offline", instructions: "" },
    supervisors: { kind: "rules", hooks: ["request"], config: { rules: [blockAll] } },
    rules: { text: "x" },
    references: { text: "x" },
    tools: { server: "s", description: "d", http: { url: "https://example.com/" } },
    prompts: { text: "x" },
    panels: { mode: "collaborative" },
    teams: { supervisor: { strategy: "skill-based" }, workers: [{ id: "a", description: "x", model: "offline" }] },
  };
  for (const kind of resourceKinds) {
    const body = bodies[kind];
    // A kind that this test doesn't know must be made known to it.
    if (body === undefined) throw new Error(`say what a resource of kind ${kind} looks like`);
    await tenant.put(kind, nameOf(kind, name), body);
  }
  const memory = await newMemory("offline", tenant);
  const { messages } = await memory.say(["hello"]);
  await memory.settled();
  const seats = ["a", "b"].map((id) => ({ id, model: "offline" }));
  const table = await tenant.call("POST", "/v1/roundtables", { topic: "hello?", seats, rounds: 2, analysis: false });
  const run = await tenant.call("POST", "/v1/runs", { team: name, input: "hello" });
  await tenant.call("PUT", `/v1/datasets/${name}`, {});
  await tenant.call("POST", `/v1/datasets/${name}/items`, `{"input": "hello ${name}"}`, {
    "content-type": "application/jsonl",
  });
  const person = { name: "Ada", email: "ada@example.com", role: "admin" };
  const { personId } = (await tenant.call("POST", "/v1/people", person)).body;
  const grant = { personId, client: name, clientHost: "localhost", reach: "own", agents: undefined } as const;
  const by = { kind: "person", id: personId } as const;
  const grantId = (await new GrantStore(env.DB, Date.now).add(tenant.tenantId, grant, by)) ?? "";
  const label = `/v1/sessions/${sessionId}/messages/${turn.message?.messageId}/label`;
  return {
    decisionId: (await tenant.call("PUT", label, { label: "unsure" })).body.decisionId,
    vaultId: memory.vaultId,
    memoryId: memory.memoryId,
    threadId: "main",
    entryId: messages[0].entryId,
    deadLetterId: "dlq_1",
    jobId: "sj_01m817hww1q09m40a5mj0x2bsa",
    kind: "sessions",
    itemId: (await tenant.call("GET", `/v1/datasets/${name}/items`)).body.items[0].itemId,
    evalId: `evl_01m817hww1q09m40a5mj0x2bsa_${name}`,
    from: "1",
    to: "1",
    runId: run.body.runId,
    roundtableId: table.body.sessionId,
    round: "1",
    agentId: "a",
    tenantId: tenant.tenantId,
    personId,
    grantId,
    keyId: `key_${tenant.key.split("_")[1]}`,
    name,
    subject: "ada",
    sessionId,
    ownerId: sessionId,
    externalId,
    turnId: turn.turnId,
    messageId: turn.message?.messageId ?? "",
    askId: turn.asks[0]?.askId ?? "",
    deliveryId: "dlv_01m817hww1q09m40a5mj0x2bsa",
    version: "1",
    row: "0",
    size: "1",
  };
}
const blockAll = { match: { type: "length", max: 1 }, action: "block", reason: "x" };

/** Bodies that the routes would take from their own tenant. */
const bodies: Record<string, unknown> = {
  "POST /v1/sessions/{sessionId}/restore": { bookmark: "x" },
  "POST /v1/runs/{runId}/restore": { bookmark: "x" },
  "POST /v1/roundtables/{roundtableId}/restore": { bookmark: "x" },
  "POST /v1/memories/{memoryId}/threads/{threadId}/restore": { bookmark: "x" },
  "POST /v1/admin/erasures": { since: "2026-11-24T08:00:00Z", items: [] },
  "POST /v1/limits/{name}/raise": { by: 1, until: "2099-01-01T00:00:00Z", reason: "x" },
  "POST /v1/sessions/{sessionId}/messages": { content: "hello" },
  "POST /v1/sessions/{sessionId}/context": { add: { rules: [] } },
  "POST /v1/sessions/{sessionId}/messages/{messageId}/edits": {
    operations: [{ type: "remove_turn", turnId: "x" }],
    baseHash: "0".repeat(64),
  },
  "POST /v1/datasets/{name}/items/from-sessions": { labels: "none" },
  "POST /v1/evals/{evalId}/resume": { maxTokens: 1 },
  "POST /v1/sessions/{sessionId}/replay": { candidates: [{ name: "now", supervisors: ["guard"] }] },
  "POST /v1/experiments/{name}/promote": { variant: "b" },
  "POST /v1/asks/{askId}/answer": { response: "x" },
  "POST /v1/asks/answers": { askIds: ["ask_1"], decision: "accept" },
  "POST /v1/asks/{askId}/defer": { until: null },
  "POST /v1/sessions/{sessionId}/staff-messages": { content: "x" },
  "PATCH /v1/people/{personId}": { role: "reviewer" },
  "POST /v1/roundtables/{roundtableId}/context": { contextResults: [{ requestId: "x", content: "x" }] },
  "POST /v1/roundtables/{roundtableId}/control": { action: "pause" },
  "POST /v1/roundtables/{roundtableId}/fork": { round: 1 },
  "POST /v1/vaults/{vaultId}/memories": { title: "x" },
  "POST /v1/memories/{memoryId}/threads/{threadId}/messages": { role: "user", content: "x" },
  "POST /v1/memories/{memoryId}/entries": { rawEntry: "x" },
  "PATCH /v1/memories/{memoryId}/entries/{entryId}": { tags: {} },
  "POST /v1/memories/{memoryId}/entries/{entryId}/corrections": { rawEntry: "x" },
  "POST /v1/memories/{memoryId}/search": { query: "x" },
};

/** Parameters that count, or that each memory names for itself; the others name a thing. */
const counts = new Set(["version", "from", "to", "threadId", "subject", "round", "agentId", "row", "size"]);

describe("another tenant's ids, on every route of the document", () => {
  it("are a 404, alone and below the caller's own, and nothing changes", async () => {
    const [a, b] = [await newTenant(), await newTenant()];
    const [theirs, mine] = [await everything(a), await everything(b, "mine")];
    let tried = 0;

    for (const { method, path, operation } of await operations()) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
      // What isn't below /v1 belongs to nobody.
      if (names.length === 0 || !path.startsWith("/v1/")) continue;
      // A chat's id is each tenant's own, and an unknown one is a new chat: ui-chat.test.ts tries another's.
      if (path.startsWith("/v1/ui-chat/")) continue;
      // They say so in OpenAI's own form: openai/chat.test.ts and responses.test.ts try another's.
      if (/^\/v1\/(models|responses)\//.test(path)) continue;
      const route = `${method} ${path}`;
      for (const name of names) expect(Object.keys(theirs), `${route}: what is ${name}?`).toContain(name);
      const admin = path.startsWith("/v1/admin/");
      // A name is each tenant's own: writing it makes one's own; and so is a subject.
      if (method === "PUT" || names.includes("subject")) continue;

      // All of theirs, and each of theirs below what is mine.
      const nested = names.filter((name) => !counts.has(name)).map((_, at) => names.slice(0, at));
      for (const own of nested) {
        const filled = path.replace(/\{(\w+)\}/g, (_match, name) => (own.includes(name) ? mine : theirs)[name] ?? "");
        const answer = await b.call(
          method,
          filled,
          operation.requestBody === undefined ? undefined : (bodies[route] ?? {}),
        );
        tried += 1;
        expect(answer.status, `${route} with ${own.join(", ")} of one's own: ${JSON.stringify(answer.body)}`).toBe(
          admin ? 401 : 404,
        );
        expectProblem(answer, admin ? "unauthorized" : "not_found");
        expect(JSON.stringify(answer.body)).not.toContain("Which?");
      }
    }

    expect(tried).toBeGreaterThan(20);
    expect(await a.turn(theirs.sessionId ?? "", theirs.turnId ?? "", 0)).toMatchObject({
      status: "waiting",
      asks: [{ askId: theirs.askId, status: "open" }],
    });
    for (const kind of resourceKinds) {
      expect((await a.call("GET", `/v1/${kind}/${nameOf(kind, "only_mine")}`)).body, kind).toMatchObject({
        version: 1,
      });
    }
  });

  it("are in no list, and a name that is written is one's own", async () => {
    const [a, b] = [await newTenant(), await newTenant()];
    const theirs = await everything(a);
    for (const { method, path, operation } of await operations()) {
      // No list: a socket.
      if (!("200" in operation.responses)) continue;
      if (method !== "GET" || path.includes("{") || !path.startsWith("/v1/") || path.startsWith("/v1/admin/")) continue;
      const { status, body } = await b.call("GET", path);
      // No list: the tenant's own secret, which is another tenant's in no part.
      if (path === "/v1/tenant/signing-secret") {
        expect(body.signingSecret).not.toBe((await a.call("GET", path)).body.signingSecret);
        continue;
      }
      expect(JSON.stringify(body)).not.toContain(theirs.tenantId);
      expect(JSON.stringify(body)).not.toContain(theirs.keyId);
      // No page either: an export. Of whoever has done nothing it has who made the tenant's key, and that it is exported.
      if (path === "/v1/audit") {
        const [first = "", ...others] = String(body).trim().split("\n");
        expect([status, first]).toEqual([200, expect.stringContaining('"type":"key.created"')]);
        // This export's own row may be of the very millisecond at which it ends.
        for (const row of others) expect(row).toContain('"type":"audit.exported"');
        continue;
      }
      // No lists: numbers of the tenant's own asks, of which there are none.
      if (path === "/v1/asks/counts" || path === "/v1/asks/report") {
        expect([path, status, body.open ?? body.closed.answered]).toEqual([path, 200, 0]);
        continue;
      }
      if (path === "/v1/overview") {
        expect([path, status, body.usage.total.works, body.waiting.staff]).toEqual([path, 200, 0, 0]);
        continue;
      }
      // Nothing of it is archived yet.
      if (path === "/v1/audit/rows") {
        expect(body ?? "").toBe("");
        continue;
      }
      // A tenant, its keys, its first limits, what it used and the memory agent's rules are always there.
      if (["/v1/tenant", "/v1/keys", "/v1/memory-prompts", "/v1/limits"].includes(path)) continue;
      // OpenAI's lists have their items under another name.
      expect([path, status, body.items ?? body.data]).toEqual([path, 200, []]);
    }
    await b.put("rules", "only_mine", { text: "mine" });
    expect((await a.call("GET", "/v1/rules/only_mine")).body.text).toBe("x");
    await a.call("PUT", "/v1/rules/only_mine", { text: "y" });
    expect((await b.call("GET", "/v1/rules/only_mine")).body).toMatchObject({ text: "mine", version: 1 });
    // An agent, a supervisor, a reference of theirs can't be used either.
    expectProblem(await b.call("POST", "/v1/sessions", { agent: "assistant" }), "invalid");
    expect(theirs.sessionId).toMatch(/^ses_/);
  });
});

function linksOf(page: string): string[] {
  return [...page.matchAll(/<a href="([^"]+)"/g)].map(([, link = ""]) => link);
}
