/** Debates that go on after their end, or come to nothing: more rounds, forks, rounds in which everybody fails, answers in prose. */
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { everybodySpeaks, getTable, goOn, held, newPanel, seat, startTable, takes } from "../../support/roundtables.js";
import { promptText } from "../../support/teams.js";

const down = { status: 401, body: { error: { message: "down" } } };

async function ended(rounds = 1) {
  const tenant = await newTenant();
  const panel = newPanel(["a", "b"], { rounds });
  await everybodySpeaks(panel, rounds);
  const table = await startTable(tenant, panel);
  for (let round = 2; round <= rounds; round++) await goOn(tenant, table);
  return { tenant, panel, table: await getTable(tenant, table) };
}
const command = (tenant: TestTenant, { sessionId }: { readonly sessionId: string }, what: string, body: object) =>
  tenant.call("POST", `/v1/roundtables/${sessionId}/${what}`, body);

describe("a debate that has ended", () => {
  it("goes on with so many more rounds, and ends again", async () => {
    const { tenant, panel, table } = await ended();
    expect(table).toMatchObject({ status: "completed", exit: { reason: "rounds" }, endedAt: expect.any(String) });
    const refused = await command(tenant, table, "continue", {});
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining("rounds: 2") } });
    await everybodySpeaks(panel, 2);
    const second = await goOn(tenant, table, { rounds: 2 });
    expect(second).toMatchObject({ status: "in_progress", currentRound: 2, totalRounds: 3 });
    expect(second).not.toHaveProperty("exit");
    expect(second).not.toHaveProperty("endedAt");
    expect(promptText((await seat(panel, "a").requests())[1])).toContain("This is round 2 of 3.");
    expect(await goOn(tenant, table)).toMatchObject({ status: "completed", currentRound: 3, exit: { round: 3 } });
  });

  it("goes on after it was asked to answer, and has no more rounds than any", async () => {
    const { tenant, panel, table } = await ended(2);
    await panel.analyst.reply({ text: '{"conclusion": "Ship."}', repeat: true });
    await command(tenant, table, "control", { action: "answerNow" });
    const many = await command(tenant, table, "continue", { rounds: 19 });
    expect(many).toMatchObject({ status: 409, body: { detail: expect.stringContaining("18 more") } });
    await everybodySpeaks(panel);
    expect(await goOn(tenant, table, { rounds: 1 })).toMatchObject({ currentRound: 3, totalRounds: 3 });
  });

  it("leaves a round to its fork at least, and as many as are asked for", async () => {
    const { tenant, panel, table } = await ended();
    const fork = async (body: object) => (await command(tenant, table, "fork", body)).body;
    const one = await fork({ round: 1 });
    expect(one).toMatchObject({ currentRound: 1, totalRounds: 2, status: "in_progress" });
    expect(await fork({ round: 1, rounds: 4 })).toMatchObject({ totalRounds: 5 });
    expect(await command(tenant, table, "fork", { round: 1, rounds: 20 })).toMatchObject({ status: 422 });
    await everybodySpeaks(panel);
    expect(await goOn(tenant, one)).toMatchObject({ status: "completed", currentRound: 2, totalRounds: 2 });
  });
});

describe("a round in which nobody takes a position", () => {
  it("is named in what is exported, seat by seat", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    for (const id of ["a", "b"]) await seat(panel, id).reply({ ...down, repeat: 2 });
    const table = await startTable(tenant, panel);
    expect(table).toMatchObject({ status: "in_progress", currentRound: 0, error: { code: "all_seats_failed" } });
    const path = `/v1/roundtables/${table.sessionId}/export`;
    const { body: text } = await tenant.call("GET", `${path}?format=markdown`);
    expect(text).toContain("## What failed\n\nAll seats failed");
    expect(text).toMatch(/- A gave no position after 2 attempts: .*401/);
    expect((await tenant.call("GET", path)).body).toMatchObject({
      error: { code: "all_seats_failed", failures: [{ agentId: "a" }, { agentId: "b" }] },
    });
  });

  it.each([
    ["model calls", { maxModelCalls: 2, maxSeatRetries: 0 }, { text: "No." }],
    [
      "tokens of each seat's share",
      { maxTokens: 40 },
      { toolCalls: [{ name: "fact_check", arguments: { claim: "X." } }] },
    ],
  ])("ends the debate where its budget is used up: %s", async (_what, limits, reply) => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { limits });
    for (const id of ["a", "b"]) await seat(panel, id).reply({ ...reply, repeat: true });
    const table = await startTable(tenant, panel);
    expect(table).toMatchObject({
      status: "completed",
      exit: { reason: "budget", round: 0 },
      error: { code: "all_seats_failed", detail: expect.stringContaining("budget is used up") },
    });
    const { status, body } = await command(tenant, table, "continue", { rounds: 2 });
    expect([status, body.detail]).toEqual([409, expect.stringContaining("budget")]);
  });
});

describe("a seat that answers in prose", () => {
  it("is shown how to once, and heard all the same", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    const prose = "I would wait until the audit of the ledger is over.\n\nThe auditors come in June [C1].";
    await seat(panel, "a").reply({ text: prose, repeat: 2 });
    await seat(panel, "b").reply(takes("Ship."));
    const table = await startTable(tenant, panel);
    expect(held(table)).toEqual({ a: "I would wait until the audit of the ledger is over.", b: "Ship." });
    expect(table.responses[0]).toMatchObject({ confidence: 0.5, reasoning: expect.stringContaining("in prose") });
    expect(await seat(panel, "a").requests()).toHaveLength(2);
  });
});
