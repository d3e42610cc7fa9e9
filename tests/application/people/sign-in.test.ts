/** How people come in, and how nobody else does. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { newChallenge } from "../../../src/application/people/challenges.js";
import {
  addOwnPasskey,
  deleteOwnPasskey,
  listOwnPasskeys,
  signOut,
} from "../../../src/application/people/own-sign-in.js";
import {
  authenticateSession,
  passkeyChallenge,
  type SignedIn,
  signInByLink,
  signInByPasskey,
} from "../../../src/application/people/sign-in.js";
import { composeServices } from "../../../src/composition/services.js";
import { attempt } from "../../../src/conversation/problem.js";
import { auditOf } from "../../support/audit.js";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { newPasskey, type TestPasskey } from "../../support/passkey.js";

const origin = "https://conclave.test";
const at = { origin, host: "conclave.test" };
const services = composeServices(env, { origin });
const minutes = 60_000;
const hours = 60 * minutes;
/** Nobody has tried from there before. */
const elsewhere = (): string => crypto.randomUUID();

afterEach(() => void vi.useRealTimers());

interface Invited {
  readonly tenant: TestTenant;
  readonly personId: string;
  readonly code: string;
}

async function invited(role = "reviewer"): Promise<Invited> {
  const tenant = await newTenant();
  const { body } = await tenant.call("POST", "/v1/people", { name: "Ada", email: "ada@example.com", role });
  return { tenant, personId: body.personId, code: body.link.split("#")[1] };
}

async function come(code: string): Promise<string> {
  return signInByLink(code, elsewhere(), services);
}

async function signedIn(secret: string): Promise<SignedIn> {
  const found = await authenticateSession(secret, services);
  if (found === undefined) throw new Error("Nobody is signed in.");
  return found;
}

/** What a refusal says. */
async function refusal(trying: Promise<unknown>): Promise<[string, string]> {
  const done = await attempt(() => trying);
  if (done.ok) throw new Error("It was let in.");
  return [done.problem.code, done.problem.detail];
}

