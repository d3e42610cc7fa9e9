/** What supervisors didn't let pass is listed without texts, read singly on record, and labelled; false alarms are counted. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import { falseAlarms } from "../../src/supervision/decisions.js";
import { openAsk } from "../durable-objects/supervision/support.js";
import { auditAbout } from "../support/audit.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";

const phrases = (word: string, action: string) => ({
  match: { type: "phrases", phrases: [word] },
  action,
  reason: `no ${word}`,
});
const listed = async (tenant: TestTenant, query = "") => (await tenant.call("GET", `/v1/decisions${query}`)).body.items;
const counted = async (tenant: TestTenant, table: string) =>
  Number(
    await env.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE tenant_id = ?`).bind(tenant.tenantId).first("n"),
  );
const until = (tenant: TestTenant, many: number, query = "") =>
  eventually(async () => {
    const items = await listed(tenant, query);
    expect(items).toHaveLength(many);
    return items;
  });

async function shop() {
  const tenant = await newTenant();
  await tenant.rules("words", [{ ...phrases("osprey", "block"), id: "birds" }, phrases("kestrel", "redact")]);
  await tenant.rules("quiet", [phrases("osprey", "review")], { mode: "shadow" });
  const model = await tenant.agent("assistant", { supervisors: ["words", "quiet"] });
  await model.reply({ text: "Noted.", repeat: true });
  return { tenant, model, sessionId: await tenant.session({ subject: "ada" }) };
}

it("each step that didn't allow is a row without texts, shadows among them; what all allow leaves none", async () => {
  const { tenant, sessionId } = await shop();
  await tenant.say(sessionId, "Good morning.");
  await tenant.say(sessionId, "A kestrel!");
  const turn = await tenant.say(sessionId, "An osprey!");
  const items = await until(tenant, 3);
  expect(items).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({
        supervisor: "words",
        action: "block",
        decision: "block",
        rules: ["birds"],
        mode: "enforce",
      }),
      expect.objectContaining({ supervisor: "quiet", action: "review", decision: "block", mode: "shadow" }),
      expect.objectContaining({
        supervisor: "words",
        action: "modify",
        rules: ["2"],
        version: 1,
        reasons: ["no kestrel"],
      }),
    ]),
  );
  for (const item of items)
    expect(item).toMatchObject({ sessionId, agent: "assistant", subject: "ada", hook: "request" });
  const stored = await env.DB.prepare("SELECT * FROM decisions WHERE tenant_id = ?").bind(tenant.tenantId).all();
  expect(JSON.stringify(stored.results)).not.toMatch(/An osprey|A kestrel/);
  const of = async (query: string) => (await listed(tenant, query)).length;
  expect(await of("?supervisor=words")).toBe(2);
  expect(await of("?supervisor=words&rule=birds")).toBe(1);
  expect(await of("?mode=shadow&agent=assistant&subject=ada&hook=request&action=review")).toBe(1);
  expect(await of("?subject=bob")).toBe(0);
  expect(await of(`?from=${new Date(Date.now() + 60_000).toISOString()}`)).toBe(0);
  const first = await tenant.call("GET", "/v1/decisions?limit=2");
  const next = await tenant.call("GET", `/v1/decisions?limit=2&cursor=${first.body.nextCursor}`);
  expect([...first.body.items, ...next.body.items]).toEqual(items);
  const { decisionId } = items.find(
    ({ supervisor, action }: Record<string, string>) => supervisor === "words" && action === "block",
  );
  expect(items[0].workId).toBe(turn.turnId);
  const strangers = await newTenant();
  expect((await strangers.call("GET", `/v1/decisions/${decisionId}`)).status).toBe(404);
  const label = { label: "wrong" };
  expect((await strangers.call("PUT", `/v1/decisions/${decisionId}/label`, label)).status).toBe(404);
  expect((await (await tenant.withRole("client")).call("GET", "/v1/decisions")).status).toBe(403);
});

it("the text of one is read from its session, on record; erased it is gone, and a deleted session takes all along", async () => {
  const { tenant, sessionId } = await shop();
  const asked = await tenant.say(sessionId, "A kestrel!");
  const [decision] = await until(tenant, 1);
  const path = `/v1/decisions/${decision.decisionId}`;
  expect((await tenant.call("GET", path)).body.texts).toEqual({
    before: "A kestrel!",
    after: expect.not.stringContaining("kestrel"),
  });
  expect(await auditAbout(tenant, "originals.read")).toMatchObject([
    { sessionId, subject: { messageId: asked.message?.messageId } },
  ]);
  await tenant.call("PUT", `${path}/label`, { label: "wrong" });
  await tenant.call("POST", `/v1/sessions/${sessionId}/messages/${asked.message?.messageId}/erase`);
  expect((await tenant.call("GET", path)).body.texts).toBeUndefined();
  await tenant.call("DELETE", `/v1/sessions/${sessionId}`);
  expect((await tenant.call("GET", path)).status).toBe(404);
  expect([await counted(tenant, "decisions"), await counted(tenant, "decision_labels")]).toEqual([0, 0]);
});

it("texts of replies and of calls are read too; a review that a person answers is no decision of its own", async () => {
  const tenant = await newTenant();
  await tenant.rules("replies", [phrases("osprey", "block")], { hooks: ["response"] });
  await tenant.rules("asked", [phrases("heron", "review")], { hooks: ["request"] });
  const model = await tenant.agent("assistant", { supervisors: ["replies", "asked"] });
  await model.reply({ text: "An osprey it is." });
  const sessionId = await tenant.session();
  const turn = await tenant.say(sessionId, "Is it a heron?");
  // While it is held it is no message yet.
  const [held] = await until(tenant, 1);
  expect((await tenant.call("GET", `/v1/decisions/${held.decisionId}`)).body.texts).toEqual({
    before: "Is it a heron?",
  });
  await tenant.call("POST", `/v1/asks/${openAsk(turn)}/answer`, { decision: "accept" });
  await tenant.turn(sessionId, turn.turnId);
  const [reply, request] = await until(tenant, 2);
  expect([reply.hook, request.hook]).toEqual(["response", "request"]);
  const text = async (id: string) => (await tenant.call("GET", `/v1/decisions/${id}`)).body.texts.before;
  expect([await text(reply.decisionId), await text(request.decisionId)]).toEqual([
    "An osprey it is.",
    "Is it a heron?",
  ]);
});

it("everybody has one label for a decision, on record once; the report counts the newest of each", async () => {
  const { tenant, sessionId } = await shop();
  await tenant.say(sessionId, "An osprey!");
  const items = await until(tenant, 2);
  const { decisionId } = items.find(({ supervisor }: { supervisor: string }) => supervisor === "words");
  const label = (who: TestTenant, body: unknown) => who.call("PUT", `/v1/decisions/${decisionId}/label`, body);
  const other = await tenant.withRole("operator");
  await label(tenant, { label: "right" });
  await label(other, { label: "unsure" });
  const { body } = await label(tenant, { label: "wrong", note: "They asked about birds." });
  expect(body).toMatchObject({
    label: "wrong",
    labels: [{ label: "wrong", note: "They asked about birds." }, { label: "unsure" }],
  });
  await label(tenant, { label: "wrong", note: "They asked about birds." });
  expect((await auditAbout(tenant, "decision.labelled")).map(({ decision, reasons }) => [decision, reasons])).toEqual([
    ["right", []],
    ["unsure", []],
    ["wrong", ["They asked about birds."]],
  ]);
  expect(await listed(tenant, "?label=wrong")).toHaveLength(1);
  expect(await listed(tenant, "?label=none")).toHaveLength(1);
  expect((await label(tenant, { label: "perhaps" })).status).toBe(422);
  const report = (await tenant.call("GET", "/v1/decisions/report")).body;
  expect(report.items).toEqual([
    expect.objectContaining({
      supervisor: "words",
      summary: "1 of 1 labelled wrong",
      rules: [expect.objectContaining({ rule: "birds", wrong: 1 })],
    }),
  ]);
  expect(report.items[0].falseAlarms).toBeUndefined();
});

it("a changed supervisor is held against what was labelled: what it frees, and what it then misses", async () => {
  const { tenant, sessionId } = await shop();
  await tenant.say(sessionId, "An osprey!");
  await tenant.say(sessionId, "Of the ospreys' nest.");
  for (const { decisionId, about } of (await until(tenant, 4)).filter(
    ({ mode }: { mode: string }) => mode === "enforce",
  )) {
    const { texts } = (await tenant.call("GET", `/v1/decisions/${decisionId}`)).body;
    expect(about.messageId).toMatch(/^msg_/);
    await tenant.call("PUT", `/v1/decisions/${decisionId}/label`, {
      label: /nest/.test(texts.before) ? "wrong" : "right",
    });
  }
  const rule = {
    match: { type: "phrases", phrases: ["osprey"], wholeWords: true },
    action: "block",
    reason: "no osprey",
  };
  const narrower = { kind: "rules", hooks: ["request"], config: { rules: [rule] } };
  const replay = async (supervisor: unknown) =>
    (await tenant.call("POST", "/v1/decisions/replay", { supervisor, of: "words" })).body;
  expect(await replay("words")).toMatchObject({ wrong: { tried: 1, freed: 0 }, right: { tried: 1, missed: 0 } });
  expect(await replay(narrower)).toMatchObject({ wrong: { tried: 1, freed: 1 }, right: { tried: 1, missed: 0 } });
  expect(await counted(tenant, "decisions")).toBe(4);
});

it("a message that passed and should have been stopped is labelled, listed and read like any", async () => {
  const { tenant, sessionId } = await shop();
  const turn = await tenant.say(sessionId, "A falcon!");
  const path = `/v1/sessions/${sessionId}/messages/${turn.message?.messageId}/label`;
  const made = await tenant.call("PUT", path, { label: "wrong" });
  expect(made.body).toMatchObject({
    action: "allow",
    supervisor: "",
    hook: "request",
    label: "wrong",
    agent: "assistant",
  });
  await tenant.call("PUT", path, { label: "wrong" });
  expect(await listed(tenant, "?action=allow")).toHaveLength(1);
  expect((await tenant.call("GET", `/v1/decisions/${made.body.decisionId}`)).body.texts).toEqual({
    before: "A falcon!",
  });
  expect((await tenant.call("GET", "/v1/decisions/report")).body).toMatchObject({ items: [], passed: { wrong: 1 } });
  expect((await tenant.call("PUT", path.replace(/msg_\w+/, "msg_nothing"), { label: "wrong" })).status).toBe(404);
});

it("lists read what their index gives, however many decisions there are", async () => {
  const tenant = await newTenant();
  const row = `SELECT ?1, 'ses_x', value, '0', value, '', 'request', 'sup' || (value % 50), 'enforce', 'block', 'block',
    'agent' || (value % 50), 'user' || (value % 50), CASE value % 50 WHEN 7 THEN 'wrong' END, '{"reasons":[],"about":{}}'`;
  await env.DB.prepare(
    `INSERT INTO decisions ${row} FROM json_each((SELECT json_group_array(n) FROM
      (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5000) SELECT n FROM c)))`,
  )
    .bind(tenant.tenantId)
    .run();
  const { DecisionStore } = await import("../../src/stores/decision-store.js");
  for (const filter of [
    {},
    { supervisor: "sup7" },
    { agent: "agent7" },
    { subject: "user7" },
    { label: "wrong" },
  ] as const) {
    let read = 0;
    const counting = {
      prepare: (text: string) => ({
        bind: (...values: unknown[]) => ({
          all: async () => {
            const result = await env.DB.prepare(text)
              .bind(...values)
              .all();
            read += result.meta.rows_read;
            return result;
          },
        }),
      }),
    };
    // biome-ignore lint/suspicious/noExplicitAny: only what a list calls is there
    const store = new DecisionStore(counting as any);
    expect(await store.list(tenant.tenantId, filter, undefined, 50)).toHaveLength(50);
    expect(read).toBeLessThanOrEqual(102);
  }
});

it("Wilson's interval is that of the books, and says nothing of few", () => {
  expect(falseAlarms({ right: 22, wrong: 9, unsure: 4 })).toEqual({ share: 0.29, low: 0.161, high: 0.466 });
  expect(falseAlarms({ right: 20, wrong: 0, unsure: 0 })).toEqual({ share: 0, low: 0, high: 0.161 });
  expect(falseAlarms({ right: 10, wrong: 9, unsure: 40 })).toBeUndefined();
});

it("a moderation's scores suggest a threshold above its false alarms, as a body that is taken", async () => {
  const tenant = await newTenant();
  const { tenantId } = tenant;
  const config = { model: "openai/omni-moderation-latest", thresholds: { violence: 0.3 } };
  await tenant.put("supervisors", "harm", { kind: "moderation", hooks: ["request"], config });
  const messages = Array.from({ length: 24 }, (_none, id) => {
    const reasons = [`moderation: violence (${(id < 16 ? 0.4 : 0.9).toFixed(2)}, from 0.3 on)`];
    const step = { supervisor: "harm", version: 1, action: "block", mode: "enforce", reasons, latencyMs: 1 };
    const steps = [{ ...step, beforeHash: "a", afterHash: "a" }];
    const body = { hook: "request", decision: "block", reasons, degraded: [], steps, subject: {} };
    const row = { workId: `trn_${id}`, hook: "request", decision: "block", body, at: Date.now() };
    return { id, topic: "audit", payload: JSON.stringify(row) };
  });
  await deliverToD1(env.DB, { tenantId, ownerId: "ses_1", messages });
  const path = "/v1/supervisors/harm/suggestions";
  expect((await tenant.call("GET", path)).body.items).toEqual([]);
  for (const { id } of messages) {
    const label = { label: id < 16 ? "wrong" : "right" };
    expect((await tenant.call("PUT", `/v1/decisions/dec_ses_1_${id}_0/label`, label)).status).toBe(200);
  }
  const { items } = (await tenant.call("GET", path)).body;
  expect(items).toMatchObject([
    { change: "threshold", category: "violence", threshold: 0.65, held: { right: 0 }, body: { kind: "moderation" } },
  ]);
  expect((await tenant.call("PUT", "/v1/supervisors/harm", items[0].body)).body).toMatchObject({
    ...{ version: 2, config: { thresholds: { violence: 0.65 } } },
  });
  // What was said of another version says nothing of this one.
  expect((await tenant.call("GET", path)).body.items).toEqual([]);
});

it("texts of an agent's reviews that people edited become its examples, with the others to hold them against, on record", async () => {
  const tenant = await newTenant();
  const { tenantId } = tenant;
  const config = { model: "offline", instructions: "Hide names." };
  await tenant.put("supervisors", "names", { kind: "agent", hooks: ["request"], config });
  const review = (id: number) => ({
    ...{ askId: `ask_${id}`, kind: "review", audience: "staff", status: "answered", priority: "normal" },
    ...{ question: "May it pass?", openedAt: new Date(id).toISOString(), closedAt: new Date(id + 1).toISOString() },
    from: { sessionId: "ses_1", turnId: `trn_${id}`, supervisors: ["names"], about: {} },
    proposal: { hook: "request", original: `Ada Osprey ${id}`, proposed: `Ada Osprey ${id}` },
    answer: { decision: "edit", content: `[name] ${id}` },
  });
  const messages = Array.from({ length: 20 }, (_none, id) => ({
    id,
    topic: "ask",
    payload: JSON.stringify(review(id)),
  }));
  await deliverToD1(env.DB, { tenantId, ownerId: "ses_1", messages });
  const { items } = (await tenant.call("GET", "/v1/supervisors/names/suggestions")).body;
  expect(items).toMatchObject([{ change: "examples", body: { kind: "agent" } }]);
  expect(items[0].body.config.instructions).toContain("became");
  expect(items[0].lines[0]).toMatchObject({ input: { sessionId: "ses_1" }, expected: { action: "modify" } });
  expect(await auditAbout(tenant, "originals.read")).toHaveLength(1);
  await tenant.call("PUT", "/v1/datasets/held", {});
  const lines = items[0].lines.map((line: unknown) => JSON.stringify(line)).join("\n");
  const added = await tenant.call("POST", "/v1/datasets/held/items", lines, { "content-type": "application/jsonl" });
  expect(added.body).toMatchObject({ added: items[0].lines.length, invalid: [] });
});
