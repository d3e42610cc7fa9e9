/** What people say of turns and messages: one for each actor and thing, the newest counts; comments lie in the session alone. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { newTenant, TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";

async function answered() {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "It comes on Monday.", repeat: true });
  const session = await tenant.session({ subject: "ana" });
  const { turnId, reply } = await tenant.say(session, "When does it come?");
  const { token } = (await tenant.call("POST", "/v1/tokens", { subject: "ana" })).body;
  const ana = new TestTenant(tenant.tenantId, token);
  const path = `/v1/sessions/${session}`;
  const give = (who: TestTenant, body: object) => who.call("PUT", `${path}/feedback`, body);
  const listed = async (query = "") => (await tenant.call("GET", `/v1/feedback${query}`)).body.items;
  return { tenant, session, turnId, reply, ana, path, give, listed };
}

it("counts the newest of each actor and thing; D1 holds no comment", async () => {
  const { tenant, session, turnId, reply, ana, give, listed } = await answered();
  const about = { turnId };
  expect((await give(ana, { about, score: 1, label: "quick" })).body).toMatchObject({
    score: 1,
    turnId,
    subject: "ana",
  });
  await give(ana, { about, score: -1, label: "wrong", comment: "It came on Sunday, zebra." });
  await give(tenant, { about: { messageId: reply?.messageId }, score: 1 });
  await eventually(async () => expect(await listed()).toHaveLength(2));
  expect(
    await eventually(async () => {
      const down = await listed("?score=-1");
      expect(down).toHaveLength(1);
      return down;
    }),
  ).toMatchObject([
    { sessionId: session, turnId, label: "wrong", by: { kind: "token", subject: "ana" }, agent: "assistant" },
  ]);
  expect(await listed("?subject=ana&score=1")).toMatchObject([{ messageId: reply?.messageId, by: { kind: "key" } }]);
  expect(await listed("?agent=other")).toEqual([]);
  const rows = await env.DB.prepare("SELECT * FROM feedback WHERE tenant_id = ?").bind(tenant.tenantId).all();
  expect(JSON.stringify(rows.results)).not.toContain("zebra");
  const { items } = (await tenant.call("GET", `/v1/sessions/${session}/conversation`)).body;
  expect(items.map(({ feedback }: { feedback: unknown[] }) => feedback.length)).toEqual([0, 2]);
  expect(items[1].feedback[0]).toMatchObject({ score: -1, comment: "It came on Sunday, zebra." });
});

it("pages, newest first", async () => {
  const { tenant, turnId, reply, give, listed } = await answered();
  await give(tenant, { about: { turnId }, score: 1 });
  await give(tenant, { about: { messageId: reply?.messageId }, score: 0 });
  await eventually(async () => expect(await listed()).toHaveLength(2));
  const first = (await tenant.call("GET", "/v1/feedback?limit=1")).body;
  const next = (await tenant.call("GET", `/v1/feedback?limit=1&cursor=${first.nextCursor}`)).body;
  expect([...first.items, ...next.items].map(({ score }) => score)).toEqual([0, 1]);
  expect(next.nextCursor).toBeNull();
});

it("has the rules look at a comment, and refuses what is in no session of whoever gives it", async () => {
  const { tenant, session, turnId, ana, give, path } = await answered();
  await tenant.rules("private", [
    { match: { type: "personalData", kinds: ["email"] }, action: "redact", reason: "Private." },
    { match: { type: "phrases", phrases: ["forbidden"] }, action: "block", reason: "Not that." },
  ]);
  await tenant.call("PATCH", path, { addSupervisors: ["private"] });
  expect((await give(ana, { about: { turnId }, score: -1, comment: "Ask ana@example.com." })).body.comment).toBe(
    "Ask [email].",
  );
  expect(await give(ana, { about: { turnId }, score: -1, comment: "A forbidden word." })).toMatchObject({
    status: 422,
  });
  expect(await give(ana, { about: { turnId: "trn_1" }, score: 1 })).toMatchObject({ status: 404 });
  expect(await give(ana, { about: {}, score: 1 })).toMatchObject({ status: 422 });
  expect(await give(ana, { about: { turnId }, score: 2 })).toMatchObject({ status: 422 });
  const { token } = (await tenant.call("POST", "/v1/tokens", { subject: "bob" })).body;
  expect(await give(new TestTenant(tenant.tenantId, token), { about: { turnId }, score: 1 })).toMatchObject({
    status: 404,
  });
  const stranger = await newTenant();
  expect(await give(stranger, { about: { turnId }, score: 1 })).toMatchObject({ status: 404 });
  expect((await ana.call("GET", "/v1/feedback")).status).toBe(403);
  expect(session).toBeDefined();
});

it("loses its comments with the text that they are about, and all of it with the session", async () => {
  const { tenant, session, turnId, reply, ana, give, path, listed } = await answered();
  await give(ana, { about: { turnId }, score: -1, comment: "Not Monday." });
  await eventually(async () => expect(await listed()).toHaveLength(1));
  await tenant.call("POST", `${path}/messages/${reply?.messageId}/erase`);
  const { items } = (await tenant.call("GET", `${path}/conversation`)).body;
  expect(items.at(-1).feedback).toEqual([expect.not.objectContaining({ comment: expect.anything() })]);
  await tenant.call("DELETE", `/v1/sessions/${session}`);
  await eventually(async () => expect(await listed()).toEqual([]));
});
