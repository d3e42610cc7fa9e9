/**
 * Back to the version before: code meets objects that newer code has woken, with one schema step more. Half of the objects of every kind
 * were given a step that has only added, half one that moved what the code reads; all have something under way.
 */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { ChannelConversation } from "../../durable-objects/channel-conversation/object.js";
import { channelConversationSchema } from "../../durable-objects/channel-conversation/schema.js";
import type { ChatSession } from "../../durable-objects/chat-session/object.js";
import { chatSessionSchema } from "../../durable-objects/chat-session/schema.js";
import { applySchema, kitSchema, type SchemaStep } from "../../durable-objects/kit/schema.js";
import type { MemoryThread } from "../../durable-objects/memory-thread/object.js";
import { memoryThreadSchema } from "../../durable-objects/memory-thread/schema.js";
import type { Roundtable } from "../../durable-objects/roundtable/object.js";
import { roundtableSchemaSteps } from "../../durable-objects/roundtable/schema.js";
import type { RoutingRun } from "../../durable-objects/routing-run/object.js";
import { routingRunSchema } from "../../durable-objects/routing-run/schema.js";
import { tenantBudgetSchema } from "../../durable-objects/tenant-budget/schema.js";
import { connect, genericMessage, platforms } from "../support/chat-platforms.js";
import { type Answer, newTenant, type TestTenant } from "../support/conclave.js";
import { newMemory } from "../support/memory.js";
import { crash } from "../support/objects.js";
import { newPanel, seat, takes } from "../support/roundtables.js";
import { asksHuman, newTeam, routesTo } from "../support/teams.js";
import type { UpstreamModel } from "../support/upstream-client.js";

const ofEachKind = 20;
const onlyAdded: SchemaStep = {
  name: "of a later version",
  sql: "CREATE TABLE later (a INTEGER); ALTER TABLE events ADD COLUMN later TEXT;",
};
const moved: SchemaStep = {
  name: "of a later version",
  sql: "ALTER TABLE journal RENAME TO later_journal; ALTER TABLE events RENAME TO later_events;",
  readableFrom: "9.8.7",
};

type AnyObject =
  | DurableObjectStub<ChatSession>
  | DurableObjectStub<RoutingRun>
  | DurableObjectStub<Roundtable>
  | DurableObjectStub<MemoryThread>
  | DurableObjectStub<ChannelConversation>;

const within = <R>(object: AnyObject, look: (storage: DurableObjectStorage) => R | Promise<R>): Promise<R> =>
  runInDurableObject(object, (_instance, { storage }) => look(storage));

/** Something that is under way in an object. */
interface Work {
  /** A stub of its own each time: one that saw a crash is broken. */
  readonly object: () => AnyObject;
  readonly schema: readonly SchemaStep[];
  /** A read and a write from outside. */
  readonly calls: readonly (() => Promise<Pick<Answer, "status"> & { readonly body: unknown }>)[];
  /** Whether it has gone on to its end. */
  readonly isDone: () => Promise<boolean>;
}

const each = <T>(make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: ofEachKind }, (_none, at) => make(at)));

/** So many requests wait for their answers. */
const called = (model: UpstreamModel, requests: number) =>
  expect.poll(async () => (await model.requests()).length, { timeout: 60_000 }).toBe(requests);

/** Turns whose model was called, and turns that wait for an answer. */
async function sessions(tenant: TestTenant): Promise<Work[]> {
  const [slow, asking] = [await tenant.agent("slow"), await tenant.agent("asking", { tools: ["conclave/ask_human"] })];
  await slow.reply({ text: "Never.", hold: "slow", repeat: ofEachKind / 2 }, { text: "Done.", repeat: true });
  await asking.reply({ ...asksHuman("Which?"), repeat: ofEachKind / 2 }, { text: "Done.", repeat: true });
  const works = await each(async (at): Promise<Work> => {
    const isAsking = at % 4 < 2;
    const sessionId = await tenant.session({ agent: isAsking ? "asking" : "slow" });
    const path = `/v1/sessions/${sessionId}`;
    const sent = await tenant.call("POST", `${path}/messages`, { content: "Go on.", waitMs: isAsking ? 30_000 : 0 });
    const { turnId, asks } = sent.body;
    const answer = () => tenant.call("POST", `/v1/asks/${asks[0].askId}/answer`, { response: "That." });
    return {
      object: () => tenant.object(sessionId),
      schema: chatSessionSchema,
      calls: [
        () => tenant.call("GET", path),
        isAsking ? answer : () => tenant.call("POST", `${path}/messages`, { content: "And?", waitMs: 0 }),
      ],
      isDone: async () => {
        if (isAsking) await answer();
        return (await tenant.turn(sessionId, turnId)).status === "completed";
      },
    };
  });
  await called(slow, ofEachKind / 2);
  return works;
}

