/** Examples of tenants, keys, people, the audit and the system itself, by the name of the shape or the operation. */
import { type AuditEntry, auditColumns, csvLine } from "../../../tenancy/audit.js";
import { settingsSchema } from "../../../tenancy/tenant.js";
import { at, keyId, tenantId } from "./known.js";
import { version } from "./resources.js";

const key = "cnk_…";
const personId = "per_01m817hww1q09m40a5mj0x2bsc";
const person = { name: "Ada", email: "ada@example.com", role: "reviewer" };
const settings = { strict: true, supervisors: ["privacy"] };

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

export const tenantExamples: Readonly<Record<string, unknown>> = {
  AuditEntry: keyCreated,
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
  TenantMove: { tenantId: "ten_01m817hww1q09m40a5mj0x2bsd", from: 0, to: 1, status: "copying", rows: 4200 },
  "moveAdminTenant request": { to: 1 },
  TenantImport: { stored: 2, there: 0, leftOut: 0, warnings: ["tools/pay: its secrets have to be stored again"] },
  "importAdminTenant request": {
    format: 1,
    items: [{ kind: "vault", vaultId: "vlt_01m817hww1q09m40a5mj0x2bsd", title: "Shop" }],
  },
  Resealing: { status: "finished", begunAt: at, finishedAt: at, resealed: 214, unopened: 0 },
  "createToken request": { subject: "ada", agents: ["clerk"], expiresInSeconds: 600 },
  "createToken 201": { token: "cnt_…", expiresAt: "2026-11-22T09:40:00.000Z" },
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
};
