/** Texts that are made to keep the house busy, each where an end user, a caller or a model may send it. Everybody else is answered meanwhile. */
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { callTool, mcpClient } from "../support/mcp-client.js";
import { newMemory, putContextReply } from "../support/memory.js";

/** What a message or a document may take, in milliseconds, on a machine that does much else: each of these took from half a minute to for ever. */
const patienceMs = 10_000;

async function withinPatience<T>(work: Promise<T>): Promise<T> {
  const since = performance.now();
  const done = await work;
  expect(performance.now() - since).toBeLessThan(patienceMs);
  return done;
}

const offline = { kind: "model", model: "offline", instructions: "Answer." };
const underscores = `a${"_".repeat(60_000)}a`;
/** A value that one of the rules for secrets took longer for with each group than for all before. */
const groups = `password: q0${"_zH_xJ_qK_wPa".repeat(14)}#`;

const places: Readonly<Record<string, (tenant: TestTenant) => Promise<string>>> = {
  "a reference that comes into force by itself": async (tenant) => {
    await tenant.put("references", "shipping", { text: "Parcels travel nine days.", include: "auto" });
    await tenant.put("agents", "assistant", offline);
    return tenant.session();
  },
  "a memory": async (tenant) => {
    const memory = await newMemory("offline", tenant);
    await tenant.put("agents", "assistant", offline);
    return tenant.session({ memory: { memoryId: memory.memoryId } });
  },
  "a supervising agent": async (tenant) => {
    await tenant.put("supervisors", "judge", {
      kind: "agent",
      hooks: ["request", "response"],
      config: { model: "offline", instructions: "Block what mentions explosives." },
    });
    await tenant.put("agents", "assistant", { ...offline, supervisors: ["judge"] });
    return tenant.session();
  },
  "rules of every kind": async (tenant) => {
    await tenant.rules("guard", [
      { match: { type: "personalData" }, action: "redact", reason: "Personal." },
      { match: { type: "secrets" }, action: "redact", reason: "Secret." },
    ]);
    await tenant.put("agents", "assistant", { ...offline, supervisors: ["guard"] });
    return tenant.session();
  },
  "a panel": async (tenant) => {
    const seats = ["a", "b"].map((id) => ({ id, name: id.toUpperCase(), model: "offline" }));
    const models = { analyst: "offline", synthesis: "offline" };
    await tenant.put("panels", "board", { mode: "collaborative", seats, models, rounds: 1 });
    await tenant.put("agents", "assistant", { kind: "panel", panel: "board" });
    return tenant.session();
  },
};

describe("a message made to keep the house busy", () => {
  it.each(Object.entries(places))("where there is %s, is answered, and so is another tenant", async (_where, open) => {
    const [theirs, other] = await Promise.all([newTenant(), newTenant()]);
    await other.put("agents", "assistant", offline);
    const [session, otherSession] = [await open(theirs), await other.session()];
    await other.say(otherSession, "Hello.");
    for (const content of [underscores, groups]) {
      const { turnId } = await theirs.say(session, content, { waitMs: 0 });
      await withinPatience(other.say(otherSession, "Hello."));
      const { status } = await withinPatience(theirs.turn(session, turnId));
      // A panel asks what such a message is about; what comes after it waits for that.
      expect(["completed", "waiting", "queued"]).toContain(status);
    }
  });
});

describe("a context document made to keep the house busy", () => {
  const gap = "\t".repeat(1_500);
  const documents = [`#${gap}:${gap}\n${gap}#`, `#${gap}a${gap}:${gap}a`, `- a${" ".repeat(4_000)}[from 1, 2`];

  it("is read at once when it is put, and when it comes over MCP", async () => {
    const memory = await newMemory();
    const client = await mcpClient(memory.tenant.key, "legacy");
    for (const document of documents) {
      await withinPatience(memory.tenant.call("PUT", `${memory.path}/context`, { document }));
      await withinPatience(callTool(client, "put_context", { memoryId: memory.memoryId, document }));
    }
  });

  it("is read at once when a memory's model writes it", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(...documents.map(putContextReply), {
      ...putContextReply("## Facts\n- One."),
      repeat: true,
    });
    await memory.say(["One.", "Two."]);
    await memory.end();
    await withinPatience(memory.settled("context"));
  });
});

describe("arguments that are nested 50,000 deep", () => {
  const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;

  it("come back to the model as a result that says what is wrong, and the turn goes on", async () => {
    const tenant = await newTenant();
    const hook = await tenant.agent("hook");
    await hook.reply({ body: "noted", repeat: true });
    await tenant.put("tools", "note", { server: "shop", description: "Notes.", http: { url: hook.hookURL } });
    await tenant.rules("guard", [{ match: { type: "secrets" }, action: "block", reason: "Secret." }], {
      hooks: ["request", "tool_call", "response"],
    });
    const model = await tenant.agent("assistant", {
      tools: [{ server: "shop", tool: "note" }],
      supervisors: ["guard"],
    });
    await model.reply({ toolCalls: [{ name: "note", arguments: deep }] }, { text: "Done." });
    const turn = await withinPatience(tenant.say(await tenant.session(), "Note it."));
    expect(turn.status).toBe("completed");
    expect(JSON.stringify(turn.reply)).toContain("JSON may be nested at most 64 deep");
    const [, again] = await model.requests();
    expect(JSON.stringify(again?.body)).toContain("JSON may be nested at most 64 deep");
    expect(await hook.requests()).toEqual([]);
  });

  it("are no answer of a supervisor, a tool or a body either", async () => {
    const tenant = await newTenant();
    const hook = await tenant.agent("hook");
    await hook.reply({ body: deep, repeat: true });
    await tenant.put("supervisors", "outside", {
      kind: "http",
      hooks: ["request"],
      onFailure: "allow",
      config: { url: hook.hookURL, secret: "a secret of forty characters or so, made up" },
    });
    const model = await tenant.agent("assistant", { supervisors: ["outside"] });
    await model.reply({ text: "Done." });
    const session = await tenant.session();
    expect(await tenant.say(session, "Hello.")).toMatchObject({ status: "completed" });
    const body = await tenant.call("POST", `/v1/sessions/${session}/messages`, deep);
    expect(body).toMatchObject({ status: 422, body: { detail: "JSON may be nested at most 64 deep." } });
  });
});
