import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { composeServices } from "../../src/composition/services.js";
import { takeTable, withoutLastMigration } from "../support/broken-database.js";
import { newTenant, send, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { expectProblem, pathsOf } from "./support.js";

describe("a resource", () => {
  it("has versions: each body that differs makes one, and its ETag says which counts", async () => {
    const tenant = await newTenant();
    const path = "/v1/rules/r";
    const first = await tenant.call("PUT", path, { text: "one" });
    const same = await tenant.call("PUT", path, { text: "one" });
    const second = await tenant.call("PUT", path, { text: "two", priority: 900 });
    expect([first, same, second].map(({ status, headers }) => [status, headers.get("etag")])).toEqual([
      [201, '"1"'],
      [200, '"1"'],
      [200, '"2"'],
    ]);
    const read = await tenant.call("GET", path);
    expect(read.headers.get("etag")).toBe('"2"');
    expect(read.body).toMatchObject({ name: "r", version: 2, text: "two", priority: 900, include: "manual" });

    expect((await tenant.call("DELETE", path)).status).toBe(204);
    expectProblem(await tenant.call("GET", path), "not_found");
    expectProblem(await tenant.call("DELETE", path), "not_found");
    const again = await tenant.call("PUT", path, { text: "two", priority: 900 });
    expect([again.status, again.body.version]).toEqual([201, 3]);
  });

  it("is written under If-Match only as it was read", async () => {
    const tenant = await newTenant();
    const put = (text: string, etag: string) => tenant.call("PUT", "/v1/rules/r", { text }, { "if-match": etag });
    expectProblem(await put("one", '"1"'), "precondition_failed");
    expectProblem(await put("one", "*"), "precondition_failed");
    const badTag = await put("one", "1");
    expectProblem(badTag, "invalid");
    expect(pathsOf(badTag)).toEqual(["if-match"]);
    expectProblem(await tenant.call("GET", "/v1/rules/r"), "not_found");

    await tenant.put("rules", "r", { text: "one" });
    expect((await put("two", '"1"')).status).toBe(200);
    expectProblem(await put("three", '"1"'), "precondition_failed");
    expect((await put("three", "*")).status).toBe(200);
    // Of those who read the same version, one writes.
    const racing = await Promise.all(["a", "b", "c", "d"].map((text) => put(text, '"3"')));
    expect(racing.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    expect((await tenant.call("GET", "/v1/rules/r")).body.version).toBe(4);
  });

  it("written by many at once keeps every version", async () => {
    const tenant = await newTenant();
    const texts = Array.from({ length: 8 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(texts.map((text) => tenant.call("PUT", "/v1/rules/r", { text })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect((await tenant.call("GET", "/v1/rules/r")).body.version).toBe(8);
  });

  it("names tools as agents do or as teams do, and is read back in one form", async () => {
    const tenant = await newTenant();
    const parameters = { type: "object", properties: {} };
    await tenant.put("tools", "look", {
      server: "shop",
      description: "d",
      parameters,
      http: { url: "https://shop.example" },
    });
    const tools = ["shop/look", { server: "shop", tool: "*" }];
    const agent = await tenant.put("agents", "a", { kind: "model", model: "offline", instructions: "", tools });
    expect(agent.body.tools).toEqual([
      { server: "shop", tool: "look" },
      { server: "shop", tool: "*" },
    ]);
    const context = { tools: ["shop/look"] };
    const session = await tenant.call("POST", "/v1/sessions", { agent: "a", context });
    expect(session.body.context.tools).toEqual([{ server: "shop", tool: "look" }]);
    const workers = [{ id: "w", description: "all", tools: [{ server: "shop", tool: "look" }] }];
    const team = await tenant.put("teams", "t", {
      supervisor: { strategy: "llm-based", model: "offline", tools },
      workers,
    });
    expect(team.body.supervisor.tools).toEqual(["shop/look", "shop/*"]);
    expect(team.body.workers[0].tools).toEqual(["shop/look"]);
    const bare = await tenant.call("PUT", "/v1/agents/a", { ...agent.body, tools: ["look"] });
    expectProblem(bare, "invalid");
  });

  it("of kind tool shows no header it was given", async () => {
    const tenant = await newTenant();
    const http = { url: "https://example.com/", headers: { "x-api-key": "sk-hidden" } };
    const stored = await tenant.put("tools", "t", { server: "s", description: "d", http });
    const listed = await tenant.call("GET", "/v1/tools");
    for (const { body } of [stored, listed, await tenant.call("GET", "/v1/tools/t")]) {
      expect(JSON.stringify(body)).toContain("x-api-key");
      expect(JSON.stringify(body)).not.toContain("sk-hidden");
    }
  });
});

async function pages(tenant: TestTenant, path: string, limit: number): Promise<unknown[][]> {
  const read: unknown[][] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await tenant.call("GET", `${path}?limit=${limit}${query}`);
    expect(status).toBe(200);
    read.push(body.items);
    cursor = body.nextCursor;
  }
  return read;
}

describe("a list", () => {
  it("comes in pages that hold everything once, though something is written meanwhile", async () => {
    const tenant = await newTenant();
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await tenant.put("rules", name, { text: name });
    const read = await pages(tenant, "/v1/rules", 2);
    expect(read.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(read.flat()).toMatchObject(names.map((name) => ({ name })));

    const { body } = await tenant.call("GET", "/v1/rules?limit=2");
    await tenant.put("rules", "aa", { text: "new, before the cursor" });
    await tenant.call("DELETE", "/v1/rules/b");
    const rest = await tenant.call("GET", `/v1/rules?cursor=${encodeURIComponent(body.nextCursor)}`);
    expect(rest.body).toMatchObject({ items: [{ name: "c" }, { name: "d" }, { name: "e" }], nextCursor: null });
  });

  it("of sessions is newest first, of messages and passes oldest first", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "ok", repeat: true });
    const sessions = [await tenant.session(), await tenant.session(), await tenant.session()];
    await eventually(async () => {
      expect((await pages(tenant, "/v1/sessions", 2)).flat()).toMatchObject(
        sessions.toReversed().map((sessionId) => ({ sessionId, agent: "assistant" })),
      );
    });
    const [session = ""] = sessions;
    for (const content of ["one", "two", "three"]) await tenant.say(session, content);
    const messages = await pages(tenant, `/v1/sessions/${session}/messages`, 4);
    expect(messages.map((page) => page.length)).toEqual([4, 2]);
    expect(messages.flat()).toMatchObject([
      { content: "one" },
      { role: "assistant" },
      { content: "two" },
      { role: "assistant" },
      { content: "three" },
      { role: "assistant" },
    ]);
    expect((await pages(tenant, `/v1/sessions/${session}/supervision`, 5)).flat()).toHaveLength(6);
  });

  it.each(["garbage", "!!", "YWZ0ZXI", btoa("before x"), "%00"])("refuses the cursor %j", async (cursor) => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "" });
    const session = await tenant.session();
    for (const path of ["/v1/rules", "/v1/sessions", "/v1/asks", `/v1/sessions/${session}/messages`]) {
      const answer = await tenant.call("GET", `${path}?cursor=${encodeURIComponent(cursor)}`);
      expectProblem(answer, "invalid");
      expect(pathsOf(answer)).toEqual(["cursor"]);
    }
  });

  it("refuses a cursor of another list, where it can't be a place in this one", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "" });
    const session = await tenant.session();
    const cursor = btoa("after some-name").replaceAll("=", "");
    for (const list of ["messages", "supervision"]) {
      expectProblem(await tenant.call("GET", `/v1/sessions/${session}/${list}?cursor=${cursor}`), "invalid");
    }
  });
});