async function runs(tenant: TestTenant): Promise<Work[]> {
  const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
  await tenant.put("teams", "help", team.definition);
  await team.supervisor.reply({ ...asksHuman("Which?"), repeat: ofEachKind }, { ...routesTo("billing"), repeat: true });
  await team.workers.billing?.reply({ text: "Done.", repeat: true });
  return each(async (): Promise<Work> => {
    const { runId, asks } = (await tenant.call("POST", "/v1/runs", { team: "help", input: "Paid?" })).body;
    const answer = () => tenant.call("POST", `/v1/asks/${asks[0].askId}/answer`, { response: "That." });
    return {
      object: () => env.ROUTING_RUN.getByName(`${tenant.tenantId}/${runId}`),
      schema: routingRunSchema,
      calls: [() => tenant.call("GET", `/v1/runs/${runId}`), answer],
      isDone: async () => {
        await answer();
        return (await tenant.call("GET", `/v1/runs/${runId}?waitMs=30000`)).body.status === "completed";
      },
    };
  });
}

async function debates(tenant: TestTenant): Promise<Work[]> {
  const panel = newPanel(["a", "b"], { rounds: 1 });
  for (const id of ["a", "b"]) {
    await seat(panel, id).reply(
      { ...takes("Never."), hold: id, repeat: ofEachKind },
      { ...takes("Yes."), repeat: true },
    );
  }
  const works = await each(async (): Promise<Work> => {
    const body = { topic: "Do we ship?", ...panel.fields, waitMs: 0 };
    const { sessionId } = (await tenant.call("POST", "/v1/roundtables", body)).body;
    const path = `/v1/roundtables/${sessionId}`;
    return {
      object: () => env.ROUNDTABLE.getByName(`${tenant.tenantId}/${sessionId}`),
      schema: roundtableSchemaSteps,
      calls: [() => tenant.call("GET", path), () => tenant.call("POST", `${path}/control`, { action: "stop" })],
      isDone: async () => (await tenant.call("GET", `${path}?waitMs=30000`)).body.responses?.length === 2,
    };
  });
  for (const id of ["a", "b"]) await called(seat(panel, id), ofEachKind);
  return works;
}

async function threads(tenant: TestTenant): Promise<Work[]> {
  const memory = await newMemory("offline", tenant);
  return each(async (at): Promise<Work> => {
    const thread = `thread-${at}`;
    await memory.say(["One.", "Two.", "Three.", "Four."], thread);
    const path = `${memory.path}/threads/${thread}`;
    const say = () => tenant.call("POST", `${path}/messages`, { messages: [{ role: "user", content: "Five." }] });
    return {
      object: () => memory.object(thread),
      schema: memoryThreadSchema,
      calls: [() => tenant.call("GET", path), say],
      isDone: async () => {
        await memory.end(thread);
        await memory.settled("context", thread);
        return true;
      },
    };
  });
}

