/** A method that an address doesn't take is a 405 that says which it takes; what isn't there at all stays a 404. */
import { env, exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { newTenant, origin, send } from "../support/conclave.js";
import { expectProblem } from "./support.js";

const known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Every address of the document, with a path that fits it and all the methods that the document has for that path. */
async function addresses(): Promise<{ path: string; methods: string[] }[]> {
  const document: { paths: Record<string, Record<string, unknown>> } = await (
    await send("GET", "/openapi.json")
  ).json();
  const templates = Object.entries(document.paths)
    .filter(([template]) => !template.startsWith("/webhooks/"))
    .map(([template, operations]) => ({
      template,
      pattern: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
      methods: Object.keys(operations).map((method) => method.toUpperCase()),
    }));
  return templates.map(({ template }) => {
    const path = template.replaceAll(/\{[^}]+\}/g, "1");
    return { path, methods: templates.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods) };
  });
}

const keyFor = (path: string, key: string): string => (path.startsWith("/v1/admin") ? env.ADMIN_SECRET : key);

it("every address refuses a method that it doesn't have, and names those that it has", async () => {
  const { key } = await newTenant();
  const all = await addresses();
  expect(all.length).toBeGreaterThan(100);
  for (const { path, methods } of all) {
    const wrong = ["PATCH", "PUT", "DELETE", "POST", "GET"].find((method) => !methods.includes(method));
    if (wrong === undefined) throw new Error(`${path} has every method`);
    const answer = await send(wrong, path, { key: keyFor(path, key) });
    const named = known.filter((method) => methods.includes(method === "HEAD" ? "GET" : method)).join(", ");
    expect([answer.status, answer.headers.get("allow")], `${wrong} ${path}`).toEqual([405, named]);
  }
});

it("says so in the words of each face", async () => {
  const { key } = await newTenant();
  const refused = await send("PATCH", "/v1/sessions", { key });
  expect(refused.headers.get("allow")).toBe("GET, HEAD, POST");
  const body = await refused.clone().json();
  expectProblem({ status: refused.status, headers: refused.headers, body }, "method_not_allowed");
  expect(body).toMatchObject({ detail: expect.stringMatching(/PATCH.*GET, HEAD, POST/) });

  for (const [method, path, allow] of [
    ["GET", "/v1/chat/completions", "POST"],
    ["PUT", "/v1/responses/resp_1", "GET, HEAD, DELETE"],
    ["POST", "/v1/models", "GET, HEAD"],
  ] as const) {
    const answer = await send(method, path, { key });
    expect(answer.headers.get("allow"), path).toBe(allow);
    expect({ status: answer.status, body: await answer.json() }, path).toMatchObject({
      status: 405,
      body: { error: { type: "invalid_request_error", code: "method_not_allowed", param: null } },
    });
  }
  const ofMcp = await send("GET", "/mcp", { key });
  expect(ofMcp.status).toBe(405);
  expect(ofMcp.headers.get("allow")).toBe("POST");
  expect(await ofMcp.json()).toMatchObject({ jsonrpc: "2.0", error: { data: { code: "method_not_allowed" } } });
  const ofPlatform = await send("PUT", "/webhooks/slack/chn1234567890");
  expect({ status: ofPlatform.status, allow: ofPlatform.headers.get("allow") }).toEqual({
    status: 405,
    allow: "GET, HEAD, POST",
  });
  const ofPage = await send("POST", "/docs/errors");
  expect({ status: ofPage.status, allow: ofPage.headers.get("allow") }).toEqual({ status: 405, allow: "GET, HEAD" });
});

it("a page may read which methods there are, a preflight is answered as before, and who has no key isn't told what there is", async () => {
  const tenant = await newTenant();
  const page = "https://methods.example";
  await tenant.call("PATCH", "/v1/tenant", { settings: { corsOrigins: [page] } });
  const refused = await send("PATCH", "/v1/sessions", { key: tenant.key, headers: { origin: page } });
  expect(refused.status).toBe(405);
  expect(refused.headers.get("access-control-expose-headers")).toContain("allow");
  const asked = { origin: page, "access-control-request-method": "PATCH" };
  expect((await send("OPTIONS", "/v1/sessions", { headers: asked })).status).toBe(204);
  expect((await send("PATCH", "/v1/sessions")).status).toBe(401);
});

it("HEAD answers what GET does, without a body; an address that isn't there is a 404 with every method", async () => {
  const { key } = await newTenant();
  for (const path of ["/v1/sessions", "/v1/models", "/health", "/docs/errors", "/v1/sessions/ses_absent"]) {
    const ask = (method: string) =>
      exports.default.fetch(origin + path, { method, headers: { authorization: `Bearer ${key}` } });
    const [got, head] = [await ask("GET"), await ask("HEAD")];
    expect({ path, status: head.status, type: head.headers.get("content-type") }).toEqual({
      path,
      status: got.status,
      type: got.headers.get("content-type"),
    });
    expect(await head.text()).toBe("");
    await got.body?.cancel();
  }
  for (const method of known.filter((one) => one !== "HEAD")) {
    const answer = await send(method, "/v1/no-such-thing", { key });
    expect({ method, status: answer.status, allow: answer.headers.get("allow") }).toEqual({
      method,
      status: 404,
      allow: null,
    });
  }
});
