import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPages } from "./pages.js";

describe("the page on tools", () => {
  it("shows the receiver that its commands run", () => {
    const page = readPages().find(({ path }) => path === "docs/tools.md")?.text ?? "";
    const [, shown] = /^```js\n([\s\S]*?)^```/m.exec(page) ?? [];
    expect(shown).toBe(readFileSync("examples/tool-receiver/receiver.mjs", "utf8"));
  });
});
