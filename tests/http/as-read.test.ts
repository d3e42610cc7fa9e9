/** What a GET returned is taken by PUT: fields of the server are no fault, another version is, and hidden secrets go nowhere new. */
import { describe, expect, it } from "vitest";
import { resourceKinds } from "../../src/tenancy/resources.js";
import { type Fields, newTenant, type TestTenant } from "../support/conclave.js";
import { newMemory } from "../support/memory.js";
import { expectProblem } from "./support.js";

type Body = Awaited<ReturnType<TestTenant["call"]>>["body"];

const url = "https://shop.example/hook";
const headers = { authorization: "Bearer sk-hidden" };
const worker: Fields = { description: "d", capabilities: { skills: ["s"] } };
/** One of each kind, with whatever secrets it can hold. */
const bodies: Readonly<Record<(typeof resourceKinds)[number], Body>> = {
  agents: { kind: "model", model: "offline", instructions: "Be brief.", rules: ["missing"] },
  supervisors: { kind: "http", hooks: ["request"], config: { url, secret: "shh-hidden-for-good" } },
  rules: { text: "Be kind.", priority: 3 },
  references: { text: "Parcels take two days.", description: "Shipping" },
  tools: {
    server: "shop",
    description: "Pays.",
    parameters: { type: "object" },
    http: { method: "POST", url, headers },
  },
  teams: {
    supervisor: { strategy: "round-robin" },
    workers: [
      { ...worker, id: "near", http: { url, headers } },
      { ...worker, id: "far", http: { url: "https://far.example/", headers: { "x-key": "far-hidden" } } },
    ],
  },
  panels: { mode: "collaborative", agentCount: 2 },
  prompts: { text: "Summarise." },
};

const names = (kind: string) => (kind === "prompts" ? "summary" : "one");

async function stored(tenant: TestTenant, kind: keyof typeof bodies): Promise<{ path: string; read: Body }> {
  const path = `/v1/${kind}/${names(kind)}`;
  expect(await tenant.call("PUT", path, bodies[kind])).toMatchObject({ status: 201 });
  const { body } = await tenant.call("GET", path);
  return { path, read: body };
}

describe.each(resourceKinds)("what GET returned of %s", (kind) => {
  it("is taken by PUT, and changes nothing", async () => {
    const tenant = await newTenant();
    const { path, read } = await stored(tenant, kind);
    expect(await tenant.call("PUT", path, read)).toMatchObject({ status: 200, body: { version: 1 } });
  });

  it("is a conflict where another version counts, or none", async () => {
    const tenant = await newTenant();
    const { path, read } = await stored(tenant, kind);
    const conflict = await tenant.call("PUT", path, { ...read, version: 2 });
    expectProblem(conflict, "conflict");
    expect(conflict.body.errors).toEqual([{ path: "version", message: "version 1 counts" }]);
    expectProblem(await tenant.call("PUT", path, { ...read, name: "other" }), "invalid");
    await tenant.call("DELETE", path);
    // Secrets that are hidden are nowhere any more.
    const isWithSecrets = JSON.stringify(read).includes("[hidden]");
    expectProblem(await tenant.call("PUT", path, read), isWithSecrets ? "invalid" : "conflict");
  });
});

describe("a hidden secret that is put back", () => {
  it("stays what it was: the change of another field goes through, and the next call has the secret", async () => {
    const tenant = await newTenant();
    const { path, read } = await stored(tenant, "teams");
    const [near, far] = read.workers;
    const { version: _, ...rest } = read;
    const body = { ...rest, workers: [far, { ...near, description: "other" }] };
    const changed = await tenant.call("PUT", path, body);
    expect(changed).toMatchObject({ status: 200, body: { version: 2, workers: [{ id: "far" }, { id: "near" }] } });
    // The same secrets given openly are the same body: each went where it stood.
    const [nearOpen, farOpen] = bodies.teams.workers;
    const open = { ...bodies.teams, workers: [farOpen, { ...nearOpen, description: "other" }] };
    expect(await tenant.call("PUT", path, open)).toMatchObject({ status: 200, body: { version: 2 } });
  });

  it.each([
    ["another address", (read: Body) => ({ ...read, http: { ...read.http, url: "https://evil.example/" } })],
    ["another header", (read: Body) => ({ ...read, http: { ...read.http, headers: { "x-other": "[hidden]" } } })],
  ])("is refused for %s", async (_what, change: (read: Body) => Body) => {
    const tenant = await newTenant();
    const { path, read } = await stored(tenant, "tools");
    const refused = await tenant.call("PUT", path, change(read));
    expectProblem(refused, "invalid");
    expect(JSON.stringify(refused.body.errors)).toContain("give the secret itself");
  });

  it("is refused where nothing is stored, and where a text that is no secret says so it is that text", async () => {
    const tenant = await newTenant();
    expectProblem(
      await tenant.call("PUT", "/v1/tools/new", { ...bodies.tools, http: { url, headers: { a: "[hidden]" } } }),
      "invalid",
    );
    await tenant.put("rules", "plain", { text: "before" });
    const { body } = await tenant.call("PUT", "/v1/rules/plain", { text: "[hidden]" });
    expect(body.text).toBe("[hidden]");
  });
});

it("what GET returned of a memory's context is taken by PUT, once", async () => {
  const { tenant, path } = await newMemory();
  await tenant.call("PUT", `${path}/context`, { document: "# Known\n- Likes tea." });
  const { body } = await tenant.call("GET", `${path}/context`);
  expect(await tenant.call("PUT", `${path}/context`, body)).toMatchObject({ status: 200, body: { version: 2 } });
  expectProblem(await tenant.call("PUT", `${path}/context`, body), "precondition_failed");
});

describe("what GET returned of a subscription or a chat channel", () => {
  it("is taken by PUT; its credentials go on, and to no other address", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const hook = { url, events: ["turn.completed"] };
    await tenant.call("PUT", "/v1/webhooks/shop", hook);
    const { body: webhook } = await tenant.call("GET", "/v1/webhooks/shop");
    expect(await tenant.call("PUT", "/v1/webhooks/shop", webhook)).toMatchObject({ status: 200, body: hook });

    const credentials = { secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", replyUrl: url };
    await tenant.call("PUT", "/v1/channels/chat", { kind: "generic", agent: "assistant", credentials });
    const { body: channel } = await tenant.call("GET", "/v1/channels/chat");
    expect(channel.credentials.secret).toBe("[hidden]");
    expect(await tenant.call("PUT", "/v1/channels/chat", channel)).toMatchObject({
      status: 200,
      body: { channelId: channel.channelId },
    });
    const elsewhere = { ...channel, credentials: { ...channel.credentials, replyUrl: "https://evil.example/" } };
    expectProblem(await tenant.call("PUT", "/v1/channels/chat", elsewhere), "invalid");
  });
});
