import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { createTokenSigner } from "../../src/platform/token-signer.js";
import { newWebhookSecret, signWebhook, verifyWebhook } from "../../src/platform/webhook-signature.js";

const body = JSON.stringify({ text: "Grüße, 你好" });

describe("a signed request", () => {
  it.each([
    ["a secret of ours", newWebhookSecret(), (secret: string) => new Webhook(secret)],
    ["any other text", "a secret of the tenant's own", (secret: string) => new Webhook(secret, { format: "raw" })],
  ])("is verified by the public library, with %s", async (_what, secret, verifier) => {
    const headers = await signWebhook({ id: "call_1", at: Date.now(), body }, [secret]);
    expect(verifier(secret).verify(body, { ...headers })).toEqual(JSON.parse(body));
    expect(() => verifier(secret).verify(`${body} `, { ...headers })).toThrow();
  });

  it("verifies with either secret while one is exchanged for another", async () => {
    const [old, next] = [newWebhookSecret(), newWebhookSecret()];
    const headers = await signWebhook({ id: "call_1", at: Date.now(), body }, [next, old]);
    for (const secret of [old, next]) expect(() => new Webhook(secret).verify(body, { ...headers })).not.toThrow();
  });

  it("that the public library signed is accepted, and only as it was sent, in time, with the right secret", async () => {
    const secret = newWebhookSecret();
    const at = new Date("2026-11-22T10:00:00Z");
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(at.getTime() / 1_000),
      "webhook-signature": new Webhook(secret).sign("msg_1", at, body),
    };
    const verify = (change: object, text = body, now = at.getTime(), secrets = [secret]) =>
      verifyWebhook({ ...headers, ...change }, text, secrets, now);
    expect(await verify({})).toBe(true);
    expect(await verify({}, `${body}.`)).toBe(false);
    expect(await verify({ "webhook-id": "msg_2" })).toBe(false);
    expect(await verify({ "webhook-timestamp": "1" })).toBe(false);
    expect(await verify({ "webhook-signature": "v1,AAAA v2,x nonsense" })).toBe(false);
    expect(await verify({ "webhook-signature": undefined })).toBe(false);
    expect(await verify({}, body, at.getTime() + 301_000)).toBe(false);
    expect(await verify({}, body, at.getTime() - 301_000)).toBe(false);
    expect(await verify({}, body, at.getTime(), [newWebhookSecret()])).toBe(false);
  });
});

describe("a signed token", () => {
  const claims = { tenantId: "ten_1", subject: "ana", mintedBy: "key_1", issuedAt: 1, expiresAt: 2 };

  it("says what was signed, to who knows the secret", async () => {
    const token = await createTokenSigner(["one"]).sign(claims);
    expect(await createTokenSigner(["one"]).read(token)).toEqual(claims);
    expect(await createTokenSigner(["two"]).read(token)).toBeUndefined();
  });

  it("says nothing once a character of it is another", async () => {
    const signer = createTokenSigner(["one"]);
    const token = await signer.sign(claims);
    for (let at = 4; at < token.length - 1; at += 7) {
      const other = token[at] === "A" ? "B" : "A";
      expect(await signer.read(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
    }
    for (const text of ["", "cnt_", "cnt_e30.", "cnk_1_2", `${token}=`])
      expect(await signer.read(text)).toBeUndefined();
  });
});
