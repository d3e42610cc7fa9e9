/** Pages made with the AI SDK, in tests: what `useChat` sends, and the chunks that come. */
import { expect } from "vitest";
import { type UiChunk, uiChunkSchema } from "../../src/http/ui-chat/chunks.js";
import { ServerSentEventParser } from "../../src/text/server-sent-events.js";
import { type Answer, type Fields, TestTenant } from "./conclave.js";

export async function userOf(tenant: TestTenant, subject: string, fields: Fields = {}): Promise<TestTenant> {
  const { body } = await tenant.call("POST", "/v1/tokens", { subject, agents: ["assistant"], ...fields });
  return new TestTenant(tenant.tenantId, body.token);
}

let messages = 0;
/** What `useChat` sends. */
export function bodyOf(id: string, text: string, fields: Fields = {}): Fields {
  messages += 1;
  const said = { id: `m${messages}`, role: "user", parts: [{ type: "text", text }] };
  const before = { id: "a0", role: "assistant", parts: [{ type: "text", text: "What the page says we said." }] };
  return { id, messages: [before, said], trigger: "submit-message", ...fields };
}

/** The chunks of a stream that has ended as it should. */
export function chunksOf(answer: Answer): UiChunk[] {
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  const blocks = new ServerSentEventParser().push(String(answer.body));
  const lines = blocks.flatMap(({ data }) => (data === undefined ? [] : [data]));
  expect(lines.at(-1)).toBe("[DONE]");
  return lines.slice(0, -1).map((line) => uiChunkSchema.parse(JSON.parse(line)));
}

export async function say(user: TestTenant, id: string, text: string, fields: Fields = {}): Promise<UiChunk[]> {
  return chunksOf(await user.call("POST", "/v1/ui-chat", bodyOf(id, text, fields)));
}
