/** What seats ask for: the pattern as callers see it, item by item. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Fields, newTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
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
  takes,
} from "../../support/roundtables.js";
import { promptText } from "../../support/teams.js";

describe("a debate that needs context", () => {
  it("asks for it, waits, and goes on with the answer, its query, reason and source", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply(requests("How many users are there?"), takes("It depends on the number of users."));
    await seat(panel, "b").reply(takes("Ship it."));

    const first = await startTable(tenant, panel);
    expect(first).toMatchObject({
      status: "needs_context",
      blocking: true,
      currentRound: 1,
      totalRounds: 3,
      running: false,
    });
    const request = openRequest(first);
    expect(request).toMatchObject({
      agentId: "a",
      agentIds: ["a"],
      query: "How many users are there?",
      reason: "It decides.",
      priority: "required",
      status: "open",
      round: 1,
    });
    expect(request.id).toBe(request.requestId);
    expect(held(first)).toEqual({ a: "It depends on the number of users.", b: "Ship it." });

    const again = await goOn(tenant, first);
    expect(again).toMatchObject({ status: "needs_context", currentRound: 1 });

    await everybodySpeaks(panel);
    const second = await goOn(tenant, first, {
      contextResults: [{ requestId: request.requestId, content: "12 thousand", source: "CRM" }],
    });
    expect(second).toMatchObject({
      status: "in_progress",
      currentRound: 2,
      outcomes: [{ requestId: request.requestId, outcome: "accepted" }],
    });
    for (const id of ["a", "b"]) {
      const prompt = promptText((await seat(panel, id).requests()).at(-1));
      for (const part of ["How many users are there?", "It decides.", "12 thousand", "CRM", "C1"])
        expect(prompt).toContain(part);
    }
  });

  it("is one request however many seats ask, and stays answered in later rounds", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b", "c"]);
    await seat(panel, "a").reply(requests("How many users are there?"), takes("A."));
    await seat(panel, "b").reply(requests("how many users are there", { priority: "optional" }), takes("B."));
    await seat(panel, "c").reply(requests("What is the number of users?"), takes("C."));

    const first = await startTable(tenant, panel);
    const request = openRequest(first);
    expect(request.agentIds.toSorted()).toEqual(["a", "b", "c"]);
    expect(request.priority).toBe("required");

    await everybodySpeaks(panel);
    await goOn(tenant, first, { contextResults: [{ requestId: request.requestId, success: true, result: "Twelve." }] });
    await seat(panel, "a").reply(requests("How many users are there?"), takes("Done."));
    await seat(panel, "b").reply(takes("Done."));
    await seat(panel, "c").reply(takes("Done."));
    expect(await goOn(tenant, first)).toMatchObject({ status: "completed", exit: { reason: "rounds", round: 3 } });
    expect(promptText((await seat(panel, "a").requests()).at(-1))).toContain("Twelve.");
  });

  it("tells item by item what became of results, and a bad one spoils no other", async () => {
    const tenant = await newTenant();
    const other = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A."));
    await seat(panel, "b").reply(requests("Who signs the contract?", { priority: "optional" }), takes("B."));
    const first = await startTable(tenant, panel);
    const [budget, signer] = first.contextRequests ?? [];
    const foreign = await startTable(other, await speaking(newPanel(["x", "y"])));
    const give = (contextResults: unknown[]) =>
      tenant
        .call("POST", `/v1/roundtables/${first.sessionId}/context`, { contextResults })
        .then((answer) => readTable(answer));

    const given = await give([
      { requestId: "ask_bogus", content: "x" },
      { requestId: foreign.sessionId, content: "x" },
      { requestId: budget?.requestId, success: true, result: "5", error: "no" },
      { requestId: budget?.requestId, content: "5 million" },
      { requestId: budget?.requestId, content: "6 million" },
      { requestId: signer?.requestId, content: "" },
    ]);
    expect(given.outcomes?.map(({ outcome }) => outcome)).toEqual([
      "unknown",
      "unknown",
      "contradictory",
      "accepted",
      "conflict",
      "accepted",
    ]);
    const repeated = await give([
      { id: budget?.requestId, result: "5 million" },
      { id: budget?.requestId, error: "gone" },
    ]);
    expect(repeated.outcomes?.map(({ outcome }) => outcome)).toEqual(["same", "conflict"]);
    expect(repeated).toMatchObject({ status: "in_progress", currentRound: 1 });

    await everybodySpeaks(panel);
    await goOn(tenant, first);
    const prompt = promptText((await seat(panel, "b").requests()).at(-1));
    expect(prompt).toContain("5 million");
    expect(prompt).toContain("It could not be found.");
    const late = await give([{ requestId: signer?.requestId, content: "Bob" }]);
    expect(late.outcomes?.map(({ outcome }) => outcome)).toEqual(["conflict"]);
  });

  it("lets a continue go on without what is optional, and takes its answer late", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply(requests("Who signs the contract?", { priority: "optional" }), takes("A."));
    await seat(panel, "b").reply(takes("B."));
    const first = await startTable(tenant, panel);
    expect(first).toMatchObject({ status: "needs_context", blocking: false });
    const request = openRequest(first);
    await everybodySpeaks(panel, 2);
    expect(await goOn(tenant, first)).toMatchObject({ status: "in_progress", currentRound: 2 });
    const late = readTable(
      await tenant.call("POST", `/v1/roundtables/${first.sessionId}/context`, {
        contextResults: [{ requestId: request.requestId, content: "Ada signs." }],
      }),
    );
    expect(late.outcomes).toMatchObject([
      { outcome: "accepted", detail: "it was withdrawn; later rounds have the answer" },
    ]);
    await goOn(tenant, first);
    expect(promptText((await seat(panel, "b").requests()).at(-1))).toContain("Ada signs.");
  });

  it("takes an answer while a round runs: who speaks later in it has it, and a seat that asks for it joins nothing", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b", "c"], { mode: "adversarial", rounds: 2 });
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A."));
    await seat(panel, "b").reply({ ...takes("B."), hold: "b" });
    await seat(panel, "c").reply(requests("What is the budget?"), takes("C."));
    const started = startTable(tenant, panel, { externalId: "held" });
    await seat(panel, "b").until({ open: 1 });
    const { sessionId } = await eventually(async () => {
      const { body } = await tenant.call("GET", "/v1/roundtables?externalId=held");
      return (
        z.object({ items: z.array(z.object({ sessionId: z.string() })).min(1) }).parse(body).items[0] ?? {
          sessionId: "",
        }
      );
    });
    const { requestId } = openRequest(await getTable(tenant, { sessionId }, 0));
    const given = await tenant.call("POST", `/v1/roundtables/${sessionId}/context`, {
      contextResults: [{ requestId, content: "5 million" }],
    });
    expect(given.body).toMatchObject({ running: true, outcomes: [{ outcome: "accepted" }] });
    await seat(panel, "b").release("b");
    const table = await started;
    expect(table).toMatchObject({ status: "in_progress", currentRound: 1 });
    expect(promptText((await seat(panel, "c").requests())[0])).toContain("5 million");
    const { body } = await tenant.call("GET", `/v1/roundtables/${sessionId}/requests`);
    expect(body.items).toMatchObject([{ status: "answered", agentIds: ["a"], result: "5 million" }]);
  });

  it("goes on without what is required where the caller says so", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A."));
    await seat(panel, "b").reply(takes("B."));
    const first = await startTable(tenant, panel);
    await everybodySpeaks(panel);
    expect(await goOn(tenant, first, { skipPending: true })).toMatchObject({ status: "in_progress", currentRound: 2 });
  });

  it("is answered from the inbox, too", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A."));
    await seat(panel, "b").reply(takes("B."));
    const first = await startTable(tenant, panel, { subject: "ada" });
    const { requestId } = openRequest(first);
    const ask = await tenant.call("GET", `/v1/asks/${requestId}`);
    expect(ask.body).toMatchObject({
      kind: "context",
      question: "What is the budget?",
      priority: "required",
      from: { roundtableId: first.sessionId, subject: "ada", agent: "a" },
    });
    await tenant.call("POST", `/v1/asks/${requestId}/answer`, { result: "5 million", source: "the board" });
    expect(await getTable(tenant, first)).toMatchObject({ status: "in_progress" });
    await everybodySpeaks(panel);
    await goOn(tenant, first);
    expect(promptText((await seat(panel, "b").requests()).at(-1))).toContain("5 million");
  });

  it("holds up its asker alone where the panel says so; it catches up in the round after its answer", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b", "c"], { waiting: "asker" });
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A waits."));
    await seat(panel, "b").reply(takes("B1."), takes("B2."), takes("B3."));
    await seat(panel, "c").reply(takes("C1."), takes("C2."), takes("C3."));
    const first = await startTable(tenant, panel);
    const second = await goOn(tenant, first);
    expect(second).toMatchObject({ status: "needs_context", currentRound: 2 });
    expect(held(second)).toEqual({ b: "B2.", c: "C2." });
    await seat(panel, "a").reply(takes("A is back."));
    const third = await goOn(tenant, first, {
      contextResults: [{ requestId: openRequest(first).requestId, content: "5 million" }],
    });
    expect(held(third)).toEqual({ a: "A is back.", b: "B3.", c: "C3." });
    expect(third.status).toBe("completed");
  });

  it("asked for in the last round gets a closing pass of those who asked, and no further request", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 1 });
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A without."));
    await seat(panel, "b").reply(takes("B."));
    const first = await startTable(tenant, panel);
    expect(first).toMatchObject({
      status: "needs_context",
      currentRound: 1,
      totalRounds: 1,
      exit: { reason: "rounds" },
    });
    await seat(panel, "a").reply(takes("A with 5 million.", { citedContext: ["C1"] }));
    const { requestId } = openRequest(first);
    const closed = await goOn(tenant, first, { contextResults: [{ requestId, content: "5 million" }] });
    expect(closed).toMatchObject({ status: "completed", currentRound: 1, exit: { reason: "rounds", round: 1 } });
    expect(held(closed)).toEqual({ a: "A with 5 million.", b: "B." });
    expect(closed.responses[0]?.citedContext).toEqual([requestId]);
    expect(promptText((await seat(panel, "a").requests()).at(-1))).not.toContain("request_context");
    expect(await seat(panel, "b").requests()).toHaveLength(1);
    expect((await tenant.call("POST", `/v1/roundtables/${first.sessionId}/continue`, {})).status).toBe(409);
  });

  it("asks only those again who asked, in the same round, where the caller wants it", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A without."));
    await seat(panel, "b").reply(takes("B."));
    const first = await startTable(tenant, panel);
    await seat(panel, "a").reply(takes("A with it."));
    const { requestId } = openRequest(first);
    const again = await goOn(tenant, first, {
      rerun: "requesters",
      contextResults: [{ requestId, content: "5 million" }],
    });
    expect(again).toMatchObject({ status: "in_progress", currentRound: 1 });
    expect(held(again)).toEqual({ a: "A with it.", b: "B." });
    expect(await seat(panel, "b").requests()).toHaveLength(1);
  });
});

describe("an answer that was accepted", () => {
  /** A debate that waits for its budget, and what gives it. */
  async function waitingForBudget(fields: Fields = {}) {
    const tenant = await newTenant();
    await tenant.rules(
      "names",
      [{ match: { type: "phrases", phrases: ["Ada"] }, action: "redact", replacement: "[name]", reason: "name" }],
      { hooks: ["request"] },
    );
    const panel = newPanel(["a", "b"], { rounds: 2, ...fields });
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A depends on it."));
    await seat(panel, "b").reply(takes("B."));
    const first = await startTable(tenant, panel);
    const { requestId } = openRequest(first);
    const path = `/v1/roundtables/${first.sessionId}`;
    await panel.analyst.reply({ text: JSON.stringify({ conclusion: "Go.", citations: ["C1"] }), repeat: true });
    const give = (content: string) =>
      tenant.call("POST", `${path}/context`, { contextResults: [{ requestId, content, source: "the board" }] });
    const synthesised = async () => promptText((await panel.analyst.requests()).at(-1));
    return { tenant, panel, first, requestId, path, give, synthesised };
  }
  const answered = expect.stringContaining("5 million");

  it("is shown as answered at once, and stands in the export before anything runs", async () => {
    const { tenant, path, requestId, give } = await waitingForBudget();
    await give("5 million");
    const { body } = await tenant.call("GET", `${path}/requests`);
    expect(body.items).toMatchObject([{ requestId, status: "answered", result: "5 million", source: "the board" }]);
    const exported = await tenant.call("GET", `${path}/export`);
    expect(exported.body.requests).toMatchObject([{ status: "answered", result: "5 million" }]);
    expect((await tenant.call("GET", `${path}/export?format=markdown`)).body).toEqual(answered);
  });

  it("is in the synthesis, from wherever it came", async () => {
    const { give, path, tenant, synthesised, requestId } = await waitingForBudget();
    await give("5 million");
    const { body } = await tenant.call("POST", `${path}/synthesis`, {});
    expect(await synthesised()).toEqual(answered);
    expect(body.synthesis).toMatchObject({ citedContext: [requestId] });

    const inbox = await waitingForBudget();
    await inbox.tenant.call("POST", `/v1/asks/${inbox.requestId}/answer`, { response: "5 million" });
    await inbox.tenant.call("POST", `${inbox.path}/synthesis`, {});
    expect(await inbox.synthesised()).toEqual(answered);
  });

  it.each(["answerNow", "stop"])("is in what follows %s", async (action) => {
    const { give, path, tenant, synthesised } = await waitingForBudget();
    await give("5 million");
    await tenant.call("POST", `${path}/control`, { action });
    if (action === "stop") await tenant.call("POST", `${path}/synthesis`, {});
    expect(await synthesised()).toEqual(answered);
  });

  it("after a synthesis is in the next one", async () => {
    const { give, path, tenant, synthesised } = await waitingForBudget();
    await tenant.call("POST", `${path}/synthesis`, {});
    expect(await synthesised()).not.toEqual(answered);
    await give("5 million");
    await tenant.call("POST", `${path}/synthesis`, {});
    expect(await synthesised()).toEqual(answered);
  });

  it("is shown and read as supervision left it, or not at all", async () => {
    const { tenant, path, give, synthesised } = await waitingForBudget({ supervisors: ["names"] });
    await give("5 million, says Ada");
    const read = JSON.stringify([
      (await tenant.call("GET", `${path}/requests`)).body,
      (await tenant.call("GET", `${path}/export`)).body,
    ]);
    expect(read).toContain("5 million, says [name]");
    expect(read).not.toContain("Ada");
    await tenant.call("POST", `${path}/synthesis`, {});
    expect(await synthesised()).toContain("5 million, says [name]");
  });
});

async function speaking(panel: ReturnType<typeof newPanel>) {
  await everybodySpeaks(panel);
  return panel;
}
