import { describe, expect, it } from "vitest";
import {
  breaker,
  failuresToOpen,
  type HealthRecord,
  type HealthStore,
  openForMs,
} from "../../../src/supervision/breaker.js";
import { httpSupervisor } from "../../../src/supervision/kinds/http.js";
import type { SendPort } from "../../../src/supervision/kinds/kind.js";
import { moderationConfigSchema, moderationSupervisor } from "../../../src/supervision/kinds/moderation.js";
import { supervisorSchema } from "../../../src/supervision/kinds/table.js";
import type { Subject } from "../../../src/supervision/subject.js";
import type { FailurePolicy, Supervisor } from "../../../src/supervision/supervisor.js";
import { everyHook, KeptJournal, MemoryDesk, pass, request, subjectsSaying } from "../agent/support.js";

type Sent = Parameters<SendPort>[0];

const shared = { hooks: everyHook, order: 0, mode: "enforce", timeoutMs: 1_000 } as const;

function http(
  answer: unknown,
  more: {
    onFailure?: FailurePolicy;
    permission?: "read_only" | "modify_context";
    status?: number;
    timeoutMs?: number;
  } = {},
) {
  const sent: Sent[] = [];
  const { status = 200, onFailure = "allow", permission = "modify_messages", ...rest } = more;
  const supervisor = httpSupervisor(
    {
      ...shared,
      name: "endpoint",
      onFailure,
      permission,
      config: { url: "https://x.example", secret: "s3cret-key" },
      ...rest,
    },
    {
      now: () => 1_700_000_000_500,
      sign: async (secret, text) => `${secret}|${text}`,
      sendSigned: async (wanted) => {
        sent.push(wanted);
        if (answer instanceof Error) throw answer;
        return { status, text: typeof answer === "string" ? answer : JSON.stringify(answer) };
      },
    },
  );
  return { supervisor, sent };
}

