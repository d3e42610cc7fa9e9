import { describe, expect, it } from "vitest";
import { type CallOrigin, callContext, contextValue } from "../../src/agent/call-context.js";
import { fillHeaders, fillUrl, templateKeys, templateProblem } from "../../src/agent/call-templates.js";

const origin: CallOrigin = { sessionId: "ses_1", agent: "shop", subject: "ana b", metadata: { plan: "gold", age: 40 } };
const contextOf = (key: string) => contextValue(origin, key);

describe("the placeholders of an address", () => {
  it("are filled with arguments, and with what is known of the end user", () => {
    const filled = fillUrl(
      "https://example.com/{{subject}}/{id}?age={{metadata.age}}",
      { id: "47/11", full: true },
      contextOf,
    );
    expect(filled).toEqual({ url: "https://example.com/ana%20b/47%2F11?age=40", rest: { full: true } });
  });

  it("are filled as URL parsing encodes them, too", () => {
    expect(fillUrl("https://example.com/%7B%7Bsubject%7D%7D/%7Bid%7D", { id: "1" }, contextOf).url).toBe(
      "https://example.com/ana%20b/1",
    );
  });

  it("stay text in an argument of the model's", () => {
    const filled = fillUrl("https://example.com/{id}", { id: "{{subject}}", other: "{{metadata.plan}}" }, contextOf);
    expect(decodeURIComponent(filled.url)).toBe("https://example.com/{{subject}}");
    expect(filled.rest).toEqual({ other: "{{metadata.plan}}" });
  });

  it("can't be filled where the work has no such value", () => {
    expect(() => fillUrl("https://example.com/{{metadata.tier}}", {}, contextOf)).toThrow(
      "it needs {{metadata.tier}}, and this session or run has no metadata tier",
    );
    expect(() => fillHeaders({ "x-user": "{{subject}}" }, () => undefined)).toThrow("has no subject");
  });

  it("don't lead out of the path", () => {
    expect(() => fillUrl("https://example.com/a/{id}/b", { id: ".." }, contextOf)).toThrow("dots alone");
    expect(() => fillUrl("https://example.com/a/{{subject}}/b", {}, () => "..")).toThrow("dots alone");
  });

  it("are known before they are filled", () => {
    expect(templateKeys("https://example.com/{{subject}}/{id}", "{{ metadata.plan }} {{subject}}")).toEqual([
      "subject",
      "metadata.plan",
    ]);
    expect(templateProblem("https://example.com/{{ subject }}/{id}/{{metadata.plan}}")).toBeUndefined();
    expect(templateProblem("https://example.com/{{user}}")).toContain("{{user}} is filled by nobody");
    expect(templateProblem("https://example.com/{{metadata}}")).toContain("{{metadata}} is filled by nobody");
  });
});

describe("the placeholders of a header", () => {
  it("are filled with what is known of the end user, never with an argument", () => {
    expect(fillHeaders({ "x-user": "u={{subject}}", "x-id": "{id}" }, contextOf)).toEqual({
      "x-user": "u=ana b",
      "x-id": "{id}",
    });
  });

  it("aren't filled with what would begin another header", () => {
    expect(() => fillHeaders({ "x-user": "{{metadata.plan}}" }, () => "a\r\nx-admin: 1")).toThrow("can't carry");
  });
});

describe("the context of a call", () => {
  it("has ids always, and of the end user what the resource lists", () => {
    expect(callContext(origin, [])).toEqual({ sessionId: "ses_1", agent: "shop" });
    expect(callContext(origin, ["subject", "metadata.plan", "metadata.none"])).toEqual({
      sessionId: "ses_1",
      agent: "shop",
      subject: "ana b",
      metadata: { plan: "gold" },
    });
  });

  it("has nothing that only looks like metadata", () => {
    expect(contextValue(origin, "metadata.constructor")).toBeUndefined();
  });
});
