/** Supervisors and tools of a test tenant, whose models and endpoints are scripted at the upstream. */
import { env } from "cloudflare:workers";
import type { Turn } from "../../../src/chat/session.js";
import type { Fields, TestTenant } from "../../support/conclave.js";
import { mcpKey } from "../../support/mcp-key.js";
import { type UpstreamModel, upstreamFor } from "../../support/upstream-client.js";

export function toolCalls(...calls: readonly (readonly [name: string, args: unknown])[]) {
  return { toolCalls: calls.map(([name, args]) => ({ name, arguments: args })) };
}

/** A supervising agent with a model of its own. */
export async function supervisingAgent(
  tenant: TestTenant,
  name: string,
  fields: Fields = {},
  config: Fields = {},
): Promise<UpstreamModel> {
  const model = upstreamFor(env.TEST_UPSTREAM);
  await tenant.put("supervisors", name, {
    kind: "agent",
    hooks: ["request"],
    config: { model: `openai/${model.model}`, instructions: "Judge.", ...config },
    ...fields,
  });
  return model;
}

/** An HTTP tool `<server>/<name>` whose endpoint is scripted. */
export async function httpTool(tenant: TestTenant, name: string, fields: Fields = {}): Promise<UpstreamModel> {
  const endpoint = upstreamFor(env.TEST_UPSTREAM);
  await tenant.put("tools", name, {
    server: "shop",
    description: `Does ${name}.`,
    parameters: { type: "object", properties: { text: { type: "string" } } },
    http: { url: `${endpoint.hookURL}/${name}` },
    ...fields,
  });
  return endpoint;
}

/** A remote tool server, `docs`, whose tool `slow` says how far it is. */
export async function slowDocs(tenant: TestTenant): Promise<void> {
  const server = upstreamFor(env.TEST_UPSTREAM);
  await server.reply({ body: { slow: true }, repeat: true });
  await tenant.put("tools", "docs", { server: "docs", mcp: { url: server.mcpURL, headers: { "x-api-key": mcpKey } } });
}

/** All texts that a model was sent in its requests, as one. */
export async function seenBy(model: UpstreamModel): Promise<string> {
  return JSON.stringify((await model.requests()).map(({ body }) => body));
}

export function openAsk(turn: Turn): string {
  const ask = turn.asks.find(({ status }) => status === "open");
  if (ask === undefined) throw new Error(`no open ask: ${JSON.stringify(turn)}`);
  return ask.askId;
}

export function answer(tenant: TestTenant, askId: string, body: unknown) {
  return tenant.call("POST", `/v1/asks/${askId}/answer`, body);
}

export async function passes(tenant: TestTenant, session: string) {
  return (await tenant.call("GET", `/v1/sessions/${session}/supervision`)).body.items;
}