describe("a supervisor of kind http", () => {
  it.each([
    [{ action: "allow" }, "allow", "hello"],
    [{ action: "modify", content: "hi", reasons: ["tone"] }, "modify", "hi"],
    [{ action: "review", reasons: ["unsure"] }, "review", "hello"],
    [{ action: "review", content: "hi", reasons: ["unsure"] }, "review", "hi"],
    [{ action: "block", reasons: ["no"] }, "block", "hello"],
  ])("takes the answer %j", async (answer, decision, content) => {
    const { state, subject } = await pass(request("hello"), [http(answer).supervisor]);
    expect(state).toMatchObject({ decision, degraded: [] });
    expect(subject).toMatchObject({ message: { content } });
  });

  const reply: Subject = {
    hook: "response",
    reply: {
      timestamp: "2030-01-01T00:00:00.000Z",
      turns: [
        { turnId: "t0", message: "Ada lives in Paris." },
        { turnId: "t1", message: "Bye." },
      ],
    },
  };
  const operations = [{ type: "redact_span", turnId: "t0", text: "Ada" }];

  it("edits a reply by operations, all or none, and a reply alone", async () => {
    const edits = http({ action: "modify", operations, reasons: ["a name"] });
    const { state, subject } = await pass(reply, [edits.supervisor]);
    expect(state).toMatchObject({ decision: "modify", reasons: ["a name"], degraded: [] });
    expect(subject).toMatchObject({
      reply: { turns: [{ turnId: "t0", message: "[redacted] lives in Paris." }, { turnId: "t1" }] },
    });
    const impossible = [...operations, { type: "remove_turn", turnId: "t9" }];
    for (const [on, given] of [
      [reply, { action: "modify", operations: impossible }],
      [reply, { action: "modify", operations, content: "x" }],
      [request("hello"), { action: "modify", operations }],
    ] as const) {
      const refused = await pass(on, [http(given).supervisor]);
      // What it wanted counts: a person looks.
      expect(refused.state.decision).toBe("review");
      expect(refused.subject).toEqual(on);
    }
  });

  it("is told what is in force and changes it, where it may", async () => {
    const desk = new MemoryDesk([
      { kind: "rules", name: "calm", description: "how to speak", text: "Be calm.", inForce: false },
      { kind: "tools", name: "shop/refund", inForce: true },
    ]);
    const tools = ["shop/refund", { server: "bank", tool: "*" }];
    const answer = { action: "allow", context: { add: { rules: ["calm"] }, remove: { tools }, reason: "angry" } };
    const may = http(answer, { permission: "modify_context" });
    const { state } = await pass(request("hello"), [may.supervisor], { environment: { context: desk } });
    expect(state).toMatchObject({
      decision: "allow",
      degraded: [],
      contextChanges: {
        addedRules: ["calm"],
        removedTools: [
          { server: "shop", tool: "refund" },
          { server: "bank", tool: "*" },
        ],
      },
    });
    expect(desk.changes[0]).toMatchObject({ supervisor: "endpoint", reason: "angry" });
    expect(JSON.parse(may.sent[0]?.body ?? "").context).toEqual({
      rules: [{ name: "calm", description: "how to speak", inForce: false }],
      references: [],
      tools: [{ name: "shop/refund", inForce: true }],
    });

    const untouched = new MemoryDesk();
    const mayNot = http(answer);
    const refused = await pass(request("hello"), [mayNot.supervisor], { environment: { context: untouched } });
    expect(refused.state.degraded).toEqual(["endpoint"]);
    expect(refused.state.steps[0]?.failed).toContain("permissions");
    expect(untouched.changes).toEqual([]);
    expect(JSON.parse(mayNot.sent[0]?.body ?? "").context).toBeUndefined();
    const blocks = { ...answer, action: "block", reasons: ["no"] };
    expect((await pass(request("hello"), [http(blocks).supervisor])).state.decision).toBe("block");
  });

  it("signs what it sends, with the time", async () => {
    const { supervisor, sent } = http({ action: "allow" });
    await pass(request("hello"), [supervisor], { environment: { ownerId: "ses_1", workId: "trn_1" } });
    const [one] = sent;
    expect(one?.headers["conclave-timestamp"]).toBe("1700000000");
    expect(one?.headers["conclave-signature"]).toBe(`v1=s3cret-key|1700000000.${one?.body}`);
    expect(JSON.parse(one?.body ?? "")).toMatchObject({
      supervisor: "endpoint",
      hook: "request",
      ownerId: "ses_1",
      turnId: "trn_1",
      text: "hello",
    });
    expect(one?.body).not.toContain("s3cret-key");
  });

  it.each<[string, unknown, number]>([
    ["not JSON", "<html>", 200],
    ["another action", { action: "maybe" }, 200],
    ["an unknown field", { action: "allow", extra: 1 }, 200],
    ["allow with content", { action: "allow", content: "x" }, 200],
    ["nothing", "", 200],
    ["a list", [{ action: "allow" }], 200],
    ["an error", { action: "allow" }, 500],
    ["a redirect's body", { action: "allow" }, 204],
    ["no connection", new Error("it could not be reached"), 200],
  ])("counts %s as its failure", async (_name, answer, status) => {
    for (const onFailure of ["allow", "block", "review"] as const) {
      const { state } = await pass(request("hello"), [http(answer, { status, onFailure }).supervisor]);
      expect(state.decision).toBe(onFailure);
      expect(state.steps[0]?.failed).toContain('"endpoint" (http)');
    }
  });

  it.each<[string, Record<string, unknown>, "review" | "block"]>([
    ["modify without content", { action: "modify" }, "review"],
    ["modify with an empty content", { action: "modify", content: " " }, "review"],
    ["review with a field too much", { action: "review", note: "x" }, "review"],
    ["block with content", { action: "block", content: "x" }, "block"],
    ["block with a reason that is too long", { action: "block", reasons: ["x".repeat(5_000)] }, "block"],
  ])("takes %s for what it wanted, whatever its onFailure says", async (_name, answer, wish) => {
    const { state } = await pass(request("hello"), [http(answer).supervisor]);
    expect(state.decision).toBe(wish);
    expect(state.steps[0]?.failed).toContain("malformed");
  });

  it("holds a call for review whose arguments it wanted changed, and gave as no JSON object", async () => {
    const call = { toolCallId: "c1", server: "shop", tool: "pay", args: { amount: 900 } };
    const { supervisor } = http({ action: "modify", content: "pay less", reasons: ["too much"] });
    const { state } = await pass({ hook: "tool_call", call }, [supervisor]);
    expect(state).toMatchObject({ decision: "review", reasons: expect.arrayContaining(["too much"]) });
  });

  it("has a deadline", async () => {
    const { state } = await pass(request("hello"), [
      http({ action: "allow" }, { timeoutMs: 13, onFailure: "block" }).supervisor,
    ]);
    expect(state.decision).toBe("block");
  });

  it("can't change a text without the permission", async () => {
    const { supervisor } = http({ action: "modify", content: "hi" }, { permission: "read_only", onFailure: "block" });
    const { state } = await pass(request("hello"), [supervisor]);
    expect(state.steps[0]?.failed).toContain('"permissions"');
  });

  it("isn't asked again on a replay", async () => {
    const journal = new KeptJournal();
    const { supervisor, sent } = http({ action: "block", reasons: ["no"] });
    await pass(request("hello"), [supervisor], { journal });
    expect((await pass(request("hello"), [supervisor], { journal })).state.decision).toBe("block");
    expect(sent).toHaveLength(1);
  });

  it("takes no secret that is only what stands in its place", () => {
    const body = { kind: "http", hooks: ["request"], config: { url: "https://x.example", secret: "[hidden]" } };
    expect(supervisorSchema.safeParse(body).success).toBe(false);
  });
});

