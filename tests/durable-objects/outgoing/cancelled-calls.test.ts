/** What is under way to a tenant's endpoints when its work is cancelled is broken off at the platform's connection. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { CancelSource } from "../../../src/agent/cancel.js";
import { storedToolSchema } from "../../../src/agent/definition.js";
import { CallSigner } from "../../../src/application/call-signer.js";
import { McpServers } from "../../../src/application/mcp-servers.js";
import { sendOutgoing } from "../../../src/platform/outgoing.js";
import { newTenant } from "../../support/conclave.js";
import { upstreamFor } from "../../support/upstream-client.js";

const policy = { allowLoopback: true };

it.each([
  ["an endpoint", "http"],
  ["a moderation endpoint", "moderation"],
] as const)("a turn that is cancelled while %s judges its message", async (_what, kind) => {
  const tenant = await newTenant();
  const judge = upstreamFor(env.TEST_UPSTREAM);
  await judge.reply({ text: "", body: {}, hold: "for ever" });
  const config =
    kind === "http"
      ? { url: judge.hookURL, secret: "a-long-secret" }
      : { model: `openai/${judge.model}`, thresholds: {} };
  await tenant.put("supervisors", "judge", { kind, hooks: ["request"], config });
  const model = await tenant.agent("assistant", { supervisors: ["judge"] });
  const session = await tenant.session();
  const { turnId } = await tenant.say(session, "Hello.", { waitMs: 0 });
  await judge.until({ open: 1 });
  const cancel = () => tenant.call("POST", `/v1/sessions/${session}/turns/${turnId}/cancel`);
  expect((await cancel()).status).toBe(200);
  await judge.until({ aborted: 1, open: 0 });
  // A second time there is nothing to break off.
  await cancel();
  expect((await tenant.turn(session, turnId)).status).toBe("cancelled");
  expect(await model.requests()).toEqual([]);
});

it("a call of a remote MCP server whose work is cancelled", async () => {
  const server = upstreamFor(env.TEST_UPSTREAM);
  await server.reply({ body: {}, hold: "for ever", repeat: true });
  const body = storedToolSchema.parse({ server: "docs", mcp: { url: server.hookURL } });
  if (!("mcp" in body)) throw new Error("not a remote server");
  const signer = new CallSigner(async () => ["whsec_c2VjcmV0"], Date.now);
  const connection = new McpServers(policy, Date.now, signer).connect({
    tenantId: "t",
    name: "docs",
    version: 1,
    body,
  });
  const work = new CancelSource();
  const call = connection.call({ tool: "search", args: {}, key: "k", context: {}, signal: work.signal });
  const broken = expect(call).rejects.toThrow();
  await server.until({ open: 1 });
  work.abort();
  await broken;
  await server.until({ aborted: 1, open: 0 });
});

it("an answer that is being read when its work is cancelled", async () => {
  const model = upstreamFor(env.TEST_UPSTREAM);
  await model.reply({ text: "One two three.", hold: { name: "h", afterChunks: 1 } });
  const work = new CancelSource();
  const request = {
    method: "POST",
    url: `${model.baseURL}/chat/completions`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: model.model, stream: true, messages: [] }),
    timeoutMs: 60_000,
  };
  const broken = expect(sendOutgoing({ ...request, signal: work.signal }, policy)).rejects.toThrow();
  await model.until({ open: 1 });
  work.abort();
  await broken;
  await model.until({ aborted: 1, open: 0 });
});