describe("an Idempotency-Key on a write", () => {
  it("gives the same answer again, headers and all, and does the thing once", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "" });
    const create = (body: unknown, key = "k") => tenant.call("POST", "/v1/sessions", body, { "idempotency-key": key });
    const first = await create({ agent: "assistant" });
    const again = await create({ agent: "assistant" });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get("location")).toBe(`/v1/sessions/${first.body.sessionId}`);
    expect(first.headers.get("idempotent-replay")).toBeNull();
    expect(again.headers.get("idempotent-replay")).toBe("true");
    expectProblem(await create({ agent: "assistant", metadata: { a: 1 } }), "idempotency_conflict");
    expect((await create({ agent: "assistant" }, "k2")).body.sessionId).not.toBe(first.body.sessionId);

    const put = () => tenant.call("PUT", "/v1/rules/r", { text: "x" }, { "idempotency-key": "p" });
    expect((await put()).status).toBe(201);
    const replayed = await put();
    expect([replayed.status, replayed.headers.get("etag")]).toEqual([201, '"1"']);
    const remove = () => tenant.call("DELETE", "/v1/rules/r", undefined, { "idempotency-key": "d" });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
  });

  it("lets one of many at the same moment do it; the others get the same answer or a 409 to try again", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "" });
    const create = () => tenant.call("POST", "/v1/sessions", { agent: "assistant" }, { "idempotency-key": "k" });
    const answers = await Promise.all(Array.from({ length: 6 }, create));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectProblem(answer, "conflict");
      expect(answer.headers.get("retry-after")).toBe("1");
    }
    const sessionId = (await create()).body.sessionId;
    for (const { body } of made) expect(body.sessionId).toBe(sessionId);
    await eventually(async () => {
      expect((await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(1);
    });
  });

  it("is each tenant's own, gives nobody what their role may not have, and repeats a refusal", async () => {
    const [a, b] = [await newTenant(), await newTenant()];
    const client = await a.withRole("client");
    const put = (of: TestTenant) => of.call("PUT", "/v1/rules/r", { text: "x" }, { "idempotency-key": "k" });
    expect((await put(a)).status).toBe(201);
    expect((await put(b)).headers.get("idempotent-replay")).toBeNull();
    expect((await put(client)).status).toBeGreaterThanOrEqual(400);
    const refuse = () => a.call("POST", "/v1/sessions", { agent: "none" }, { "idempotency-key": "r" });
    const [first, again] = [await refuse(), await refuse()];
    expectProblem(first, "invalid");
    expect(again).toMatchObject({ status: 422, body: { code: "invalid" } });
  });

  it("of a deletion that died behind its work is told that it is gone", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "" });
    const path = `/v1/sessions/${await tenant.session()}`;
    const remove = (key: string) => tenant.call("DELETE", path, undefined, { "idempotency-key": key });
    expect((await remove("k")).status).toBe(204);
    const died = "UPDATE idempotency SET status = NULL, sealed_answer = NULL WHERE scope = ?";
    await env.DB.prepare(died).bind(tenant.tenantId).run();
    expect((await remove("k")).status).toBe(204);
    expect((await remove("another")).status).toBe(404);
  });

  it("of what was refused stands for nothing: what was missing is stored, and the same request is done", async () => {
    const tenant = await newTenant();
    const begin = () => tenant.call("POST", "/v1/sessions", { agent: "later" }, { "idempotency-key": "k" });
    expectProblem(await begin(), "invalid");
    await tenant.put("agents", "later", { kind: "model", model: "offline", instructions: "" });
    expect((await begin()).status).toBe(201);
  });

  it("is forgotten after a day, and not before", async () => {
    const tenant = await newTenant();
    const put = () => tenant.call("PUT", "/v1/rules/r", { text: "x" }, { "idempotency-key": "k" });
    await put();
    const { answers } = composeServices(env);
    await answers.purgeExpired(Date.now() + 23 * 3_600_000);
    expect((await put()).headers.get("idempotent-replay")).toBe("true");
    await answers.purgeExpired(Date.now() + 25 * 3_600_000);
    expect((await put()).headers.get("idempotent-replay")).toBeNull();
  });
});

