/** The rows of the audit go off with the end of a turn, or when it begins to wait: each of them, once, whatever happens in between. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { atRest } from "../../support/at-rest.js";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { rowsOf } from "../../support/objects.js";

async function assistant(tenant: TestTenant) {
  await tenant.rules("watch", [{ match: { type: "phrases", phrases: ["stop"] }, action: "block", reason: "No." }]);
  return tenant.agent("assistant", { supervisors: ["watch"], tools: ["conclave/ask_human"] });
}

const hooks = async (tenant: TestTenant): Promise<string[]> => {
  const { items } = (await tenant.call("GET", "/v1/audit?format=json&type=supervision&limit=100")).body;
  return items.map((item: { hook: string }) => item.hook);
};

it("a turn that waits has sent those of what was decided until then, and sends the others at its end", async () => {
  const tenant = await newTenant();
  const model = await assistant(tenant);
  await model.reply(
    { toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] },
    { text: "That one it is." },
  );
  const session = await tenant.session();
  const { asks, turnId } = await tenant.say(session, "Which one?");
  await atRest(tenant.object(session));
  const soFar = await hooks(tenant);
  expect(soFar[0]).toBe("request");
  await evictDurableObject(tenant.object(session));
  await tenant.call("POST", `/v1/asks/${asks[0]?.askId}/answer`, { response: "That." });
  expect(await tenant.turn(session, turnId)).toMatchObject({ status: "completed" });
  await atRest(tenant.object(session));
  const all = await hooks(tenant);
  expect(all.slice(0, soFar.length)).toEqual(soFar);
  // The part of the reply that is shown while it waits was judged by itself.
  expect(all.filter((hook) => hook === "request" || hook === "response")).toEqual(["request", "response", "response"]);
  expect(await rowsOf(tenant.object(session), "SELECT COUNT(*) AS n FROM passes")).toEqual([{ n: all.length }]);
});

it("a turn that code of before has ended meanwhile has them sent with the end of the next", async () => {
  const tenant = await newTenant();
  const model = await assistant(tenant);
  await model.reply({ text: "Yes.", repeat: true });
  const session = await tenant.session();
  const { turnId } = await tenant.say(session, "Is it so?");
  await atRest(tenant.object(session));
  // As code of before leaves it, which had found the turn under way: it knows neither that a pass is unsent nor where a turn's events lie.
  await runInDurableObject(tenant.object(session), (_instance, { storage: { sql } }) => {
    sql.exec("UPDATE passes SET unsent = 1, at = 7");
    sql.exec("UPDATE passes SET unsent = NULL WHERE seq = (SELECT MAX(seq) FROM passes)");
    sql.exec("UPDATE turns SET last_event = NULL, last_pass = NULL WHERE turn_id = ?", turnId);
  });
  await evictDurableObject(tenant.object(session));
  await tenant.say(session, "Still?");
  await tenant.say(session, "Even now?");
  await atRest(tenant.object(session));
  const { items } = (await tenant.call("GET", "/v1/audit?format=json&type=supervision&limit=100")).body;
  const sentLate = items.filter((item: { at: string }) => item.at === new Date(7).toISOString());
  expect(sentLate).toMatchObject([{ workId: turnId, hook: "request" }]);
  expect(items).toHaveLength(7);
  const events = await tenant.call("GET", `/v1/sessions/${session}/turns/${turnId}/trace`);
  expect(events.status).toBe(200);
  expect(JSON.stringify(events.body)).toContain('"hook":"response"');
});
