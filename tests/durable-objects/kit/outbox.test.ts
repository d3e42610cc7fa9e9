import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { maxTries, Outbox, outboxWaits } from "../../../durable-objects/kit/outbox.js";
import type { OutboxMessage } from "../../../durable-objects/kit/outbox-rows.js";
import { openAsk } from "../../../src/asks/ask.js";
import { readPayload } from "../../../src/catalogues/outbox.js";
import type { Database } from "../../../src/platform/sql.js";
import { deliverToD1 } from "../../../src/stores/deliveries.js";
import { newTenant } from "../../support/conclave.js";
import { Clock, kitIn, settle, withKitTables } from "./support.js";

/** Any message of an entity; receivers tell several of one entity apart by their number. */
function put(kit: ReturnType<typeof kitIn>, entity: string, number: number): void {
  kit.outbox.put("work_ended", entity, { work: entity, at: number });
}

function numberOf({ topic, payload }: OutboxMessage): number {
  return topic === "parked" ? readPayload("parked", payload).parked : readPayload("work_ended", payload).at;
}

/** A receiver that refuses what a test says, and remembers what it took. */
class Receiver {
  readonly took: string[] = [];
  attempts = 0;
  refuses: (message: OutboxMessage) => boolean = () => false;

  readonly deliver = async (messages: readonly OutboxMessage[]): Promise<void> => {
    this.attempts += 1;
    if (messages.some(this.refuses)) throw new Error("refused");
    this.took.push(...messages.map((message) => `${message.entity}:${numberOf(message)}`));
  };
}

function withOutbox(
  test: (world: {
    kit: ReturnType<typeof kitIn>;
    clock: Clock;
    receiver: Receiver;
    state: DurableObjectState;
  }) => unknown,
): Promise<unknown> {
  return withKitTables((state) => {
    const clock = new Clock();
    const receiver = new Receiver();
    return test({ kit: kitIn(state, clock, { deliver: receiver.deliver }), clock, receiver, state });
  });
}

/** When the alarm would look after the outbox. */
function wakesAt(state: DurableObjectState): number | undefined {
  return state.storage.sql
    .exec<{ at: number }>("SELECT at FROM deadlines WHERE name = 'outbox'")
    .toArray()
    .map(({ at }) => at)[0];
}