describe("the versions of a resource", () => {
  it("say who stored them, show what differs, and can be made to count again", async () => {
    const tenant = await newTenant();
    const operator = await tenant.withRole("operator");
    await tenant.put("rules", "tone", { text: "Be kind." });
    await operator.put("rules", "tone", { text: "Be terse." });
    const path = "/v1/rules/tone/versions";
    const { items } = (await operator.call("GET", path)).body;
    expect(items).toMatchObject([
      { version: 2, author: { kind: "key", role: "operator" } },
      { version: 1, author: { kind: "key", role: "admin" } },
    ]);
    expect(items[0].author.id).not.toBe(items[1].author.id);
    expect((await operator.call("GET", `${path}/1`)).body).toMatchObject({ version: 1, text: "Be kind." });
    expect((await operator.call("GET", `${path}/1/diff/2`)).body.diff).toMatch(/-.*Be kind\.[\s\S]*\+.*Be terse\./);
    const restored = await operator.call("POST", `${path}/1/restore`);
    expect(restored).toMatchObject({ status: 200, body: { version: 3, text: "Be kind." } });
    expect(restored.headers.get("etag")).toBe('"3"');
    expect((await operator.call("GET", path)).body.items[0]).toMatchObject({
      version: 3,
      author: { role: "operator" },
    });
    for (const missing of [`${path}/9`, `${path}/1/diff/9`, "/v1/rules/none/versions"]) {
      expectProblem(await operator.call("GET", missing), "not_found");
    }
    const client = await tenant.withRole("client");
    expectProblem(await client.call("GET", path), "forbidden");
    expectProblem(await client.call("POST", `${path}/1/restore`), "forbidden");
  });

  it("keep their secrets when they are restored, and show none", async () => {
    const tenant = await newTenant();
    const tool = (authorization: string) => ({
      server: "shop",
      description: "d",
      http: { url: "https://shop.example/", headers: { authorization } },
    });
    await tenant.put("tools", "refund", tool("first-credential"));
    await tenant.put("tools", "refund", tool("second-credential"));
    const diff = await tenant.call("GET", "/v1/tools/refund/versions/1/diff/2");
    expect(JSON.stringify(diff.body)).not.toContain("credential");
    await tenant.call("POST", "/v1/tools/refund/versions/1/restore");
    const { resourceVersions } = composeServices(env);
    const stored = await resourceVersions.get(tenant.tenantId, "tools", "refund", 3);
    expect(stored?.body).toMatchObject({ http: { headers: { authorization: "first-credential" } } });
  });
});

describe("/health", () => {
  it("is a 503 that says what is missing when the database can't be reached", async () => {
    await takeTable("tenants");
    const answer = await send("GET", "/health");
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ status: "unavailable", checks: { database: "failed" } });
  });

  it("is a 503 where the database lacks a migration, and says how many it has", async () => {
    const whole = z.object({ schema: z.object({ want: z.int() }) }).parse(await (await send("GET", "/health")).json());
    const { want } = whole.schema;
    await withoutLastMigration();
    const answer = await send("GET", "/health");
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ schema: { have: want - 1, want }, checks: { schema: "failed" } });
  });
});
