import { evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { maxDeaths } from "../../../src/agent/attempts.js";
import { RoundtableGateway } from "../../../src/gateways/roundtable-gateway.js";
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
import { httpTool } from "../supervision/support.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** As after so many deaths that the next one is the last, whatever else was tried in the process meanwhile. */
async function nearlyGiveUp(object: ReturnType<typeof tableObject>): Promise<void> {
  const done = "(SELECT COUNT(*) FROM journal WHERE result IS NOT NULL AND journal.work = attempts.work)";
  await rowsOf(object, `UPDATE attempts SET deaths = ?, company = 'others', progress = ${done}`, maxDeaths - 1);
}

it("a roundtable that is erased while it works asks nobody again, and is gone at once", async () => {
  const tenant = await newTenant();
  const panel = newPanel(["a", "b"]);
  await seat(panel, "a").reply({ ...takes("Lost."), hold: "a" }, { ...takes("Lost too."), hold: "again" });
  await seat(panel, "b").reply(takes("B."));
  const started = readTable(
    await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields, waitMs: 0 }),
  );
  await seat(panel, "a").until({ open: 1 });
  expect(await tableObject(tenant, started).remove()).toBe(true);
  expect((await tenant.call("GET", `/v1/roundtables/${started.sessionId}`)).status).toBe(404);
  expect(await seat(panel, "a").requests()).toHaveLength(1);
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
    await nearlyGiveUp(tableObject(tenant, started));

    await crash();

    const table = await getTable(tenant, started);
    expect(table).toMatchObject({ running: false, currentRound: 0, error: { code: "internal" } });
    expect(table.error?.detail).toContain("Continue to try again");
    const events = await rowsOf(tableObject(tenant, started), "SELECT 1 FROM events WHERE type = 'round.failed'");
    expect(events).toHaveLength(1);
    expect(held(await goOn(tenant, table))).toEqual({ a: "A.", b: "B." });
  });
});

describe("what seats have done with tools in a round that comes to no end", () => {
  /** A panel of two seats who may charge orders. */
  async function chargingPanel() {
    const tenant = await newTenant();
    const shop = await httpTool(tenant, "charge", { parameters: { type: "object" } });
    return { tenant, shop, panel: newPanel(["a", "b"], { tools: ["shop/charge"] }) };
  }

  const charge = (order: number) => ({ toolCalls: [{ name: "charge", arguments: { order } }] });

  /** Seat a charges an order, and seat b is asked for longer than the round lasts. */
  async function charging() {
    const { tenant, shop, panel } = await chargingPanel();
    await shop.reply({ body: "Charged 40 euros." });
    await seat(panel, "a").reply(charge(17), { ...takes("Lost."), hold: "a" }, charge(17), takes("Charged already."));
    await seat(panel, "b").reply({ ...takes("Lost."), hold: "b" }, takes("Fine."));
    const started = readTable(
      await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields, waitMs: 0 }),
    );
    await seat(panel, "a").until({ requests: 2, open: 1 });
    await seat(panel, "b").until({ open: 1 });
    return { tenant, panel, shop, started, object: tableObject(tenant, started) };
  }

  it("isn't done again by the continue after it was given up, which reads what came of it", async () => {
    const { tenant, panel, shop, started, object } = await charging();
    await nearlyGiveUp(object);

    await crash();

    const table = await getTable(tenant, started);
    expect(table).toMatchObject({ currentRound: 0, error: { code: "internal" } });
    expect(table.error?.detail).toContain("What was done all the same: shop/charge by a.");
    expect(held(await goOn(tenant, table))).toEqual({ a: "Charged already.", b: "Fine." });
    expect(await shop.requests()).toHaveLength(1);
    const prompt = JSON.stringify((await seat(panel, "a").requests())[2]?.body);
    expect(prompt).toContain("Charged 40 euros.");
  });

  it("is kept when it is stopped, and once", async () => {
    const { tenant, started, object } = await charging();
    await tenant.call("POST", `/v1/roundtables/${started.sessionId}/control`, { action: "stop" });
    const kept = await rowsOf(object, "SELECT body FROM effects");
    expect(kept.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
      { by: "a", server: "shop", tool: "charge", outcome: "done", args: { order: 17 }, content: "Charged 40 euros." },
    ]);
    expect(await rowsOf(object, "SELECT * FROM effects_under_way")).toEqual([]);
  });

  it("isn't done again in a fork: neither what was done until its round, nor after it, nor in a round that was cut", async () => {
    const { tenant, shop, panel } = await chargingPanel();
    await shop.reply({ body: "Charged order 1." }, { body: "Charged order 2." });
    await seat(panel, "a").reply(charge(1), takes("Charged."), charge(2), { ...takes("Lost."), hold: "a" });
    await seat(panel, "b").reply(takes("Fine."), { ...takes("Lost."), hold: "b" });
    const table = await startTable(tenant, panel, { rounds: 3 });
    await tenant.call("POST", `/v1/roundtables/${table.sessionId}/continue`, { waitMs: 0 });
    await seat(panel, "a").until({ requests: 4, open: 1 });

    const forkOf = async (sessionId: string): Promise<string> =>
      (await tenant.call("POST", `/v1/roundtables/${sessionId}/fork`, { round: 1 })).body.sessionId;
    const whileItRuns = await forkOf(table.sessionId);
    await tenant.call("POST", `/v1/roundtables/${table.sessionId}/control`, { action: "stop" });
    const afterTheStop = await forkOf(table.sessionId);
    for (const sessionId of [whileItRuns, afterTheStop, await forkOf(afterTheStop)]) {
      await seat(panel, "a").reply(charge(1), charge(2), takes("Charged already."));
      await seat(panel, "b").reply(takes("Fine."));
      expect(held(await goOn(tenant, { sessionId }))).toEqual({ a: "Charged already.", b: "Fine." });
    }
    expect((await shop.requests()).map(({ body }) => body)).toEqual([{ order: 1 }, { order: 2 }]);
    expect(JSON.stringify((await seat(panel, "a").requests()).at(-1)?.body)).toContain("Charged order 2.");
  });

  it("isn't done again in a fork from a round that ended while it was forked", async () => {
    const { tenant, shop, panel } = await chargingPanel();
    await shop.reply({ body: "Charged order 1." });
    await seat(panel, "a").reply({ ...charge(1), hold: "a" }, takes("Charged."), charge(1), takes("Charged already."));
    await seat(panel, "b").reply(takes("Fine."), takes("Fine."));
    const started = readTable(
      await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields, waitMs: 0 }),
    );
    await seat(panel, "a").until({ open: 1 });
    const { describe: look, record } = RoundtableGateway.prototype;
    // The round ends as the fork is about to read the record.
    vi.spyOn(RoundtableGateway.prototype, "record").mockImplementationOnce(async function (
      this: RoundtableGateway,
      ...args
    ) {
      await seat(panel, "a").release("a");
      await look.call(this, ...args, 60_000);
      return record.apply(this, args);
    });

    const fork = await tenant.call("POST", `/v1/roundtables/${started.sessionId}/fork`, { round: 1 });
    expect(held(await goOn(tenant, fork.body))).toEqual({ a: "Charged already.", b: "Fine." });
    expect(await shop.requests()).toHaveLength(1);
  });
});
