import { describe, expect, it } from "vitest";
import { maxParts } from "../../../src/supervision/kinds/reply-parts.js";
import type { Supervisor } from "../../../src/supervision/supervisor.js";
import {
  agent,
  call,
  KeptJournal,
  MemoryDesk,
  pass,
  request,
  result,
  type Said,
  scripted,
  subjectsSaying,
} from "./support.js";

const why = { reason: "because" };

describe("a supervising agent decides through its tools", () => {
  it.each<[string, readonly Said[], string, string]>([
    ["allow", [[call("allow_message")]], "allow", "hello"],
    ["block", [[call("block_message", why)]], "block", "hello"],
    ["modify", [[call("modify_message", { content: "hi", ...why })]], "modify", "hi"],
    ["review", [[call("request_review", why)]], "review", "hello"],
    ["review with a proposal", [[call("request_review", { content: "hi", ...why })]], "review", "hi"],
    ["a modification that changes nothing", [[call("modify_message", { content: "hello", ...why })]], "allow", "hello"],
  ])("%s", async (_name, rounds, decision, text) => {
    const { state, subject } = await pass(request("hello"), [agent(scripted(rounds))]);
    expect(state.decision).toBe(decision);
    expect(subject).toMatchObject({ message: { content: text } });
    expect(state.degraded).toEqual([]);
    if (decision === "block" || decision === "review") expect(state.reasons).toEqual(["because"]);
  });

  it("on every hook, with the tools of that hook", async () => {
    for (const subject of subjectsSaying("secret")) {
      const model = scripted([[call("block_message", why)]]);
      expect((await pass(subject, [agent(model)])).state.decision, subject.hook).toBe("block");
      const tools = model.asked[0]?.tools?.map(({ name }) => name);
      expect(tools).toEqual(
        subject.hook === "response"
          ? ["allow_message", "block_message", "modify_response", "edit_response", "request_review"]
          : ["allow_message", "block_message", "modify_message", "request_review"],
      );
      expect(model.asked[0]?.toolChoice).toBe("required");
    }
  });

  it("fault 7: gets only stricter, in whatever order it calls", async () => {
    const modify = call("modify_message", { content: "hi", ...why });
    for (const calls of [
      [call("block_message", why), modify, call("allow_message")],
      [call("allow_message"), modify, call("block_message", why)],
    ]) {
      expect((await pass(request("hello"), [agent(scripted([calls]))])).state.decision).toBe("block");
    }
    const milder = await pass(request("hello"), [agent(scripted([[modify, call("allow_message")]]))]);
    expect(milder).toMatchObject({ state: { decision: "modify" }, subject: { message: { content: "hi" } } });
  });

  it("may modify several times in one reply: they apply in order", async () => {
    const rounds = [
      [call("modify_message", { content: "one", ...why }), call("modify_message", { content: "two", reason: "again" })],
    ];
    const { subject, state } = await pass(request("hello"), [agent(scripted(rounds))]);
    expect(subject).toMatchObject({ message: { content: "two" } });
    expect(state.reasons).toEqual(["because", "again"]);
  });

  it.each<[string, Said, string]>([
    ["an empty replacement", [call("modify_message", { content: "  ", ...why })], "the new text is empty"],
    [
      "the other phase's tool",
      [call("modify_response", { content: "x", ...why })],
      'There is no tool "modify_response"',
    ],
    ["no reason", [call("block_message")], 'arguments of "block_message" are wrong'],
    ["broken arguments", [call("block_message", "{oops")], "must be a JSON object"],
  ])("fault 8: %s is an error that says what is right, and no verdict", async (_name, wrong, told) => {
    const model = scripted([wrong, [call("block_message", why)]]);
    const { state } = await pass(request("hello"), [agent(model)]);
    expect(state.decision).toBe("block");
    expect(model.asked[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: expect.stringContaining(told) });
  });

  it("fault 8: an attempt to be strict that failed is no allowance, even with an allow beside it", async () => {
    const calls = [call("block_message"), call("allow_message")];
    const { state } = await pass(request("hello"), [agent(scripted([calls]), { onFailure: "block" })]);
    expect(state.decision).toBe("block");
    expect(state.steps[0]?.failed).toContain("block_message");
  });
});