const scores = (over: Record<string, number>, flagged: readonly string[] = []) => ({
  flagged: flagged.length > 0,
  categories: Object.fromEntries(Object.keys(over).map((name) => [name, flagged.includes(name)])),
  category_scores: over,
});

function moderation(results: unknown, config: Record<string, unknown> = {}, onFailure: FailurePolicy = "allow") {
  const sent: Sent[] = [];
  const supervisor = moderationSupervisor(
    { ...shared, name: "mod", onFailure, config: moderationConfigSchema.parse(config) },
    {
      provider: async (name) =>
        name === "openai" || name === "own" ? { baseUrl: `https://${name}.example/v1/`, apiKey: "k" } : undefined,
      send: async (wanted) => {
        sent.push(wanted);
        return { status: 200, text: JSON.stringify({ results }) };
      },
    },
  );
  return { supervisor, sent };
}

describe("a supervisor of kind moderation", () => {
  it.each<[string, unknown, Record<string, unknown>, string]>([
    ["passes what isn't flagged", [scores({ violence: 0.4 })], {}, "allow"],
    ["blocks what is flagged", [scores({ violence: 0.4 }, ["violence"])], {}, "block"],
    ["holds it for review, if it shall", [scores({ violence: 0.4 }, ["violence"])], { action: "review" }, "review"],
    [
      "goes by a threshold, below the endpoint's own",
      [scores({ violence: 0.4 })],
      { thresholds: { violence: 0.3 } },
      "block",
    ],
    [
      "goes by a threshold, above the endpoint's own",
      [scores({ violence: 0.4 }, ["violence"])],
      { thresholds: { violence: 0.9 } },
      "allow",
    ],
    [
      "leaves categories without a threshold to the endpoint",
      [scores({ hate: 0.2 }, ["hate"])],
      { thresholds: { violence: 0.3 } },
      "block",
    ],
    [
      "takes a category that is called like something of the language's own for no more than it is",
      [scores({ constructor: 0.1 })],
      { thresholds: { violence: 0.3 } },
      "allow",
    ],
    [
      "blocks what is flagged without a category",
      [{ flagged: true, categories: {}, category_scores: {} }],
      {},
      "block",
    ],
  ])("%s", async (_name, results, config, decision) => {
    const { state } = await pass(request("hello"), [moderation(results, config).supervisor]);
    expect(state).toMatchObject({ decision, degraded: [] });
    if (decision !== "allow") expect(state.reasons[0]).toContain("moderation");
  });

  it("asks the provider of its model about every text there is", async () => {
    const { supervisor, sent } = moderation([scores({})], { model: "own/shield" });
    await pass(request("hello"), [supervisor]);
    expect(sent[0]).toMatchObject({
      url: "https://own.example/v1/moderations",
      headers: { authorization: "Bearer k" },
    });
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ model: "shield", input: ["hello"] });
    for (const subject of subjectsSaying("hello")) {
      const each = moderation([scores({}), scores({}), scores({})]);
      await pass(subject, [each.supervisor]);
      expect(JSON.parse(each.sent[0]?.body ?? "").input, subject.hook).toContain("hello");
    }
  });

  it.each<[string, unknown, Record<string, unknown>]>([
    ["no provider", [scores({})], { model: "nobody/x" }],
    ["nonsense", "what", {}],
    ["no results", [], {}],
    ["too few results", [scores({})], {}],
  ])("counts %s as its failure", async (name, results, config) => {
    const text = name === "too few results" ? "x".repeat(30_000) : "hello";
    const { state } = await pass(request(text), [moderation(results, config, "block").supervisor]);
    expect(state).toMatchObject({ decision: "block" });
    expect(state.steps[0]?.failed).toContain('"mod" (moderation)');
  });
});

