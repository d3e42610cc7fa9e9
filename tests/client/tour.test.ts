/** The client within a Worker, as one that calls Conclave has it. */
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { tour, toured } from "../support/client-tour.js";
import { newTenant } from "../support/conclave.js";

it("goes through in a Worker", async () => {
  const tenant = await newTenant();
  await tenant.put("agents", "plain", { kind: "model", model: "offline", instructions: "Help." });
  const options = {
    baseUrl: "https://conclave.test",
    token: tenant.key,
    fetch: (input: RequestInfo | URL, init?: RequestInit) => exports.default.fetch(new Request(input, init)),
  };
  expect(await tour(options, "plain")).toEqual(toured);
});