describe("the outbox", () => {
  it("delivers everything, in order, and then sleeps", () =>
    withOutbox(async ({ kit, receiver, state }) => {
      for (let n = 0; n < 60; n++) put(kit, `e${n % 7}`, n);
      await kit.outbox.drain();
      expect(receiver.took).toEqual(Array.from({ length: 60 }, (_, n) => `e${n % 7}:${n}`));
      expect(kit.outbox.size()).toBe(0);
      expect(wakesAt(state)).toBeUndefined();
    }));

  it("sets its deadline anew for what comes after a write that was rolled back", () =>
    withOutbox(({ kit, state, clock }) => {
      const fails = () => {
        put(kit, "a", 1);
        throw new Error("it fails");
      };
      expect(() => state.storage.transactionSync(fails)).toThrow("it fails");
      kit.outbox.onRollback();
      kit.deadlines.onRollback();
      expect(wakesAt(state)).toBeUndefined();
      kit.write(() => put(kit, "a", 2));
      expect(wakesAt(state)).toBeGreaterThan(clock.at);
    }));

  it("tries again after a growing wait when the receiver is down, and keeps the order of each entity", () =>
    withOutbox(async ({ kit, clock, receiver, state }) => {
      put(kit, "a", 1);
      receiver.refuses = () => true;
      const waits: number[] = [];
      for (let attempt = 1; attempt <= 4; attempt++) {
        await kit.outbox.drain();
        waits.push((wakesAt(state) ?? 0) - clock.at);
        clock.at = wakesAt(state) ?? 0;
      }
      expect(waits).toEqual(outboxWaits.slice(0, 4));
      expect(waits).toEqual([...waits].sort((x, y) => x - y));
      expect(new Set(waits).size).toBe(4);
      expect(outboxWaits.at(-1)).toBe(3_600_000);

      receiver.refuses = () => false;
      put(kit, "a", 2);
      await kit.outbox.drain();
      expect(receiver.took).toEqual(["a:1", "a:2"]);
    }));

  it("lets a message that can't be delivered keep back its own entity alone", () =>
    withOutbox(async ({ kit, clock, receiver }) => {
      put(kit, "good", 1);
      put(kit, "bad", 1);
      put(kit, "bad", 2);
      put(kit, "good", 2);
      receiver.refuses = (message) => message.entity === "bad" && numberOf(message) === 1;
      await kit.outbox.drain();
      expect(receiver.took).toEqual(["good:1", "good:2"]);
      put(kit, "bad", 3);
      put(kit, "good", 3);
      await kit.outbox.drain();
      expect(receiver.took).toEqual(["good:1", "good:2", "good:3"]);

      receiver.refuses = () => false;
      clock.at += 3_600_000;
      await kit.outbox.drain();
      expect(receiver.took.filter((one) => one.startsWith("bad"))).toEqual(["bad:1", "bad:2", "bad:3"]);
    }));

  it("keeps the messages of one write in one row, and delivers each under a number of its own", () =>
    withOutbox(async ({ kit, state }) => {
      const ids: number[] = [];
      const own = kitIn(state, new Clock(), {
        deliver: async (messages) => void ids.push(...messages.map(({ id }) => id)),
      });
      put(own, "a", 1);
      own.write(() => {
        for (const entity of ["a", "b", "c"]) put(own, entity, 2);
      });
      expect(own.outbox.size()).toBe(2);
      put(own, "a", 3);
      await own.outbox.drain();
      expect(ids).toEqual([1, 2, 3, 4, 5]);
      expect(own.outbox.size()).toBe(0);
      put(kit, "a", 4);
      expect(state.storage.sql.exec("SELECT id FROM outbox").one()).toEqual({ id: 6 });
    }));

  it("takes those of one write apart when one of them can't be delivered: the others go, in the order of their entities", () =>
    withOutbox(async ({ kit, clock, receiver }) => {
      kit.write(() => {
        for (const entity of ["good", "bad", "fine"]) put(kit, entity, 1);
      });
      kit.write(() => {
        put(kit, "bad", 2);
        put(kit, "good", 2);
      });
      receiver.refuses = (message) => message.entity === "bad" && numberOf(message) === 1;
      await kit.outbox.drain();
      expect(receiver.took).toEqual(["good:1", "fine:1", "good:2"]);
      // What comes while it waits goes behind it, whatever else its write says.
      kit.write(() => {
        put(kit, "bad", 3);
        put(kit, "fine", 3);
      });
      await kit.outbox.drain();
      expect(receiver.took).toEqual(["good:1", "fine:1", "good:2", "fine:3"]);
      receiver.refuses = () => false;
      clock.at += 3_600_000;
      await kit.outbox.drain();
      expect(receiver.took.slice(4)).toEqual(["bad:1", "bad:2", "bad:3"]);
    }));

  it("is looked after by the alarm alone in an object that looks itself what is left when it wakes up", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const never = () => new Promise<void>(() => {});
      const dying = kitIn(state, clock, { deliver: never, active: () => false });
      put(dying, "a", 1);
      dying.deliverSoon();
      await settle();
      expect(wakesAt(state)).toBeUndefined();
      const at = await state.storage.getAlarm();
      expect(at).toBeGreaterThan(clock.at);

      const receiver = new Receiver();
      const next = kitIn(state, clock, { deliver: receiver.deliver, active: () => false });
      next.resume();
      await next.stop();
      expect(receiver.took).toEqual(["a:1"]);
      // It rings once more, for nothing.
      clock.at = (await state.storage.getAlarm()) ?? 0;
      expect(clock.at).toBeGreaterThan(0);
      next.onAlarm();
      expect(await state.storage.getAlarm()).toBe(null);
    }));

  it("leaves what is put while it delivers to its own time, unless somebody asks again", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const receiver = new Receiver();
      const underWay: (() => void)[] = [];
      const deliver = async (messages: readonly OutboxMessage[]) => {
        await new Promise<void>((resolve) => underWay.push(resolve));
        await receiver.deliver(messages);
      };
      const goOn = async () => {
        underWay.shift()?.();
        await settle();
      };
      const kit = kitIn(state, clock, { deliver });
      put(kit, "a", 1);
      void kit.outbox.drain();
      await settle();
      put(kit, "b", 1);
      await goOn();
      expect([receiver.took, underWay.length]).toEqual([["a:1"], 0]);
      expect(wakesAt(state)).toBeGreaterThan(clock.at);

      void kit.outbox.drain();
      await settle();
      put(kit, "c", 1);
      void kit.outbox.drain();
      await goOn();
      await goOn();
      expect(receiver.took).toEqual(["a:1", "b:1", "c:1"]);
    }));

  it("delivers what is put just after a delivery's last look, to whoever asks for it then", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const receiver = new Receiver();
      // A delivery that finds nothing more lets its deadline go: that is its last act.
      let afterLastLook: (() => void) | undefined = () => {
        outbox.put("work_ended", "b", { work: "b", at: 2 });
        void outbox.drain();
      };
      const outbox = new Outbox({
        sql: state.storage.sql,
        now: clock.now,
        write: (change) => change(),
        deliver: receiver.deliver,
        wakeAt: () => {
          if (afterLastLook !== undefined) queueMicrotask(afterLastLook);
          afterLastLook = undefined;
        },
        wakeBy: () => {},
        failed: () => {},
        parked: () => {},
      });
      outbox.put("work_ended", "a", { work: "a", at: 1 });
      await outbox.drain();
      await settle();
      expect(receiver.took).toEqual(["a:1", "b:2"]);
      await outbox.drain();
      outbox.put("work_ended", "c", { work: "c", at: 3 });
      await outbox.drain();
      expect(receiver.took).toEqual(["a:1", "b:2", "c:3"]);
    }));

  it("sends the many writes of a busy while in batches, each row as it was written", () =>
    withOutbox(async ({ kit, receiver, state }) => {
      for (let n = 0; n < 60; n++)
        kit.write(() => {
          put(kit, "a", n);
          put(kit, "b", n);
        });
      const written = Number(state.storage.sql.exec("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").one().seq);
      await kit.outbox.drain();
      expect(receiver.took).toHaveLength(120);
      // Twenty-five rows of two messages each; none was split into rows of its own.
      expect(receiver.attempts).toBe(3);
      expect(written).toBe(120);
      expect(kit.outbox.isEmpty()).toBe(true);
    }));

  it("parks a message that can never be delivered: what comes after it goes on, and it can be tried again", () =>
    withOutbox(async ({ kit, clock, receiver, state }) => {
      put(kit, "a", 1);
      put(kit, "a", 2);
      receiver.refuses = (message) => message.entity === "a" && numberOf(message) === 1;
      for (let attempt = 1; attempt < maxTries; attempt++) {
        await kit.outbox.drain();
        clock.at = wakesAt(state) ?? 0;
      }
      expect([kit.outbox.parked(), receiver.took]).toEqual([[], []]);
      await kit.outbox.drain();
      const parkedAt = new Date(clock.at).toISOString();
      const parked = { deliveryId: 1, topic: "work_ended", attempts: maxTries, error: "refused", parkedAt };
      expect(kit.outbox.parked()).toEqual([parked]);
      await kit.outbox.drain();
      // That there is one is told.
      expect(receiver.took).toEqual(["a:2", "parked:1"]);
      expect(wakesAt(state)).toBe(clock.at + 86_400_000);

      receiver.refuses = () => false;
      expect(kit.outbox.retryParked()).toBe(1);
      await kit.outbox.drain();
      await kit.outbox.drain();
      expect(receiver.took).toEqual(["a:2", "parked:1", "a:1", "parked:0"]);
      expect([kit.outbox.parked(), kit.outbox.size()]).toEqual([[], 0]);
    }));

  it("sleeps until the first retry, though further messages wait behind it", () =>
    withOutbox(async ({ kit, clock, receiver, state }) => {
      receiver.refuses = () => true;
      put(kit, "a", 1);
      await kit.outbox.drain();
      put(kit, "a", 2);
      await kit.outbox.drain();
      const attempts = receiver.attempts;
      expect(wakesAt(state)).toBe(clock.at + (outboxWaits[0] ?? 0));
      kit.onAlarm();
      await kit.outbox.drain();
      expect(receiver.attempts).toBe(attempts);
    }));

  it("is delivered by the alarm of the next instance when one died over it", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const dying = kitIn(state, clock, { deliver: () => new Promise(() => {}) });
      put(dying, "a", 1);
      dying.deliverSoon();
      await settle();

      const receiver = new Receiver();
      const next = kitIn(state, clock, { deliver: receiver.deliver });
      clock.at = wakesAt(state) ?? 0;
      next.onAlarm();
      next.onAlarm();
      await next.stop();
      expect(receiver.took).toEqual(["a:1"]);
      expect(next.outbox.size()).toBe(0);
    }));
});

