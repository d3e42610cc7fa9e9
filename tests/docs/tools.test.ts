import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { apiDocumentOfAll } from "../../scripts/openapi-document.js";
import { readPages } from "./pages.js";

describe("a page with a receiver", () => {
  it.each([
    ["docs/tools.md", "examples/tool-receiver/receiver.mjs"],
    ["docs/webhooks.md", "examples/webhook-receiver/receiver.mjs"],
  ])("%s shows the one that its commands run", (path, file) => {
    const page = readPages().find((one) => one.path === path)?.text ?? "";
    const [, shown] = /^```js\n([\s\S]*?)^```/m.exec(page) ?? [];
    expect(shown).toBe(readFileSync(file, "utf8"));
  });
});

describe("the address of what is called, in the OpenAPI document", () => {
  it("is no URI where it may hold placeholders", async () => {
    const shape = '{"type":"object","properties":{"method":';
    const calls = JSON.stringify(apiDocumentOfAll()).split(shape).slice(1);
    const addresses = calls.map((text) => /"url":\{[^}]*\}/.exec(text)?.[0]);
    expect(new Set(addresses)).toEqual(new Set(['"url":{"type":"string","maxLength":2000}']));
  });
});
