import { describe, expect, it } from "vitest";
import { defined } from "../../src/conversation/defined.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import type { ScriptedReply } from "../support/upstream-client.js";

/** How long another tenant may wait for its answer meanwhile, in milliseconds: some seconds, or where the machine is slow so many times as long as in calm. */
const patienceMs = 5_000;
const timesCalm = 20;

/** How long the answer to a message of this tenant takes now, in milliseconds. */
async function answerMs(tenant: TestTenant, session: string): Promise<number> {
  const since = performance.now();
  expect((await tenant.say(session, "hello")).status).toBe("completed");
  return performance.now() - since;
}
const doubled = Object.fromEntries(
  Array.from({ length: 14 }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, at === 13 ? { type: "string" } : { anyOf: [next, next] }];
  }),
);

interface Hostile {
  readonly what: string;
  /** The schema of a tool that the model calls. */
  readonly parameters?: object;
  readonly rules?: readonly object[];
  readonly message?: string;
  readonly replies: readonly ScriptedReply[];
  readonly status: string;
}

const called = (args: unknown): ScriptedReply => ({ toolCalls: [{ name: "note", arguments: args }] });
const after = { text: "Done." };
const blockWords = [{ match: { type: "phrases", phrases: ["crown jewels"] }, action: "block", reason: "No." }];

const hostile: readonly Hostile[] = [
  {
    what: "a schema whose format is dear to check",
    parameters: { type: "object", properties: { a: { type: "string", format: "url" } } },
    replies: [called({ a: `http://${"a".repeat(100_000)}` }), after],
    status: "completed",
  },
  {
    what: "thousands of objects that have to be unique",
    parameters: { type: "object", properties: { a: { type: "array", uniqueItems: true } } },
    replies: [called({ a: Array.from({ length: 8_000 }, (_, n) => ({ n })) }), after],
    status: "completed",
  },
  { what: "arguments that are nested too deep", replies: [called("[".repeat(200_000)), after], status: "completed" },
  {
    what: "a stream of characters without width",
    rules: blockWords,
    replies: [{ text: "", chunks: Array.from({ length: 100 }, () => "\u200b".repeat(1_000)).concat("Hello.") }],
    status: "completed",
  },
  {
    what: "an answer of many megabytes",
    rules: blockWords,
    replies: [{ text: "", chunks: Array.from({ length: 60 }, () => "All work and no play. ".repeat(10_000)) }],
    status: "failed",
  },
  {
    what: "a pattern and a text made for it",
    rules: [{ match: { type: "pattern", pattern: "^(a+)+$" }, action: "block", reason: "No." }],
    message: `${"a".repeat(30_000)}!`,
    replies: [after],
    status: "completed",
  },
];

async function attacker({ parameters, rules = [], replies }: Hostile): Promise<TestTenant> {
  const tenant = await newTenant();
  const hook = await tenant.agent("hook");
  await hook.reply({ body: "noted", repeat: true });
  await tenant.put("tools", "note", {
    server: "shop",
    description: "Takes a note.",
    http: { url: hook.hookURL },
    ...defined({ parameters }),
  });
  if (rules.length > 0) await tenant.rules("guard", rules);
  const model = await tenant.agent("assistant", {
    tools: [{ server: "shop", tool: "note" }],
    supervisors: rules.length > 0 ? ["guard"] : [],
  });
  await model.reply(...replies);
  return tenant;
}

describe("while one tenant's turn is worked on", () => {
  it.each(hostile)("with $what, another tenant is answered at once", async (one) => {
    const [theirs, other] = await Promise.all([attacker(one), newTenant()]);
    const model = await other.agent("assistant");
    await model.reply({ text: "Here.", repeat: true });
    const [session, otherSession] = await Promise.all([theirs.session(), other.session()]);
    const bearableMs = Math.max(patienceMs, timesCalm * (await answerMs(other, otherSession)));
    const { turnId } = await theirs.say(session, one.message ?? "Go.", { waitMs: 0 });
    for (let request = 0; request < 3; request++) {
      expect(await answerMs(other, otherSession)).toBeLessThan(bearableMs);
    }
    expect((await theirs.turn(session, turnId)).status).toBe(one.status);
  });

  it("by a model that never answers, another tenant is answered at once", async () => {
    const [theirs, other] = await Promise.all([newTenant(), newTenant()]);
    const slow = await theirs.agent("assistant", { modelTimeoutMs: 60_000 });
    await slow.reply({ text: "late", hold: "for ever" });
    await other.put("agents", "assistant", { kind: "model", model: "offline", instructions: "" });
    const otherSession = await other.session();
    const bearableMs = Math.max(patienceMs, timesCalm * (await answerMs(other, otherSession)));
    const session = await theirs.session();
    const { turnId } = await theirs.say(session, "Go.", { waitMs: 0 });
    await slow.until({ open: 1 });
    expect(await answerMs(other, otherSession)).toBeLessThan(bearableMs);
    expect((await theirs.turn(session, turnId, 0)).status).toBe("running");
    await theirs.call("POST", `/v1/sessions/${session}/turns/${turnId}/cancel`);
    await slow.until({ aborted: 1, open: 0 });
  });

  it("isn't even begun where the schema of a tool can't be checked within bounds: that is refused when it is stored", async () => {
    const tenant = await newTenant();
    const parameters = { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs: doubled };
    const tool = { server: "shop", description: "Takes a note.", http: { url: "https://example.com/" }, parameters };
    expect((await tenant.call("PUT", "/v1/tools/note", tool)).status).toBe(422);
  });
});