describe("a stricter or an editing call that was refused", () => {
  const modify = call("modify_message", { content: "hi", ...why });
  const empty = call("modify_message", { content: " ", ...why });
  const lost: [string, readonly Said[], "block" | "review"][] = [
    ["a block beside a modification", [[modify, call("block_message")]], "block"],
    ["a review beside a modification", [[call("request_review"), modify]], "review"],
    ["a modification beside another one", [[modify, empty]], "review"],
    [
      "a block, given up for an allowance in the next round",
      [[call("block_message")], [call("allow_message")]],
      "block",
    ],
    ["a block, given up for a modification in the next round", [[call("block_message")], [modify]], "block"],
    ["a modification, given up for an allowance", [[empty], [call("allow_message")]], "review"],
    [
      "another hook's modification",
      [[call("modify_response", { content: "hi", ...why })], [call("allow_message")]],
      "review",
    ],
    [
      "a block beside a modification that was refused",
      [[call("block_message"), empty, call("allow_message")]],
      "block",
    ],
  ];

  it.each(lost)("%s is the supervisor's failure: it blocks where its failure does", async (_what, rounds) => {
    const { state } = await pass(request("hello"), [agent(scripted(rounds), { onFailure: "block" })]);
    expect(state.decision).toBe("block");
    expect(state.steps[0]?.failed).toMatch(
      /was refused and it (allowed|decided "modify") (in the same breath|afterwards)/,
    );
  });

  it.each(lost)(
    "%s counts as what it wanted where its failure allows, what it did decide holds, and the failure shows",
    async (_what, rounds, wish) => {
      const { state, subject } = await pass(request("hello"), [agent(scripted(rounds), { onFailure: "allow" })]);
      expect(state).toMatchObject({ decision: wish });
      expect(state.steps[0]?.failed).toContain("was refused");
      expect(state.reasons.join(" ")).toContain(`What it wanted counts: ${wish}.`);
      const modified = rounds.flat().includes(modify);
      expect(subject).toMatchObject({ message: { content: modified ? "hi" : "hello" } });
    },
  );

  it("of a tool that doesn't exist says nothing of what was wanted: its failure policy decides", async () => {
    for (const onFailure of ["allow", "review", "block"] as const) {
      const model = scripted([[modify, call("reject_message", why)]]);
      const { state, subject } = await pass(request("hello"), [agent(model, { onFailure })]);
      expect(state.decision).toBe(onFailure === "allow" ? "modify" : onFailure);
      expect(subject).toMatchObject({ message: { content: "hi" } });
    }
  });

  it.each<[string, readonly Said[], "block" | "review"]>([
    ["is all that it did", [[call("block_message")], [call("block_message")], "So be it."], "block"],
    ["was an edit, and it said no more", [[empty], "I give up."], "review"],
    ["came before its model failed", [[call("block_message")], new Error("boom")], "block"],
  ])("counts where nothing was decided after it: it %s", async (_what, rounds, wish) => {
    const { state } = await pass(request("hello"), [agent(scripted(rounds), { onFailure: "allow" })]);
    expect(state.decision).toBe(wish);
  });

  it("counts where its permission doesn't allow it, and where its base hash is wrong", async () => {
    const reply = { timestamp: "2030-01-01T00:00:00.000Z", turns: [{ turnId: "rt_1", message: "the secret" }] };
    const edit = call("edit_response", {
      operations: [{ type: "remove_turn", turnId: "rt_1" }],
      baseHash: "nonsense",
      ...why,
    });
    const allowed = [call("allow_message")];
    const unpermitted = await pass(request("hello"), [
      agent(scripted([[modify], allowed]), { permission: "read_only" }),
    ]);
    expect(unpermitted.state.decision).toBe("review");
    const wrongBase = await pass({ hook: "response", reply }, [agent(scripted([[edit], allowed]))]);
    expect(wrongBase.state.decision).toBe("review");
  });

  it("counts where the supervisor ran out of time after it", async () => {
    const { state } = await pass(request("hello"), [agent(scripted([[call("block_message")], "…"]))], {
      withDeadline: async (_timeoutMs, work) => {
        await work({ aborted: false, addEventListener: () => {}, removeEventListener: () => {} }).catch(() => {});
        throw new Error("no result in time");
      },
    });
    expect(state.decision).toBe("block");
  });

  it("that is made good, or only looked something up in vain, is none", async () => {
    const good: (readonly Said[])[] = [
      [[call("block_message")], [call("block_message", why)]],
      [[call("modify_message", { content: " ", ...why })], [modify]],
      [[call("modify_message", { content: " ", ...why })], [call("block_message", why)]],
      [[call("get_rule", { name: "none" })], [modify]],
    ];
    for (const rounds of good) {
      const { state } = await pass(request("hello"), [agent(scripted(rounds))], {
        environment: { context: new MemoryDesk() },
      });
      expect(state).toMatchObject({ degraded: [] });
      expect(state.steps[0]).not.toHaveProperty("failed");
    }
  });

  it("shows in the record, with every other call, also of a supervisor that ran out of time", async () => {
    const model = scripted([[call("list_rules"), call("block_message")], "…"]);
    const slow = agent(model);
    const { state } = await pass(request("hello"), [slow], {
      environment: { context: new MemoryDesk() },
      withDeadline: async (_timeoutMs, work) => {
        await work({ aborted: false, addEventListener: () => {}, removeEventListener: () => {} }).catch(() => {});
        throw new Error("no result in time");
      },
    });
    expect(state.steps[0]?.calls).toMatchObject([
      { tool: "list_rules" },
      { tool: "block_message", refused: expect.stringContaining("arguments") },
    ]);
  });
});