describe("a moderation answer that is wrong", () => {
  it.each<[string, unknown]>([
    ["has flags and no categories", [{ flagged: true }]],
    ["flags one text and leaves others out", [scores({ hate: 0.9 }, ["hate"])]],
  ])("stops what it flagged all the same where it %s", async (name, results) => {
    const text = name.startsWith("flags") ? "x".repeat(30_000) : "hello";
    const { state } = await pass(request(text), [moderation(results).supervisor]);
    expect(state.decision).toBe("block");
  });
});

describe("the circuit breaker", () => {
  const kept = (): HealthStore => {
    const records = new Map<string, HealthRecord>();
    return {
      read: (name) => records.get(name),
      write: (name, record) => (record === undefined ? records.delete(name) : records.set(name, record)),
    };
  };
  const one = { name: "one", version: 1 };

  it("lets a supervisor be that keeps failing, visibly, and tries again after a while", async () => {
    const time = { now: 0 };
    const { supervisor: endpoint, sent } = http(new Error("down"));
    const supervisor: Supervisor = { ...endpoint, health: breaker(one, kept(), () => time.now) };
    const asked = (): number => sent.length;
    for (let count = 0; count < failuresToOpen; count++) await pass(request("hello"), [supervisor]);
    expect(asked()).toBe(failuresToOpen);

    const { state } = await pass(request("hello"), [supervisor]);
    expect(asked()).toBe(failuresToOpen);
    expect(state.degraded).toEqual(["endpoint"]);
    expect(state.steps[0]?.failed).toContain(`failed ${failuresToOpen} times in a row and isn't asked again before`);

    time.now += openForMs;
    await Promise.all([pass(request("hello"), [supervisor]), pass(request("hello"), [supervisor])]);
    expect(asked()).toBe(failuresToOpen + 1);
  });

  it("isn't opened by what a text may bring about, or by turns that are cancelled", async () => {
    const nonsense = http("<html>");
    const cancelled = http(new Error("gone"));
    const [ofNonsense, ofCancelled] = [breaker(one, kept(), () => 0), breaker(one, kept(), () => 0)];
    for (let count = 0; count < 2 * failuresToOpen; count++) {
      await pass(request("hello"), [{ ...nonsense.supervisor, health: ofNonsense }]);
      await pass(request("hello"), [{ ...cancelled.supervisor, health: ofCancelled }], { cancelled: () => true });
    }
    expect(ofNonsense.refusal()).toBeUndefined();
    expect(ofCancelled.refusal()).toBeUndefined();
  });

  it("is closed by one success, and holds for one version of one supervisor", () => {
    const store = kept();
    const of = (name: string, version = 1) => breaker({ name, version }, store, () => 0);
    for (let count = 0; count < failuresToOpen; count++) of("one").failed();
    expect(of("one").refusal()).toBeDefined();
    expect(of("other").refusal()).toBeUndefined();
    expect(of("one", 2).refusal()).toBeUndefined();
    of("one").succeeded();
    expect(of("one").refusal()).toBeUndefined();
  });
});
