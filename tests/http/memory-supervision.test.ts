import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { takeShadows } from "../../src/stores/memory/shadow-store.js";
import { supervisingAgent, toolCalls } from "../durable-objects/supervision/support.js";
import { auditAbout } from "../support/audit.js";
import { send } from "../support/conclave.js";
import { runEachMinute } from "../support/housekeeping.js";
import { callTool, mcpClient } from "../support/mcp-client.js";
import { newMemory, type TestMemory } from "../support/memory.js";

/** A memory of a tenant whose rules block one word, replace another, and hold a third for a review. */
async function ruled(): Promise<TestMemory> {
  const memory = await newMemory();
  const { tenant } = memory;
  await tenant.rules("house", [
    { match: { type: "phrases", phrases: ["blue falcon"] }, action: "block", reason: "Nobody speaks of it." },
    {
      match: { type: "phrases", phrases: ["Zirkonia"] },
      action: "replace",
      replacement: "the stone",
      reason: "Its name is secret.",
    },
    { match: { type: "phrases", phrases: ["Zeppelin"] }, action: "review", reason: "Somebody should look." },
  ]);
  await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["house"] } });
  return memory;
}

it("what is written to a memory passes the tenant's request supervisors, whichever way it is written", async () => {
  const memory = await ruled();
  const { entryId } = await memory.call("POST", "/entries", { rawEntry: "I live in Turin." });
  const writes = (text: string): [string, string, unknown][] => [
    ["POST", "/entries", { rawEntry: text }],
    ["POST", "/entries", { rawEntry: "Fine.", summary: text }],
    ["POST", "/entries", { rawEntry: "Fine.", tags: { about: text } }],
    ["PATCH", `/entries/${entryId}`, { tags: { about: text } }],
    ["POST", `/entries/${entryId}/corrections`, { rawEntry: text }],
    [
      "POST",
      "/threads/main/messages",
      {
        messages: [
          { role: "user", content: "Hi." },
          { role: "assistant", content: text },
        ],
      },
    ],
    ["PUT", "/context", { document: `## Facts\n- ${text}` }],
  ];
  for (const [method, path, body] of writes("The blue falcon flies.")) {
    const answer = await memory.tenant.call(method, memory.path + path, body);
    expect(answer, path).toMatchObject({ status: 422, body: { code: "invalid" } });
    expect(answer.body.detail).toContain("Nobody speaks of it.");
  }
  for (const [method, path, body] of writes("A Zeppelin.")) {
    const answer = await memory.tenant.call(method, memory.path + path, body);
    expect(answer, path).toMatchObject({ status: 422 });
    expect(answer.body.detail).toMatch(/a person to look|would change/);
  }
  expect(await memory.entries()).toMatchObject([{ rawEntry: "I live in Turin." }]);
  expect((await memory.context()).version).toBe(0);
});

it("the effective text is what is stored, who wrote it vouches for it, and the audit shows what was decided", async () => {
  const memory = await ruled();
  const key = { "idempotency-key": "k" };
  const added = await memory.call("POST", "/entries", { rawEntry: "I own Zirkonia." }, key);
  expect(added).toMatchObject({ rawEntry: "I own the stone.", vouchedBy: { kind: "key", role: "admin" } });
  expect(await memory.call("POST", "/entries", { rawEntry: "I own Zirkonia." }, key)).toEqual(added);
  await memory.say(["Where is Zirkonia?", "Zirkonia is safe."]);
  await memory.settled();
  expect(await memory.entries("&threadId=main")).toMatchObject([
    { rawEntry: "Where is the stone?", vouchedBy: { kind: "key" } },
    { rawEntry: "the stone is safe." },
  ]);
  await memory.call("PUT", "/context", { document: "## Facts\n- Zirkonia is safe." });
  expect(await memory.context()).toMatchObject({ document: "## Facts\n- the stone is safe." });

  await memory.tenant.call("POST", `${memory.path}/entries`, { rawEntry: "The blue falcon." });
  const audit = await send("GET", "/v1/audit", { key: memory.tenant.key });
  const rows = (await audit.text()).split("\n").filter((line) => line.includes(memory.memoryId));
  expect(rows.map((row) => JSON.parse(row))).toEqual([
    ...Array.from({ length: 4 }, () => expect.objectContaining({ decision: "modify", memoryId: memory.memoryId })),
    expect.objectContaining({
      decision: "block",
      hook: "request",
      reasons: ["Nobody speaks of it."],
      actor: expect.objectContaining({ kind: "key" }),
      steps: [expect.objectContaining({ supervisor: "house", action: "block" })],
    }),
  ]);
  expect(rows.join()).not.toMatch(/falcon|Zirkonia/i);
});

