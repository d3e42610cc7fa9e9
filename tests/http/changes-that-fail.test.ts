/** A change and its row of the audit are one transaction: what fails at its last write leaves neither. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { auditOf, keyIdOf } from "../support/audit.js";
import { refuseWrites } from "../support/broken-database.js";
import { connect, platforms } from "../support/chat-platforms.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { mcpKey } from "../support/mcp-key.js";
import { newMemory } from "../support/memory.js";
import { upstreamFor } from "../support/upstream-client.js";

describe("what fails half-way leaves neither the change nor its row, and both when it is sent again:", () => {
  const webhook = { url: "https://crm.example/hooks", events: ["turn.completed"] };
  const ada = { name: "Ada", email: "ada@example.com", role: "reviewer" };
  const corsOrigins = ["https://app.example"];
  const ofKey = async (tenant: TestTenant) => keyIdOf(await tenant.withRole("client"));
  const channel = async (tenant: TestTenant) => {
    await tenant.agent("assistant");
    await connect(tenant, platforms.generic);
    return "generic";
  };

  /** What is done, what reads it, and the write that fails: the last one of the batch. */
  const cases: readonly {
    readonly what: string;
    readonly type: string;
    readonly prepare?: (tenant: TestTenant) => Promise<string>;
    readonly does: (made: string) => readonly [string, string, unknown?];
    readonly reads: string;
    readonly fails: readonly [string, "INSERT" | "UPDATE" | "DELETE"];
  }[] = [
    {
      what: "of settings",
      type: "settings.changed",
      reads: "/v1/tenant",
      fails: ["audit", "INSERT"],
      does: () => ["PATCH", "/v1/tenant", { name: "Kane", settings: { strict: true, corsOrigins } }],
    },
    {
      what: "a key that is made",
      type: "key.created",
      reads: "/v1/keys",
      fails: ["audit", "INSERT"],
      does: () => ["POST", "/v1/keys", { role: "client" }],
    },
    {
      what: "a key that is deleted",
      type: "key.deleted",
      reads: "/v1/keys",
      fails: ["audit", "INSERT"],
      prepare: ofKey,
      does: (keyId) => ["DELETE", `/v1/keys/${keyId}`],
    },
    {
      what: "a hold",
      type: "hold.stored",
      reads: "/v1/holds",
      fails: ["held_things", "INSERT"],
      does: () => ["PUT", "/v1/holds/case-7", { subjects: ["ada"], reason: "a dispute" }],
    },
    {
      what: "somebody who is invited",
      type: "person.invited",
      reads: "/v1/people",
      fails: ["invitations", "INSERT"],
      does: () => ["POST", "/v1/people", ada],
    },
    {
      what: "somebody's role",
      type: "person.changed",
      reads: "/v1/people",
      fails: ["audit", "INSERT"],
      prepare: async (tenant) => (await tenant.call("POST", "/v1/people", ada)).body.personId,
      does: (personId) => ["PATCH", `/v1/people/${personId}`, { role: "operator" }],
    },
    {
      what: "somebody who is removed",
      type: "person.deleted",
      reads: "/v1/people",
      fails: ["audit", "INSERT"],
      prepare: async (tenant) => (await tenant.call("POST", "/v1/people", ada)).body.personId,
      does: (personId) => ["DELETE", `/v1/people/${personId}`],
    },
    {
      what: "a rule that is deleted",
      type: "resource.deleted",
      reads: "/v1/rules",
      fails: ["audit", "INSERT"],
      prepare: async (tenant) => `${(await tenant.put("rules", "polite", { text: "Be polite." })).body.name}`,
      does: (name) => ["DELETE", `/v1/rules/${name}`],
    },
    {
      what: "a secret",
      type: "secret.stored",
      reads: "/v1/secrets",
      fails: ["audit", "INSERT"],
      does: () => ["PUT", "/v1/secrets/TOKEN", { value: "first will" }],
    },
    {
      what: "a secret that is deleted",
      type: "secret.deleted",
      reads: "/v1/secrets",
      fails: ["audit", "INSERT"],
      prepare: async (tenant) => (await tenant.call("PUT", "/v1/secrets/TOKEN", { value: "first will" })).body.name,
      does: (name) => ["DELETE", `/v1/secrets/${name}`],
    },
    {
      what: "a memory that becomes another subject's",
      type: "memory.changed",
      reads: "/v1/memories",
      fails: ["audit", "INSERT"],
      prepare: async (tenant) => (await newMemory("offline", tenant)).memoryId,
      does: (memoryId) => ["PATCH", `/v1/memories/${memoryId}`, { subject: "ada" }],
    },
    {
      what: "a session that is deleted",
      type: "session.deleted",
      reads: "/v1/sessions",
      fails: ["sessions", "DELETE"],
      prepare: async (tenant) => {
        await tenant.agent("assistant");
        const sessionId = await tenant.session();
        await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(1);
        return sessionId;
      },
      does: (sessionId) => ["DELETE", `/v1/sessions/${sessionId}`],
    },
    {
      what: "a list of tools that is accepted",
      type: "tools.pinned",
      fails: ["pinned_tools", "INSERT"],
      prepare: async (tenant) => {
        const server = upstreamFor(env.TEST_UPSTREAM);
        const mcp = { url: server.mcpURL, headers: { "x-api-key": mcpKey } };
        await tenant.put("tools", "docs", { server: "docs", mcp });
        await server.reply({ body: { description: "Others." } });
        return "docs";
      },
      does: (name) => ["POST", `/v1/tools/${name}/pin`],
      reads: "/v1/tools/docs",
    },
    {
      what: "a webhook that is made",
      type: "webhook.stored",
      reads: "/v1/webhooks",
      fails: ["audit", "INSERT"],
      does: () => ["PUT", "/v1/webhooks/crm", webhook],
    },
    {
      what: "a webhook that is deleted",
      type: "webhook.deleted",
      reads: "/v1/webhooks",
      fails: ["audit", "INSERT"],
      prepare: async (tenant) => (await tenant.call("PUT", "/v1/webhooks/crm", webhook)).body.name,
      does: (name) => ["DELETE", `/v1/webhooks/${name}`],
    },
    {
      what: "a channel's new address",
      type: "channel.rotated",
      reads: "/v1/channels",
      fails: ["audit", "INSERT"],
      prepare: channel,
      does: (name) => ["POST", `/v1/channels/${name}/rotate`],
    },
    {
      what: "a channel that is deleted",
      type: "channel.deleted",
      reads: "/v1/channels",
      fails: ["audit", "INSERT"],
      prepare: channel,
      does: (name) => ["DELETE", `/v1/channels/${name}`],
    },
  ];

  it.each(cases)("$what", async ({ type, prepare, does, reads, fails: [table, write] }) => {
    const tenant = await newTenant();
    const made = (await prepare?.(tenant)) ?? "";
    const state = async () => [(await tenant.call("GET", reads)).body, await auditOf(tenant)];
    const before = await state();
    const mend = await refuseWrites(tenant.tenantId, table, write);
    expect((await tenant.call(...does(made))).status).toBe(500);
    // An export is on record itself: it is read once rows can be written again.
    await mend();
    expect(await state()).toEqual(before);
    expect((await tenant.call(...does(made))).status).toBeLessThan(300);
    const [now, rows] = await state();
    expect(now).not.toEqual(before[0]);
    expect(rows).toHaveLength(before[1].length + 1);
    expect(rows.at(-1)).toMatchObject({ type });
  });
});