const failures: [string, readonly Said[], Partial<Parameters<typeof agent>[1]>, string][] = [
  ["throws", [new Error("boom")], {}, "boom"],
  ["hangs", [[call("allow_message")]], { timeoutMs: 13 }, "no result within 13 ms"],
  ["answers nonsense", [[call("approve_everything")], [call("what")], "fine"], {}, "without a decision"],
  ["never decides", ["It looks fine to me."], {}, "without a decision"],
];

describe("a supervising agent that fails", () => {
  for (const [what, rounds, settings, told] of failures) {
    it.each(["allow", "block", "review"] as const)(
      `${what}: its onFailure "%s" decides, and it shows`,
      async (onFailure) => {
        const failing = agent(scripted(rounds), { ...settings, onFailure });
        const { state } = await pass(request("hello"), [failing]);
        expect(state.decision).toBe(onFailure);
        expect(state.steps[0]?.failed).toContain(told);
        expect(state.steps[0]?.failed).toContain(`"guard" (agent)`);
        expect(state.steps[0]?.failed).toContain(`onFailure "${onFailure}"`);
        expect(state.degraded).toEqual(onFailure === "allow" ? ["guard"] : []);
        expect(state.reasons.length).toBe(onFailure === "allow" ? 0 : 1);
      },
    );

    it(`${what}: a strict tenant blocks`, async () => {
      const failing = agent(scripted(rounds), settings);
      const { state } = await pass(request("hello"), [failing], { strict: true });
      expect(state).toMatchObject({ decision: "block", degraded: [] });
    });
  }

  it("fault 12: keeps what those before it made, and those after it are heard", async () => {
    const first = agent(scripted([[call("modify_message", { content: "clean", ...why })]]), { name: "a", order: 1 });
    const second = agent(scripted([new Error("boom")]), { name: "b", order: 2 });
    const third = scripted([[call("allow_message")]]);
    const { state, subject } = await pass(request("dirty"), [first, second, agent(third, { name: "c", order: 3 })]);
    expect(subject).toMatchObject({ message: { content: "clean" } });
    expect(state).toMatchObject({ decision: "modify", degraded: ["b"] });
    expect(JSON.stringify(third.asked[0]?.messages)).toContain("clean");
    expect(JSON.stringify(third.asked[0]?.messages)).not.toContain("dirty");
  });
});