async function conversations(tenant: TestTenant): Promise<Work[]> {
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Never.", hold: "chat", repeat: ofEachKind }, { text: "Done.", repeat: true });
  const channel = await connect(tenant, platforms.generic);
  const say = async (conversation: string, messageId: string) => {
    const answer = await channel.deliver(await genericMessage({ conversation, messageId, text: "Go on." }));
    return { status: answer.status, body: await answer.json().catch(() => null) };
  };
  const works = await each(async (at): Promise<Work> => {
    const conversation = `room-${at}`;
    expect((await say(conversation, `${at}-1`)).status).toBe(202);
    return {
      object: () => channel.conversation(conversation),
      schema: channelConversationSchema,
      calls: [() => say(conversation, `${at}-2`)],
      isDone: async () => {
        // The sessions behind the conversations died with them: they go on as soon as somebody looks.
        for (const { sessionId } of (await tenant.call("GET", "/v1/sessions?agent=assistant&limit=100")).body.items) {
          await tenant.call("GET", `/v1/sessions/${sessionId}`);
        }
        await expect
          .poll(async () => (await channel.calls()).map((call) => channel.platform.chatOf(call)), { timeout: 60_000 })
          .toContain(conversation);
        return true;
      },
    };
  });
  await called(model, ofEachKind);
  return works;
}

const underNewerCode = (work: Work, step: SchemaStep) =>
  within(work.object(), (storage) => applySchema(storage, [...kitSchema, ...work.schema, step]));

/** The newer code is deployed again: it knows the step, and reads what that has moved. */
const underNewerCodeAgain = (work: Work) =>
  within(work.object(), (storage) => {
    storage.sql.exec("ALTER TABLE later_journal RENAME TO journal");
    storage.sql.exec("ALTER TABLE later_events RENAME TO events");
    storage.sql.exec("DELETE FROM schema_steps WHERE name = ?", moved.name);
  });

it("a hundred objects that newer code has woken go on, or say which version reads them and go on under that", async () => {
  const tenant = await newTenant();
  const kinds = [sessions, runs, debates, threads, conversations];
  const works = (await Promise.all(kinds.map((begin) => begin(tenant)))).flat();
  expect(works).toHaveLength(100);
  const readable = works.filter((_work, at) => at % 2 === 0);
  const unreadable = works.filter((_work, at) => at % 2 === 1);
  for (const work of readable) await underNewerCode(work, onlyAdded);
  for (const work of unreadable) await underNewerCode(work, moved);
  await crash();

  const refused = { status: 503, body: { code: "unavailable", detail: expect.stringContaining("9.8.7") } };
  for (const { calls, object } of unreadable) {
    for (const call of calls) expect(await call()).toMatchObject(refused);
    // An alarm neither throws nor is forgotten: it comes again after a while.
    await within(object(), (storage) => storage.setAlarm(Date.now() + 60_000));
    expect(await runDurableObjectAlarm(object())).toBe(true);
    const next = await within(object(), (storage) => storage.getAlarm());
    expect(next).toBeGreaterThan(Date.now() + 300_000);
  }
  expect(await Promise.all(readable.map(({ isDone }) => isDone()))).toEqual(readable.map(() => true));

  for (const work of unreadable) await underNewerCodeAgain(work);
  await crash();
  for (const { object } of unreadable) await runDurableObjectAlarm(object());
  expect(await Promise.all(unreadable.map(({ isDone }) => isDone()))).toEqual(unreadable.map(() => true));
}, 180_000);

it("a tenant's limits are kept under what newer code has added; where it can't read them, nothing is let through", async () => {
  const tenant = await newTenant();
  await tenant.put("agents", "clerk", { kind: "model", model: "offline", instructions: "Help." });
  await tenant.call("PUT", "/v1/limits/few", { per: "tenant", measure: "messages", max: 2, window: "day" });
  const session = await tenant.session({ agent: "clerk" });
  const say = () => tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "Hello." });
  const woken = async (step: SchemaStep): Promise<void> => {
    await runInDurableObject(env.TENANT_BUDGET.getByName(tenant.tenantId), (_instance, { storage }) =>
      applySchema(storage, [...kitSchema, ...tenantBudgetSchema, step]),
    );
    await crash();
  };
  expect((await say()).status).toBe(200);
  await woken(onlyAdded);
  expect((await say()).status).toBe(200);
  expect(await say()).toMatchObject({ status: 429, body: { code: "limit_reached" } });
  await woken({ ...moved, name: "of another later version", sql: "ALTER TABLE budget RENAME TO later_budget" });
  expect(await say()).toMatchObject({ status: 503, body: { code: "limits_unavailable" } });
});
