import { describe, expect, it } from "vitest";
import { newTokenSchema, tokenClaims, tokenCounts } from "../../src/tenancy/user-token.js";

const now = Date.parse("2026-11-22T10:00:00.400Z");
const minter = { tenantId: "ten_1", keyId: "key_1" };
const claims = tokenClaims(newTokenSchema.parse({ subject: "ana", expiresInSeconds: 60 }), minter, now);

describe("a token of an end user", () => {
  it("says for whom it is, who minted it, and until when it counts", () => {
    expect(claims).toEqual({
      subject: "ana",
      tenantId: "ten_1",
      mintedBy: "key_1",
      issuedAt: Math.floor(now / 1_000),
      expiresAt: Math.floor(now / 1_000) + 60,
    });
  });

  it("counts until it expires, and not at that moment any more", () => {
    expect(tokenCounts(claims, claims.expiresAt * 1_000 - 1, undefined)).toBe(true);
    expect(tokenCounts(claims, claims.expiresAt * 1_000, undefined)).toBe(false);
  });

  it("doesn't count once its subject is revoked, not even one minted in that very second; a later one does", () => {
    expect(tokenCounts(claims, now + 1, now - 5_000)).toBe(true);
    expect(tokenCounts(claims, now + 1, now + 1)).toBe(false);
    const later = tokenClaims(newTokenSchema.parse({ subject: "ana" }), minter, now + 1_000);
    expect(tokenCounts(later, now + 2_000, now + 1)).toBe(true);
  });

  it.each([
    ["an hour and a second", { subject: "ana", expiresInSeconds: 3_601 }],
    ["no subject", { subject: "" }],
    ["a subject that a header couldn't carry", { subject: "ana\n" }],
    ["a subject that no address could name, to revoke it", { subject: ".." }],
    ["no agent at all", { subject: "ana", agents: [] }],
    ["what isn't known", { subject: "ana", role: "admin" }],
  ])("isn't minted for %s", (_what, request) => {
    expect(newTokenSchema.safeParse(request).success).toBe(false);
  });
});
