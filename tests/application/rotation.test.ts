/** The exchange of SEALING_SECRET: what each isolate writes the others read, everything is sealed anew, and then the old secret may go. */
import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import { resealSlices } from "../../src/application/system/reseal-secrets.js";
import { runMaintenance } from "../../src/application/system/run-maintenance.js";
import { composeServices } from "../../src/composition/services.js";
import { referenceTo } from "../../src/conversation/secret-text.js";
import worker from "../../src/index.js";
import { createSealer, sealingKeyId } from "../../src/platform/secrets.js";
import { sealedColumns } from "../../src/stores/reseal-store.js";
import { deploymentActor } from "../../src/tenancy/actor.js";
import { newTenant, origin } from "../support/conclave.js";
import { upstreamFor } from "../support/upstream-client.js";

const current = env.SEALING_SECRET;
const former = "the-former-secret-of-forty-characters-xyz";

/** An isolate of a deployment whose secrets are these. */
function isolate(SEALING_SECRET: string, SEALING_SECRET_PREVIOUS = "") {
  const own: Env = { ...env, SEALING_SECRET, SEALING_SECRET_PREVIOUS };
  const call = async (
    method: string,
    path: string,
    key: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const ctx = createExecutionContext();
    const request = new Request(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await worker.fetch(request, own, ctx);
    await waitOnExecutionContext(ctx);
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  return { call, services: composeServices(own) };
}
type Isolate = ReturnType<typeof isolate>;

const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Writes whatever is sealed, or signed under a derived key. */
async function write({ call }: Isolate) {
  const keyed = { "idempotency-key": crypto.randomUUID() };
  const made = {
    name: "acme",
    database: 0,
    settings: { providers: { acme: { baseUrl: "https://acme.example/v1", apiKey: "sk-acme" } } },
  };
  const tenant = (await call("POST", "/v1/admin/tenants", env.ADMIN_SECRET, made, keyed)).body;
  const { key } = tenant;
  const http = { url: "https://example.com/x", headers: { authorization: "Bearer s3cret" } };
  await call("PUT", "/v1/tools/pay", key, { server: "shop", description: "Pays.", http });
  await call("PUT", "/v1/webhooks/crm", key, { url: http.url, events: ["turn.completed"], secret: whsec });
  await call("PUT", "/v1/agents/clerk", key, { kind: "model", model: "offline", instructions: "Help." });
  const platform = {
    kind: "telegram",
    agent: "clerk",
    credentials: { botToken: "123:abc", secretToken: "the-secret-of-the-webhook" },
  };
  expect(await call("PUT", "/v1/channels/bot", key, platform)).toMatchObject({ status: 201 });
  expect(await call("PUT", "/v1/secrets/TOKEN", key, { value: "a will" })).toMatchObject({ status: 201 });
  const token = (await call("POST", "/v1/tokens", key, { subject: "ana" })).body.token;
  const ana = { name: "Ana", email: "ana@example.com", role: "reviewer" };
  const invitation = { "idempotency-key": crypto.randomUUID() };
  expect(await call("POST", "/v1/people", key, ana, invitation)).toMatchObject({ status: 201 });
  const kept = await call("POST", "/v1/keys", key, { role: "client" }, keyed);
  return { tenantId: tenant.tenantId, key, token, kept, keyed };
}

/** All of it as this isolate reads it. @throws where it can't */
async function read(
  { call, services }: Isolate,
  { tenantId, key, token, kept, keyed }: Awaited<ReturnType<typeof write>>,
) {
  const [pay] = await services.resources.versions(tenantId, [{ kind: "tools", name: "pay", version: 1 }]);
  const provider = (await services.tenants.get(tenantId))?.settings.providers.acme?.sealedApiKey ?? "";
  const [hook] = await services.webhooks.secretsOf(tenantId, "crm");
  const bot = await services.channels.open(await services.channels.find(tenantId, "bot"));
  expect(JSON.stringify(bot)).toContain("123:abc");
  expect(JSON.stringify(pay)).toContain("Bearer s3cret");
  expect(await services.sealer.open(provider)).toBe("sk-acme");
  expect(hook?.secrets).toEqual([whsec]);
  expect(await services.secrets.valueOf(tenantId, referenceTo("TOKEN"))).toBe("a will");
  expect((await call("GET", "/v1/sessions", token)).status).toBe(200);
  // A request that is repeated gets the very answer, and the very key.
  expect(await call("POST", "/v1/keys", key, { role: "client" }, keyed)).toEqual(kept);
}

/** The shared Worker's own secret is the one that all is sealed under in the end, so that other tests' rows stay as they are. */
const steps = {
  before: isolate(former),
  known: isolate(former, current),
  exchanged: isolate(current, former),
  after: isolate(current),
};

async function resealAll({ services }: Isolate): Promise<void> {
  await services.reseals.begin();
  while ((await resealSlices(services))?.finishedAt === undefined);
}

it("isolates of two steps of the exchange go on beside each other: what either writes the other reads", async () => {
  const { before, known, exchanged } = steps;
  for (const [one, other] of [
    [before, known],
    [known, exchanged],
  ] as const) {
    const written = await Promise.all([write(one), write(other), write(one), write(other)]);
    await Promise.all(written.flatMap((made) => [read(one, made), read(other, made)]));
  }
});

it("after everything was sealed anew the former secret may go: everything opens without it", async () => {
  const made = await write(steps.before);
  await expect(read(steps.after, made)).rejects.toThrow("SEALING_SECRET_PREVIOUS");
  await resealAll(steps.exchanged);
  // A token lives an hour at most, and the former secret stays for a day.
  const { body } = await steps.after.call("POST", "/v1/tokens", made.key, { subject: "ana" });
  await read(steps.after, { ...made, token: body.token });
  await expect(read(steps.before, made)).rejects.toThrow("SEALING_SECRET_PREVIOUS");
});

it("a slice that died is done again, two at once change nothing twice, and a change meanwhile stands", async () => {
  const made = await write(steps.before);
  const { call, services } = steps.exchanged;
  const { reseals } = services;
  await reseals.begin();
  const begun = (await reseals.progress())?.resealed ?? 0;
  const put = call("PUT", "/v1/webhooks/crm", made.key, { url: "https://two.example/", events: ["turn.completed"] });
  while ((await Promise.all([reseals.slice(), reseals.slice()])).every((at) => at?.finishedAt === undefined));
  expect((await put).status).toBe(200);
  // Four of it, with the key's claim and the kept answers of three keyed writes; nothing is counted twice.
  const done = await reseals.progress();
  expect((done?.resealed ?? 0) - begun).toBeGreaterThanOrEqual(5);
  expect((await services.webhooks.secretsOf(made.tenantId, "crm"))[0]).toMatchObject({
    url: "https://two.example/",
    secrets: [whsec],
  });
  // Begun anew, it takes as many slices as all that other tests have left.
  await expect
    .poll(() => call("POST", "/v1/admin/reseal", env.ADMIN_SECRET))
    .toMatchObject({
      status: 200,
      body: { status: "finished", resealed: done?.resealed, unopened: done?.unopened },
    });
});

it("/health tells the keys by their ids, how far it is and until when the former secret has to stay; without one nothing", async () => {
  await resealAll(steps.exchanged);
  const { body } = await steps.exchanged.call("GET", "/health", "");
  expect(body.sealing).toMatchObject({
    key: await sealingKeyId(current),
    otherKey: await sealingKeyId(former),
    reseal: { status: "finished" },
  });
  const { begunAt, otherKeyUntil } = body.sealing.reseal;
  expect(Date.parse(otherKeyUntil) - Date.parse(begunAt)).toBe(24 * 3_600_000);
  expect((await steps.after.call("GET", "/health", "")).body.sealing).toBeUndefined();
  expect((await steps.after.call("POST", "/v1/admin/reseal", "cnk_nobody")).status).toBe(401);
});

it("the schedule goes on with what was begun", async () => {
  const made = await write(steps.before);
  const { services } = steps.exchanged;
  await services.reseals.begin();
  await expect
    .poll(async () => {
      await runMaintenance(deploymentActor, { at: services.now(), owedAlone: true }, services);
      return (await services.reseals.progress())?.finishedAt;
    })
    .toBeDefined();
  expect((await steps.after.call("GET", "/v1/tools/pay", made.key)).status).toBe(200);
  expect(await steps.after.services.tenants.get(made.tenantId)).toBeDefined();
});

it("whatever column holds a sealed text is among those that are sealed anew", async () => {
  await write(steps.after);
  const { results } = await env.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{
    name: string;
  }>();
  const found = new Set<string>();
  const id = await sealingKeyId(current);
  for (const { name } of results.filter((table) => !/^(sqlite_|_cf_|entry_)/.test(table.name))) {
    const { results: columns } = await env.DB.prepare(`PRAGMA table_info(${name})`).all<{ name: string }>();
    for (const { name: column } of columns) {
      const holds = await env.DB.prepare(`SELECT 1 FROM ${name} WHERE instr(CAST(${column} AS TEXT), ?) LIMIT 1`)
        .bind(`.${id}`)
        .first();
      if (holds !== null) found.add(`${name}.${column}`);
    }
  }
  expect([...found].toSorted()).toEqual(sealedColumns.map(({ table, column }) => `${table}.${column}`).toSorted());
});

it("calls are signed under both secrets while they are exchanged, and the tenant reads both", async () => {
  const { tenantId, key } = await write(steps.known);
  const of = async ({ services }: Isolate) => services.signingSecrets(tenantId);
  const [[before], [after]] = [await of(steps.before), await of(steps.after)];
  expect(await of(steps.known)).toEqual([before, after]);
  expect(await of(steps.exchanged)).toEqual([after, before]);
  const shown = await steps.exchanged.call("GET", "/v1/tenant/signing-secret", key);
  expect(shown.body).toEqual({ signingSecret: after, otherSecret: before });
});

it("what is sealed under a secret that isn't there fails with words, once, and not by an internal error", async () => {
  const upstream = upstreamFor(env.TEST_UPSTREAM);
  const lost = await createSealer(["nobody has this secret any more, at all"]).seal("sk-acme");
  const tenant = await newTenant({ providers: { acme: { baseUrl: `${env.TEST_UPSTREAM}/v1`, apiKey: "sk" } } });
  await tenant.put("agents", "clerk", { kind: "model", model: `acme/${upstream.model}`, instructions: "Help." });
  await env.DB.prepare(
    "UPDATE tenants SET settings = json_set(settings, '$.providers.acme.sealedApiKey', ?) WHERE tenant_id = ?",
  )
    .bind(lost, tenant.tenantId)
    .run();
  const session = (await tenant.call("POST", "/v1/sessions", { agent: "clerk" })).body.sessionId;
  const turn = await tenant.say(session, "Hello.");
  expect(turn).toMatchObject({ status: "failed", failure: expect.stringContaining("SEALING_SECRET_PREVIOUS") });
  expect(await upstream.requests()).toEqual([]);
});
