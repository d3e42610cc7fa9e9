/** Examples of tenants, keys, resources and the system itself, by the name of the shape or the operation. */
import { type ResourceKind, resourceKinds, resourceNouns, resourceSchemas } from "../../../tenancy/resources.js";
import { settingsSchema } from "../../../tenancy/tenant.js";

const tenantId = "ten_01m817hww1q09m40a5mj0x2bs9";
const keyId = "key_01m817hww1q09m40a5mj0x2bsa";
const key = "cnk_…";
const settings = { strict: true, supervisors: ["privacy"] };
const at = "2026-11-22T09:30:00.000Z";

const item = { text: "Goods can be returned within 30 days.", include: "auto" };

const resources: Readonly<Record<ResourceKind, { readonly name: string; readonly body: object }>> = {
  agents: {
    name: "clerk",
    body: {
      kind: "model",
      model: ["openai/gpt-5", "offline"],
      instructions: "You are the clerk of a shop.",
      references: ["returns"],
      supervisors: ["privacy"],
    },
  },
  supervisors: {
    name: "privacy",
    body: {
      kind: "rules",
      hooks: ["request", "response"],
      config: { rules: [{ match: { type: "personalData" }, action: "redact", reason: "It held personal data." }] },
    },
  },
  rules: { name: "politeness", body: item },
  references: { name: "returns", body: item },
  tools: {
    name: "orders",
    body: {
      server: "shop",
      description: "Looks up an order by its number.",
      parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
      http: { method: "GET", url: "https://shop.example/orders" },
    },
  },
  prompts: { name: "summary", body: { text: "Say in one sentence what the message states." } },
  teams: {
    name: "support",
    body: {
      supervisor: { strategy: "skill-based" },
      workers: [
        {
          id: "billing",
          description: "Answers questions about invoices.",
          capabilities: { skills: ["invoices"] },
          model: "default",
        },
      ],
    },
  },
};

/** `Agent`, as it is written, and `StoredAgent`, as it is read, of each kind. */
const resourceExamples = Object.fromEntries(
  resourceKinds.flatMap((kind) => {
    const { name, body } = resources[kind];
    const one = resourceNouns[kind];
    const noun = one.slice(0, 1).toUpperCase() + one.slice(1);
    return [
      [`put${noun} request`, body],
      // What is read has the defaults too.
      [`Stored${noun}`, { name, version: 1, updatedAt: at, ...resourceSchemas[kind].parse(body) }],
    ];
  }),
);

export const tenantExamples: Readonly<Record<string, unknown>> = {
  "getHealth 200": { status: "ok", version: "0.1.0", environment: "production", checks: { database: "ok" } },
  "getHealth 503": {
    status: "unavailable",
    version: "0.1.0",
    environment: "production",
    checks: { database: "failed" },
  },
  "getOpenApiDocument 200": { openapi: "3.1.0", info: { title: "Conclave", version: "0.1.0" }, paths: {} },
  "getReferencePage 200": "<!doctype html>",
  "getDocumentationPage 200 text/html": "<!doctype html>",
  "getDocumentationPage 200 text/markdown": "# Errors\n",
  NewTenant: { name: "A shop", settings },
  "createAdminTenant 201": { tenantId, key },
  "updateAdminTenant request": { settings: { strict: false } },
  Tenant: {
    tenantId,
    name: "A shop",
    settings: settingsSchema.parse(settings),
    createdAt: at,
  },
  NewKey: { role: "client", label: "The web shop" },
  "createAdminTenantKey 201": { keyId, key, role: "client" },
  Key: { keyId, role: "client", label: "The web shop", createdAt: at },
  ...resourceExamples,
};
