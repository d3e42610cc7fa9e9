/** Several people at one inbox: claims over every face, other arguments for a call, words beside an answer, and what lists and numbers cost. */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { type Ask, openAsk as newAsk } from "../../src/asks/ask.js";
import { AskIndex } from "../../src/stores/ask-index.js";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import { answer, httpTool, openAsk, seenBy, toolCalls } from "../durable-objects/supervision/support.js";
import { auditOf } from "../support/audit.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { numberedRows } from "../support/numbered-rows.js";
import { recordedDb } from "../support/recorded-db.js";

afterEach(() => {
  vi.useRealTimers();
});

/** A call of `shop/refund` that waits for a person. */
async function waiting(fields = {}) {
  const tenant = await newTenant();
  const parameters = {
    type: "object",
    properties: { order: { type: "string" }, amount: { type: "number" }, gift: { type: "boolean" } },
    required: ["order", "amount"],
    additionalProperties: false,
  };
  const endpoint = await httpTool(tenant, "refund", { approval: "always", parameters, ...fields });
  await endpoint.reply({ body: { refunded: true }, repeat: true });
  const model = await tenant.agent("clerk", { tools: [{ server: "shop", tool: "refund" }] });
  await model.reply(toolCalls(["refund", { order: "7", amount: 100 }]), { text: "Done.", repeat: true });
  const session = await tenant.session({ agent: "clerk" });
  const turn = await tenant.say(session, "Refund order 7.");
  return { tenant, endpoint, model, session, turnId: turn.turnId, askId: openAsk(turn) };
}

const claimOf = async (tenant: TestTenant, askId: string) => (await tenant.call("GET", `/v1/asks/${askId}`)).body.claim;

it("a claim keeps others of the staff off, until it is given back, taken over, or decided", async () => {
  const { tenant, askId, session, turnId } = await waiting();
  const [ada, rita] = [await tenant.withRole("operator"), await tenant.withRole("operator")];
  const claim = (who: TestTenant, body: object = {}) => who.call("POST", `/v1/asks/${askId}/claim`, body);

  const claimed = await claim(ada);
  expect(claimed).toMatchObject({ status: 200, body: { claim: { by: { kind: "key" }, until: expect.any(String) } } });
  expect(await claim(rita)).toMatchObject({ status: 409, body: { code: "claimed" } });
  expect(await answer(rita, askId, { decision: "deny" })).toMatchObject({ status: 409, body: { code: "claimed" } });
  expect(await rita.call("POST", `/v1/asks/${askId}/cancel`)).toMatchObject({ status: 409, body: { code: "claimed" } });
  // Another's claim isn't given back by who doesn't hold it.
  await rita.call("DELETE", `/v1/asks/${askId}/claim`);
  expect(await claimOf(tenant, askId)).toMatchObject({ by: claimed.body.claim.by });

  expect(await claim(await tenant.withRole("client"))).toMatchObject({ status: 403 });
  expect(await claim(await newTenant())).toMatchObject({ status: 404 });

  expect(await claim(rita, { takeOver: true })).toMatchObject({ status: 200 });
  expect(await answer(ada, askId, { decision: "once" })).toMatchObject({ status: 409, body: { code: "claimed" } });
  await rita.call("DELETE", `/v1/asks/${askId}/claim`);
  expect(await claimOf(tenant, askId)).toBeUndefined();
  expect(await answer(ada, askId, { decision: "once" })).toMatchObject({ status: 200 });
  expect(await claim(rita, { takeOver: true })).toMatchObject({ status: 409, body: { code: "already_closed" } });
  await tenant.turn(session, turnId);
  await expect
    .poll(async () => (await auditOf(tenant)).map(({ type }) => type).filter((type) => String(type).startsWith("ask.")))
    .toEqual(["ask.taken_over", "ask.answered"]);
});

