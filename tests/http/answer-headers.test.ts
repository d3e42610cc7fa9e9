/** What stands on every answer stands there once, whatever made the answer. */
import { expect, it } from "vitest";
import { newTenant, send } from "../support/conclave.js";

it("every kind of answer of the API has its request's id, keeps browsers careful and says that it differs by origin", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  const page = "https://headers.example";
  await tenant.call("PATCH", "/v1/tenant", { settings: { corsOrigins: [page] } });
  const session = await tenant.session();
  const asPage = { origin: page };
  const mine = { key: tenant.key, headers: { origin: page, "x-request-id": "req_of-the-caller" } };
  const asks = { ...asPage, "access-control-request-method": "POST" };
  const answers = {
    "an object": await send("GET", `/v1/sessions/${session}`, mine),
    "no body": await send("DELETE", `/v1/sessions/${session}`, mine),
    "a refusal": await send("GET", "/v1/sessions/ses_absent", mine),
    "a wrong method": await send("PATCH", "/v1/sessions", mine),
    "a stream": await send("GET", `/v1/sessions/${await tenant.session()}/events`, {
      ...mine,
      headers: { ...mine.headers, accept: "text/event-stream" },
    }),
    "another face": await send("GET", "/mcp", mine),
    "nobody's key": await send("GET", "/v1/sessions", { headers: mine.headers }),
    "a preflight": await send("OPTIONS", "/v1/sessions", { headers: { ...asks, "x-request-id": "req_of-the-caller" } }),
  };
  for (const [what, { headers, body }] of Object.entries(answers)) {
    const seen = ["x-request-id", "x-content-type-options", "cache-control", "vary", "access-control-allow-origin"];
    expect([what, ...seen.map((name) => headers.get(name))]).toEqual([
      what,
      "req_of-the-caller",
      "nosniff",
      "no-store",
      "Origin",
      page,
    ]);
    await body?.cancel();
  }
});

it("a page that everybody reads may be kept, and differs by no origin", async () => {
  const { headers } = await send("GET", "/docs/errors");
  expect([headers.get("x-content-type-options"), headers.get("cache-control")]).toEqual(["nosniff", null]);
  expect(headers.get("vary")).not.toContain("Origin");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect((await send("GET", "/docs")).headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
});
