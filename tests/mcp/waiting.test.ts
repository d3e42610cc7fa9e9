/** How long a call waits for what it began or reads. */
import { afterEach, expect, it, vi } from "vitest";
import { SessionGateway } from "../../src/gateways/session-gateway.js";
import { newTenant } from "../support/conclave.js";
import { callTool, mcpClient } from "../support/mcp-client.js";

afterEach(() => {
  vi.restoreAllMocks();
});

it("returns a turn that is queued behind one that waits for somebody after one look: nothing goes on by itself", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which city?" } }] });
  const sessionId = await tenant.session({ whileWaiting: "queue" });
  expect(await tenant.say(sessionId, "Book a hotel.")).toMatchObject({ status: "waiting" });
  const client = await mcpClient(tenant.key, "legacy");
  const looked = vi.spyOn(SessionGateway.prototype, "turn");
  // Calls of other tests may be under way.
  const looks = () => looked.mock.calls.filter(([tenantId]) => tenantId === tenant.tenantId).length;

  const sent = await callTool(client, "send_message", { sessionId, content: "And a car.", waitMs: 10_000 });
  expect(sent.result).toMatchObject({ status: "queued" });
  expect(looks()).toBe(1);
  const { turnId } = sent.result;
  const read = await callTool(client, "get_turn", { sessionId, turnId, waitMs: 10_000 });
  expect(read.result).toMatchObject({ status: "queued", turnId });
  expect(looks()).toBe(2);
});
