import { expect, it } from "vitest";
import { equalDigests, sha256Hex } from "../../src/platform/digest.js";

it("digests are equal where every character is, and of the same length only", async () => {
  const digest = await sha256Hex("a secret");
  expect(equalDigests(digest, await sha256Hex("a secret"))).toBe(true);
  expect(equalDigests(digest, await sha256Hex("a Secret"))).toBe(false);
  expect(equalDigests(digest, `${digest.slice(0, -1)}${digest.endsWith("0") ? "1" : "0"}`)).toBe(false);
  expect(equalDigests(digest, digest.slice(1))).toBe(false);
  expect(equalDigests(digest, "")).toBe(false);
});
