import { describe, expect, it } from "vitest";
import { actions, strictest } from "../../src/supervision/verdict.js";

describe("verdicts", () => {
  it("grow in strictness: allow, modify, review, block", () => {
    expect(actions).toEqual(["allow", "modify", "review", "block"]);
  });

  it("combine to the strictest: in any order, however grouped, and nothing said is allow", () => {
    expect(strictest()).toBe("allow");
    for (const a of actions) {
      expect(strictest(a, a)).toBe(a);
      expect(strictest("allow", a)).toBe(a);
      expect(strictest(a, "block")).toBe("block");
      for (const b of actions) {
        expect(strictest(a, b)).toBe(strictest(b, a));
        for (const c of actions) expect(strictest(strictest(a, b), c)).toBe(strictest(a, strictest(b, c)));
      }
    }
  });
});