it("what is put off comes back in time, before its deadline, and by a claim; anybody answers it meanwhile", async () => {
  const { tenant, askId } = await waiting({ approvalPolicy: { timeoutMs: 7_200_000 } });
  const [ada, rita] = [await tenant.withRole("operator"), await tenant.withRole("operator")];
  const defer = (who: TestTenant, until: string | null) => who.call("POST", `/v1/asks/${askId}/defer`, { until });
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const listed = async (query: string) =>
    (await tenant.call("GET", `/v1/asks?status=open&sort=inbox&${query}`)).body.items.map((ask: Ask) => ask.askId);

  const until = inMs(3_600_000);
  expect(await defer(ada, until)).toMatchObject({ status: 200, body: { deferred: { until, by: { kind: "key" } } } });
  await expect.poll(() => listed("deferred=false")).toEqual([]);
  expect(await listed("deferred=true")).toEqual([askId]);
  expect(await listed("")).toEqual([askId]);
  expect((await tenant.call("GET", "/v1/asks/counts")).body).toMatchObject({ open: 1, deferred: 1 });

  for (const wrong of [inMs(-1_000), inMs(7_300_000), inMs(40 * 86_400_000), "soon"])
    expect(await defer(ada, wrong)).toMatchObject({ status: 422 });
  expect(await defer(await tenant.withRole("client"), until)).toMatchObject({ status: 403 });
  expect(await defer(await newTenant(), until)).toMatchObject({ status: 404 });

  // Whoever claims it has it before them; another's claim is in the way of putting it off.
  await rita.call("POST", `/v1/asks/${askId}/claim`, {});
  await expect.poll(() => listed("deferred=false")).toEqual([askId]);
  expect(await defer(ada, until)).toMatchObject({ status: 409, body: { code: "claimed" } });
  expect(await defer(rita, until)).toMatchObject({ status: 200 });
  expect(await claimOf(tenant, askId)).toBeUndefined();
  expect((await defer(ada, null)).body).not.toHaveProperty("deferred");
  await defer(ada, until);

  vi.setSystemTime(Date.now() + 3_600_001);
  await expect.poll(() => listed("deferred=false")).toEqual([askId]);
  expect(await answer(rita, askId, { decision: "deny", note: "No." })).toMatchObject({ status: 200 });
  await expect
    .poll(async () => (await auditOf(tenant)).filter(({ type }) => String(type).startsWith("ask.")))
    .toMatchObject([
      ...["deferred", "brought_back", "deferred", "brought_back", "deferred"].map((decision) => ({ decision })),
      { decision: "deny" },
    ]);
});

it("a queue of the settings is a part of the inbox with a name, for staff", async () => {
  const { tenant, askId } = await waiting();
  const set = (queues: unknown) => tenant.call("PATCH", "/v1/tenant", { settings: { queues } });
  expect(await set([{ name: "a" }, { name: "a" }])).toMatchObject({ status: 422 });
  expect(await set([{ name: "a", colour: "red" }])).toMatchObject({ status: 422 });
  const queues = [
    { name: "Refunds", tool: "shop/refund" },
    { name: "Clerks", kind: "approval", agent: "clerk" },
    { name: "Reviews", kind: "review" },
  ];
  expect((await set(queues)).body.settings.queues).toEqual(queues);
  const listed = async (query: string) =>
    (await tenant.call("GET", `/v1/asks?queue=${query}`)).body.items.map((ask: Ask) => ask.askId);
  await expect.poll(() => listed("Refunds")).toEqual([askId]);
  expect(await listed("Clerks")).toEqual([askId]);
  expect(await listed("Clerks&kind=approval&tool=shop/refund")).toEqual([askId]);
  expect(await listed("Clerks&kind=review")).toEqual([]);
  expect(await listed("Reviews")).toEqual([]);
  expect((await tenant.call("GET", "/v1/asks/counts")).body.byQueue).toEqual([
    { queue: "Refunds", open: 1 },
    { queue: "Clerks", open: 1 },
    { queue: "Reviews", open: 0 },
  ]);
  const counted = async (queue: object) => {
    await set([{ name: "q", ...queue }]);
    return (await tenant.call("GET", "/v1/asks/counts")).body.byQueue[0].open;
  };
  expect(await counted({ tool: "shop/refund", kind: "review" })).toBe(0);
  expect(await counted({ priority: "low" })).toBe(0);
  const { priority } = (await tenant.call("GET", `/v1/asks/${askId}`)).body;
  expect(await counted({ priority })).toBe(1);
  expect(await counted({ subject: "nobody" })).toBe(0);
  expect(await counted({ supervisor: "money" })).toBe(0);
  await set(queues);
  expect(await tenant.call("GET", "/v1/asks?queue=none")).toMatchObject({ status: 422 });
  const client = await tenant.withRole("client");
  expect(await client.call("GET", "/v1/asks?queue=Refunds")).toMatchObject({ status: 403 });
  expect((await client.call("GET", "/v1/asks/counts")).body.byQueue).toEqual([]);
  expect((await set(null)).body.settings.queues).toBeUndefined();
});

