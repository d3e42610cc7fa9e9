/** Examples of tenants, keys, resources and the system itself, by the name of the shape or the operation. */
import { type AuditEntry, auditColumns, csvLine } from "../../../tenancy/audit.js";
import { type ResourceKind, resourceKinds, resourceNouns, resourceSchemas } from "../../../tenancy/resources.js";
import { settingsSchema } from "../../../tenancy/tenant.js";

const tenantId = "ten_01m817hww1q09m40a5mj0x2bs9";
const keyId = "key_01m817hww1q09m40a5mj0x2bsa";
const key = "cnk_…";
const settings = { strict: true, supervisors: ["privacy"] };
const at = "2026-11-22T09:30:00.000Z";

const keyMade = { keyId, key, role: "client" };
const keyCreated: AuditEntry = {
  ...{ at, type: "key.created", decision: "created", reasons: [] },
  actor: { kind: "key", id: "key_01m817hww1q09m40a5mj0x2bsb", role: "admin" },
  subject: { kind: "keys", name: keyId, keyRole: "client", keyLabel: "The web shop" },
};
const webhookChanged: AuditEntry = {
  ...{ at, type: "webhook.stored", decision: "changed", reasons: [] },
  actor: { kind: "key", id: keyId, role: "operator" },
  subject: { kind: "webhooks", name: "crm", changes: ["includeTexts", "url"] },
};

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
  panels: {
    name: "design-review",
    body: {
      mode: "red-team-blue-team",
      seats: [
        { id: "attacker", name: "Attacker", persona: "A penetration tester.", model: "default" },
        { id: "builder", name: "Builder", persona: "The architect of the system.", model: "default" },
      ],
      rounds: 2,
    },
  },
};

const version = { version: 1, author: { kind: "key", id: keyId, role: "operator" }, createdAt: at };
const diff =
  '--- version 1\n+++ version 2\n@@ -1,3 +1,3 @@\n {\n-  "description": ""\n+  "description": "Of the shop"\n }\n';

/** `Agent`, as it is written, and `StoredAgent`, as it is read, of each kind. */
const resourceExamples = Object.fromEntries(
  resourceKinds.flatMap((kind) => {
    const { name, body } = resources[kind];
    const one = resourceNouns[kind];
    const noun = one.slice(0, 1).toUpperCase() + one.slice(1);
    const stored = { name, version: 1, updatedAt: at, ...resourceSchemas[kind].parse(body) };
    return [
      [`put${noun} request`, body],
      // What is read has the defaults too.
      [`Stored${noun}`, stored],
      [`get${noun}Version 200`, { ...stored, ...version }],
      [`get${noun}VersionDiff 200`, { from: 1, to: 2, diff }],
    ];
  }),
);

/** It spares model calls: short replies, and nine in ten of the others, it isn't asked about. */
const judge = {
  kind: "agent",
  hooks: ["response"],
  when: { minCharacters: 200, sample: 0.1 },
  clientMessage: "That answer was not in our tone.",
  config: { model: "default", instructions: "Block replies that are rude." },
};

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
  NewTenant: { name: "A shop", settings: { ...settings, jurisdiction: "eu" } },
  "createAdminTenant 201": { tenantId, key },
  "updateAdminTenant request": { settings: { strict: false } },
  Tenant: {
    tenantId,
    name: "A shop",
    settings: settingsSchema.parse({ ...settings, jurisdiction: "eu" }),
    createdAt: at,
  },
  NewKey: { role: "client", label: "The web shop" },
  "createAdminTenantKey 201": keyMade,
  "createKey 201": keyMade,
  Key: { keyId, role: "client", label: "The web shop", createdAt: at },
  TenantChange: {
    settings: { supervisors: ["privacy"], ordersInData: "review", corsOrigins: ["https://shop.example"] },
  },
  SigningSecret: { signingSecret: "whsec_…" },
  "createToken request": { subject: "ada", agents: ["clerk"], expiresInSeconds: 600 },
  "createToken 201": { token: "cnt_…", expiresAt: "2026-11-22T09:40:00.000Z" },
  "getUsage 200": {
    from: "2026-11-21T09:30:00.000Z",
    to: at,
    groupBy: "agent",
    items: [{ group: "clerk", turns: 12, runs: 0, modelCalls: 15, inputTokens: 2_300, outputTokens: 410 }],
  },
  "getAudit 200 application/jsonl": {
    at,
    type: "resource.stored",
    decision: "stored",
    actor: version.author,
    subject: { kind: "rules", name: "politeness", version: 1 },
    reasons: [],
  },
  "getAudit 200 text/csv": `${auditColumns.join(",")}\r\n${csvLine(keyCreated)}\r\n${csvLine(webhookChanged)}\r\n`,
  ResourceVersion: version,
  ...resourceExamples,
  "getSupervisor 200": { name: "tone", version: 1, updatedAt: at, ...resourceSchemas.supervisors.parse(judge) },
};
