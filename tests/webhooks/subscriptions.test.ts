import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { createSealer } from "../../src/platform/secrets.js";
import { type Fields, newTenant, type TestTenant } from "../support/conclave.js";
import { asksHuman, newTeam, routesTo } from "../support/teams.js";
import type { UpstreamModel } from "../support/upstream-client.js";
import { bodyOf, down, received, receiver, subscribe, taken } from "../support/webhook-receivers.js";

async function tenantWithAgent(): Promise<{ tenant: TestTenant; model: UpstreamModel }> {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "It is nine.", repeat: true });
  return { tenant, model };
}

const deliveries = async (tenant: TestTenant, query = "") =>
  (await tenant.call("GET", `/v1/webhooks/crm/deliveries${query}`)).body.items;

/** What waits for its time is due now, and the queue hears of it. */
async function letTimePass(tenant: TestTenant, rootId: string): Promise<void> {
  await env.DB.prepare("UPDATE webhook_deliveries SET next_at = 0 WHERE tenant_id = ? AND status = 'pending'")
    .bind(tenant.tenantId)
    .run();
  await env.WEBHOOKS.send({ tenantId: tenant.tenantId, rootId });
}

/** However long the machine takes for what comes next, what waits isn't tried again by itself meanwhile. */
async function holdRetries(tenant: TestTenant): Promise<void> {
  await env.DB.prepare(
    "UPDATE webhook_deliveries SET next_at = next_at + 3600000 WHERE tenant_id = ? AND status = 'pending'",
  )
    .bind(tenant.tenantId)
    .run();
}

