import { afterEach, describe, expect, it, vi } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { crash, ringAlarm, rowsOf } from "../../support/objects.js";
import { asksHuman, getRun, modelOf, newTeam, routesTo, runObject, startRun } from "../../support/teams.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("a run whose object dies", () => {
  it("goes on as soon as anybody looks, without waiting for its lease to end", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {} });
    await team.supervisor.reply({ ...routesTo("a"), hold: "first" }, routesTo("a"));
    await modelOf(team, "a").reply({ text: "Done." });
    const { runId } = await startRun(tenant, team.definition, "Help.", { waitMs: 0 });
    await team.supervisor.until({ requests: 1, open: 1 });

    await crash();

    expect(await getRun(tenant, runId)).toMatchObject({ status: "completed", response: "Done." });
    expect(await team.supervisor.requests()).toHaveLength(2);
  });
});

describe("a run that meets an internal error", () => {
  const crashes = async (tenant: TestTenant, runId: string) =>
    (await rowsOf(runObject(tenant, runId), "SELECT count FROM crashes")).map((row) => row.count);

  /** It waited, and what it had stored became unreadable meanwhile: it failed again at once, and then gives it time. */
  async function crashedTwice() {
    const tenant = await newTenant();
    const team = newTeam({ a: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman("Which?"), routesTo("a"));
    await modelOf(team, "a").reply({ text: "That one." });
    const run = await startRun(tenant, team.definition, "Help.");
    const object = runObject(tenant, run.runId);
    // It stands in the row of the first call, which was begun in the same write.
    const withSetup = `also LIKE '[["setup",%'`;
    const [setup] = await rowsOf(object, `SELECT step, also FROM journal WHERE ${withSetup}`);
    await rowsOf(object, `UPDATE journal SET also = '[["setup","load","unreadable"]]' WHERE ${withSetup}`);
    await tenant.call("POST", `/v1/asks/${run.asks[0]?.askId}/answer`, { response: "that" });
    await eventually(async () => expect(await crashes(tenant, run.runId)).toEqual([2]));
    const mended = [String(setup?.also), String(setup?.step)];
    const mend = () => rowsOf(object, "UPDATE journal SET also = ? WHERE step = ?", ...mended);
    return { tenant, runId: run.runId, object, mend };
  }

  it("is tried again when the lease runs out, and completes once it is mended", async () => {
    const { tenant, runId, object, mend } = await crashedTwice();
    await mend();
    await ringAlarm(object);
    expect(await getRun(tenant, runId)).toMatchObject({ status: "completed", response: "That one." });
  });

  it("fails visibly in the end, and says what it has spent until then", async () => {
    const { tenant, runId, object } = await crashedTwice();
    await ringAlarm(object);
    await eventually(async () => expect(await crashes(tenant, runId)).toEqual([3]));
    await ringAlarm(object);
    expect(await getRun(tenant, runId)).toMatchObject({
      status: "failed",
      error: { code: "internal" },
      usage: { modelCalls: 1, inputTokens: 10, outputTokens: 5 },
    });
  });
});
