import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import {
  answerOpen,
  asksHuman,
  getRun,
  modelOf,
  newTeam,
  promptText,
  routesTo,
  runObject,
  startRun,
} from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";

afterEach(() => {
  vi.useRealTimers();
});

const week = 7 * 24 * 3_600_000;

describe("a supervisor that asks a person", () => {
  it("waits through an eviction and a week, goes on at that step, and does nothing twice (faults 1, 4 and 5)", async () => {
    const tenant = await newTenant();
    const orders = upstreamFor(env.TEST_UPSTREAM);
    await orders.reply({ body: { order: "A-17", status: "paid twice" } });
    await tenant.put("tools", "lookup_order", {
      server: "shop",
      description: "Looks up an order",
      parameters: { type: "object", properties: { customer: { type: "string" } }, required: ["customer"] },
      http: { url: `${orders.hookURL}/orders` },
    });
    const team = newTeam({ billing: {}, technical: {} }, { tools: ["ask_human", "shop/lookup_order"] });
    await team.supervisor.reply(
      {
        toolCalls: [
          { name: "lookup_order", arguments: { customer: "Ada" } },
          { name: "ask_human", arguments: { question: "Is it about the invoice or the app?" } },
        ],
      },
      routesTo("billing"),
    );
    await modelOf(team, "billing").reply({ text: "You get your money back." });

    const waiting = await startRun(tenant, team.definition, "It doesn't work, please help. Ada");
    expect(waiting).toMatchObject({ status: "waiting", decisions: [], asks: [{ kind: "human", status: "open" }] });

    await evictDurableObject(runObject(tenant, waiting.runId));
    vi.useFakeTimers({ now: Date.now() + week, toFake: ["Date"] });
    const done = await answerOpen(tenant, waiting, "The invoice: I paid twice.");

    expect(done).toMatchObject({
      status: "completed",
      response: "You get your money back.",
      decisions: [{ targetAgent: "billing", strategy: "llm-based", confidence: 0.9 }],
      results: [{ worker: "billing", status: "completed" }],
      clarifications: [{ question: "Is it about the invoice or the app?" }],
    });
    expect(await team.supervisor.requests()).toHaveLength(2);
    expect(await orders.requests()).toHaveLength(1);
    const [brief] = await modelOf(team, "billing").requests();
    expect(promptText(brief)).toContain("The invoice: I paid twice.");
    expect(promptText(brief)).toContain("<clarification from=");
  });

  it("puts two questions at once, takes their answers in reverse order, and shows the results in call order (fault 7)", async () => {
    const tenant = await newTenant();
    const slow = upstreamFor(env.TEST_UPSTREAM);
    await slow.reply({ body: "calendar: free" });
    await tenant.put("tools", "calendar", { server: "office", description: "Reads", http: { url: slow.hookURL } });
    const team = newTeam({ urgent: {}, normal: {} }, { tools: ["ask_human", "office/calendar"] });
    await team.supervisor.reply(
      {
        toolCalls: [
          { name: "ask_human", arguments: { question: "Which priority?" } },
          { name: "calendar", arguments: {} },
          { name: "ask_human", arguments: { question: "Which deadline?" } },
        ],
      },
      routesTo("urgent"),
    );
    await modelOf(team, "urgent").reply({ text: "Done today." });

    const waiting = await startRun(tenant, team.definition, "Write the report.");
    expect(waiting.asks.map(({ question }) => question)).toEqual(["Which priority?", "Which deadline?"]);
    // The sibling tool has finished meanwhile.
    expect(await slow.requests()).toHaveLength(1);

    const still = await answerOpen(tenant, waiting, "tonight", "Which deadline?");
    expect(still.status).toBe("waiting");
    const done = await answerOpen(tenant, still, "high", "Which priority?");

    expect(done.status).toBe("completed");
    const [, second] = await team.supervisor.requests();
    const text = promptText(second);
    const places = ["answered: high", "calendar: free", "answered: tonight"].map((part) => text.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(await slow.requests()).toHaveLength(1);
  });

  it("assumes the default when the alarm rings at the deadline, and says so (fault 6)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ urgent: {}, normal: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(
      asksHuman("Which priority?", { timeoutMs: 60_000, defaultResponse: "normal" }),
      routesTo("normal"),
    );
    await modelOf(team, "normal").reply({ text: "Queued." });
    const waiting = await startRun(tenant, team.definition, "Write the report.");

    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
    await runDurableObjectAlarm(runObject(tenant, waiting.runId));
    const done = await getRun(tenant, waiting.runId);

    expect(done).toMatchObject({ status: "completed", asks: [{ status: "expired" }] });
    expect(done.clarifications).toMatchObject([
      { askId: waiting.asks[0]?.askId, answer: "normal", from: "default", by: { kind: "deadline" } },
    ]);
    expect(promptText((await modelOf(team, "normal").requests())[0])).toContain('<clarification from=\\"default\\"');
  });

  it("tells the supervisor when nobody answers and there is no default, and goes on (fault 6)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ urgent: {}, normal: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman("Which priority?", { timeoutMs: 60_000 }), routesTo("normal"));
    await modelOf(team, "normal").reply({ text: "Queued." });
    const waiting = await startRun(tenant, team.definition, "Write the report.");
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
    await runDurableObjectAlarm(runObject(tenant, waiting.runId));
    expect(await getRun(tenant, waiting.runId)).toMatchObject({
      status: "completed",
      clarifications: [{ question: "Which priority?", answer: "", from: "nobody" }],
    });
    expect(promptText((await team.supervisor.requests())[1])).toContain("Nobody answered in time. Go on without");
    expect(promptText((await modelOf(team, "normal").requests())[0])).toContain("Nobody answered.");
  });
});

