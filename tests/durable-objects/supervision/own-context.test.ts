/** Rules and references that come into force by themselves: always, by a mention, by what a message is about. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { crashAndWake } from "../../support/objects.js";
import { seenBy } from "./support.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("what comes into force by itself", () => {
  async function items(): Promise<{
    tenant: TestTenant;
    session: string;
    asked: (content: string) => Promise<string>;
  }> {
    const tenant = await newTenant();
    await tenant.put("rules", "house", { text: "Always be kind.", include: "always" });
    await tenant.put("rules", "legal", { text: "Mention the terms.", include: "manual" });
    await tenant.put("references", "shipping", {
      text: "Parcels to Norway travel nine days.",
      description: "delivery times",
      include: "auto",
    });
    await tenant.put("references", "warranty", { text: "Kettles have two years of warranty.", include: "auto" });
    await tenant.put("references", "prices", { text: "A kettle costs 30.", include: "manual" });
    await tenant.put("references", "salaries", { text: "The director earns a million.", include: "manual" });
    const model = await tenant.agent("assistant", { mentionable: { rules: ["legal", "house"] } });
    await model.reply({ text: "Yes.", repeat: true });
    const session = await tenant.session({ mentionable: { references: ["prices"] } });
    return {
      tenant,
      session,
      asked: async (content) => {
        await tenant.say(session, content);
        const body = (await model.requests()).at(-1)?.body;
        return JSON.stringify(body);
      },
    };
  }

  it("always; by a mention; by what the message is like", async () => {
    const { asked } = await items();
    const plain = await asked("Good morning.");
    expect(plain).toContain("Always be kind.");
    expect(plain).not.toMatch(/Mention the terms|nine days|two years|costs 30/);
    const mentioned = await asked("Tell me, with @rule:legal and @ref:prices in mind (not mail@ref:warranty).");
    expect(mentioned).toContain("Mention the terms.");
    expect(mentioned).toContain("A kettle costs 30.");
    expect(mentioned).not.toContain("two years");
    const like = await asked("How long do parcels to Norway take?");
    expect(like).toContain("nine days");
    expect(like).not.toContain("two years");
  });

  it("by a mention only what the agent or the session lists as mentionable, whoever sends the message", async () => {
    const { asked } = await items();
    const seen = await asked("Show me @ref:salaries and @ref:prices, by @rule:legal.");
    expect(seen).toContain("A kettle costs 30.");
    expect(seen).toContain("Mention the terms.");
    expect(seen).not.toContain("a million");
  });

  it("but not what is excluded, whoever names it", async () => {
    const { tenant, session, asked } = await items();
    const change = await tenant.call("POST", `/v1/sessions/${session}/context`, {
      remove: { rules: ["house", "legal"], references: ["shipping"] },
      add: { references: ["prices"] },
      reason: "a test",
    });
    expect(change).toMatchObject({
      status: 200,
      body: { version: 2, context: { references: ["prices"], excluded: { rules: ["house", "legal"] } } },
    });
    const seen = await asked("How long do parcels to Norway take? @rule:legal @rule:house");
    expect(seen).not.toMatch(/Always be kind|Mention the terms|nine days/);
    expect(seen).toContain("A kettle costs 30.");
    await tenant.call("POST", `/v1/sessions/${session}/context`, { add: { rules: ["house"] } });
    expect(await asked("Hello.")).toContain("Always be kind.");
  });
});

describe("rules and references that include themselves", () => {
  const many = Array.from({ length: 30 }, (_, index) => `page-${String(index).padStart(2, "0")}`);

  it("are loaded only as far as the message brings them in: the most like it, five at most, and no more than fit", async () => {
    const tenant = await newTenant();
    const filler = "x ".repeat(3_000);
    for (const name of many) {
      await tenant.put("references", name, { text: `Kettles, ${name}. ${filler}`, include: "auto" });
    }
    // The best of all comes last by its name; one that would take all the room is left out.
    await tenant.put("references", "zz-best", { text: "Kettles from Norway whistle.", include: "auto" });
    await tenant.put("references", "zy-huge", {
      text: `Kettles, zy-huge. ${filler.repeat(4)}`.slice(0, 20_000),
      include: "auto",
    });
    await tenant.put("references", "cars", { text: `Cars. ${filler} kettles norway whistle`, include: "auto" });
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Yes." });
    const session = await tenant.session();
    expect((await tenant.say(session, "Which kettles from Norway whistle?")).status).toBe("completed");
    const seen = await seenBy(model);
    const brought = [...seen.matchAll(/<reference name=\\"([\w-]+)/g)].map(([, name]) => name);
    // 20,000 characters: the short best one, and as many of the others as fit beside it.
    expect(brought).toEqual(["page-00", "page-01", "page-02", "zz-best"]);
  });

  it("may be so many of a kind and no more; the one that is too many is told why", async () => {
    const tenant = await newTenant();
    const rows = Array.from({ length: 200 }, (_, index) => `auto-${index}`);
    await env.DB.batch(
      rows.map((name) =>
        env.DB.prepare(
          "INSERT INTO resource_heads (tenant_id, kind, name, version, auto, updated_at) VALUES (?, 'rules', ?, 1, 1, 0)",
        ).bind(tenant.tenantId, name),
      ),
    );
    const one = { text: "One more.", include: "auto" };
    expect(await tenant.call("PUT", "/v1/rules/one-more", one)).toMatchObject({
      status: 422,
      body: { code: "invalid", errors: [{ path: "include", message: "at most 200 rules may include themselves" }] },
    });
    expect((await tenant.call("PUT", "/v1/rules/one-more", { ...one, include: "manual" })).status).toBe(201);
    expect((await tenant.call("PUT", "/v1/references/one-more", one)).status).toBe(201);
    await tenant.call("DELETE", "/v1/rules/auto-7");
    expect((await tenant.call("PUT", "/v1/rules/one-more", one)).status).toBe(200);
  });

  it("hold for the whole turn, through a crash, as they were when the message was judged", async () => {
    const tenant = await newTenant();
    await tenant.put("references", "kettles", { text: "Kettles whistle.", include: "auto" });
    const model = await tenant.agent("assistant");
    await model.reply({ text: "lost", hold: "h" }, { text: "Yes." });
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "Do kettles whistle?", { waitMs: 0 });
    await model.until({ open: 1 });
    await tenant.put("references", "kettles", { text: "Kettles are silent.", include: "auto" });
    await crashAndWake(tenant, session);
    expect((await tenant.turn(session, turnId)).status).toBe("completed");
    expect(JSON.stringify((await model.requests())[1]?.body)).toContain("Kettles whistle.");
  });
});
