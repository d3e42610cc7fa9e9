/** Calls of OpenAI's API, as its clients send them. */
import { env } from "cloudflare:workers";
import { ServerSentEventParser } from "../../src/text/server-sent-events.js";
import { type Answer, type Fields, send, type TestTenant } from "../support/conclave.js";

export function complete(
  tenant: TestTenant,
  messages: readonly Fields[],
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  return tenant.call("POST", "/v1/chat/completions", { model: "assistant", messages, ...fields }, headers);
}

export const user = (content: string) => ({ role: "user", content });
export const assistant = (content: string) => ({ role: "assistant", content });

export interface Streamed {
  readonly text: string;
  readonly refusal: string;
  readonly finish: string | undefined;
  // Tests look into chunks of many shapes; what they expect of them is the assertion.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly chunks: readonly any[];
  readonly raw: string;
}

export async function stream(tenant: TestTenant, messages: readonly Fields[], fields: Fields = {}): Promise<Streamed> {
  const body = { model: "assistant", messages, stream: true, ...fields };
  const response = await send("POST", "/v1/chat/completions", { key: tenant.key, body });
  const raw = await response.text();
  const blocks = new ServerSentEventParser().push(raw);
  const chunks = blocks.flatMap(({ data = "" }) => (data.startsWith("{") ? [JSON.parse(data)] : []));
  const deltas = chunks.flatMap(({ choices = [] }) => choices.map(({ delta }: { delta: Fields }) => delta));
  return {
    text: deltas.map(({ content }) => content ?? "").join(""),
    refusal: deltas.map(({ refusal }) => refusal ?? "").join(""),
    finish: chunks.flatMap(({ choices = [] }) => choices.map((one: Fields) => one.finish_reason)).findLast(Boolean),
    chunks,
    raw,
  };
}

export const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a place.",
    parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  },
};

/** The sessions of which there is a copy in D1, listed or not. */
export async function storedSessions({ tenantId }: TestTenant): Promise<string[]> {
  const query = env.DB.prepare("SELECT session_id FROM sessions WHERE tenant_id = ?").bind(tenantId);
  return (await query.all<{ session_id: string }>()).results.map(({ session_id }) => session_id);
}