it("several are decided at once, each on record with the same batch, and what can't be is told of", async () => {
  const { tenant, askId } = await waiting();
  const model = await tenant.agent("second", { tools: [{ server: "shop", tool: "refund" }] });
  await model.reply(toolCalls(["refund", { order: "7", amount: 100 }]), { text: "Done.", repeat: true });
  const second = openAsk(await tenant.say(await tenant.session({ agent: "second" }), "Refund order 7."));
  const gone = "ask_00000000000000000000000000_ses_00000000000000000000000000";
  const decide = (body: object, key?: string) =>
    tenant.call("POST", "/v1/asks/answers", body, key === undefined ? {} : { "idempotency-key": key });
  expect(await decide({ askIds: [askId], decision: "accept" })).toMatchObject({ status: 422 });
  expect(await decide({ askIds: [askId], decision: "session" })).toMatchObject({ status: 422 });
  const rita = await tenant.withRole("operator");
  await rita.call("POST", `/v1/asks/${second}/claim`, {});
  const body = { askIds: [askId, second, gone], decision: "deny", note: "Fraud." };
  const key = crypto.randomUUID();
  const done = await decide(body, key);
  expect(done).toMatchObject({
    status: 200,
    body: {
      batchId: expect.stringMatching(/^bat_/),
      decided: [{ askId, status: "answered" }],
      refused: [
        { askId: gone, code: "not_found" },
        { askId: second, code: "claimed" },
      ],
    },
  });
  await rita.call("DELETE", `/v1/asks/${second}/claim`);
  const { batchId } = done.body;
  expect((await decide(body, key)).body).toEqual(done.body);
  const rest = await decide(body);
  expect(rest).toMatchObject({ body: { decided: [{ askId, batchId }, { askId: second }] } });
  await expect
    .poll(async () => (await auditOf(tenant)).filter(({ type }) => type === "ask.answered"))
    .toMatchObject([
      { subject: { askId, batchId }, reasons: ["Fraud."] },
      { subject: { askId: second, batchId: rest.body.batchId }, reasons: ["Fraud."] },
    ]);
});

