/**
 * What the version before stored goes on working. The recording was made by `scripts/record-state.mjs` in that version's own tree;
 * only newer migrations and schema steps are applied on top.
 */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import recorded from "../fixtures/state-f62f300.json" with { type: "json" };
import { TestTenant } from "../support/conclave.js";
import { addEntryReply, putContextReply, TestMemory } from "../support/memory.js";
import { rowsOf } from "../support/objects.js";
import { readRecording, restoreDatabase, restoreObject } from "../support/restore-state.js";
import { answerOpen, getRun, routesTo, runObject } from "../support/teams.js";
import { upstreamFor } from "../support/upstream-client.js";

const { tenantId, key, waiting, interrupted, run, memory, objects, database } = readRecording(recorded);
const tenant = new TestTenant(tenantId, key);

beforeAll(async () => {
  await restoreDatabase(database, applyD1Migrations);
});

describe("what the version before stored", () => {
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