describe("a question that takes certain answers only", () => {
  it("refuses others with what it takes, and keeps waiting", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman("Is it urgent?", { accepts: "yes_no" }), routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Done." });
    const waiting = await startRun(tenant, team.definition, "Help.");
    expect(waiting.asks).toMatchObject([{ accepts: "yes_no" }]);
    const path = `/v1/asks/${waiting.asks[0]?.askId}/answer`;
    expect(await tenant.call("POST", path, { response: "perhaps" })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "response", message: 'answer with one of: "yes", "no"' }] },
    });
    expect(await answerOpen(tenant, waiting, "Yes")).toMatchObject({
      status: "completed",
      clarifications: [{ answer: "yes", from: "human" }],
    });
  });

  it("isn't asked when its own default is none of them: the model is told what would be right", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    const offered = { accepts: "suggestions", suggestions: ["now", "later"] };
    await team.supervisor.reply(
      asksHuman("When?", { ...offered, timeoutMs: 1_000, defaultResponse: "soon" }),
      routesTo("billing"),
    );
    await modelOf(team, "billing").reply({ text: "Done." });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run).toMatchObject({ status: "completed", asks: [] });
    const told = promptText((await team.supervisor.requests())[1]).replaceAll("\\", "");
    expect(told).toContain('Not asked: its defaultResponse can\'t be answered: answer with one of: "now", "later".');
  });

  it("may come from a worker at an address, and stays what it is when supervision changes it", async () => {
    const tenant = await newTenant();
    const match = { type: "phrases", phrases: ["Ada"] };
    await tenant.rules("names", [{ match, action: "redact", replacement: "[name]", reason: "name" }], {
      hooks: ["response"],
    });
    const hook = upstreamFor(env.TEST_UPSTREAM);
    const ask = { question: "Who?", accepts: "suggestions", suggestions: ["Ada", "Bob"] };
    await hook.reply({ body: { ask } }, { body: "Done." });
    const workers = { a: { http: { url: hook.hookURL } }, b: { tools: ["ask_human"] } };
    const team = newTeam(workers, {}, { supervisors: ["names"] });
    await team.supervisor.reply(routesTo(["a", "b"]));
    await modelOf(team, "b").reply(asksHuman("Whose?", { ...ask, question: "Whose?" }), { text: "Done." });
    const waiting = await startRun(tenant, team.definition, "Help.");
    expect(waiting.asks.map(({ accepts, suggestions }) => [accepts, suggestions])).toEqual([
      ["suggestions", ["[name]", "Bob"]],
      ["suggestions", ["[name]", "Bob"]],
    ]);
  });
});

