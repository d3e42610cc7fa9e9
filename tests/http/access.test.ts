/** People come in by Cloudflare Access: what it says is held against its team's keys, and nobody is let in who isn't invited. */
import { env, exports } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { base64Url } from "../../src/platform/bytes.js";
import { auditOf } from "../support/audit.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { upstreamFor } from "../support/upstream-client.js";

afterEach(() => {
  vi.useRealTimers();
});

const origin = "https://conclave.test";
const encode = (value: unknown): string => base64Url(new TextEncoder().encode(JSON.stringify(value)));
const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

async function newKey(kid: string) {
  const length = { modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) };
  const pair = await crypto.subtle.generateKey({ ...algorithm, ...length }, true, ["sign", "verify"]);
  if (!("publicKey" in pair)) throw new TypeError("a pair was asked for");
  const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { kid, pair, published: { kid, ...jwk, alg: "RS256", use: "sig" } };
}

/** A team whose keys are at its address, and a tenant with it before its console. */
async function team(repeat: true | 1 = true) {
  const house = upstreamFor(env.TEST_UPSTREAM);
  const key = await newKey("one");
  await house.reply({ body: { keys: [key.published] }, repeat });
  const audience = crypto.randomUUID().repeat(2).replaceAll("-", "");
  const tenant = await newTenant();
  const protect = (who: TestTenant) =>
    who.call("PATCH", "/v1/tenant", { settings: { access: { teamDomain: house.hookURL, audience } } });
  expect((await protect(tenant)).status).toBe(200);
  const email = `${crypto.randomUUID()}@example.com`;
  const { personId } = (await tenant.call("POST", "/v1/people", { name: "Ada", email, role: "operator" })).body;
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: house.hookURL, aud: [audience], email: email.toUpperCase(), exp: now + 300, nbf: now };
  const token = async (changed: object = {}, head: object = {}, { pair } = key): Promise<string> => {
    const said = `${encode({ alg: "RS256", kid: "one", ...head })}.${encode({ ...claims, ...changed })}`;
    const signature = await crypto.subtle.sign(algorithm, pair.privateKey, new TextEncoder().encode(said));
    return `${said}.${base64Url(new Uint8Array(signature))}`;
  };
  return { tenant, token, house, protect, email, personId };
}

const address = () => ({ "cf-connecting-ip": crypto.randomUUID() });

function door(token: string, headers: Record<string, string> = address()) {
  return exports.default.fetch(`${origin}/console/sign-in?to=/console/audit`, {
    headers: { "cf-access-jwt-assertion": token, ...headers },
  });
}

