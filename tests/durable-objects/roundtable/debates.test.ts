/** Rounds, failures, exits and control: each outcome of a debate as its caller sees it. */
import { describe, expect, it } from "vitest";
import { newTenant, parseEvents, send } from "../../support/conclave.js";
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

const down = { status: 401, body: { error: { message: "down" } } };

describe("a debate", () => {
  it("keeps apart from another at the same time", async () => {
    const tenant = await newTenant();
    const [one, other] = [newPanel(["a", "b"]), newPanel(["a", "b"])];
    await seat(one, "a").reply(requests("What is the budget?"), takes("One A."));
    await seat(one, "b").reply(takes("One B."));
    await seat(other, "a").reply(takes("Other A."));
    await seat(other, "b").reply(takes("Other B."));
    const [first, second] = await Promise.all([startTable(tenant, one), startTable(tenant, other)]);
    expect(openRequest(first).query).toBe("What is the budget?");
    expect(second).toMatchObject({ status: "in_progress" });
    expect(second.contextRequests).toBeUndefined();
    expect(held(second)).toEqual({ a: "Other A.", b: "Other B." });
  });

  it("runs one round for two continues at once: the other gets a 409", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await everybodySpeaks(panel);
    const table = await startTable(tenant, panel);
    await seat(panel, "a").reply({ ...takes("A2."), hold: "a" });
    await seat(panel, "b").reply(takes("B2."));
    const path = `/v1/roundtables/${table.sessionId}/continue`;
    const first = tenant.call("POST", path, {});
    await seat(panel, "a").until({ open: 1 });
    expect((await tenant.call("POST", path, {})).status).toBe(409);
    await seat(panel, "a").release("a");
    expect((await first).body).toMatchObject({ currentRound: 2 });
    expect(await seat(panel, "b").requests()).toHaveLength(2);
  });

  it("is blind in the first round of a parallel mode, and hears everybody in the second", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await everybodySpeaks(panel, 2);
    const table = await startTable(tenant, panel);
    await goOn(tenant, table, { focusQuestion: "What about the costs?" });
    const [first, second] = await seat(panel, "b").requests();
    expect(promptText(first)).not.toContain("a holds view 1.");
    expect(promptText(second)).toContain("a holds view 1.");
    expect(promptText(second)).toContain("What about the costs?");
  });

  it("has five seats of a parallel round speak at once", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b", "c", "d", "e"]);
    for (const id of ["a", "b", "c", "d", "e"]) await seat(panel, id).reply({ ...takes(id), hold: id });
    const started = startTable(tenant, panel);
    for (const id of ["a", "b", "c", "d", "e"]) await seat(panel, id).until({ open: 1 });
    for (const id of ["a", "b", "c", "d", "e"]) await seat(panel, id).release(id);
    expect((await started).responses).toHaveLength(5);
  });

  it("tries a failing seat again, reports it, and goes on without it", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply(down, takes("A at last."));
    await seat(panel, "b").reply({ ...down, repeat: 2 });
    const table = await startTable(tenant, panel);
    expect(held(table)).toEqual({ a: "A at last." });
    expect(table.failures).toMatchObject([{ agentId: "b", attempts: 2, reason: "failed" }]);
  });

  it("is no round when all seats fail: the same continue tries again", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    for (const id of ["a", "b"]) await seat(panel, id).reply({ ...down, repeat: 2 });
    const failed = await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields });
    expect(failed).toMatchObject({
      status: 201,
      body: { error: { code: "all_seats_failed" }, sessionId: expect.stringMatching(/^rt_/), currentRound: 0 },
    });
    const table = { sessionId: String(failed.body.sessionId) };
    expect(await getTable(tenant, table)).toMatchObject({ currentRound: 0, error: { code: "all_seats_failed" } });
    await everybodySpeaks(panel);
    expect(await goOn(tenant, table)).toMatchObject({ currentRound: 1, status: "in_progress" });
  });

  it("reads a position out of a text, and shows a seat once what is wrong with it", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply({
      text: 'I think: {"position": "Ship.", "reasoning": "Why not", "confidence": "70 %"}',
    });
    await seat(panel, "b").reply({ text: "Hm." }, takes("Wait."));
    const table = await startTable(tenant, panel);
    expect(table.responses).toMatchObject([{ position: "Ship.", confidence: 0.7 }, { position: "Wait." }]);
    expect(promptText((await seat(panel, "b").requests())[1])).toContain("can't be used");
  });

  it("loses nothing to an analysis that fails", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { analysis: true });
    await panel.analyst.reply({ ...down, repeat: true });
    await everybodySpeaks(panel);
    const table = await startTable(tenant, panel);
    expect(table).toMatchObject({
      status: "in_progress",
      currentRound: 1,
      consensus: { agreementLevel: expect.any(Number) },
    });
    await eventually(async () => {
      const { body } = await tenant.call("GET", `/v1/roundtables/${table.sessionId}/consensus`);
      expect(body.analysisError).toEqual(expect.any(String));
    });
    await everybodySpeaks(panel);
    expect(await goOn(tenant, table)).toMatchObject({ currentRound: 2 });
  });

  it("ends on agreement unless the analyst says why not yet", async () => {
    const tenant = await newTenant();
    const analysis = (veto: string | null) => ({
      text: JSON.stringify({
        agreementLevel: 0.9,
        summary: "All would ship.",
        commonGround: [],
        disagreements: [],
        nuances: [],
        groupthinkWarning: null,
        veto,
      }),
    });
    for (const [veto, status] of [
      ["Nobody looked at the costs.", "in_progress"],
      [null, "completed"],
    ] as const) {
      const panel = newPanel(["a", "b"], { analysis: true, exitOnConsensus: true });
      await panel.analyst.reply({ ...analysis(veto), repeat: true });
      const ship = takes("We ship on Monday.", { stance: "YES", confidence: 0.9 });
      for (const id of ["a", "b"]) await seat(panel, id).reply(ship, ship);
      const table = await startTable(tenant, panel);
      // Nobody has read anybody yet: a blind round ends nothing, however much they agree.
      expect(table).toMatchObject({ status: "in_progress", currentRound: 1 });
      const second = await goOn(tenant, table);
      expect(second).toMatchObject({ status, consensus: { analysis: { summary: "All would ship." } } });
    }
  });

  it.each([
    ["Die Preiserhöhung ist richtig.", "Die Preiserhöhung ist ein Fehler."],
    ["Les travaux coûteront 40 000 euros.", "Les travaux coûteront 90 000 euros."],
    ["五月にデータベースを移行すべきだ。", "五月にデータベースを移行すべきではない。"],
  ])("goes on while its seats say the opposite, however sure: %s %s", async (one, other) => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { exitOnConsensus: true });
    for (const [id, text] of [
      ["a", one],
      ["b", other],
    ] as const) {
      const takesIt = takes(text, { confidence: 0.95 });
      await seat(panel, id).reply(takesIt, takesIt);
    }
    const second = await goOn(tenant, await startTable(tenant, panel));
    expect(second).toMatchObject({ status: "in_progress", currentRound: 2 });
    expect(second.consensus?.agreementLevel).toBeLessThanOrEqual(0.5);
  });

  it("ends at the agreement that its panel sets", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { exitOnConsensus: true, thresholds: { agreement: 0.3 } });
    for (const [id, text] of [
      ["a", "Ship on Monday with a rollback plan."],
      ["b", "Ship on Monday, but tell the customers first."],
    ] as const) {
      await seat(panel, id).reply(takes(text), takes(text));
    }
    const second = await goOn(tenant, await startTable(tenant, panel));
    expect(second).toMatchObject({ status: "completed", exit: { reason: "agreement", round: 2 } });
  });

  it("stops within its budget", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { limits: { maxModelCalls: 2 } });
    await everybodySpeaks(panel);
    expect(await startTable(tenant, panel)).toMatchObject({
      status: "completed",
      exit: { reason: "budget", round: 1 },
    });
  });

  it("ends where its topic is blocked, and a seat whose position is blocked is a failure that isn't tried again", async () => {
    const tenant = await newTenant();
    await tenant.rules(
      "words",
      [{ match: { type: "phrases", phrases: ["unicorn"] }, action: "block", reason: "No unicorns." }],
      { hooks: ["request", "hop"] },
    );
    const panel = newPanel(["a", "b"], { supervisors: ["words"] });
    const blocked = await startTable(tenant, panel, { topic: "Is a unicorn real?" });
    expect(blocked).toMatchObject({
      status: "completed",
      exit: { reason: "blocked" },
      error: { code: "blocked" },
      responses: [],
    });
    expect(blocked.topic).toBeUndefined();
    await seat(panel, "a").reply(takes("Ask the unicorn."));
    await seat(panel, "b").reply(takes("Ship it."));
    const table = await startTable(tenant, panel);
    expect(held(table)).toEqual({ b: "Ship it." });
    expect(table.failures).toMatchObject([{ agentId: "a", reason: "blocked", attempts: 1 }]);
  });

  it("is brought together under the rules of now, whatever a continue before it came to", async () => {
    const tenant = await newTenant();
    const blocks = (phrase: string) => ({
      match: { type: "phrases", phrases: [phrase] },
      action: "block",
      reason: `No ${phrase}.`,
    });
    await tenant.rules("words", [blocks("griffin")], { hooks: ["hop", "response"] });
    const panel = newPanel(["a", "b"], { supervisors: ["words"] });
    await seat(panel, "a").reply(requests("Who pays?", { priority: "required" }), takes("A."));
    await seat(panel, "b").reply(takes("B."));
    const table = await startTable(tenant, panel);
    expect(await goOn(tenant, table)).toMatchObject({ status: "needs_context" });
    await tenant.rules("words", [blocks("unicorn")], { hooks: ["hop", "response"] });
    const texts = { conclusion: "A unicorn would ship.", recommendation: "", evolution: "" };
    const lists = { commonGround: [], keyDifferences: [], citations: [] };
    await panel.analyst.reply({ text: JSON.stringify({ ...texts, ...lists, confidence: 0.6 }) });
    await tenant.call("POST", `/v1/roundtables/${table.sessionId}/synthesis`, {});
    expect((await getTable(tenant, table)).error).toMatchObject({ code: "blocked" });
  });

  it("keeps a blocked answer from the seats: it can't be had", async () => {
    const tenant = await newTenant();
    await tenant.rules(
      "words",
      [{ match: { type: "phrases", phrases: ["unicorn"] }, action: "block", reason: "No unicorns." }],
      { hooks: ["request"] },
    );
    const panel = newPanel(["a", "b"], { supervisors: ["words"] });
    await seat(panel, "a").reply(requests("Who pays?"), takes("A."));
    await seat(panel, "b").reply(takes("B."));
    const table = await startTable(tenant, panel);
    await everybodySpeaks(panel);
    await goOn(tenant, table, {
      contextResults: [{ requestId: openRequest(table).requestId, content: "The unicorn pays." }],
    });
    const prompt = promptText((await seat(panel, "a").requests()).at(-1));
    expect(prompt).not.toContain("The unicorn pays.");
    expect(prompt).toContain("could not be had");
  });
});