describe("a delivery to D1", () => {
  it("that comes twice or late changes nothing", async () => {
    const { tenantId } = await newTenant();
    const ownerId = "ses_01k00000000000000000000000";
    const askId = `ask_01k00000000000000000000000_${ownerId}`;
    const open = openAsk(askId, { kind: "human", question: "?", source: {} }, {}, 0);
    const closed = { ...open, status: "cancelled" as const, closedAt: open.openedAt };
    const message = (id: number, topic: string, payload: unknown) => ({ id, topic, payload: JSON.stringify(payload) });
    const audit = message(7, "audit", { turnId: "t", hook: "request", decision: "allow", body: {}, at: 1 });
    const deliver = (...messages: ReturnType<typeof message>[]) => deliverToD1(env.DB, { tenantId, ownerId, messages });

    await deliver(message(1, "ask", open), message(2, "ask", closed), audit);
    await deliver(message(1, "ask", open), audit);
    await deliver(message(2, "ask", closed));

    const asks = await env.DB.prepare("SELECT status FROM asks WHERE tenant_id = ?").bind(tenantId).all();
    expect(asks.results).toEqual([{ status: "cancelled" }]);
    const decisions = await env.DB.prepare("SELECT 1 FROM audit WHERE tenant_id = ? AND owner_id = ?")
      .bind(tenantId, ownerId)
      .all();
    expect(decisions.results).toHaveLength(1);
  });

  it("of what many turns left takes a statement for the audit and one for usage, however many, none too long to be bound", async () => {
    const { tenantId } = await newTenant();
    const ownerId = "ses_01k00000000000000000000000";
    const turns = ["trn_1", "trn_2", "trn_3"];
    const model = { model: "openai/one", modelCalls: 2, inputTokens: 30, outputTokens: 7 };
    const messages = turns.flatMap((turn, at) => [
      {
        topic: "audit",
        payload: { workId: turn, hook: "request", decision: "allow", body: { hook: '"request"' }, at },
      },
      { topic: "usage", payload: { work: turn, kind: "turn", agent: "a", models: [model], at } },
    ]);
    const delivery = messages.map(({ topic, payload }, id) => ({ id, topic, payload: JSON.stringify(payload) }));
    const batches: number[] = [];
    const db: Database = {
      prepare: (query) => env.DB.prepare(query),
      batch: (statements) => {
        batches.push(statements.length);
        return env.DB.batch(statements);
      },
    };
    await deliverToD1(db, { tenantId, ownerId, messages: delivery });
    expect(batches).toEqual([2]);

    const audit =
      "SELECT turn_id, at, body, type, actor FROM audit WHERE tenant_id = ? AND owner_id = ? ORDER BY revision";
    const decisions = await env.DB.prepare(audit).bind(tenantId, ownerId).all();
    const row = { body: '{"hook":"\\"request\\""}', type: "supervision", actor: null };
    expect(decisions.results).toEqual(turns.map((turn, at) => ({ turn_id: turn, at, ...row })));
    const taken = "SELECT work_id, model_calls, input_tokens, subject FROM usage WHERE tenant_id = ? ORDER BY work_id";
    const usage = await env.DB.prepare(taken).bind(tenantId).all();
    const counted = { model_calls: 2, input_tokens: 30, subject: null };
    expect(usage.results).toEqual(turns.map((turn) => ({ work_id: turn, ...counted })));

    const long = { hook: "x".repeat(200_000) };
    const longOnes = [10, 11, 12].map((id) => ({
      id,
      topic: "audit",
      payload: JSON.stringify({ workId: "trn_9", hook: "request", decision: "allow", body: long, at: 9 }),
    }));
    await deliverToD1(db, { tenantId, ownerId, messages: longOnes });
    expect(batches).toEqual([2, 2]);
    const kept = await env.DB.prepare("SELECT body FROM audit WHERE tenant_id = ? AND at = 9").bind(tenantId).all();
    expect(kept.results).toEqual([10, 11, 12].map(() => ({ body: JSON.stringify(long) })));
  });

  it("of an unknown topic is refused whole, and one of a tenant that is gone is dropped", async () => {
    const { tenantId } = await newTenant();
    const messages = [{ id: 1, topic: "gossip", payload: "{}" }];
    await expect(deliverToD1(env.DB, { tenantId, ownerId: "x", messages })).rejects.toThrow("unknown topic");
    await deliverToD1(env.DB, { tenantId: "ten_gone", ownerId: "x", messages });
  });
});