it("an approved call is made with the arguments that a person gave, typed, checked and supervised again", async () => {
  const { tenant, endpoint, model, session, turnId, askId } = await waiting({});
  await tenant.rules(
    "limit",
    [{ match: { type: "phrases", phrases: ["order 13"] }, action: "block", reason: "never" }],
    {
      hooks: ["tool_call"],
    },
  );
  const wrong = await answer(tenant, askId, { decision: "once", args: { order: "7", amount: "80" } });
  expect(wrong).toMatchObject({ status: 422, body: { errors: [{ path: "args.amount" }] } });
  expect(await answer(tenant, askId, { decision: "once", args: { order: "7", amount: 80, more: 1 } })).toMatchObject({
    status: 422,
  });
  const args = { order: "7", amount: 80, gift: false };
  const message = "Eighty is what the shop owes.";
  const given = await answer(tenant, askId, { decision: "once", args, message, note: "as by phone" });
  expect(given).toMatchObject({ status: 200, body: { answer: { decision: "once", args, message } } });
  await tenant.turn(session, turnId);
  expect((await endpoint.requests()).map(({ body }) => body)).toEqual([args]);
  expect(await seenBy(model)).toContain(message);
  expect(await seenBy(model)).not.toContain("as by phone");
});

it("what a person gives a call passes the supervisors like the call itself", async () => {
  const tenant = await newTenant();
  await tenant.rules(
    "limit",
    [{ match: { type: "phrases", phrases: ["thirteen"] }, action: "block", reason: "never" }],
    {
      hooks: ["tool_call"],
    },
  );
  const endpoint = await httpTool(tenant, "refund", { approval: "always" });
  const model = await tenant.agent("clerk", { tools: [{ server: "shop", tool: "refund" }], supervisors: ["limit"] });
  await model.reply(toolCalls(["refund", { text: "seven" }]), { text: "It was refused.", repeat: true });
  const session = await tenant.session({ agent: "clerk" });
  const turn = await tenant.say(session, "Refund it.");
  await answer(tenant, openAsk(turn), { decision: "once", args: { text: "thirteen" } });
  await tenant.turn(session, turn.turnId);
  expect(await endpoint.requests()).toEqual([]);
  expect(await seenBy(model)).toContain("was blocked");
});

it("lists by agent, tool, supervisor, claim and age, and counts without reading asks", async () => {
  const { tenant, askId } = await waiting();
  const list = async (query: string) =>
    (await tenant.call("GET", `/v1/asks?status=open&sort=inbox&${query}`)).body.items.map((ask: Ask) => ask.askId);
  await expect.poll(() => list("agent=clerk")).toEqual([askId]);
  expect(await list("tool=shop/refund")).toEqual([askId]);
  expect(await list("agent=other")).toEqual([]);
  expect(await list("supervisor=money")).toEqual([]);
  expect(await list("claimedBy=me")).toEqual([]);
  expect(await list("overdue=true")).toEqual([]);
  expect(await list("openedBefore=2020-01-01T00:00:00Z")).toEqual([]);
  await tenant.call("POST", `/v1/asks/${askId}/claim`, {});
  await expect.poll(() => list("claimedBy=me")).toEqual([askId]);
  const counts = () => tenant.call("GET", "/v1/asks/counts");
  expect((await counts()).body).toEqual({
    open: 1,
    byKind: { human: 0, context: 0, approval: 1, review: 0, handover: 0 },
    byAudience: { user: 0, staff: 1 },
    byAgent: [{ agent: "clerk", open: 1 }],
    overdue: 0,
    mine: 1,
    deferred: 0,
    byQueue: [],
  });
  await answer(tenant, askId, { decision: "once", args: { order: "8", amount: 1 } });
  await expect.poll(async () => (await counts()).body).toMatchObject({ open: 0, byAgent: [], mine: 0 });
  const { body } = await tenant.call("GET", "/v1/asks/report");
  expect(body).toMatchObject({ complete: true, closed: { answered: 1, edited: 1, accepted: 0 } });
});

