import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { EventLog } from "../../../durable-objects/kit/events.js";
import { newTenant } from "../../support/conclave.js";

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
      const log = new EventLog(sql, Date.now, (_type, data) => data);
      expect(log.read(0, 200, turnId).map(({ type }) => type)).toContain("turn.completed");
      const read = exec.mock.results.map(({ value }) => value.rowsRead);
      expect(read).toHaveLength(1);
      expect(read[0]).toBeLessThan(50);
    });
  });
});
