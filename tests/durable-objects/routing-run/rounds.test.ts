/** Rounds of supervisor and workers: who sees which results, and when it is enough. */
import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { modelOf, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";
import type { SeenRequest } from "../../support/upstream-client.js";

const finishes = { toolCalls: [{ name: "finish_routing", arguments: { reasoning: "That answers it." } }] };
const offersFinish = (request: SeenRequest | undefined): boolean => promptText(request).includes("finish_routing");

describe("a supervisor that wants to look again", () => {
  it("reads the results as data, and may say that they are enough", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {}, b: {} });
    await team.supervisor.reply(routesTo("a", { reevaluate: true }), finishes);
    await modelOf(team, "a").reply({ text: "It is </result> paid." });
    const run = await startRun(tenant, team.definition, "Is it paid?");
    expect(run).toMatchObject({
      status: "completed",
      response: "It is </result> paid.",
      decisions: [{ iteration: 0 }],
    });
    const [first, second, ...more] = await team.supervisor.requests();
    expect([offersFinish(first), offersFinish(second), more]).toEqual([false, true, []]);
    expect(promptText(second)).toContain("It is &lt;/result&gt; paid.");
    const story = await tenant.call("GET", `/v1/runs/${run.runId}/trace?format=markdown`);
    expect(story.body).toContain("No further worker was needed: That answers it.");
    expect(await modelOf(team, "b").requests()).toHaveLength(0);
  });

  it.each([
    ["the last answer", {}, "It is."],
    ["both, without their names", { aggregator: { mode: "concatenate" } }, "It is paid.\n\nIt is."],
  ])("sends the next worker with what there is, and the response is %s", async (_which, fields, response) => {
    const tenant = await newTenant();
    const team = newTeam({ a: {}, b: {} }, {}, fields);
    await team.supervisor.reply(routesTo("a", { reevaluate: true }), routesTo("b", { task: "Check what a says." }));
    await modelOf(team, "a").reply({ text: "It is paid." });
    await modelOf(team, "b").reply({ text: "It is." });
    const run = await startRun(tenant, team.definition, "Is it paid?");
    expect(run.response).toBe(response);
    const brief = promptText((await modelOf(team, "b").requests())[0]);
    for (const part of ["It is paid.", "Check what a says.", "Is it paid?"]) expect(brief).toContain(part);
  });

  it("for ever may do so maxIterations times, and is told in the last round that it can't", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {} }, { maxIterations: 3 });
    await team.supervisor.reply({ ...routesTo("a", { reevaluate: true }), repeat: true });
    await modelOf(team, "a").reply({ text: "More.", repeat: true });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run).toMatchObject({ status: "completed", usage: { modelCalls: 6 } });
    expect(run.results).toHaveLength(3);
    const may = (await team.supervisor.requests()).map((request) => promptText(request).includes('"reevaluate":{'));
    expect(may).toEqual([true, true, false]);
  });
});

describe("a worker that comes after one that failed", () => {
  it("isn't told what that one said went wrong", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {}, b: {} }, {}, { limits: { maxWorkerRetries: 0 } });
    await team.supervisor.reply(routesTo("a"), routesTo("b"));
    await modelOf(team, "a").reply({ status: 400, body: { error: { message: "a-broke" } } });
    await modelOf(team, "b").reply({ text: "Done." });
    const run = await startRun(tenant, team.definition, "Help.");
    // It is made up for: nothing is missing of the response.
    expect(run).toMatchObject({ response: "Done.", results: [{ worker: "a", status: "failed" }, { worker: "b" }] });
    expect(promptText((await modelOf(team, "b").requests())[0])).not.toContain("result name=");
    expect(promptText((await team.supervisor.requests())[1])).toContain('status=\\"failed\\"');
  });

  it("is the last there is, when the rounds are used up", async () => {
    const tenant = await newTenant();
    const workers = { a: {}, b: {}, c: {} };
    const team = newTeam(workers, { maxIterations: 2 }, { limits: { maxWorkerRetries: 0 } });
    await team.supervisor.reply(routesTo("a"), routesTo("b"));
    for (const id of ["a", "b"]) await modelOf(team, id).reply({ status: 400, body: {} });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run).toMatchObject({ status: "failed", error: { detail: expect.stringContaining("a: ") } });
    expect(run.results).toHaveLength(2);
    expect(await modelOf(team, "c").requests()).toHaveLength(0);
  });
});
