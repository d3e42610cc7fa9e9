import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { answerOpen, modelOf, newTeam, routesTo, runObject, startRun } from "../../support/teams.js";

const workers = {
  billing: { capabilities: { examples: ["I was charged twice", "Where is my invoice?", "refund my payment"] } },
  technical: { capabilities: { examples: ["the app crashes at login", "I can't sign in", "error when I save"] } },
  general: { capabilities: { examples: ["hello", "thank you very much"] } },
};
const unsure = { strategy: "example-based", minConfidence: 0.5 };
const clear = "Where is my invoice? I was charged twice.";
const strange = "Sing me a song about my whales.";

describe("a decision that is less sure than minConfidence", () => {
  it("goes to the fallback worker, and says why; a sure one goes its way", async () => {
    const tenant = await newTenant();
    const team = newTeam(workers, { ...unsure, fallbackWorker: "general" });
    for (const id of ["billing", "general"]) await modelOf(team, id).reply({ text: "Done." });
    const sure = await startRun(tenant, team.definition, clear);
    expect(sure.decisions).toMatchObject([{ targetAgent: "billing", strategy: "example-based" }]);
    expect(sure.decisions[0]?.confidence).toBeGreaterThan(0.5);
    const run = await startRun(tenant, team.definition, strange);
    expect(run).toMatchObject({
      status: "completed",
      decisions: [{ targetAgent: "general", confidence: 0, fallback: expect.stringContaining("50 % are demanded") }],
    });
  });

  it("is no decision where there is no fallback worker", async () => {
    const tenant = await newTenant();
    const run = await startRun(tenant, newTeam(workers, unsure).definition, strange);
    expect(run).toMatchObject({ status: "failed", decisions: [] });
  });

  it("waits for a person through an eviction, and goes where that one says", async () => {
    const tenant = await newTenant();
    const team = newTeam(workers, { ...unsure, then: "ask" });
    await modelOf(team, "technical").reply({ text: "Fixed." });
    const waiting = await startRun(tenant, team.definition, strange);
    expect(waiting).toMatchObject({
      status: "waiting",
      asks: [{ audience: "staff", status: "open", suggestions: ["billing", "technical", "general"], context: strange }],
    });
    await evictDurableObject(runObject(tenant, waiting.runId));
    const run = await answerOpen(tenant, waiting, "technical");
    expect(run).toMatchObject({
      status: "completed",
      response: "Fixed.",
      decisions: [{ targetAgent: "technical", confidence: 1, reasoning: "A person chose." }],
    });
  });

  it("is put to the end user in their own terms, where the team asks them", async () => {
    const tenant = await newTenant();
    const titled = { ...workers, technical: { ...workers.technical, title: "Something is broken" } };
    const team = newTeam(titled, { ...unsure, then: "ask", questions: { audience: "user" } });
    await modelOf(team, "technical").reply({ text: "Fixed." });
    const waiting = await startRun(tenant, team.definition, strange);
    expect(waiting.asks).toMatchObject([
      {
        audience: "user",
        question: "What is this about?",
        suggestions: ["Knows about billing", "Something is broken", "Knows about general"],
      },
    ]);
    const run = await answerOpen(tenant, waiting, "Something is broken");
    expect(run).toMatchObject({ response: "Fixed.", decisions: [{ targetAgent: "technical" }] });
  });

  it("is made anew by the supervisor's model", async () => {
    const tenant = await newTenant();
    const team = newTeam(workers, { ...unsure, then: "llm-based" });
    await team.supervisor.reply(routesTo("general"));
    await modelOf(team, "general").reply({ text: "La la." });
    const run = await startRun(tenant, team.definition, strange);
    expect(run).toMatchObject({ status: "completed", decisions: [{ targetAgent: "general", confidence: 0.9 }] });
    expect(await team.supervisor.requests()).toHaveLength(1);
  });

  it("is refused from a model too", async () => {
    const tenant = await newTenant();
    const team = newTeam(workers, { minConfidence: 0.95, fallbackWorker: "general" });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "general").reply({ text: "Hello." });
    const run = await startRun(tenant, team.definition, strange);
    expect(run.decisions).toMatchObject([{ targetAgent: "general", confidence: 0 }]);
  });
});
