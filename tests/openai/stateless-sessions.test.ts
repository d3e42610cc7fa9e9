/** Sessions that are made for one turn: who makes them, who sees them, and when they are gone. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { chatSessionSchema } from "../../durable-objects/chat-session/schema.js";
import { forgetStateless } from "../../src/application/openai/forget-stateless.js";
import { composeServices } from "../../src/composition/services.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { runHousekeeping } from "../support/housekeeping.js";
import { passTime } from "../support/objects.js";
import { assistant, complete, storedSessions, user } from "./support.js";

afterEach(() => {
  vi.useRealTimers();
});

/** A stateless call whose agent asks a question. */
async function asked() {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  await model.reply(
    { toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] },
    { text: "Invoice 7 is paid." },
  );
  const { content } = (await complete(tenant, [user("Is it paid?")])).body.choices[0].message;
  const askId: string = /\[(ask_\w+)\]/.exec(content)?.[1] ?? "";
  const { sessionId } = (await tenant.call("GET", `/v1/asks/${askId}`)).body.from;
  const callAgain = () => complete(tenant, [user("Is it paid?"), assistant(content), user("Number 7.")]);
  return { tenant, model, askId, sessionId, callAgain };
}

const statusInIndex = async (sessionId: string) =>
  env.DB.prepare("SELECT status FROM sessions WHERE session_id = ?").bind(sessionId).first("status");

const idsOfList = async (tenant: TestTenant): Promise<string[]> =>
  (await tenant.call("GET", "/v1/sessions")).body.items.map(({ sessionId }: { sessionId: string }) => sessionId);

describe("a session of one turn", () => {
  it("stays while its question is open, says what it is, and stands in no list", async () => {
    const { tenant, sessionId } = await asked();
    await eventually(async () => expect(await storedSessions(tenant)).toEqual([sessionId]));
    expect(await idsOfList(tenant)).toEqual([]);
    expect((await tenant.call("GET", `/v1/sessions/${sessionId}`)).body).toMatchObject({
      stateless: true,
      status: "waiting",
      metadata: {},
    });
  });

  it("is there for the caller half an hour after somebody else's answer, and forgotten within the hour", async () => {
    const { tenant, model, askId, sessionId, callAgain } = await asked();
    await runHousekeeping();
    await tenant.call("POST", `/v1/asks/${askId}/answer`, { response: "Number 7." });
    await eventually(async () =>
      expect((await tenant.call("GET", `/v1/sessions/${sessionId}`)).body.status).toBe("idle"),
    );
    await eventually(async () => expect(await storedSessions(tenant)).toEqual([sessionId]));
    vi.useFakeTimers({ toFake: ["Date"] });
    passTime(20 * 60_000);
    await runHousekeeping();
    expect((await callAgain()).body.choices[0].message.content).toBe("Invoice 7 is paid.");
    expect(await model.requests()).toHaveLength(2);
    // Who answered what is still asked for when the answer is there.
    expect((await tenant.call("GET", `/v1/asks/${askId}`)).body).toMatchObject({
      status: "answered",
      answer: { response: "Number 7." },
      closedBy: { kind: "key" },
    });
    passTime(10 * 60_000);
    await runHousekeeping();
    expect(await storedSessions(tenant)).toEqual([]);
  });

  it("is kept as long as somebody who goes on from it asked, though the copy of its end comes after that", async () => {
    const { tenant, askId, sessionId } = await asked();
    await eventually(async () => expect(await statusInIndex(sessionId)).toBe("waiting"));
    const later = Date.now() + 3_600_000;
    await env.DB.prepare("UPDATE sessions SET updated_at = ? WHERE session_id = ?").bind(later, sessionId).run();
    await tenant.call("POST", `/v1/asks/${askId}/cancel`);
    await eventually(async () => expect(await statusInIndex(sessionId)).toBe("idle"));
    const query = "SELECT updated_at FROM sessions WHERE session_id = ?";
    expect(await env.DB.prepare(query).bind(sessionId).first("updated_at")).toBe(later);
  });

  it("is forgotten by the housekeeping when nobody calls again", async () => {
    const { tenant, askId, sessionId } = await asked();
    await tenant.call("POST", `/v1/asks/${askId}/cancel`);
    await eventually(async () =>
      expect((await tenant.call("GET", `/v1/sessions/${sessionId}`)).body.status).toBe("idle"),
    );
    await eventually(async () => expect(await statusInIndex(sessionId)).toBe("idle"));
    vi.useFakeTimers({ toFake: ["Date"] });
    passTime(30 * 60_000);
    await runHousekeeping();
    expect((await tenant.call("GET", `/v1/sessions/${sessionId}`)).status).toBe(404);
    expect(await storedSessions(tenant)).toEqual([]);
  });
});