describe("one toolkit per pass", () => {
  it("fault 9: two passes at once don't meet", async () => {
    // Each model decides by what it was shown, and all are under way together.
    const byText = {
      ...scripted([]),
      call: async (asked: Parameters<ReturnType<typeof scripted>["call"]>[0]) => {
        const bad = /<supervised[^>]*>\nbad/.test(asked.messages.at(-1)?.content ?? "");
        return result([bad ? call("block_message", why) : call("allow_message")]);
      },
    };
    const guard = agent(byText);
    const texts = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "good" : "bad"));
    const decided = await Promise.all(texts.map((text) => pass(request(text), [guard])));
    expect(decided.map(({ state }) => state.decision)).toEqual(
      texts.map((text) => (text === "bad" ? "block" : "allow")),
    );
  });

  it("is dead after the pass: a late call is refused", async () => {
    const desk = new MemoryDesk();
    let late: Promise<unknown> | undefined;
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = {
      call: async () => {
        await gate;
        return result([call("exclude_rule", { name: "x", ...why }), call("block_message", why)]);
      },
    };
    const guard = agent(slow, { timeoutMs: 13, permission: "full_control" });
    const judge = guard.judge;
    const watched: Supervisor = {
      ...guard,
      judge: (subject, context) => {
        const judged = judge(subject, context);
        late = judged.catch((error: unknown) => error);
        return judged;
      },
    };
    const { state } = await pass(request("hello"), [watched], { environment: { context: desk } });
    expect(state.steps[0]?.failed).toContain("no result within 13 ms");
    open();
    await late;
    expect(desk.changes).toEqual([]);
  });

  it("is replayed from its journal: the model isn't asked again, and the verdict is the same", async () => {
    const journal = new KeptJournal();
    const first = scripted([[call("list_rules")], [call("modify_message", { content: "hi", ...why })]]);
    const environment = { context: new MemoryDesk() };
    const before = await pass(request("hello"), [agent(first)], { journal, environment });
    const after = await pass(request("hello"), [agent(scripted([]))], { journal, environment });
    expect(after.subject).toEqual(before.subject);
    expect(after.state.decision).toBe("modify");
  });
});

