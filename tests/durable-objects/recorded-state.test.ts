/**
 * What the version before stored goes on working. The recording was made by `tools/record-state.mjs` in that version's own tree;
 * only newer migrations and schema steps are applied on top.
 */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import newer from "../fixtures/state-8acf45e.json" with { type: "json" };
import older from "../fixtures/state-f62f300.json" with { type: "json" };
import { TestTenant } from "../support/conclave.js";
import { addEntryReply, putContextReply, TestMemory } from "../support/memory.js";
import { rowsOf } from "../support/objects.js";
import { readRecording, restoreDatabase, restoreObject } from "../support/restore-state.js";
import { answerOpen, getRun, routesTo, runObject } from "../support/teams.js";
import { upstreamFor } from "../support/upstream-client.js";

describe.each([
  ["f62f300", older],
  ["8acf45e", newer],
])("what the version %s stored", (_version, recorded) => {
  const { tenantId, key, waiting, interrupted, run, memory, objects, database } = readRecording(recorded);
  const tenant = new TestTenant(tenantId, key);

  beforeAll(async () => {
    await restoreDatabase(database, applyD1Migrations);
  });

  it("as a session goes on: it is read, its open ask answered, what was approved is approved, and the next message comes", async () => {
    await restoreObject(tenant.object(waiting.sessionId), objects.waiting);
    const path = `/v1/sessions/${waiting.sessionId}`;
    expect((await tenant.call("GET", path)).body).toMatchObject({ status: "waiting", agent: "assistant" });
    expect((await tenant.call("GET", `${path}/messages`)).body.items).toHaveLength(3);
    expect((await tenant.call("GET", "/v1/asks?status=open")).body.items).toHaveLength(2);

    const model = upstreamFor(env.TEST_UPSTREAM, waiting.model);
    await model.reply({ text: "Booked in Rome." });
    const answer = await tenant.call("POST", `/v1/asks/${waiting.askId}/answer`, { response: "Rome" });
    expect(answer).toMatchObject({ status: 200, body: { status: "answered" } });
    expect(await tenant.turn(waiting.sessionId, waiting.turnId)).toMatchObject({
      status: "completed",
      reply: { modelReply: { turns: [{}, { message: "Booked in Rome." }] } },
    });

    await model.reply({ toolCalls: [{ name: "pay", arguments: { amount: 7 } }] }, { body: "paid" }, { text: "Paid." });
    expect(await tenant.say(waiting.sessionId, "Pay 7.")).toMatchObject({ status: "completed", asks: [] });
    const prompt = JSON.stringify((await model.requests()).at(-1)?.body);
    for (const text of ["Pay 5.", "Booked in Rome.", "Pay 7."]) expect(prompt).toContain(text);
  });

  it("as a turn under way is finished as soon as anybody looks, without doing again what was done", async () => {
    const model = upstreamFor(env.TEST_UPSTREAM, interrupted.model);
    await model.reply({ text: "Said at last." });
    const object = tenant.object(interrupted.sessionId);
    await restoreObject(object, objects.interrupted);
    expect(await tenant.turn(interrupted.sessionId, interrupted.turnId)).toMatchObject({ status: "completed" });
    expect(await model.requests()).toHaveLength(1);
    expect(await rowsOf(object, "SELECT role FROM messages ORDER BY seq")).toEqual([
      { role: "user" },
      { role: "assistant" },
    ]);
  });

  it("as a run goes on with the answer it waited for", async () => {
    await restoreObject(runObject(tenant, run.runId), objects.run);
    const before = await getRun(tenant, run.runId);
    expect(before).toMatchObject({ status: "waiting", asks: [{ askId: run.askId, question: "Which one?" }] });
    await upstreamFor(env.TEST_UPSTREAM, run.supervisor).reply(routesTo("a"));
    await upstreamFor(env.TEST_UPSTREAM, run.worker).reply({ text: "That one." });
    expect(await answerOpen(tenant, before, "that")).toMatchObject({ status: "completed", response: "That one." });
    const trace = await tenant.call("GET", `/v1/runs/${run.runId}/trace`);
    expect(JSON.stringify(trace.body)).toContain("That one.");
  });

  it("as a memory thread keeps its entries and its context, and takes in what comes", async () => {
    const model = upstreamFor(env.TEST_UPSTREAM, memory.model);
    const restored = new TestMemory(tenant, memory.vaultId, memory.memoryId, model);
    await restoreObject(restored.object(), objects.thread);
    expect(await restored.thread()).toMatchObject({ lastSeq: 7, indexedSeq: 7, coveredSeq: 6 });
    expect(await restored.context()).toMatchObject({ version: 1, document: "## Facts\n- All is well." });
    const found = await restored.call("POST", "/search", { query: "seventh" });
    expect(found.entries[0]).toMatchObject({ entry: { seq: 7, summary: "The seventh." } });

    await model.reply({ ...addEntryReply("More."), repeat: 5 }, putContextReply("## Facts\n- All is still well."));
    await restored.say(["Eight.", "Nine.", "Ten.", "Eleven.", "Twelve."]);
    await restored.settled("context");
    expect(await restored.context()).toMatchObject({ version: 2, coverage: { main: 12 } });
    expect(await restored.entries()).toHaveLength(12);
  });
});

