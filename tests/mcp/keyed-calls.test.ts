/** Calls over MCP that are sent again under their `idempotencyKey`: what they do, they do once. */
import { expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";
import { callTool, mcpClient } from "../support/mcp-client.js";
import { newMemory } from "../support/memory.js";
import { everybodySpeaks, newPanel, startTable } from "../support/roundtables.js";

it("a debate goes on by one round, and is brought together once", async () => {
  const tenant = await newTenant();
  const panel = newPanel(["a", "b"], { rounds: 4 });
  await everybodySpeaks(panel, 4);
  await panel.analyst.reply({ text: "## Conclusion\nWe ship.", repeat: true });
  const { sessionId } = await startTable(tenant, panel);
  const client = await mcpClient(tenant.key, "legacy");
  const again = async (name: string, key: string, waitMs = 60_000) =>
    (await callTool(client, name, { sessionId, waitMs, idempotencyKey: key })).result;
  expect((await again("continue_roundtable", "c1")).currentRound).toBe(2);
  // However long it waits, it is the same call.
  expect((await again("continue_roundtable", "c1", 50_000)).currentRound).toBe(2);
  const synthesis = await again("synthesize_debate", "s1");
  const paidFor = (await panel.analyst.requests()).length;
  expect((await again("continue_roundtable", "c2")).currentRound).toBe(3);
  expect((await again("synthesize_debate", "s1")).synthesis).toEqual(synthesis.synthesis);
  expect(await panel.analyst.requests()).toHaveLength(paidFor);
  const other = await callTool(client, "control_session", { sessionId, action: "pause", idempotencyKey: "c1" });
  expect(other).toMatchObject({ isError: true, text: expect.stringContaining("idempotency_conflict") });
});

it("a memory's context is put once, and what somebody else has put since stays", async () => {
  const memory = await newMemory("offline");
  const client = await mcpClient(memory.tenant.key, "legacy");
  const put = (fact: string, key: string) =>
    callTool(client, "put_context", {
      memory_id: memory.memoryId,
      context: `## Facts\n- ${fact}`,
      idempotency_key: key,
    });
  expect((await put("One.", "k1")).result).toEqual({ version: 1 });
  expect((await put("Two.", "k2")).result).toEqual({ version: 2 });
  expect((await put("One.", "k1")).result).toEqual({ version: 1 });
  expect(await memory.context()).toMatchObject({ version: 2, document: "## Facts\n- Two." });
});