describe("what a supervising agent is told", () => {
  const timestamp = "2030-01-01T00:00:00.000Z";

  it("faults 5 and 6: its own instructions as the system, the text as data that it judges, with what belongs to it", async () => {
    const model = scripted([[call("allow_message")]]);
    const toolCall = { toolCallId: "c1", server: "shop", tool: "order", args: { id: 7 } };
    await pass(
      {
        hook: "response",
        reply: {
          timestamp,
          turns: [{ turnId: "rt_0", message: "Done.", toolCalls: [{ ...toolCall, output: "ok", elapsedMs: 1 }] }],
          pendingToolCalls: [{ ...toolCall, toolCallId: "c2", tool: "pay" }],
        },
      },
      [agent(model, { instructions: "Block what is rude." })],
      {
        environment: {
          transcript: () => [{ role: "user", content: "Order it." }],
          statistics: () => ({ turns: 3, blocked: 1 }),
        },
      },
    );
    const [system, data] = model.asked[0]?.messages ?? [];
    expect(system).toMatchObject({ role: "system", content: expect.stringMatching(/^Block what is rude\./) });
    expect(model.asked[0]?.messages).toHaveLength(2);
    const text = (data?.content ?? "").replaceAll("&quot;", '"');
    expect(text).toContain('<supervised hook="response" role="assistant">\nDone.\n</supervised>');
    expect(text).toContain('<transcript>\n{"role":"user","content":"Order it."}\n</transcript>');
    for (const fact of ['"turnCount": 1', '"tool": "order"', '"tool": "pay"', '"blocked": 1', '"toolCallId": "c1"'])
      expect(text).toContain(fact);
  });

  it("is shown the whole of what was said before, long messages and tool results to their last word", async () => {
    const model = scripted([[call("allow_message")]]);
    const long = `${"x ".repeat(5_000)}open${" y".repeat(5_000)}`;
    const calls = [
      { ref: { server: "shop", tool: "find" }, args: '{"q":1}', result: `${"z".repeat(5_000)} swordfish` },
    ];
    await pass(request("sesame"), [agent(model)], {
      environment: {
        transcript: () => [
          { role: "user", content: long },
          { role: "assistant", content: "Found.", rounds: [{ message: "Found.", calls }] },
        ],
      },
    });
    expect(model.asked).toHaveLength(1);
    const content = (model.asked[0]?.messages[1]?.content ?? "").replaceAll("&quot;", '"');
    expect(content).toContain(long);
    expect(content).toContain("swordfish");
    expect(content).toContain('"tool":"shop/find","args":');
  });

  it("is shown a long conversation in parts, with the text beside each: no word of it is in none", async () => {
    const said = Array.from({ length: 9 }, (_, index) => `number ${index} ${"x".repeat(index * 3_000)} end ${index}`);
    const transcript = said.map((content) => ({ role: "user" as const, content }));
    const allows = Array.from({ length: 20 }, (): Said => [call("allow_message")]);
    const model = scripted(allows);
    const { state } = await pass(request("hello"), [agent(model)], { environment: { transcript: () => transcript } });
    expect(state.decision).toBe("allow");
    expect(model.asked.length).toBeGreaterThan(2);
    const shown = model.asked.map(({ messages }) => messages[1]?.content ?? "");
    for (const content of shown) {
      expect(content).toContain("hello");
      expect(content.length).toBeLessThan(45_000);
    }
    for (const [index] of said.entries()) {
      expect(shown.some((content) => content.includes(`number ${index} `))).toBe(true);
      expect(shown.some((content) => content.includes(` end ${index}`))).toBe(true);
    }
    const parts = model.asked.length;
    expect(shown[0]).toContain(`<transcript part="${parts}" of="${parts}">`);
  });

  it("blocks with any part of a long conversation, and one look's modification is what the next is shown", async () => {
    const transcript = [{ role: "user" as const, content: "x".repeat(100_000) }];
    const environment = { transcript: () => transcript };
    const blocking = scripted([[call("allow_message")], [call("block_message", why)]]);
    expect((await pass(request("hello"), [agent(blocking)], { environment })).state.decision).toBe("block");
    const changing = scripted([
      [call("modify_message", { content: "hi", ...why })],
      [call("allow_message")],
      [call("allow_message")],
    ]);
    const { subject } = await pass(request("hello"), [agent(changing)], { environment });
    expect(subject).toMatchObject({ message: { content: "hi" } });
    expect(changing.asked[1]?.messages[1]?.content).toContain('role="user">\nhi\n</supervised>');
  });

  it("asks as few times over a very long conversation as its parts have to be", async () => {
    const transcript = Array.from({ length: 200 }, () => ({ role: "user" as const, content: "y".repeat(5_000) }));
    const model = scripted(Array.from({ length: 40 }, (): Said => [call("allow_message")]));
    await pass(request("hello"), [agent(model)], { environment: { transcript: () => transcript } });
    expect(model.asked.length).toBeLessThanOrEqual(maxParts + 1);
  });
});

describe("permissions", () => {
  const change = call("include_rule", { name: "calm", ...why });
  const store = call("store_rule", { name: "calm", text: "Be calm.", include: "always", ...why });
  const modify = call("modify_message", { content: "hi", ...why });
  const done = [call("allow_message")];

  it.each([
    ["read_only", { modify: false, change: false, store: false }],
    ["modify_context", { modify: false, change: true, store: false }],
    ["modify_messages", { modify: true, change: false, store: false }],
    [["modify_context", "modify_messages"], { modify: true, change: true, store: false }],
    ["full_control", { modify: true, change: true, store: true }],
  ] as const)(
    "%s: what isn't allowed isn't offered, and isn't done when it is called all the same",
    async (permission, may) => {
      const desk = new MemoryDesk();
      const model = scripted([[change], [store], done]);
      await pass(request("hello"), [agent(model, { permission })], { environment: { context: desk } });
      const offered = new Set(model.asked[0]?.tools?.map(({ name }) => name));
      expect(offered.has("modify_message")).toBe(may.modify);
      expect(offered.has("include_rule")).toBe(may.change);
      expect(offered.has("store_rule")).toBe(may.store);
      expect(offered.has("list_rules")).toBe(true);
      expect(desk.changes.length).toBe(may.change ? 1 : 0);
      expect(desk.stored.length).toBe(may.store ? 1 : 0);

      const { subject } = await pass(request("hello"), [agent(scripted([[modify], done]), { permission })]);
      expect(subject).toMatchObject({ message: { content: may.modify ? "hi" : "hello" } });
    },
  );

  it("fault 14: a supervisor that is talked into it can't plant a rule for every session", async () => {
    const desk = new MemoryDesk();
    const model = scripted([[store], done]);
    await pass(request("hello"), [agent(model, { permission: "modify_context" })], { environment: { context: desk } });
    expect(desk.stored).toEqual([]);
    expect(model.asked[1]?.messages.at(-1)?.content).toContain("There is no tool");
  });
});

