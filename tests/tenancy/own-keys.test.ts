import { expect, it } from "vitest";
import { type Actor, ownKey, tokenIdOf } from "../../src/tenancy/actor.js";

const user = (subject: string): Actor => ({
  tenantId: "ten_1",
  kind: "token",
  id: tokenIdOf(subject),
  role: "user",
  subject,
});

it("no key of one sender is another's, however subjects and keys are spelled", () => {
  const subjects = ["ann", "ann b", "ann b c", "b"];
  const keys = ["k", "b k", "c k", "b c k", " k", "k "];
  const own = subjects.flatMap((subject) => keys.map((key) => ownKey(user(subject), key)));
  expect(new Set(own).size).toBe(own.length);
  // As it was stored before.
  expect(ownKey(user("ann b"), "order:7/a%b")).toBe("token tok:ann b order:7/a%b");
});