it("with 1,000 open beside 100,000 closed a look at the inbox reads 60 rows at most", async () => {
  const { tenantId } = await newTenant();
  const columns =
    "ask_id, owner_id, kind, body, revision, audience, agent, supervisors, opened_at, urgency, overdue_at";
  const of = (status: string, opened: string) =>
    `'ask_' || ${status} || n, 'ses_' || n, 'review', '{}', 1, 'staff', 'clerk', '["money"]', '${opened}', n % 6, '2020'`;
  await env.DB.batch([
    numberedRows(1_000)("asks", `${columns}, status`, `${of("'o'", "2026")}, 'open'`, tenantId),
    numberedRows(100_000)(
      "asks",
      "ask_id, owner_id, kind, body, revision, audience, agent, opened_at, status, closed_at",
      "'ask_c' || n, 'ses_' || n, 'review', '', 1, 'staff', 'clerk', '2025', 'answered', '2025'",
      tenantId,
    ),
  ]);
  const { db, rowsRead } = recordedDb(env.DB);
  const asks = new AskIndex(db, Date.now);
  const counted = async (read: Promise<unknown>): Promise<number> => {
    await read.catch(() => undefined);
    return rowsRead();
  };
  const costs = {
    unchanged: await counted(asks.version(tenantId)),
    list: await counted(asks.list(tenantId, { status: "open" }, "inbox", undefined, 31)),
    ofStaff: await counted(asks.list(tenantId, { status: "open", audience: "staff" }, "inbox", undefined, 31)),
    next: await counted(asks.list(tenantId, { status: "open" }, "inbox", { key: "2 ~", askId: "ask_o500" }, 31)),
    counts: await counted(asks.openCounts(tenantId)),
  };
  expect(Object.entries(costs).filter(([, rows]) => rows < 1 || rows > 60)).toEqual([]);
  expect(costs.unchanged).toBe(1);
  expect(
    await counted(asks.list(tenantId, { status: "open", supervisor: "money" }, "inbox", undefined, 31)),
  ).toBeLessThan(5_000);
  for (const queue of [{ priority: "normal" }, { tool: "shop/refund" }, { subject: "ana" }] as const)
    expect([queue, await counted(asks.openIn(tenantId, queue))]).toEqual([queue, expect.toSatisfy((n) => n <= 101)]);
  expect(await counted(asks.openIn(tenantId, { supervisor: "money" }))).toBeLessThan(302);
  expect(await asks.openIn(tenantId, { supervisor: "money" })).toEqual({ open: 100, more: true });
  expect(await asks.openIn(tenantId, { supervisor: "money", kind: "approval" })).toEqual({ open: 0, more: true });
  expect(await asks.openCounts(tenantId)).toEqual([{ kind: "review", audience: "staff", agent: "clerk", open: 1_000 }]);
  await env.DB.prepare("DELETE FROM asks WHERE tenant_id = ?").bind(tenantId).run();
  expect(await asks.openCounts(tenantId)).toEqual([]);
});

it("copies that come late or again change no number", async () => {
  const { tenantId } = await newTenant();
  const ownerId = "ses_01k00000000000000000000000";
  const ask = newAsk(
    `ask_01k00000000000000000000001_${ownerId}`,
    { kind: "review", question: "?", audience: "staff", source: { supervisors: ["money"] } },
    {},
    Date.now(),
  );
  const deliver = (id: number, copy: Ask) =>
    deliverToD1(env.DB, { tenantId, ownerId, messages: [{ id, topic: "ask", payload: JSON.stringify(copy) }] });
  const asks = new AskIndex(env.DB, Date.now);
  const open = async () => (await asks.openCounts(tenantId)).map((count) => count.open);
  const closed: Ask = {
    ...ask,
    status: "answered",
    answer: { decision: "accept" },
    closedAt: new Date().toISOString(),
  };
  await deliver(1, ask);
  await deliver(1, ask);
  expect(await open()).toEqual([1]);
  await deliver(3, closed);
  await deliver(2, ask);
  await deliver(3, closed);
  expect(await open()).toEqual([]);
  expect(await asks.list(tenantId, { status: "answered", supervisor: "money" }, "inbox", undefined, 5)).toHaveLength(1);
  // It was put back to an earlier state.
  await deliver(4, ask);
  expect(await open()).toEqual([1]);
});