it("those that can't be removed come again behind all others, so that they don't keep these from being forgotten", async () => {
  const ended = async () => {
    const { tenant, askId, sessionId } = await asked();
    await tenant.call("POST", `/v1/asks/${askId}/cancel`);
    await eventually(async () => expect(await statusInIndex(sessionId)).toBe("idle"));
    return { tenant, sessionId };
  };
  const [broken, other, sound] = [await ended(), await ended(), await ended()];
  const failing = [broken.sessionId, other.sessionId];
  const services = composeServices(env);
  const { sessions, index } = services;
  const own = [broken, other, sound].map(({ sessionId }) => sessionId);
  // Other tests leave sessions too, which would come before these.
  const endedStateless = async (before: number, most: number) =>
    (await index.endedStateless(before, 10_000)).filter(({ sessionId }) => own.includes(sessionId)).slice(0, most);
  const ports = {
    ...services,
    index: Object.assign(Object.create(index), { endedStateless }),
    sessions: {
      describe: async (...of: Parameters<typeof sessions.describe>) => {
        if (failing.includes(of[1])) throw new Error("its object can't be reached");
        return sessions.describe(...of);
      },
      remove: (...of: Parameters<typeof sessions.remove>) => sessions.remove(...of),
    },
  };
  const hour = 3_600_000;
  // As many at once as fail.
  await forgetStateless(Date.now() + hour, ports, 2);
  expect(await storedSessions(sound.tenant)).toEqual([sound.sessionId]);
  await forgetStateless(Date.now() + 2 * hour, ports, 2);
  expect(await storedSessions(sound.tenant)).toEqual([]);
  // Once they can be reached, their turn comes.
  failing.splice(0);
  await forgetStateless(Date.now() + 4 * hour, ports, 2);
  expect(await storedSessions(broken.tenant)).toEqual([]);
  expect(await storedSessions(other.tenant)).toEqual([]);
});

it("no caller can make one: the field is refused, and metadata of the name that was used for it says nothing", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  expect((await tenant.call("POST", "/v1/sessions", { agent: "assistant", stateless: true })).status).toBe(422);
  const sessionId = await tenant.session({ metadata: { "conclave.stateless": true } });
  expect((await tenant.call("PATCH", `/v1/sessions/${sessionId}`, { stateless: true })).status).toBe(422);
  await eventually(async () => expect(await idsOfList(tenant)).toEqual([sessionId]));
  vi.useFakeTimers({ toFake: ["Date"] });
  passTime(86_400_000);
  await runHousekeeping();
  expect((await tenant.call("GET", `/v1/sessions/${sessionId}`)).body).not.toHaveProperty("stateless");
});

/** As an object that went through the steps of before, but for one: it hasn't what new ones have in their place. */
function asBefore(sql: SqlStorage, without: string): void {
  const renewed = chatSessionSchema.find(({ instead }) => instead?.includes(without));
  const steps = chatSessionSchema.filter(({ name }) => name !== without && renewed?.instead?.includes(name));
  expect(steps.length).toBeGreaterThan(5);
  sql.exec("DELETE FROM schema_steps WHERE name = ?", renewed?.name);
  for (const step of steps)
    sql.exec(
      "INSERT INTO schema_steps (position, name, sql) SELECT MAX(position) + 1, ?, ? FROM schema_steps",
      ...[step.name, step.sql],
    );
}

it("knows the sessions that the version before marked in their metadata, and leaves alone what a caller marked", async () => {
  const { tenant, sessionId, callAgain } = await asked();
  const marked = await tenant.session({ metadata: { "conclave.stateless": true } });
  for (const id of [sessionId, marked]) {
    await runInDurableObject(tenant.object(id), (_instance, { storage: { sql } }) => {
      sql.exec(
        `UPDATE session SET definition =
           json_set(json_remove(definition, '$.stateless'), '$.metadata."conclave.stateless"', json('true'))`,
      );
      asBefore(sql, "sessions of one turn");
    });
    await evictDurableObject(tenant.object(id));
  }
  expect((await tenant.call("GET", `/v1/sessions/${marked}`)).body).not.toHaveProperty("stateless");
  expect((await tenant.call("GET", `/v1/sessions/${sessionId}`)).body).toMatchObject({ stateless: true, metadata: {} });
  expect((await callAgain()).body.choices[0].message.content).toBe("Invoice 7 is paid.");
  await eventually(async () => expect(await statusInIndex(sessionId)).toBe("idle"));
  vi.useFakeTimers({ toFake: ["Date"] });
  passTime(30 * 60_000);
  await runHousekeeping();
  expect(await storedSessions(tenant)).toEqual([marked]);
});