describe("what came under keys while 8acf45e ran", () => {
  const { tenantId, key, keyed, objects, database } = readRecording(newer);
  if (keyed === undefined || objects.keyed === undefined || objects.response === undefined) {
    throw new Error("the recording has nothing under keys");
  }
  const state = { keyed: objects.keyed, response: objects.response };
  const tenant = new TestTenant(tenantId, key);
  const send = (method: string, path: string, body: unknown, once: string) =>
    tenant.call(method, path, body, { "idempotency-key": once });

  beforeAll(async () => {
    await restoreDatabase(database, applyD1Migrations);
    await restoreObject(tenant.object(keyed.sessionId), state.keyed);
    await restoreObject(tenant.object(keyed.responseSession), state.response);
  });

  it("is the same turn when it comes again, and its tool is called under the same key", async () => {
    const [model, hook] = [upstreamFor(env.TEST_UPSTREAM, keyed.model), upstreamFor(env.TEST_UPSTREAM, keyed.hook)];
    await hook.reply({ body: "charged" });
    await model.reply({ text: "Charged." });
    const said = { content: "Charge me.", waitMs: 0 };
    const again = await send("POST", `/v1/sessions/${keyed.sessionId}/messages`, said, "said");
    expect(again.body.turnId).toBe(keyed.turnId);
    expect(await tenant.turn(keyed.sessionId, keyed.turnId)).toMatchObject({ status: "completed" });
    expect((await hook.requests()).map(({ headers }) => headers["idempotency-key"])).toEqual([keyed.callId]);
    const other = { content: "Charge me twice.", waitMs: 0 };
    expect((await send("POST", `/v1/sessions/${keyed.sessionId}/messages`, other, "said")).status).toBe(409);
  });

  it("is given the answer that was kept", async () => {
    const put = await send("PUT", "/v1/rules/r", { text: "Be kind." }, "rule");
    expect(put).toMatchObject({ status: 201, body: { version: keyed.ruleVersion } });
    const response = await send("POST", "/v1/responses", { model: "responding", input: "Hello?" }, "response");
    expect(response.body.id).toBe(keyed.responseId);
    for (const { headers } of [put, response]) expect(headers.get("idempotent-replay")).toBe("true");
    expect((await send("PUT", "/v1/rules/r", { text: "Be terse." }, "rule")).status).toBe(409);
  });

  it("is the same session, response and entry when it is made again and its answer was never kept", async () => {
    await env.DB.prepare("DELETE FROM idempotency WHERE scope = ?").bind(tenantId).run();
    expect((await send("POST", "/v1/sessions", { agent: "charging" }, "kept")).body.sessionId).toBe(keyed.sessionId);
    const response = await send("POST", "/v1/responses", { model: "responding", input: "Hello?" }, "response");
    expect(response.body).toMatchObject({ id: keyed.responseId, status: "completed" });
    expect(await upstreamFor(env.TEST_UPSTREAM, keyed.responding).requests()).toHaveLength(0);
    const entries = `/v1/memories/${keyed.memoryId}/entries`;
    const entry = await send("POST", entries, { rawEntry: "It is green." }, "entry");
    expect(entry.body.entryId).toBe(keyed.entryId);
  });
});
