import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { hmacSha256Hex } from "../../../src/platform/digest.js";
import { newTenant } from "../../support/conclave.js";
import { upstreamFor } from "../../support/upstream-client.js";

describe("supervisors that ask elsewhere", () => {
  it("http: signed, so that the endpoint can tell who asks", async () => {
    const tenant = await newTenant();
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    const secret = "a-secret-of-ours";
    await tenant.put("supervisors", "endpoint", {
      kind: "http",
      hooks: ["request"],
      config: { url: endpoint.hookURL, secret },
    });
    const model = await tenant.agent("assistant", { supervisors: ["endpoint"] });
    await endpoint.reply(
      { body: { action: "modify", content: "Hi.", reasons: ["shorter"] } },
      { status: 500, body: {} },
    );
    await model.reply({ text: "Hello.", repeat: 2 });
    const session = await tenant.session();
    expect((await tenant.say(session, "Good morning.")).message).toMatchObject({ content: "Hi." });
    expect((await tenant.say(session, "Hm.")).supervision.degraded).toEqual(["endpoint"]);

    const [seen] = await endpoint.requests();
    const body = JSON.stringify(seen?.body);
    const { "conclave-timestamp": timestamp, "conclave-signature": signature } = seen?.headers ?? {};
    expect(signature).toBe(`v1=${await hmacSha256Hex(secret, `${timestamp}.${body}`)}`);
    const shown = await tenant.call("GET", "/v1/supervisors/endpoint");
    expect(shown.body.config).toEqual({ url: endpoint.hookURL, secret: "[hidden]" });
    expect(JSON.stringify((await tenant.call("GET", "/v1/supervisors")).body)).not.toContain(secret);
  });

  it("http: not at private addresses", async () => {
    const tenant = await newTenant();
    for (const url of [
      "http://example.com/x",
      "https://10.0.0.1/",
      "https://169.254.169.254/latest",
      "https://[fd00::1]/",
    ]) {
      const refused = await tenant.call("PUT", "/v1/supervisors/endpoint", {
        kind: "http",
        hooks: ["request"],
        config: { url, secret: "12345678" },
      });
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: "config.url" }] } });
    }
  });

  it("moderation: an OpenAI-compatible endpoint, with thresholds", async () => {
    const tenant = await newTenant();
    const shield = upstreamFor(env.TEST_UPSTREAM);
    await tenant.put("supervisors", "shield", {
      kind: "moderation",
      hooks: ["request"],
      config: { model: `openai/${shield.model}`, thresholds: { violence: 0.2 } },
    });
    await tenant.agent("assistant", { supervisors: ["shield"] });
    await shield.reply({
      body: { results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.5 } }] },
    });
    const turn = await tenant.say(await tenant.session(), "I'll hit you.");
    expect(turn).toMatchObject({
      status: "blocked",
      supervision: { request: { reasons: ["moderation: violence (0.50, from 0.2 on)"] } },
    });
    expect((await shield.requests())[0]).toMatchObject({ path: "/v1/moderations", body: { input: ["I'll hit you."] } });
  });
});