describe("a webhook", () => {
  it("hears of events by id and without texts, signed so that the libraries of Standard Webhooks verify it", async () => {
    const { tenant } = await tenantWithAgent();
    const hook = await receiver(taken);
    const secret = await subscribe(tenant, hook);
    expect(secret).toMatch(/^whsec_/);
    const sessionId = await tenant.session({ subject: "ada", externalId: "case-1" });
    const { turnId } = await tenant.say(sessionId, "What time is it?");

    await expect.poll(() => received(hook)).toHaveLength(1);
    const [request] = await hook.requests();
    if (request === undefined) throw new Error("nothing came");
    const data = { sessionId, turnId, status: "completed", agent: "assistant", subject: "ada", externalId: "case-1" };
    expect(bodyOf(request)).toMatchObject({ type: "turn.completed", data });
    expect(JSON.stringify(request.body)).not.toMatch(/nine|time is it/);
    const { "webhook-id": id = "" } = request.headers;
    expect(new Webhook(secret).verify(JSON.stringify(request.body), request.headers)).toMatchObject({ data });
    await expect
      .poll(() => deliveries(tenant))
      .toMatchObject([{ deliveryId: id, status: "delivered", attempts: 1, sessionId }]);
    expect((await tenant.call("GET", "/v1/webhooks/crm")).body.lastSuccessAt).toBeDefined();
  });

  it("hears texts where it asks for them: those that an application may read", async () => {
    const tenant = await newTenant();
    await tenant.rules("careful", [
      {
        match: { type: "phrases", phrases: ["blue falcon"] },
        action: "redact",
        replacement: "[name]",
        reason: "Secret.",
      },
    ]);
    const model = await tenant.agent("assistant", { supervisors: ["careful"] });
    await model.reply({ text: "It is the Blue Falcon." });
    const hook = await receiver(taken);
    await subscribe(tenant, hook, { includeTexts: true });
    await tenant.say(await tenant.session(), "Which plane?");
    await expect.poll(() => received(hook)).toHaveLength(1);
    const [body] = await received(hook);
    expect(JSON.stringify(body)).toContain("It is the [name].");
    expect(JSON.stringify(body)).not.toMatch(/falcon/i);
  });

  it("hears with texts nothing that an application may not read: what staff answered, and the words of a team's trace", async () => {
    const tenant = await newTenant({ questions: { audience: "staff" } });
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    await tenant.put("teams", "help", team.definition);
    await tenant.put("agents", "help", { kind: "team", team: "help" });
    const hook = await receiver(taken);
    await subscribe(tenant, hook, {
      events: ["turn.completed", "run.completed", "routing.decided"],
      includeTexts: true,
    });
    for (const work of ["turn", "run"] as const) {
      await team.supervisor.reply(asksHuman("Is she on the list?"), routesTo("billing"));
      await team.workers.billing?.reply({ text: "Not this time." });
      const begun =
        work === "run"
          ? (await tenant.call("POST", "/v1/runs", { team: "help", input: "Paid?" })).body
          : await tenant.say(await tenant.session({ agent: "help" }), "Paid?");
      await tenant.call("POST", `/v1/asks/${begun.asks[0].askId}/answer`, { response: "She is, since March." });
    }
    await expect.poll(() => received(hook)).toHaveLength(4);
    const bodies = await received(hook);
    expect(bodies.filter(({ data }) => data.status === "completed")).toHaveLength(2);
    const [all, decided] = [JSON.stringify(bodies), bodies.filter(({ type }) => type === "routing.decided")];
    expect(all).toContain("Not this time.");
    expect(all).toContain("Is she on the list?");
    expect(all).not.toContain("since March");
    expect(decided).toHaveLength(2);
    expect(JSON.stringify(decided)).not.toContain("It fits.");
  });

  it("hears only of the types, the agent and the end user that it names, from when it was made on", async () => {
    const { tenant } = await tenantWithAgent();
    await tenant.put("agents", "other", { kind: "model", model: "offline", instructions: "Help." });
    const [adas, bobs] = [await tenant.session({ subject: "ada" }), await tenant.session({ subject: "bob" })];
    await tenant.say(adas, "before");
    const hook = await receiver(taken);
    await subscribe(tenant, hook, { filter: { agent: "assistant", subject: "ada" } });
    await tenant.say(bobs, "not for it");
    await tenant.say(await tenant.session({ subject: "ada", agent: "other" }), "not for it either");
    const { turnId } = await tenant.say(adas, "for it");
    await expect.poll(() => received(hook)).toHaveLength(1);
    expect((await received(hook))[0]?.data).toMatchObject({ turnId, sessionId: adas });
  });

  it("hears of a run's questions: their ids, kind and audience, and the words only with texts", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    await tenant.put("teams", "help", team.definition);
    await team.supervisor.reply(asksHuman("Which invoice?"), routesTo("billing"));
    const [plain, told] = [await receiver(taken), await receiver(taken)];
    const events = ["ask.opened", "run.completed"];
    await subscribe(tenant, plain, { events });
    await subscribe(tenant, told, { events, includeTexts: true }, "told");
    const { runId } = (await tenant.call("POST", "/v1/runs", { team: "help", input: "Paid?", subject: "ada" })).body;
    await expect.poll(() => received(plain)).toHaveLength(1);
    const data = { runId, kind: "human", audience: "user", agent: "help", subject: "ada" };
    expect((await received(plain))[0]).toMatchObject({ type: "ask.opened", data });
    expect(JSON.stringify(await received(plain))).not.toContain("invoice");
    await expect.poll(() => received(told)).toMatchObject([{ data: { ...data, question: "Which invoice?" } }]);
  });

  it("is tried again in growing waits, keeps the order of a session, and keeps back no other session", async () => {
    const { tenant } = await tenantWithAgent();
    const hook = await receiver(down);
    await subscribe(tenant, hook);
    const [one, two] = [await tenant.session(), await tenant.session()];
    const first = await tenant.say(one, "first");
    await expect
      .poll(() => deliveries(tenant))
      .toMatchObject([{ status: "pending", attempts: 1, failure: "it answered 503" }]);
    const [{ nextAttemptAt, updatedAt, deliveryId }] = await deliveries(tenant);
    await holdRetries(tenant);
    // Two looks at the clock.
    expect(Math.abs(Date.parse(nextAttemptAt) - Date.parse(updatedAt) - 5_000)).toBeLessThan(500);
    const second = await tenant.say(one, "second");
    await hook.reply(taken);
    const other = await tenant.say(two, "other");
    await expect
      .poll(async () => (await received(hook)).map(({ data }) => data.turnId))
      .toEqual([first.turnId, other.turnId]);

    await letTimePass(tenant, one);
    const turns = [first.turnId, other.turnId, first.turnId, second.turnId];
    await expect.poll(async () => (await received(hook)).map(({ data }) => data.turnId)).toEqual(turns);
    const ids = (await hook.requests()).map(({ headers }) => headers["webhook-id"]);
    expect([ids[0], ids[2]]).toEqual([deliveryId, deliveryId]);
    expect(new Set(ids).size).toBe(3);
  });

  it("is given up after a day of failures: parked, listed, and tried again by hand, with nothing lost after it", async () => {
    const { tenant } = await tenantWithAgent();
    const hook = await receiver({ ...down, repeat: 3 });
    await subscribe(tenant, hook);
    const sessionId = await tenant.session();
    const first = await tenant.say(sessionId, "first");
    await expect.poll(() => deliveries(tenant)).toMatchObject([{ status: "pending", attempts: 1 }]);
    await holdRetries(tenant);
    // As after a day of it: two tries are left.
    await env.DB.prepare("UPDATE webhook_deliveries SET attempts = 11 WHERE tenant_id = ?").bind(tenant.tenantId).run();
    await letTimePass(tenant, sessionId);
    await expect.poll(() => deliveries(tenant)).toMatchObject([{ status: "pending", attempts: 12 }]);
    await letTimePass(tenant, sessionId);
    await expect
      .poll(() => deliveries(tenant, "?status=parked"))
      .toMatchObject([{ attempts: 13, failure: "it answered 503" }]);
    await hook.reply(taken);
    const second = await tenant.say(sessionId, "second");
    await expect.poll(async () => (await received(hook)).at(-1)?.data.turnId).toBe(second.turnId);
    const [{ deliveryId }] = await deliveries(tenant, "?status=parked");
    const retried = await tenant.call("POST", `/v1/webhooks/crm/deliveries/${deliveryId}/retry`);
    expect(retried).toMatchObject({ status: 200, body: { status: "pending", attempts: 0 } });
    await expect.poll(async () => (await received(hook)).at(-1)?.data.turnId).toBe(first.turnId);
  });

  it("is switched off by a 410, and on again by another PUT", async () => {
    const { tenant } = await tenantWithAgent();
    const hook = await receiver({ status: 410, body: "" });
    await subscribe(tenant, hook);
    const sessionId = await tenant.session();
    await tenant.say(sessionId, "first");
    await expect.poll(async () => (await tenant.call("GET", "/v1/webhooks/crm")).body.status).toBe("disabled");
    await expect.poll(() => deliveries(tenant)).toMatchObject([{ status: "parked", attempts: 1 }]);
    await tenant.say(sessionId, "second");
    await hook.reply(taken);
    const body = { url: hook.hookURL, events: ["turn.completed"] };
    expect(await tenant.call("PUT", "/v1/webhooks/crm", body)).toMatchObject({
      status: 200,
      body: { status: "active" },
    });
    await tenant.say(sessionId, "third");
    // What happened while it was off comes too: it stands in the log.
    await expect.poll(() => received(hook)).toHaveLength(3);
  });

  it("is signed with the old secret too for a day after a new one, also where the new one was sent again", async () => {
    const { tenant } = await tenantWithAgent();
    const hook = await receiver(taken);
    const old = await subscribe(tenant, hook);
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const body = { url: hook.hookURL, events: ["turn.completed"], secret };
    for (const _ of [1, 2]) await tenant.call("PUT", "/v1/webhooks/crm", body);
    expect((await tenant.call("POST", "/v1/webhooks/crm/test")).body).toEqual({ delivered: true });
    const [request] = await hook.requests();
    for (const known of [old, secret]) {
      const verified = new Webhook(known).verify(JSON.stringify(request?.body), request?.headers ?? {});
      expect(verified).toMatchObject({ type: "webhook.test", data: { webhook: "crm" } });
    }
    await env.DB.prepare("UPDATE webhooks SET body = json_set(body, '$.former.until', 0) WHERE tenant_id = ?")
      .bind(tenant.tenantId)
      .run();
    await tenant.call("POST", "/v1/webhooks/crm/test");
    const [, later] = await hook.requests();
    expect(() => new Webhook(old).verify(JSON.stringify(later?.body), later?.headers ?? {})).toThrow();
  });

  it("shows the secret that was made to the request that made it, and never one that somebody else has put since", async () => {
    const { tenant } = await tenantWithAgent();
    const put = (secret?: string, headers: Record<string, string> = {}) => {
      const body = { url: "https://crm.example/hooks", events: ["turn.completed"], ...(secret && { secret }) };
      return tenant.call("PUT", "/v1/webhooks/crm", body, headers);
    };
    const make = async () => {
      // As when the process died before it could say so.
      await env.DB.prepare("DELETE FROM idempotency WHERE scope = ?").bind(tenant.tenantId).run();
      return (await put(undefined, { "idempotency-key": "k" })).body.secret;
    };
    const made = await make();
    expect(made).toMatch(/^whsec_/);
    expect(await make()).toBe(made);
    await put("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    expect(await make()).toBe(made);
    await put("whsec_bmV3IHNlY3JldCBvZiBpdA==");
    expect(await make()).toBeUndefined();
  });

  it("is signed with its new secret alone where the one before can't be read any more", async () => {
    const { tenant } = await tenantWithAgent();
    const hook = await receiver(taken);
    await subscribe(tenant, hook);
    const unreadable = await createSealer(["the secret of before"]).seal("whsec_bmV3IHNlY3JldCBvZiBpdA==");
    await env.DB.prepare("UPDATE webhooks SET body = json_set(body, '$.sealedSecret', ?) WHERE tenant_id = ?")
      .bind(unreadable, tenant.tenantId)
      .run();
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    await tenant.call("PUT", "/v1/webhooks/crm", { url: hook.hookURL, events: ["turn.completed"], secret });
    expect((await tenant.call("POST", "/v1/webhooks/crm/test")).body).toEqual({ delivered: true });
  });

  it("belongs to its tenant: another one neither sees it nor hears by it", async () => {
    const { tenant } = await tenantWithAgent();
    const hook = await receiver(taken);
    await subscribe(tenant, hook);
    const stranger = await newTenant();
    for (const [method, path] of [
      ["GET", "/v1/webhooks/crm"],
      ["DELETE", "/v1/webhooks/crm"],
      ["GET", "/v1/webhooks/crm/deliveries"],
      ["POST", "/v1/webhooks/crm/test"],
    ] as const) {
      expect((await stranger.call(method, path)).status, path).toBe(404);
    }
    expect((await stranger.call("GET", "/v1/webhooks")).body.items).toEqual([]);
    expect((await tenant.call("GET", "/v1/webhooks")).body.items).toMatchObject([{ name: "crm" }]);
    expect(await (await tenant.withRole("client")).call("GET", "/v1/webhooks")).toMatchObject({ status: 403 });
    expect((await tenant.call("DELETE", "/v1/webhooks/crm")).status).toBe(204);
    expect((await tenant.call("GET", "/v1/webhooks/crm")).status).toBe(404);
  });

  it("goes to no private address, and hears of no event that isn't stored", async () => {
    const tenant = await newTenant();
    const put = (fields: Fields) =>
      tenant.call("PUT", "/v1/webhooks/crm", {
        url: "https://crm.example/hook",
        events: ["turn.completed"],
        ...fields,
      });
    expect(await put({ url: "https://10.0.0.1/hook" })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "url" }] },
    });
    expect((await put({ events: ["reply.delta"] })).status).toBe(422);
    expect((await put({ events: ["gossip"] })).status).toBe(422);
    expect((await put({ secret: "short" })).status).toBe(422);
  });
});
