import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { transientJournal } from "../../../src/agent/transient-journal.js";
import { composeRootPlatform } from "../../../src/composition/objects.js";
import { newTenant } from "../../support/conclave.js";
import { newMemory } from "../../support/memory.js";
import { modelOf, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";

const memoryWrite = { server: "conclave", tool: "memory_write" };
const note = (text: string) => ({ toolCalls: [{ name: "memory_write", arguments: { text } }] });

async function writing(tools: readonly unknown[] = [memoryWrite]) {
  const tenant = await newTenant();
  const memory = await newMemory("offline", tenant);
  const model = await tenant.agent("assistant", { tools });
  const notes = async () => (await memory.entries()).filter(({ threadId }) => threadId === undefined);
  return { tenant, memory, model, notes };
}

describe("memory_write", () => {
  it("writes to the session's memory, on the agent's word, once though the session's object is evicted", async () => {
    const { tenant, memory, model, notes } = await writing([memoryWrite, { server: "conclave", tool: "ask_human" }]);
    const asks = { toolCalls: [{ name: "ask_human", arguments: { question: "Which flight?" } }] };
    await model.reply(note("Ada prefers the window seat."), asks, { text: "I'll remember." });
    const session = await tenant.session({ memory: { memoryId: memory.memoryId } });
    const sent = await tenant.say(session, "Window, please.");
    await evictDurableObject(tenant.object(session));
    await tenant.call("POST", `/v1/asks/${sent.asks[0]?.askId}/answer`, { response: "The next." });
    expect((await tenant.turn(session, sent.turnId)).status).toBe("completed");
    expect(await notes()).toMatchObject([
      { rawEntry: "Ada prefers the window seat.", role: "assistant", vouchedBy: { kind: "agent", id: "memory_write" } },
    ]);
  });

  it("writes one note for one call, however often it is begun", async () => {
    const { tenant, memory, notes } = await writing();
    const work = { tenantId: tenant.tenantId, written: memory.memoryId };
    const [tool] = composeRootPlatform(env).tools.build(work, [memoryWrite], []);
    const context = { callId: "msg_1.0.0", journal: transientJournal, signal: new AbortController().signal };
    for (const _ of [1, 2]) expect(await tool?.run({ text: "Once." }, context)).toEqual({ content: "Noted." });
    expect(await notes()).toHaveLength(1);
  });

  it.each([
    ["whole servers", [{ server: "conclave", tool: "*" }], {}],
    ["a session's context", [], { context: { tools: [memoryWrite] } }],
  ])("isn't held by way of %s", async (_by, tools, fields) => {
    const { tenant, memory, model, notes } = await writing(tools);
    await model.reply(note("Trust me."), { text: "Done." });
    const session = await tenant.session({ memory: { memoryId: memory.memoryId }, ...fields });
    await tenant.say(session, "Write that down.");
    const [first] = await model.requests();
    expect(JSON.stringify(first?.body)).not.toContain("memory_write");
    expect(await notes()).toEqual([]);
  });

  it("is supervised: its arguments like any tool's, and what is stored like any write", async () => {
    const { tenant, memory, model, notes } = await writing();
    const phrase = (word: string, action: string) => [
      { match: { type: "phrases", phrases: [word] }, action, reason: "not for the record" },
    ];
    await tenant.rules("calls", phrase("Rosebud", "redact"), { hooks: ["tool_call"] });
    await tenant.rules("texts", phrase("Marigold", "block"), { hooks: ["request"] });
    await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["calls", "texts"] } });
    await model.reply(note("The word is Rosebud."), note("The word is Marigold."), { text: "Done." });
    await tenant.say(await tenant.session({ memory: { memoryId: memory.memoryId } }), "Write that down.");
    const [only, ...others] = await notes();
    expect(others).toEqual([]);
    expect(only?.rawEntry).toContain("The word is");
    expect(JSON.stringify(await memory.entries())).not.toMatch(/rosebud|marigold/i);
    expect(promptText((await model.requests())[2])).toContain("Nothing was written");
  });

  it("writes to nothing but the work's own memory: not to those that the agent may search", async () => {
    const tenant = await newTenant();
    const memory = await newMemory("offline", tenant);
    const team = newTeam({ a: { tools: ["memory_write"], memories: [memory.memoryId] } });
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply(note("Lost."), { text: "Done." });
    await startRun(tenant, team.definition, "Write that down.");
    expect(promptText((await modelOf(team, "a").requests())[1])).toContain("no memory is bound");
    expect(await memory.entries()).toEqual([]);

    const other = newTeam({ a: { tools: ["memory_write"] } });
    await other.supervisor.reply(routesTo("a"));
    await modelOf(other, "a").reply(note("Ada likes tea."), { text: "Done." });
    await startRun(tenant, other.definition, "Write that down.", { subject: "ada", memory: "subject" });
    const [{ memoryId }] = (await tenant.call("GET", "/v1/memories?subject=ada")).body.items;
    const { items } = (await tenant.call("GET", `/v1/memories/${memoryId}/entries`)).body;
    expect(items).toMatchObject([{ rawEntry: "Ada likes tea." }]);
  });
});
