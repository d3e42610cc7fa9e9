/** A tenant's settings, changed by several at once. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";

it("changes at the same time all hold: one that takes a right from clients isn't undone by another of something else", async () => {
  const tenant = await newTenant({ clientMay: ["deleteSession"], embeddings: { provider: "openai", model: "small" } });
  const provider = { baseUrl: "https://models.example/v1", apiKey: "sk-1" };
  const changes = [
    { settings: { clientMay: [] } },
    { settings: { strict: true } },
    { settings: { corsOrigins: ["https://app.example"] } },
    { settings: { embeddings: null } },
    { settings: { providers: { acme: provider } } },
    { settings: { reviews: { audience: "user", timeoutMs: 5_000 } } },
    { name: "renamed" },
  ];
  const answers = await Promise.all(changes.map((change) => tenant.call("PATCH", "/v1/tenant", change)));
  expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));

  const { name, settings } = (await tenant.call("GET", "/v1/tenant")).body;
  expect(name).toBe("renamed");
  expect(settings).toMatchObject({
    clientMay: [],
    strict: true,
    corsOrigins: ["https://app.example"],
    providers: { acme: { baseUrl: provider.baseUrl } },
    reviews: { audience: "user", timeoutMs: 5_000 },
  });
  expect(settings).not.toHaveProperty("embeddings");
});

it("a change keeps what is set, the keys of providers too, and replaces a setting as a whole", async () => {
  const provider = { baseUrl: "https://models.example/v1", apiKey: "sk-1" };
  const tenant = await newTenant({ providers: { acme: provider }, supervisors: ["a"], strict: true });
  const sealedKey = async () => {
    const row = await env.DB.prepare("SELECT settings FROM tenants WHERE tenant_id = ?").bind(tenant.tenantId).first();
    return JSON.parse(String(row?.settings)).providers?.acme?.sealedApiKey;
  };
  const before = await sealedKey();
  await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["b"] } });
  expect(await sealedKey()).toBe(before);
  expect((await tenant.call("GET", "/v1/tenant")).body.settings).toMatchObject({ strict: true, supervisors: ["b"] });
  await tenant.call("PATCH", "/v1/tenant", { settings: { providers: { other: provider } } });
  expect((await tenant.call("GET", "/v1/tenant")).body.settings.providers).toEqual({
    other: { baseUrl: provider.baseUrl },
  });
});