describe("an answer", () => {
  async function waitingRun() {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman("Which order?", { timeoutMs: 60_000 }), routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Found it." });
    const run = await startRun(tenant, team.definition, "Where is my order?");
    const path = `/v1/asks/${run.asks[0]?.askId}`;
    return { tenant, team, run, path };
  }

  it("given twice at the same moment resumes the run once: one wins, the other is a 409", async () => {
    const { tenant, team, run, path } = await waitingRun();
    const answers = await Promise.all(
      ["A-1", "A-2"].map((response) => tenant.call("POST", `${path}/answer`, { response })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await getRun(tenant, run.runId)).status).toBe("completed");
    expect(await team.supervisor.requests()).toHaveLength(2);
    expect(await modelOf(team, "billing").requests()).toHaveLength(1);
  });

  it("given again is a 200 and changes nothing", async () => {
    const { tenant, team, run, path } = await waitingRun();
    for (const _ of [1, 2]) expect((await tenant.call("POST", `${path}/answer`, { response: "A-1" })).status).toBe(200);
    await getRun(tenant, run.runId);
    expect((await tenant.call("POST", `${path}/answer`, { response: "A-1" })).status).toBe(200);
    expect(await modelOf(team, "billing").requests()).toHaveLength(1);
  });

  it("after the deadline is a 409, and the run goes on without it", async () => {
    const { tenant, run, path } = await waitingRun();
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
    const late = await tenant.call("POST", `${path}/answer`, { response: "A-1" });
    expect(late).toMatchObject({ status: 409, body: { code: "already_closed" } });
    expect(await getRun(tenant, run.runId)).toMatchObject({ status: "completed", asks: [{ status: "expired" }] });
  });

  it("to a cancelled run is a 409", async () => {
    const { tenant, team, run, path } = await waitingRun();
    const cancelled = await tenant.call("POST", `/v1/runs/${run.runId}/cancel`);
    expect(cancelled.body).toMatchObject({ status: "cancelled", asks: [{ status: "cancelled" }] });
    expect((await tenant.call("POST", `${path}/answer`, { response: "A-1" })).status).toBe(409);
    expect((await getRun(tenant, run.runId)).status).toBe("cancelled");
    expect(await team.supervisor.requests()).toHaveLength(1);
  });

  it("by a key of another tenant finds nothing, and by a client's key of this one counts", async () => {
    const { tenant, run, path } = await waitingRun();
    const other = await newTenant();
    for (const [method, place, body] of [
      ["POST", `${path}/answer`, { response: "A-1" }],
      ["POST", `${path}/cancel`, undefined],
      ["GET", path, undefined],
      ["GET", `/v1/runs/${run.runId}`, undefined],
      ["GET", `/v1/runs/${run.runId}/trace`, undefined],
      ["GET", `/v1/runs/${run.runId}/events`, undefined],
      ["POST", `/v1/runs/${run.runId}/cancel`, undefined],
    ] as const) {
      expect(await other.call(method, place, body)).toMatchObject({ status: 404, body: { code: "not_found" } });
    }
    const client = await tenant.withRole("client");
    expect((await client.call("POST", `${path}/answer`, { response: "A-1" })).status).toBe(200);
  });

  it("to a review is for operators: a client's key is refused and the run keeps waiting", async () => {
    const tenant = await newTenant();
    await tenant.rules("careful", [
      { match: { type: "phrases", phrases: ["refund"] }, action: "review", reason: "money" },
    ]);
    const team = newTeam({ billing: {} }, {}, { supervisors: ["careful"] });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Done." });
    const run = await startRun(tenant, team.definition, "I want a refund.");
    expect(run).toMatchObject({ status: "waiting", asks: [{ kind: "review", audience: "staff" }] });
    const path = `/v1/asks/${run.asks[0]?.askId}/answer`;
    const client = await tenant.withRole("client");
    expect((await client.call("POST", path, { decision: "accept" })).status).toBe(403);
    expect((await tenant.call("POST", path, { decision: "accept" })).status).toBe(200);
    expect(await getRun(tenant, run.runId)).toMatchObject({ status: "completed", response: "Done." });
  });

  it("is listed in the tenant's inbox under the run's own id", async () => {
    const { tenant, run } = await waitingRun();
    await eventually(async () => {
      const inbox = await tenant.call("GET", "/v1/asks?status=open&kind=human");
      expect(inbox.body.items).toMatchObject([{ question: "Which order?", askId: run.asks[0]?.askId }]);
    });
    expect(run.asks[0]?.askId).toContain(run.runId);
  });
});
