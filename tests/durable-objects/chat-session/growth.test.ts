import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { ChatSessionStore } from "../../../durable-objects/chat-session/store.js";
import { EventLog } from "../../../durable-objects/kit/events.js";
import { atRest } from "../../support/at-rest.js";
import { newTenant } from "../../support/conclave.js";
import { countStorage } from "../../support/counted-storage.js";

describe("a long session", () => {
  it("finds the events of one turn without reading those of all the others", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello." });
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "hello");

    await runInDurableObject(tenant.object(session), (_instance, { storage: { sql } }) => {
      sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
         INSERT INTO events (work, type, at, data) SELECT 'trn_' || i, 'turn.started', 0, '{}' FROM n`,
      );
      const exec = vi.spyOn(sql, "exec");
      const { turns } = new ChatSessionStore(sql);
      const log = new EventLog(sql, Date.now, (_type, data) => data, undefined, {
        of: (work) => turns.get(work)?.events,
        extend: () => {},
      });
      expect(log.read(0, 200, turnId).map(({ type }) => type)).toContain("turn.completed");
      const read = exec.mock.results.reduce((sum, { value }) => sum + value.rowsRead, 0);
      expect(read).toBeLessThan(50);
      exec.mockRestore();
      // What comes to an ended turn is found behind all that came since.
      log.append("turn.started", turnId, { turnId });
      turns.extendEvents(turnId, log.lastNumber());
      expect(log.read(0, 200, turnId).at(-1)?.seq).toBe(log.lastNumber());
    });
  });

  it("costs as much for a message after 2,000 as after 35: rows read and written, and tokens of the prompt", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello.", repeat: true });
    await tenant.rules("watch", [{ match: { type: "phrases", phrases: ["stop"] }, action: "block", reason: "No." }]);
    const session = await tenant.session({ supervisors: ["watch"] });
    const object = tenant.object(session);

    const cost = async () => {
      // With what it leaves and without what the turns before left, so that the machine's pace doesn't decide whose delivery is counted.
      await atRest(object);
      let status: string | undefined;
      const { objectRowsRead: read, objectRowsWritten: written } = await countStorage(tenant, session, async () => {
        ({ status } = await tenant.say(session, "How are you, and what have we talked about?"));
        await atRest(object);
      });
      return {
        read,
        written,
        prompt: JSON.stringify((await model.requests()).at(-1)?.body).length,
        status,
      };
    };

    for (let message = 0; message < 35; message++)
      await tenant.say(session, "How are you, and what have we talked about?");
    // Each measured as the first turn after a sleep: what an object has read it knows, and nobody else writes what is its own.
    await evictDurableObject(object);
    const early = await cost();
    await runInDurableObject(object, (_instance, { storage: { sql } }) => {
      for (const [table, columns, changed] of copied) {
        const to = columns.join(", ");
        const from = columns
          .map((column) => (changed.some((name) => name === column) ? `${column} || '-' || i` : column))
          .join(", ");
        sql.exec(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 56)
           INSERT INTO ${table} (${to}) SELECT ${from} FROM ${table}, n`,
        );
      }
      // As it stands in a session that has come so far turn by turn.
      sql.exec("UPDATE session SET settled = (SELECT MAX(seq) - 8 FROM turns)");
    });
    await evictDurableObject(object);
    const late = await cost();
    expect(early).toMatchObject({ status: "completed", written: expect.any(Number) });
    expect(early.read).toBeGreaterThan(0);
    expect(late.written / early.written).toBeLessThan(1.2);
    expect(late.read / early.read).toBeLessThan(1.2);
    expect(late.prompt / early.prompt).toBeLessThan(1.2);
  });
});

/** What a session's own tables hold of each message, and what of it is unique. */
const copied = [
  [
    "turns",
    ["turn_id", "request_hash", "status", "message_id", "reply_id", "original", "accepted_at", "outcome"],
    ["turn_id"],
  ],
  ["messages", ["message_id", "turn_id", "role", "body", "in_history"], ["message_id", "turn_id"]],
  ["passes", ["turn_id", "at", "state"], ["turn_id"]],
  ["events", ["work", "type", "at", "data"], ["work"]],
] as const;