describe("a link", () => {
  it("signs its holder in once, under their own name", async () => {
    const { tenant, personId, code } = await invited();
    const { actor, name, role } = await signedIn(await come(code));
    expect([name, role]).toEqual(["Ada", "reviewer"]);
    expect(actor).toMatchObject({ tenantId: tenant.tenantId, kind: "person", id: personId, role: "reviewer" });
    expect((await tenant.call("GET", "/v1/people")).body.items).toMatchObject([
      { status: "active", lastSeenAt: expect.any(String) },
    ]);

    expect(await refusal(come(code))).toEqual(["unauthorized", "used"]);
    expect((await auditOf(tenant)).slice(-2)).toMatchObject([
      { type: "person.signed_in", decision: "link", actor: { kind: "person", id: personId } },
      { type: "person.refused", decision: "link", reasons: ["used"], subject: { kind: "people", name: personId } },
    ]);
  });

  it("lets one in where two press at the same time", async () => {
    const { code } = await invited();
    const tries = await Promise.all([attempt(() => come(code)), attempt(() => come(code))]);
    expect(tries.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it("counts 72 hours, not for somebody suspended, and not beside a newer one", async () => {
    const late = await invited();
    vi.setSystemTime(Date.now() + 72 * hours);
    expect(await refusal(come(late.code))).toEqual(["unauthorized", "expired"]);
    vi.useRealTimers();
    const { tenant, personId, code } = await invited();
    await tenant.call("POST", `/v1/people/${personId}/invitations`);
    expect(await refusal(come(code))).toEqual(["unauthorized", "unknown"]);
  });

  it("is slow to guess: the sixth of a minute is a 429, and what is right is let in all the same", async () => {
    const { code } = await invited();
    const guesser = elsewhere();
    const answers: string[] = [];
    for (let n = 0; n < 6; n++) answers.push((await refusal(signInByLink(`guess-${n}`, guesser, services)))[0]);
    expect(answers).toEqual([...Array(5).fill("unauthorized"), "too_many_requests"]);
    await signedIn(await signInByLink(code, guesser, services));
  });
});

describe("a session", () => {
  it("ends after 12 hours without a page, after 7 days, and with its person, their suspension, an admin's wish and signing out", async () => {
    const one = await come((await invited()).code);
    vi.setSystemTime(Date.now() + 12 * hours);
    expect(await authenticateSession(one, services)).toBeUndefined();
    vi.useRealTimers();

    const busy = await come((await invited()).code);
    const start = Date.now();
    for (let hour = 11; hour < 168; hour += 11) {
      vi.setSystemTime(start + hour * hours);
      await signedIn(busy);
    }
    vi.setSystemTime(start + 168 * hours);
    expect(await authenticateSession(busy, services)).toBeUndefined();
    vi.useRealTimers();

    const ends: ((who: Invited, session: SignedIn) => Promise<unknown>)[] = [
      ({ tenant, personId }) => tenant.call("DELETE", `/v1/people/${personId}`),
      ({ tenant, personId }) => tenant.call("DELETE", `/v1/people/${personId}/sessions`),
      ({ tenant, personId }) => tenant.call("PATCH", `/v1/people/${personId}`, { status: "suspended" }),
      (_who, { actor, sessionHash }) => signOut(actor, { sessionHash }, services),
    ];
    for (const end of ends) {
      const who = await invited();
      const secret = await come(who.code);
      await end(who, await signedIn(secret));
      expect(await authenticateSession(secret, services)).toBeUndefined();
    }
  });

  it("has a changed role from the next page on", async () => {
    const { tenant, personId, code } = await invited("admin");
    const secret = await come(code);
    await tenant.call("PATCH", `/v1/people/${personId}`, { role: "reviewer" });
    expect((await signedIn(secret)).actor.role).toBe("reviewer");
  });
});

describe("a passkey", () => {
  async function withPasskey(): Promise<Invited & { readonly passkey: TestPasskey; readonly session: SignedIn }> {
    const who = await invited();
    const session = await signedIn(await come(who.code));
    const passkey = await newPasskey();
    await add(session, passkey);
    return { ...who, passkey, session };
  }

  async function add({ actor }: SignedIn, passkey: TestPasskey, page = {}, purpose = `add ${actor.id}`): Promise<void> {
    const challenge = await newChallenge(purpose, services);
    const { perform } = readOf(addOwnPasskey, { passkey: await passkey.created(challenge, page), at });
    await perform(actor, services);
  }

  function readOf(one: typeof addOwnPasskey, sent: unknown) {
    const read = one.read(sent);
    if (!read.ok) throw read.error;
    return read;
  }

  async function present(passkey: TestPasskey, page = {}, challenge?: string): Promise<string> {
    const sent = await passkey.asserted(challenge ?? (await passkeyChallenge(services)), page);
    return signInByPasskey(sent, { address: elsewhere(), at }, services);
  }

  it("is added by who is signed in, lets them in again, and can be taken away", async () => {
    const { passkey, personId, session } = await withPasskey();
    expect((await signedIn(await present(passkey))).actor.id).toBe(personId);
    const { items } = await listOwnPasskeys(session.actor, {}, services);
    expect(items).toMatchObject([
      { credentialId: passkey.credentialId, label: "Test", lastUsedAt: expect.any(String) },
    ]);
    await deleteOwnPasskey(session.actor, { credentialId: passkey.credentialId }, services);
    expect(await refusal(present(passkey))).toEqual(["unauthorized", "unknown"]);
  });

  it.each([
    ["another page's origin", { origin: "https://evil.test", host: "conclave.test" }],
    ["another host", { host: "evil.test" }],
    ["a device that didn't look who it was", { flags: 1 }],
  ])("isn't taken from %s, neither new nor to sign in", async (_what, page) => {
    const { tenant, passkey, session } = await withPasskey();
    expect(await refusal(present(passkey, page))).toEqual(["unauthorized", "signature"]);
    expect((await auditOf(tenant)).at(-1)).toMatchObject({ type: "person.refused", reasons: ["signature"] });
    expect((await refusal(add(session, await newPasskey(), page)))[0]).toBe("invalid");
  });

  it("answers a question once, within five minutes, and the one that it was asked", async () => {
    const { passkey, session } = await withPasskey();
    const challenge = await passkeyChallenge(services);
    await present(passkey, {}, challenge);
    expect(await refusal(present(passkey, {}, challenge))).toEqual(["unauthorized", "used"]);
    const late = await passkeyChallenge(services);
    vi.setSystemTime(Date.now() + 5 * minutes);
    expect(await refusal(present(passkey, {}, late))).toEqual(["unauthorized", "expired"]);
    vi.useRealTimers();
    const toAdd = await newChallenge(`add ${session.actor.id}`, services);
    expect(await refusal(present(passkey, {}, toAdd))).toEqual(["unauthorized", "expired"]);
    expect(await refusal(present(passkey, {}, "made up"))).toEqual(["unauthorized", "expired"]);
    expect((await refusal(add(session, await newPasskey(), {}, "sign in")))[0]).toBe("invalid");
  });

  it("with another's signature, or a count that doesn't grow, isn't taken", async () => {
    const { passkey } = await withPasskey();
    const challenge = await passkeyChallenge(services);
    const forged = { ...(await (await newPasskey()).asserted(challenge)), credentialId: passkey.credentialId };
    const from = { address: elsewhere(), at };
    expect(await refusal(signInByPasskey(forged, from, services))).toEqual(["unauthorized", "signature"]);
    await present(passkey, { count: 7 });
    expect(await refusal(present(passkey, { count: 7 }))).toEqual(["unauthorized", "count"]);
    expect(await refusal(present(passkey, { count: 0 }))).toEqual(["unauthorized", "count"]);
    await present(passkey, { count: 8 });
  });

  it("of somebody suspended isn't taken", async () => {
    const { tenant, personId, passkey } = await withPasskey();
    await tenant.call("PATCH", `/v1/people/${personId}`, { status: "suspended" });
    expect(await refusal(present(passkey))).toEqual(["unauthorized", "suspended"]);
  });
});
