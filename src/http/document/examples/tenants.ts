/** Examples of tenants, keys, resources and the system itself, by the name of the shape or the operation. */
import { type AuditEntry, auditColumns, csvLine } from "../../../tenancy/audit.js";
import { type ResourceKind, resourceKinds, resourceNoun, resourceSchemas } from "../../../tenancy/resources.js";
import { settingsSchema } from "../../../tenancy/tenant.js";

const tenantId = "ten_01m817hww1q09m40a5mj0x2bs9";
const keyId = "key_01m817hww1q09m40a5mj0x2bsa";
const key = "cnk_…";
const personId = "per_01m817hww1q09m40a5mj0x2bsc";
const person = { name: "Ada", email: "ada@example.com", role: "reviewer" };
const settings = { strict: true, supervisors: ["privacy"] };
const at = "2026-11-22T09:30:00.000Z";

const erasure = { tenantId, kind: "session", rootId: "ses_01m817hww1q09m40a5mj0x2bsd", itemId: "", at };

const seal = {
  size: 42,
  root: "GxvJWM2yK2hJ8HBbkr2kS7Gsbl9DgG0qYeJ9uXn9C5Q=",
  at,
  checkpoint: `conclave/audit/${tenantId}\n42\nGxvJWM2yK2hJ8HBbkr2kS7Gsbl9DgG0qYeJ9uXn9C5Q=\n\n\u2014 conclave/audit/${tenantId} …\n`,
  key: `conclave/audit/${tenantId}+0b7c41f2+…`,
};
const keyMade = { keyId, key, role: "client" };
const keyCreated: AuditEntry = {
  at,
  type: "key.created",
  decision: "created",
  reasons: [],
  actor: { kind: "key", id: "key_01m817hww1q09m40a5mj0x2bsb", role: "admin" },
  subject: { kind: "keys", name: keyId, keyRole: "client", keyLabel: "The web shop" },
};
const webhookChanged: AuditEntry = {
  at,
  type: "webhook.stored",
  decision: "changed",
  reasons: [],
  actor: { kind: "key", id: keyId, role: "operator" },
  subject: { kind: "webhooks", name: "crm", changes: ["includeTexts", "url"] },
};

const taken = {
  ...{ turns: 12, runs: 0, modelCalls: 15, inputTokens: 23_000, cachedInputTokens: 14_000, outputTokens: 4_100 },
  ...{ reasoningTokens: 1_200, money: 0.0108, unpriced: 0 },
};
const modelPrices = { "openai/gpt-5-mini": { input: 0.25, cachedInput: 0.025, output: 2 } };
const deployment = { kind: "system", id: "deployment" };
const pricesVersion = { version: 2, from: at, currency: "USD", createdAt: at, author: deployment };

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
    const one = resourceNoun(kind);
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

const trial = {
  together: { action: "modify", reasons: ["It held personal data."], text: "Write to [redacted]." },
  alone: [
    {
      supervisor: "privacy",
      version: 3,
      mode: "enforce",
      action: "modify",
      reasons: ["It held personal data."],
      text: "Write to [redacted].",
      matched: ["1"],
      latencyMs: 0,
    },
  ],
};

const decision = {
  decisionId: "dec_ses_01m8072fx3xw2y7q4w92ev76va_12_0",
  at,
  sessionId: "ses_01m8072fx3xw2y7q4w92ev76va",
  workId: "trn_01m8072fnxcpb7qpfmgef2zghm",
  hook: "request",
  action: "block",
  decision: "block",
  supervisor: "privacy",
  mode: "enforce",
  version: 3,
  rules: ["card"],
  reasons: ["It held personal data."],
  about: { messageId: "msg_01m8072fnxcpb7qpfmgef2zghn" },
  agent: "clerk",
  subject: "ada",
  label: "wrong",
};
const counts = { labelled: 31, right: 22, wrong: 9, unsure: 0, summary: "9 of 31 labelled wrong" };
const falseAlarms = { share: 0.29, low: 0.161, high: 0.466 };
const none = { labelled: 0, right: 0, wrong: 0, unsure: 0, summary: "0 of 0 labelled wrong" };
const label = { label: "wrong", note: "An order number is no card." };

const overviewLine = { name: "shop", works: 400, modelCalls: 871, tokens: 790_100, money: 4.12, unpriced: 0 };