it("a write that a deleted supervisor should judge is a 409 that names it, changes nothing, and goes through once it is mended", async () => {
  const memory = await ruled();
  const { tenant } = memory;
  const { entryId } = await memory.call("POST", "/entries", { rawEntry: "I lived in Bari." });
  await memory.call("PUT", "/context", { document: "## Facts\n- They live in Bari." });
  await tenant.call("DELETE", "/v1/supervisors/house");
  const said = { role: "user", content: "Hi." };
  const writes: [string, string, unknown][] = [
    ["POST", "/threads/main/messages", said],
    ["POST", "/entries", { rawEntry: "I live in Turin." }],
    ["PATCH", `/entries/${entryId}`, { tags: { about: "home" } }],
    ["POST", `/entries/${entryId}/corrections`, { rawEntry: "I lived in Brindisi." }],
    ["PUT", "/context", { document: "## Facts\n- They live in Turin." }],
    ["POST", "/contexts/1/restore", undefined],
  ];
  const write = ([method, path, body]: (typeof writes)[number]) =>
    tenant.call(method, memory.path + path, body, { "idempotency-key": `k:${path}` });
  const detail = expect.stringMatching(/supervisors\/house doesn't exist any more.*PATCH \/v1\/tenant/);
  for (const one of writes) {
    const answer = await write(one);
    expect(answer, one[1]).toMatchObject({ status: 409, body: { code: "conflict", detail } });
    expect(answer.body.userMessage, one[1]).not.toContain("try again");
  }
  const host = await mcpClient(tenant.key, "legacy");
  const message = { memory_id: memory.memoryId, thread_id: "main", role: "user", content: "Hi." };
  const refused = await callTool(host, "process_conversation_message", message);
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("supervisors/house") });
  await host.close();
  expect(await memory.entries()).toMatchObject([{ rawEntry: "I lived in Bari.", tags: {} }]);
  expect((await memory.context()).version).toBe(1);

  await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: [] } });
  // The same requests under the same keys.
  for (const one of writes) expect((await write(one)).status, one[1]).toBeLessThan(300);
  expect(await memory.context()).toMatchObject({ version: 3, document: "## Facts\n- They live in Bari." });
});

it("what was stored before a rule was made doesn't reach a prompt or a memory tool; what else is remembered does", async () => {
  const memory = await newMemory();
  const { tenant } = memory;
  await memory.call("PUT", "/context", { document: "## Facts\n- The blue falcon is theirs.\n- They live in Turin." });
  await memory.call("POST", "/entries", { rawEntry: "My parcel: ask the blue falcon about it." });
  await memory.call("POST", "/entries", { rawEntry: "My parcel goes to Turin." });
  await tenant.rules("house", [
    { match: { type: "phrases", phrases: ["blue falcon"] }, action: "block", reason: "Nobody speaks of it." },
  ]);
  await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["house"] } });
  const model = await tenant.agent("assistant", {
    tools: [{ server: "conclave", tool: "*" }],
    memories: [memory.memoryId],
  });
  await model.reply(
    { toolCalls: [{ name: "memory_search", arguments: { query: "parcel" } }] },
    { text: "It goes to Turin." },
  );
  const session = await tenant.session({ memory: { memoryId: memory.memoryId } });
  expect(await tenant.say(session, "Where is my parcel?")).toMatchObject({ status: "completed" });
  const prompts = (await model.state()).requests.map(({ body }) => JSON.stringify(body));
  expect(prompts).toHaveLength(2);
  for (const prompt of prompts) {
    expect(prompt).toContain("They live in Turin.");
    expect(prompt).toContain("My parcel goes to Turin.");
    expect(prompt).not.toContain("falcon");
  }
});

it("texts on record that are the same have the same digest within a memory, and another in another one", async () => {
  const memory = await ruled();
  const other = await newMemory("offline", memory.tenant);
  const written = [
    [memory, "I live in Turin."],
    [memory, "I live in Turin."],
    [memory, "I live in Rome."],
    [other, "I live in Turin."],
  ] as const;
  for (const [to, rawEntry] of written) await to.call("POST", "/entries", { rawEntry });
  const passes = z.array(z.object({ steps: z.array(z.object({ beforeHash: z.string() })) }));
  const [first, again, rome, elsewhere] = passes
    .parse(await auditAbout(memory.tenant, "supervision"))
    .map(({ steps }) => steps[0]?.beforeHash);
  expect(again).toBe(first);
  expect(new Set([first, rome, elsewhere]).size).toBe(3);
});

