import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { apiDocumentOfAll } from "../../scripts/openapi-document.js";
import { readPages } from "./pages.js";

describe("the page on tools", () => {
  it("shows the receiver that its commands run", () => {
    const page = readPages().find(({ path }) => path === "docs/tools.md")?.text ?? "";
    const [, shown] = /^```js\n([\s\S]*?)^```/m.exec(page) ?? [];
    expect(shown).toBe(readFileSync("examples/tool-receiver/receiver.mjs", "utf8"));
  });
});

describe("the address of what is called, in the OpenAPI document", () => {
  it("is no URI where it may hold placeholders", async () => {
    const shape = '{"type":"object","properties":{"method":';
    const calls = JSON.stringify(await apiDocumentOfAll())
      .split(shape)
      .slice(1);
    const addresses = calls.map((text) => /"url":\{[^}]*\}/.exec(text)?.[0]);
    expect(new Set(addresses)).toEqual(new Set(['"url":{"type":"string","maxLength":2000}']));
  });
});