describe("control of a debate", () => {
  const control = (tenant: Awaited<ReturnType<typeof newTenant>>, sessionId: string, action: string) =>
    tenant.call("POST", `/v1/roundtables/${sessionId}/control`, { action });

  it("pauses and resumes it, and stops it with what is open withdrawn", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A."));
    await seat(panel, "b").reply(takes("B."));
    const table = await startTable(tenant, panel);
    expect((await control(tenant, table.sessionId, "pause")).body).toMatchObject({
      paused: true,
      status: "needs_context",
    });
    expect((await tenant.call("POST", `/v1/roundtables/${table.sessionId}/continue`, {})).status).toBe(409);
    await control(tenant, table.sessionId, "resume");
    const stopped = (await control(tenant, table.sessionId, "stop")).body;
    expect(stopped).toMatchObject({ status: "completed", exit: { reason: "stopped", round: 1 } });
    const detail = expect.stringContaining("nothing to resume");
    expect(await control(tenant, table.sessionId, "resume")).toMatchObject({ status: 409, body: { detail } });
    const { requestId } = openRequest(table);
    expect((await tenant.call("GET", `/v1/asks/${requestId}`)).body.status).toBe("cancelled");
    const late = await tenant.call("POST", `/v1/roundtables/${table.sessionId}/context`, {
      contextResults: [{ requestId, content: "5" }],
    });
    expect(late.body.outcomes).toMatchObject([{ outcome: "withdrawn" }]);
  });

  it("has it answer now: finished positions count, the others are failures, and the synthesis comes back", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply(takes("Ship it."));
    await seat(panel, "b").reply({ ...takes("Never."), hold: "b" });
    const started = readTable(
      await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields, waitMs: 0 }),
    );
    await seat(panel, "b").until({ open: 1 });
    await eventually(async () => {
      const response = await send("GET", `/v1/roundtables/${started.sessionId}/events?lingerMs=0`, { key: tenant.key });
      const reader = (response.body ?? new ReadableStream<Uint8Array>())
        .pipeThrough(new TextDecoderStream())
        .getReader();
      let seen = "";
      while (!seen.includes("position.taken")) seen += (await reader.read()).value ?? "";
      expect(parseEvents(seen).map(({ event }) => event)).toContain("position.taken");
      await reader.cancel();
    });
    // Whoever reads it meanwhile sees who has spoken.
    const meanwhile = readTable(await tenant.call("GET", `/v1/roundtables/${started.sessionId}`));
    expect(meanwhile).toMatchObject({ running: true, responses: [], taken: [{ agentId: "a", position: "Ship it." }] });
    await panel.analyst.reply({
      text: JSON.stringify({
        conclusion: "One would ship.",
        recommendation: "",
        commonGround: [],
        keyDifferences: [],
        evolution: "",
        confidence: 0.5,
        citations: [],
      }),
    });
    const answered = (await control(tenant, started.sessionId, "answerNow")).body;
    expect(answered).toMatchObject({
      status: "completed",
      exit: { reason: "answered", round: 1 },
      failures: [{ agentId: "b", reason: "cancelled" }],
      synthesis: { conclusion: "One would ship." },
    });
    expect(answered.responses).toMatchObject([{ agentId: "a", position: "Ship it." }]);
  });

  it("forks it from a round, with what was said and answered until then", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    await everybodySpeaks(panel, 2);
    const table = await startTable(tenant, panel);
    await goOn(tenant, table);
    const forked = await tenant.call("POST", `/v1/roundtables/${table.sessionId}/fork`, { round: 1 });
    expect(forked).toMatchObject({
      status: 201,
      body: { status: "in_progress", currentRound: 1, topic: "Do we ship?" },
    });
    await seat(panel, "a").reply(takes("Another way."));
    await seat(panel, "b").reply(takes("Another way."));
    const other = await goOn(tenant, forked.body);
    expect(held(other)).toEqual({ a: "Another way.", b: "Another way." });
    expect(held(await getTable(tenant, table))).toEqual({ a: "a holds view 2.", b: "b holds view 2." });
  });
});