export const tenantExamples: Readonly<Record<string, unknown>> = {
  DecisionSummary: decision,
  Decision: {
    ...decision,
    labels: [{ ...label, by: { kind: "key", id: keyId, role: "operator" }, at }],
    texts: { before: "My order is 4111 1111." },
  },
  SupervisorSuggestions: {
    ...{ supervisor: "privacy", version: 3 },
    items: [
      {
        ...{ rule: "order-numbers", change: "remove", drawn: { right: 0, wrong: 14 }, held: { right: 1, wrong: 15 } },
        summary:
          "14 of 14 were false alarms; of 16 others it would let pass 15 false alarms and 1 that were rightly stopped",
        body: resourceSchemas.supervisors.parse(resources.supervisors.body),
      },
    ],
  },
  DecisionReport: {
    from: at,
    to: at,
    items: [{ supervisor: "privacy", ...counts, falseAlarms, rules: [{ rule: "card", ...counts, falseAlarms }] }],
    passed: none,
  },
  AuditEntry: keyCreated,
  NewDecisionLabel: label,
  NewTrial: { supervisors: ["privacy"], on: { text: "Write to ada@example.com." } },
  Trial: trial,
  NewReplay: { supervisor: { name: "privacy", version: 2 }, of: "privacy" },
  Replay: {
    wrong: { tried: 1, freed: 1 },
    right: { tried: 0, missed: 0 },
    items: [{ decisionId: decision.decisionId, label: "wrong", hook: "request", action: "block", now: "allow" }],
  },
  "getHealth 200": {
    status: "ok",
    version: "0.1.0",
    environment: "production",
    schema: { have: 30, want: 30 },
    checks: { database: "ok" },
  },
  "getHealth 503": {
    status: "unavailable",
    version: "0.1.0",
    schema: { want: 30 },
    environment: "production",
    checks: { database: "failed" },
  },
  "getOpenApiDocument 200": { openapi: "3.1.0", info: { title: "Conclave", version: "0.1.0" }, paths: {} },
  "getReferencePage 200": "<!doctype html>",
  "getConfigSchema 200": { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" },
  "getDocumentationPage 200 text/html": "<!doctype html>",
  "getDocumentationPage 200 text/markdown": "# Errors\n",
  "getDocumentationFile 200 text/html": "<!doctype html>",
  "getDocumentationFile 200 text/markdown": "# Ship a support bot\n",
  "getDocumentationFile 200 text/css": "",
  "getDocumentationFile 200 image/png": "",
  "getDocumentationFile 200 image/svg+xml": "",
  NewTenant: { name: "A shop", settings: { ...settings, jurisdiction: "eu" } },
  "createAdminTenant 201": { tenantId, key },
  "updateAdminTenant request": { settings: { strict: false } },
  Tenant: {
    tenantId,
    name: "A shop",
    settings: settingsSchema.parse({ ...settings, jurisdiction: "eu" }),
    database: 0,
    createdAt: at,
  },
  NewKey: { role: "client", label: "The web shop", expiresAt: "2027-11-22T00:00:00Z" },
  "createAdminTenantKey 201": keyMade,
  "createKey 201": keyMade,
  Key: {
    ...{ keyId, role: "client", label: "The web shop", createdAt: at },
    ...{ expiresAt: "2027-11-22T00:00:00.000Z", lastUsedAt: "2026-11-22T09:00:00.000Z" },
  },
  TenantChange: {
    settings: { supervisors: ["privacy"], ordersInData: "review", corsOrigins: ["https://shop.example"] },
  },
  NewPerson: person,
  "createAdminTenantPerson request": { name: "Ada", email: "ada@example.com" },
  Grant: {
    grantId: "grt_01m817hww1q09m40a5mj0x2bsd",
    personId,
    client: "A host of MCP",
    clientHost: "localhost",
    reach: "own",
    agents: ["assistant"],
    createdAt: at,
    lastUsedAt: at,
    expiresAt: at,
  },
  Person: { personId, ...person, status: "active", createdAt: at, lastSeenAt: at },
  PersonChange: { role: "operator" },
  Invitation: {
    personId,
    link: "https://conclave.example/console/join#…",
    expiresAt: "2026-11-25T09:30:00.000Z",
  },
  NewSecret: { value: "…", hosts: ["shop.example"], description: "Reads orders" },
  Secret: {
    ...{ name: "SHOP_TOKEN", hosts: ["shop.example"], description: "Reads orders", usedBy: ["tools/orders"] },
    ...{ createdAt: at, updatedAt: at },
  },
  SigningSecret: { signingSecret: "whsec_…" },
  RestoreTarget: { at: "2026-11-22T08:00:00Z" },
  Restored: { restoreId: "rst_01m817hww1q09m40a5mj0x2bsc", undo: "00000085-0000026e-00004f2b-…", erasedAgain: 1 },
  Restore: {
    ...{ restoreId: "rst_01m817hww1q09m40a5mj0x2bsc", kind: "session", id: "ses_01m817hww1q09m40a5mj0x2bsd", at },
    ...{ status: "given_up", tries: 30, failure: "The object can't be reached.", begunAt: at, finishedAt: at },
  },
  Erasure: erasure,
  "replayAdminErasures request": { since: at, items: [erasure] },
  ReplayedErasures: { replayed: 1, running: 0, jobs: [] },
  TenantCopy: {
    format: 1,
    items: [
      { kind: "resource", of: "rules", name: "politeness", version: 1, body: { text: "Be polite." } },
      { kind: "vault", vaultId: "vlt_01m817hww1q09m40a5mj0x2bsd", title: "Shop", createdAt: at },
    ],
    nextCursor: null,
  },
  TenantImport: { stored: 2, there: 0, leftOut: 0, warnings: ["tools/pay: its secrets have to be stored again"] },
  "importAdminTenant request": {
    format: 1,
    items: [{ kind: "vault", vaultId: "vlt_01m817hww1q09m40a5mj0x2bsd", title: "Shop" }],
  },
  Resealing: { status: "finished", begunAt: at, finishedAt: at, resealed: 214, unopened: 0 },
  "createToken request": { subject: "ada", agents: ["clerk"], expiresInSeconds: 600 },
  "createToken 201": { token: "cnt_…", expiresAt: "2026-11-22T09:40:00.000Z" },
  OverviewLine: overviewLine,
  "getOverview 200": {
    from: "2026-11-23T09:30:00.000Z",
    to: "2026-11-24T09:30:00.000Z",
    complete: true,
    ended: { completed: 412, blocked: 6, failed: 1, cancelled: 2, degraded: 0 },
    waiting: {
      staff: 3,
      user: 1,
      overdue: 1,
      oldest: {
        askId: "ask_01m8072fx3xw2y7q4w92ev76va_ses_01m8072fx3xw2y7q4w92ev76va",
        openedAt: "2026-11-24T08:12:00.000Z",
      },
      medianMs: 41_000,
    },
    usage: {
      currency: "EUR",
      total: { works: 421, modelCalls: 903, tokens: 811_200, money: 4.31, unpriced: 0 },
      byAgent: [overviewLine],
      bySubject: [],
    },
    limits: [
      {
        ...{ limit: "tokens-a-day", measure: "tokens", per: "tenant", enforced: true },
        ...{ used: 811_200, reserved: 0, max: 1_000_000, share: 0.8112, resetsAt: "2026-11-25T00:00:00.000Z" },
      },
    ],
    channels: [{ name: "support", kind: "slack", parked: 0, lastEventAt: "2026-11-24T09:28:00.000Z" }],
    webhooks: [
      {
        ...{ name: "crm", status: "active", parked: 2 },
        lastFailure: { at: "2026-11-24T09:01:00.000Z", detail: "It answered 503." },
      },
    ],
  },
  "getUsage 200": {
    from: "2026-11-21T09:30:00.000Z",
    to: at,
    groupBy: "agent",
    currency: "USD",
    total: taken,
    items: [{ group: "clerk", ...taken }],
  },
  "getAdminUsage 200": {
    from: "2026-11-21T09:30:00.000Z",
    to: at,
    groupBy: "tenant",
    currency: "USD",
    total: taken,
    items: [{ group: tenantId, ...taken }],
  },
  "putAdminPrices request": { from: at, currency: "USD", models: modelPrices },
  Prices: { ...pricesVersion, models: modelPrices },
  "listAdminPricesVersions 200": { items: [{ ...pricesVersion, models: 1 }], nextCursor: null },
  "getAudit 200 application/jsonl": {
    at,
    type: "resource.stored",
    decision: "stored",
    actor: version.author,
    subject: { kind: "rules", name: "politeness", version: 1 },
    reasons: [],
  },
  "listAuditRows 200 application/jsonl": {
    n: 41,
    at: 1_795_340_000_000,
    owner: "rules/politeness",
    revision: 1,
    decision: "stored",
  },
  AuditSeal: seal,
  AuditProof: {
    row: 41,
    line: '{"n":41,"at":1795340000000,"owner":"rules/politeness","revision":1,"decision":"stored","type":"resource.stored","body":{}}',
    path: [seal.root],
    seal,
  },
  AuditConsistency: { from: seal, to: seal, path: [] },
  "getAudit 200 text/csv": `${auditColumns.join(",")}\r\n${csvLine(keyCreated)}\r\n${csvLine(webhookChanged)}\r\n`,
  ResourceVersion: version,
  Config: {
    resources: { agents: { clerk: resources.agents.body }, supervisors: { privacy: resources.supervisors.body } },
    settings,
    prune: true,
    expectRevision: 12_582_917,
  },
  ConfigPlan: {
    revision: 12_582_917,
    changes: [
      { kind: "agents", name: "clerk", change: "change", fields: ["instructions"] },
      { kind: "rules", name: "politeness", change: "delete" },
    ],
    unchanged: 1,
    warnings: [
      {
        path: "resources.agents.clerk.references.0",
        message: "there is no references/returns; store it at PUT /v1/references/returns",
      },
    ],
  },
  ...resourceExamples,
  "getSupervisor 200": { name: "tone", version: 1, updatedAt: at, ...resourceSchemas.supervisors.parse(judge) },
};