function enter(token: string, tenant: TestTenant, headers: Record<string, string> = {}) {
  const own = { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded", ...address() };
  return exports.default.fetch(`${origin}/console/access`, {
    method: "POST",
    redirect: "manual",
    headers: { ...own, "cf-access-jwt-assertion": token, ...headers },
    body: new URLSearchParams({ tenant: tenant.tenantId, to: "/console/people" }).toString(),
  });
}

it("somebody whom Access lets through and who is invited presses a button and is in, on record", async () => {
  const { tenant, token, house, email, personId } = await team();
  const page = await door(await token());
  expect(await page.text()).toContain(`as <bdi>${email}</bdi>`);
  expect(await house.requests()).toMatchObject([{ path: expect.stringMatching(/\/cdn-cgi\/access\/certs$/) }]);

  const entered = await enter(await token(), tenant);
  expect([entered.status, entered.headers.get("location")]).toEqual([303, "/console/people"]);
  const cookie = entered.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^__Host-conclave=/);
  const mine = await exports.default.fetch(`${origin}/console/you`, {
    headers: { cookie: cookie.split(";")[0] ?? "" },
  });
  expect(await mine.text()).toContain(email);
  expect((await tenant.call("GET", "/v1/people")).body.items).toMatchObject([{ personId, status: "active" }]);
  const rows = (await auditOf(tenant)).filter(({ type }) => type === "person.signed_in");
  expect(rows).toMatchObject([{ decision: "access", subject: { name: personId }, actor: { id: personId } }]);

  // The team's keys were asked for once.
  expect(await house.requests()).toHaveLength(1);

  // A form of another page doesn't sign anybody in.
  expect((await enter(await token(), tenant, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  await tenant.call("PATCH", `/v1/people/${personId}`, { status: "suspended" });
  expect((await enter(await token(), tenant)).status).toBe(401);
  expect(await (await door(await token())).text()).toContain("suspended");
});

it("nothing else lets in: another's signature, algorithm, issuer, audience or time, a stranger, a program, another tenant", async () => {
  const { tenant, token, email, protect, personId } = await team();
  const foreign = await newKey("one");
  const past = Math.floor(Date.now() / 1_000) - 3_600;
  const wrong: Readonly<Record<string, string>> = {
    signature: await token({}, {}, foreign),
    "another key": await token({}, { kid: "two" }),
    "no algorithm": await token({}, { alg: "none" }),
    "a secret's algorithm": await token({}, { alg: "HS256" }),
    issuer: await token({ iss: "https://evil.cloudflareaccess.com" }),
    audience: await token({ aud: [crypto.randomUUID().repeat(2)] }),
    expired: await token({ exp: past }),
    "not yet": await token({ nbf: past + 7_200 }),
    stranger: await token({ email: "mallory@example.com" }),
    program: await token({ email: undefined, common_name: "robot.access" }),
    "no token": "a.b.c",
    "no signature": (await token()).replace(/\.[^.]*$/, "."),
  };
  for (const [what, sent] of Object.entries(wrong)) {
    const answer = await enter(sent, tenant);
    expect([what, answer.status, answer.headers.get("set-cookie")]).toEqual([what, 401, null]);
    const page = await door(sent);
    expect([what, page.status, (await page.text()).includes(`as <bdi>${email}`)]).toEqual([what, 401, false]);
  }
  const refused = (await auditOf(tenant)).filter(({ type }) => type === "person.refused");
  expect(refused[0]).toMatchObject({ decision: "access", reasons: ["expired"], subject: { name: personId } });
  // What nobody signed stands against nobody, and doesn't tell who is invited.
  expect(refused.flatMap(({ reasons }) => reasons)).not.toContain("signature");
  const [invited, stranger] = [
    await door(wrong.signature ?? ""),
    await door(await token({ email: "m@x.example" }, {}, foreign)),
  ];
  const said = async (page: Response) => (await page.text()).replace(/name="challenge" value="[^"]*"/, "");
  expect(await said(invited)).toBe(await said(stranger));

  // Another tenant that names the same application has its own people alone, and each has its own button.
  const other = await newTenant();
  await protect(other);
  expect((await enter(await token(), other)).status).toBe(401);
  await other.call("POST", "/v1/people", { name: "Ada", email, role: "reviewer" });
  expect((await (await door(await token())).text()).split(`as <bdi>${email}`)).toHaveLength(3);
  expect((await enter(await token(), other)).status).toBe(303);

  // Taken away, it counts for nothing.
  await tenant.call("PATCH", "/v1/tenant", { settings: { access: null } });
  expect((await enter(await token(), tenant)).status).toBe(401);
});

it("who guesses is slowed; keys that don't come let nobody in, and nobody is blamed for it", async () => {
  const { tenant, token } = await team();
  const headers = address();
  const stranger = await token({ email: "mallory@example.com" });
  const statuses = [];
  for (let tries = 0; tries < 6; tries++) statuses.push((await door(stranger, headers)).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  // Who is right comes in all the same.
  expect((await enter(await token(), tenant, headers)).status).toBe(303);

  const silent = upstreamFor(env.TEST_UPSTREAM);
  await silent.reply({ status: 500, body: "down", repeat: true });
  const audience = crypto.randomUUID();
  await tenant.call("PATCH", "/v1/tenant", { settings: { access: { teamDomain: silent.hookURL, audience } } });
  const answer = await enter(await token({ iss: silent.hookURL, aud: audience }), tenant);
  expect([answer.status, answer.headers.get("set-cookie")]).toEqual([503, null]);
});

it("a key that the team has exchanged counts half a minute later at the latest, and unknown ones aren't asked for again and again", async () => {
  const { tenant, token, house } = await team(1);
  expect((await enter(await token(), tenant)).status).toBe(303);
  const next = await newKey("two");
  const byNext = () => token({}, { kid: "two" }, next);
  for (let tries = 0; tries < 3; tries++) expect((await enter(await byNext(), tenant)).status).toBe(401);
  expect(await house.requests()).toHaveLength(1);
  await house.reply({ body: { keys: [next.published] }, repeat: true });
  vi.setSystemTime(Date.now() + 31_000);
  expect((await enter(await byNext(), tenant)).status).toBe(303);
  expect((await enter(await token(), tenant)).status).toBe(401);
  expect(await house.requests()).toHaveLength(2);
});

it("settings take a team's domain and an application's tag, and nothing else", async () => {
  const tenant = await newTenant();
  for (const access of [{ teamDomain: "acme.cloudflareaccess.com" }, { teamDomain: "a b", audience: "x".repeat(64) }])
    expect(await tenant.call("PATCH", "/v1/tenant", { settings: { access } })).toMatchObject({ status: 422 });
  const access = { teamDomain: "acme.cloudflareaccess.com", audience: "f".repeat(64) };
  await tenant.call("PATCH", "/v1/tenant", { settings: { access } });
  expect((await tenant.call("GET", "/v1/tenant")).body.settings.access).toEqual(access);
});