describe("a shadow that asks a model", () => {
  const blocks = toolCalls(["block_message", { reason: "I would." }]);

  async function shadowed() {
    const memory = await newMemory();
    const shadow = await supervisingAgent(memory.tenant, "shadow", { mode: "shadow" });
    await memory.tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["shadow"] } });
    const verdicts = async () =>
      (await auditAbout(memory.tenant, "supervision")).filter(({ steps }) => JSON.stringify(steps).includes("shadow"));
    const left = async (): Promise<unknown> =>
      env.DB.prepare("SELECT COUNT(*) AS n FROM memory_shadows WHERE memory_id = ?").bind(memory.memoryId).first("n");
    return { memory, shadow, verdicts, left };
  }

  it("is waited for by no write, and its verdict comes on record once", async () => {
    const { memory, shadow, verdicts, left } = await shadowed();
    await memory.call("POST", "/entries", { rawEntry: "I live in Turin." });
    expect(await shadow.requests()).toEqual([]);
    expect(await verdicts()).toEqual([]);
    await shadow.reply({ ...blocks, hold: "verdict" });
    const [first, second] = [runEachMinute(), runEachMinute()];
    await shadow.until({ requests: 1 });
    await shadow.release("verdict");
    await Promise.all([first, second]);
    const step = { supervisor: "shadow", mode: "shadow", action: "block", reasons: ["I would."] };
    expect(await verdicts()).toMatchObject([
      { decision: "allow", memoryId: memory.memoryId, actor: { kind: "key" }, steps: [step] },
    ]);
    expect(JSON.stringify((await shadow.requests())[0])).toContain("I live in Turin.");
    expect(await left()).toBe(0);
    await runEachMinute();
    expect(await shadow.requests()).toHaveLength(1);
  });

  it("counts as the tenant's usage, as one that a write waits for does", async () => {
    const { memory, shadow } = await shadowed();
    const { tenant } = memory;
    const judge = await supervisingAgent(tenant, "judge");
    await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["shadow", "judge"] } });
    const usage = { inputTokens: 40, outputTokens: 2 };
    const models = Object.fromEntries([judge, shadow].map(({ model }) => [`openai/${model}`, { input: 1, output: 5 }]));
    await send("PUT", "/v1/admin/prices", { key: env.ADMIN_SECRET, body: { currency: "USD", models } });
    await judge.reply({ ...toolCalls(["allow_message", {}]), usage });
    await shadow.reply({ ...blocks, usage });
    const taken = async () => (await tenant.call("GET", "/v1/usage")).body.total;
    await memory.call("POST", "/entries", { rawEntry: "I live in Turin." });
    expect(await taken()).toMatchObject({ turns: 0, modelCalls: 1, inputTokens: 40, outputTokens: 2, money: 0.00005 });
    await runEachMinute();
    expect(await taken()).toMatchObject({ turns: 0, modelCalls: 2, inputTokens: 80, money: 0.0001, unpriced: 0 });
  });

  it("that its Worker died over is taken up again", async () => {
    const { memory, shadow, verdicts } = await shadowed();
    await memory.call("POST", "/entries", { rawEntry: "I live in Turin." });
    // Somebody took it, and was never heard of again.
    await takeShadows(env.DB, Date.now(), Date.now() - 1, 1_000);
    await shadow.reply(blocks);
    await runEachMinute();
    expect(await verdicts()).toHaveLength(1);
  });

  it("waits for none of another tenant with many that are older", async () => {
    const [busy, quiet] = [await shadowed(), await shadowed()];
    for (const rawEntry of ["Turin", "Bari", "Pisa", "Rome"]) await busy.memory.call("POST", "/entries", { rawEntry });
    await quiet.memory.call("POST", "/entries", { rawEntry: "Siena" });
    const own = [busy, quiet].map(({ memory }) => memory.memoryId);
    const here = await env.DB.prepare("SELECT COUNT(DISTINCT tenant_id) AS n FROM memory_shadows").first<number>("n");
    const taken = await takeShadows(env.DB, Date.now(), Date.now() - 1, here ?? 0);
    expect(
      taken
        .map(({ memoryId }) => memoryId)
        .filter((id) => own.includes(id))
        .sort(),
    ).toEqual([...own].sort());
  });

  it("never judges what is erased, before it begins or while it is at it", async () => {
    const { memory, shadow, verdicts, left } = await shadowed();
    const { entryId } = await memory.call("POST", "/entries", { rawEntry: "I live in Turin." });
    await memory.tenant.call("DELETE", `${memory.path}/entries/${entryId}`);
    expect(await left()).toBe(0);
    const other = await memory.call("POST", "/entries", { rawEntry: "I live in Bari." });
    await shadow.reply({ ...blocks, hold: "verdict" });
    const run = runEachMinute();
    await shadow.until({ requests: 1 });
    await memory.tenant.call("DELETE", `${memory.path}/entries/${other.entryId}`);
    await shadow.release("verdict");
    await run;
    expect(await verdicts()).toEqual([]);
    expect(JSON.stringify(await shadow.requests())).not.toContain("Turin");
  });
});
