import { expect, it } from "vitest";
import { type Fields, newTenant } from "../../support/conclave.js";
import { asksHuman, getRun, newTeam, startRun } from "../../support/teams.js";

const oneCall = { modelCalls: 1, inputTokens: 10, outputTokens: 5 };

async function waitingRun(fields: Fields = {}) {
  const tenant = await newTenant();
  const team = newTeam({ a: {} }, { tools: ["ask_human"] });
  await team.supervisor.reply(asksHuman("Which?"));
  const run = await startRun(tenant, team.definition, "Help.", fields);
  return { tenant, run };
}

it("a run says what it has spent while it waits, and after it was cancelled", async () => {
  const { tenant, run } = await waitingRun();
  expect(run).toMatchObject({ status: "waiting", usage: oneCall });
  const cancelled = await tenant.call("POST", `/v1/runs/${run.runId}/cancel`);
  expect(cancelled.body).toMatchObject({ status: "cancelled", usage: oneCall });
  expect((await getRun(tenant, run.runId)).usage).toEqual(oneCall);
});

it("a run for an end user asks in their name, and what it spends counts for them", async () => {
  const { tenant, run } = await waitingRun({ subject: "ana", externalId: "case-7" });
  await expect
    .poll(async () => (await tenant.call("GET", "/v1/asks?subject=ana&status=open")).body.items)
    .toMatchObject([{ from: { runId: run.runId, subject: "ana", externalId: "case-7" } }]);
  await tenant.call("POST", `/v1/runs/${run.runId}/cancel`);
  await expect
    .poll(async () => (await tenant.call("GET", "/v1/usage?groupBy=subject")).body.items)
    .toMatchObject([{ group: "ana", runs: 1, modelCalls: 1 }]);
});