describe("context tools", () => {
  const entries = [
    { kind: "rules", name: "calm", description: "how to speak with angry people", text: "Be calm.", inForce: false },
    { kind: "rules", name: "vat", description: "taxes", text: "Say prices with VAT.", inForce: true },
    { kind: "tools", name: "shop/refund", description: "pays money back", inForce: true },
    { kind: "toolServers", name: "shop", description: "refund", inForce: true },
  ] as const;

  it("read what there is", async () => {
    const model = scripted([
      [call("list_rules"), call("search_rules", { query: "an angry customer" }), call("get_rule", { name: "vat" })],
      [
        call("get_tool", { server: "shop", tool: "refund" }),
        call("list_tool_servers"),
        call("get_reference", { name: "no" }),
      ],
      [call("allow_message")],
    ]);
    await pass(request("hello"), [agent(model)], { environment: { context: new MemoryDesk(entries) } });
    const results = (round: number) =>
      (model.asked[round]?.messages ?? []).flatMap((message) => (message.role === "tool" ? [message.content] : []));
    expect(results(1)).toEqual([
      "- calm: how to speak with angry people\n- vat (in force): taxes",
      "- calm: how to speak with angry people",
      "- vat (in force): taxes\nSay prices with VAT.",
    ]);
    expect(results(2).slice(3)).toEqual([
      "- shop/refund (in force): pays money back",
      "- shop (in force): refund",
      'There is no reference "no"; list_references shows what there is.',
    ]);
  });

  it("change it at once, and the state of the pass says what was changed", async () => {
    const desk = new MemoryDesk(entries);
    const calls = [
      call("include_rule", { name: "calm", ...why }),
      call("exclude_tool", { server: "shop", tool: "refund", ...why }),
      call("exclude_tool_server", { name: "bank", ...why }),
      call("exclude_reference", { name: "prices", ...why }),
    ];
    const model = scripted([calls, [call("allow_message")]]);
    const { state } = await pass(request("hello"), [agent(model, { permission: "modify_context" })], {
      environment: { context: desk },
    });
    expect(state.contextChanges).toEqual({
      addedRules: ["calm"],
      removedRules: [],
      addedReferences: [],
      removedReferences: ["prices"],
      addedTools: [],
      removedTools: [
        { server: "shop", tool: "refund" },
        { server: "bank", tool: "*" },
      ],
    });
    expect(desk.changes[0]).toMatchObject({ supervisor: "guard", reason: "because" });
    expect(model.asked[1]?.messages.at(-1)?.content).toContain("is out of force; the context is at version");
  });

  it("holds and is on record even when the supervisor fails afterwards", async () => {
    const desk = new MemoryDesk(entries);
    const model = scripted([[call("exclude_tool", { server: "shop", tool: "refund", ...why })], "hm"]);
    const { state } = await pass(request("hello"), [agent(model, { permission: "modify_context" })], {
      environment: { context: desk },
    });
    expect(state.degraded).toEqual(["guard"]);
    expect(state.contextChanges.removedTools).toEqual([{ server: "shop", tool: "refund" }]);
  });

  it("are not there for a shadow", async () => {
    const model = scripted([[call("block_message", why)]]);
    const { state } = await pass(request("hello"), [agent(model, { permission: "full_control", mode: "shadow" })], {
      environment: { context: new MemoryDesk(entries) },
    });
    expect(state.decision).toBe("allow");
    expect(model.asked[0]?.tools?.map(({ name }) => name)).not.toContain("include_rule");
  });
});
