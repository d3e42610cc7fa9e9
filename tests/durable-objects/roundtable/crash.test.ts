import { evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { maxDeaths } from "../../../src/agent/attempts.js";
import { newTenant } from "../../support/conclave.js";
import { crash, ringAlarm, rowsOf } from "../../support/objects.js";
import {
  everybodySpeaks,
  getTable,
  goOn,
  held,
  newPanel,
  openRequest,
  readTable,
  requests,
  seat,
  startTable,
  tableObject,
  takes,
} from "../../support/roundtables.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("a roundtable whose object dies", () => {
  it("goes on with the round as soon as anybody looks; who has spoken isn't asked again", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { mode: "adversarial" });
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A."));
    await seat(panel, "b").reply({ ...takes("Lost."), hold: "b" }, takes("B."));
    const started = readTable(
      await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields, waitMs: 0 }),
    );
    await seat(panel, "b").until({ open: 1 });

    await crash();

    const table = await getTable(tenant, started);
    expect(held(table)).toEqual({ a: "A.", b: "B." });
    expect(openRequest(table).agentIds).toEqual(["a"]);
    expect(await seat(panel, "a").requests()).toHaveLength(2);
  });

  it("is found by its alarm when nobody looks", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply({ ...takes("Lost."), hold: "a" }, takes("A."));
    // Its position may be lost with the object, or not.
    await seat(panel, "b").reply({ ...takes("B."), repeat: 2 });
    const started = readTable(
      await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields, waitMs: 0 }),
    );
    await seat(panel, "a").until({ open: 1 });
    await crash();
    await ringAlarm(tableObject(tenant, started));
    await seat(panel, "a").until({ requests: 2 });
    expect(held(await getTable(tenant, started))).toEqual({ a: "A.", b: "B." });
  });

  it("is found by its alarm in an analysis too, which nobody waits for", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { analysis: true });
    await everybodySpeaks(panel);
    await panel.analyst.reply({ ...takes("Lost."), hold: "analysis" }, { ...takes("No analysis."), repeat: true });
    const table = await startTable(tenant, panel);
    await panel.analyst.until({ open: 1 });
    await crash();
    await ringAlarm(tableObject(tenant, table));
    await panel.analyst.until({ requests: 2 });
  });

  it("works the pattern to its end with the object gone between all steps", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A1."));
    await seat(panel, "b").reply(takes("B1."));
    const first = await startTable(tenant, panel);
    const gone = () => evictDurableObject(tableObject(tenant, first));
    await gone();
    expect(await goOn(tenant, first)).toMatchObject({ status: "needs_context", currentRound: 1 });
    await gone();
    const { requestId } = openRequest(await getTable(tenant, first));
    await tenant.call("POST", `/v1/roundtables/${first.sessionId}/context`, {
      contextResults: [{ requestId, content: "5 million" }],
    });
    await gone();
    await everybodySpeaks(panel);
    expect(await goOn(tenant, first)).toMatchObject({ status: "completed", currentRound: 2 });
    await gone();
    expect((await getTable(tenant, first)).responses).toHaveLength(2);
  });

  it("each time it is tried is given up, which its caller sees, and the same continue tries again", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply({ ...takes("Lost."), hold: "a" }, takes("A."));
    await seat(panel, "b").reply({ ...takes("Lost."), hold: "b" }, takes("B."));
    const started = readTable(
      await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields, waitMs: 0 }),
    );
    await Promise.all(["a", "b"].map((id) => seat(panel, id).until({ open: 1 })));
    // As after so many deaths that the next one is the last.
    const done = "(SELECT COUNT(*) FROM journal WHERE result IS NOT NULL AND journal.work = attempts.work)";
    await rowsOf(tableObject(tenant, started), `UPDATE attempts SET deaths = ?, progress = ${done}`, maxDeaths - 1);

    await crash();

    const table = await getTable(tenant, started);
    expect(table).toMatchObject({ running: false, currentRound: 0, error: { code: "internal" } });
    expect(table.error?.detail).toContain("Continue to try again");
    const events = await rowsOf(tableObject(tenant, started), "SELECT 1 FROM events WHERE type = 'round.failed'");
    expect(events).toHaveLength(1);
    expect(held(await goOn(tenant, table))).toEqual({ a: "A.", b: "B." });
  });
});
