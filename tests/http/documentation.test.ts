/** Who reads the documentation: everybody, or with `DOCUMENTATION = "keys"` whoever the API lets in. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { z } from "zod";
import { composeServices } from "../../src/composition/services.js";
import { faces } from "../../src/faces.js";
import { openOnDemand } from "../../src/http/app.js";
import { newTenant } from "../support/conclave.js";

const fetchWorker = openOnDemand(composeServices, faces);
const closed: Env = { ...env, DOCUMENTATION: "keys" };
const paths = ["/docs", "/docs/sessions", "/docs/no-such-page", "/openapi.json", "/schemas/agents.json"];

async function read(path: string, presented: string | undefined, deployment: Env): Promise<Response> {
  const headers = presented === undefined ? {} : { authorization: `Bearer ${presented}` };
  const context = createExecutionContext();
  const answer = await fetchWorker(new Request(`https://conclave.test${path}`, { headers }), deployment, context);
  await waitOnExecutionContext(context);
  return answer;
}

it("is everybody's where the deployment says nothing else", async () => {
  for (const path of paths.filter((path) => path !== "/docs/no-such-page")) {
    expect((await read(path, undefined, env)).status, path).toBe(200);
  }
  expect((await read("/openapi.json", undefined, env)).headers.get("cache-control")).toBe("public, max-age=300");
});

it("is for those alone whom the API lets in, where it says keys", async () => {
  for (const path of paths) {
    for (const presented of [undefined, "cnk_nobodys", "cnt_nobodys", "a guess"]) {
      const refused = await read(path, presented, closed);
      expect(refused.status, `${path} with ${presented}`).toBe(401);
      expect(await refused.json()).toMatchObject({ code: "unauthorized" });
    }
  }
});

it("is read by a key, a token and the deployment's secret, and kept in no cache that others share", async () => {
  const tenant = await newTenant();
  const minted = await tenant.call("POST", "/v1/tokens", { subject: "ann" });
  const { token } = z.object({ token: z.string() }).parse(minted.body);
  for (const presented of [tenant.key, token, env.ADMIN_SECRET]) {
    for (const path of paths) {
      expect((await read(path, presented, closed)).status, path).toBe(path.endsWith("no-such-page") ? 404 : 200);
    }
    expect((await read("/openapi.json", presented, closed)).headers.get("cache-control")).toBe("private, max-age=300");
  }
});