describe("the record of a debate", () => {
  it("can be listed and read: rounds, consensus, thoughts, sources, requests and the whole", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await seat(panel, "a").reply(
      requests("What is the budget?"),
      takes("A.", { citations: [{ title: "The plan", url: "https://plan.example/" }] }),
    );
    await seat(panel, "b").reply(takes("B."));
    const table = await startTable(tenant, panel, { subject: "ada", externalId: "t-1", metadata: { team: "x" } });
    const read = async (rest: string) => (await tenant.call("GET", `/v1/roundtables/${table.sessionId}/${rest}`)).body;

    expect(await read("rounds/1")).toMatchObject({
      round: 1,
      responses: [{ agentId: "a" }, { agentId: "b" }],
      contextRequests: [{ label: "C1" }],
    });
    expect(await read("consensus?round=1")).toMatchObject({ round: 1, agreementLevel: expect.any(Number) });
    expect(await read("thoughts/a")).toMatchObject({
      agentId: "a",
      rounds: [{ round: 1, position: { position: "A." } }],
    });
    expect(await read("citations")).toMatchObject({ items: [{ title: "The plan", agentIds: ["a"], rounds: [1] }] });
    expect(await read("requests?priority=required&status=open")).toMatchObject({
      items: [{ query: "What is the budget?" }],
      nextCursor: null,
    });
    expect(await read("requests?priority=optional")).toMatchObject({ items: [] });
    expect(await read("export")).toMatchObject({ format: "conclave.roundtable/1", sessionId: table.sessionId });
    const markdown = await read("export?format=markdown");
    for (const part of ["# Do we ship?", "What is the budget?", "The plan"]) expect(markdown).toContain(part);
    for (const missing of ["rounds/2", "consensus?round=2", "thoughts/nobody"]) {
      expect((await tenant.call("GET", `/v1/roundtables/${table.sessionId}/${missing}`)).status).toBe(404);
    }
    await eventually(async () => {
      const { body } = await tenant.call(
        "GET",
        "/v1/roundtables?status=needs_context&subject=ada&externalId=t-1&metadata.team=x",
      );
      expect(body.items).toMatchObject([{ sessionId: table.sessionId, status: "needs_context" }]);
    });
    const stranger = await newTenant();
    expect((await stranger.call("GET", `/v1/roundtables/${table.sessionId}`)).status).toBe(404);
  });

  it("is begun once under a key, and refused with what can't sit at a table", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"]);
    await everybodySpeaks(panel);
    const body = { topic: "Do we ship?", ...panel.fields };
    const [first, again] = [
      await tenant.call("POST", "/v1/roundtables", body, { "idempotency-key": "k" }),
      await tenant.call("POST", "/v1/roundtables", body, { "idempotency-key": "k" }),
    ];
    expect(again.body.sessionId).toBe(first.body.sessionId);
    const refused = async (fields: object) =>
      (await tenant.call("POST", "/v1/roundtables", { topic: "x", ...fields })).status;
    expect(await refused({ agentCount: 11 })).toBe(422);
    expect(await refused({ mode: "devils-advocate", agentCount: 2 })).toBe(422);
    expect(await refused({ agentCount: 2, perspectives: ["law"] })).toBe(422);
    expect(await refused({ panel: "none" })).toBe(422);
    expect(await refused({ panel: "none", agentCount: 2 })).toBe(422);
    const client = await tenant.withRole("client");
    expect((await client.call("POST", "/v1/roundtables", body)).status).toBe(403);
  });
});
