/** Calls of an agent that did nothing, as the log says it: `tool.rejected`, with why, once, and to no end user. */
import { evictDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { newTenant, TestTenant } from "../../support/conclave.js";
import { assertInCatalogue } from "../../support/events.js";

const askHuman = { server: "conclave", tool: "ask_human" };
const calls = (name: string, args: object) => ({ toolCalls: [{ name, arguments: args }] });

/** The events of a session of one type, as a caller reads them. */
async function eventsOf(caller: TestTenant, session: string, type: string): Promise<unknown[]> {
  const { body } = await caller.call("GET", `/v1/sessions/${session}/events?lingerMs=0`);
  const found = [...String(body).matchAll(/^event: (.+)\ndata: (.+)$/gm)].filter(([, event]) => event === type);
  return found.map(([, , data = ""]) => JSON.parse(data));
}

it("is in the log once for each call that was refused, with why, though the object was evicted while it waited", async () => {
  const tenant = await newTenant();
  await tenant.rules(
    "no-rosebud",
    [{ match: { type: "phrases", phrases: ["rosebud"] }, action: "block", reason: "That word stays here." }],
    { hooks: ["tool_call"] },
  );
  const model = await tenant.agent("assistant", { tools: [askHuman], supervisors: ["no-rosebud"] });
  await model.reply(
    calls("no_such_tool", {}),
    calls("ask_human", { question: 7 }),
    calls("ask_human", { question: "Is it rosebud?" }),
    calls("ask_human", { question: "Which flight?" }),
    { text: "Done." },
  );
  const session = await tenant.session({ subject: "ana" });
  const waiting = await tenant.say(session, "Book it.");
  await evictDurableObject(tenant.object(session));
  await tenant.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, { response: "The next." });
  expect((await tenant.turn(session, waiting.turnId)).status).toBe("completed");

  const rejected = await eventsOf(tenant, session, "tool.rejected");
  expect(rejected).toMatchObject([
    { turnId: waiting.turnId, server: "", why: "unknown_tool" },
    { turnId: waiting.turnId, ...askHuman, why: "arguments" },
    { turnId: waiting.turnId, ...askHuman, why: "supervision" },
  ]);
  for (const data of rejected) assertInCatalogue("tool.rejected", data);
  // What was refused is called nowhere, and asks nobody: only the last question was one.
  for (const type of ["tool.called", "tool.returned"]) expect(await eventsOf(tenant, session, type), type).toEqual([]);
  expect(await eventsOf(tenant, session, "ask.opened")).toHaveLength(1);

  const { body } = await tenant.call("POST", "/v1/tokens", { subject: "ana" });
  const ana = new TestTenant(tenant.tenantId, body.token);
  expect(await eventsOf(ana, session, "turn.completed")).toHaveLength(1);
  expect(await eventsOf(ana, session, "tool.rejected")).toEqual([]);
});
