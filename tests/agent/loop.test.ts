import { describe, expect, it, vi } from "vitest";
import { Superseded } from "../../src/agent/journal.js";
import { runAgent } from "../../src/agent/loop.js";
import type { AgentTool } from "../../src/agent/tools.js";
import { ModelError } from "../../src/model/port.js";
import { MemoryJournal } from "../support/memory-journal.js";
import { portsOf, type Said, ScriptedModel, says, specOf, tool } from "./support.js";

function run(script: Said[], tools: Parameters<typeof specOf>[0] = [], limits = {}, spec = {}, ports = {}) {
  const model = new ScriptedModel(script);
  const outcome = runAgent({ ...specOf(tools, limits), ...spec }, portsOf(model, new MemoryJournal(), ports));
  return { model, outcome };
}

/** What the model read as results in its last request. */
function results(model: ScriptedModel): string[] {
  return (model.requests.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === "tool" ? [message.content] : [],
  );
}

describe("the agent loop", () => {
  it("answers with the model's text, and says what it used", async () => {
    const { outcome } = run([{ text: "Hello." }]);
    expect(await outcome).toMatchObject({
      kind: "answered",
      text: "Hello.",
      turns: [{ turnId: "msg.0", message: "Hello." }],
      inputTokens: 1,
      outputTokens: 1,
    });
  });

  it("runs the calls of a round at once, within the limit, and shows the results in the order of the calls", async () => {
    let open = 0;
    let most = 0;
    const waits: (() => void)[] = [];
    const slow = (name: string) =>
      tool(name, async () => {
        most = Math.max(most, ++open);
        // The last one that may run at once lets all go, in reverse order.
        await new Promise<void>((resolve) => {
          waits.unshift(resolve);
          if (waits.length === 3) for (const go of waits.splice(0)) go();
        });
        open -= 1;
        return { content: `${name} done` };
      });
    const names = ["a", "b", "c", "d", "e", "f"];
    const { model, outcome } = run([{ calls: names.map((name) => [name, {}]) }, { text: "ok" }], names.map(slow), {
      parallelTools: 3,
    });
    const { turns } = await outcome;
    expect(most).toBe(3);
    expect(results(model)).toEqual(names.map((name) => `${name} done`));
    expect(turns[0]?.toolCalls?.map(({ toolCallId, tool: name }) => [toolCallId, name])).toEqual(
      names.map((name, index) => [`msg.0.${index}`, name]),
    );
  });

  it.each([
    ["an unknown tool", ["nope", {}], ['There is no tool "nope"', "The tools are: good, picky, broken, slow."]],
    ["broken JSON", ["good", '{"a": '], ['the arguments of "good" must be a JSON object']],
    ["arguments that are no object", ["good", "[1]"], ["must be a JSON object (it is not an object)"]],
    [
      "arguments nested 50,000 deep",
      ["good", `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`],
      ["must be a JSON object (JSON may be nested at most 64 deep)"],
    ],
    ["arguments that don't fit", ["picky", { b: 1 }], ['of "picky" are wrong: a: is missing', '"needs":"a"']],
    ["a tool that fails", ["broken", {}], ['The tool "broken" failed: out of order']],
    ["a tool that takes too long", ["slow", {}], ['The tool "slow" failed: no result within 13 ms']],
  ] satisfies [string, [string, unknown], string[]][])(
    "answers %s with what would be right, and goes on",
    async (_what, call, expected) => {
      const ran = vi.fn(says("ran"));
      const tools = [
        tool("good", ran),
        tool("picky", ran, { parameters: { type: "object", needs: "a" } }),
        tool("broken", async () => {
          throw new Error("out of order");
        }),
        tool("slow", ran, { timeoutMs: 13 }),
      ];
      const { model, outcome } = run([{ calls: [call] }, { text: "I see." }], tools);
      expect(await outcome).toMatchObject({ kind: "answered", text: "I see." });
      for (const part of expected) expect(results(model)[0]).toContain(part);
      expect(ran).not.toHaveBeenCalled();
      expect((await outcome).turns[0]?.toolCalls).toMatchObject([{ error: results(model)[0] }]);
    },
  );

  it("takes empty arguments for none", async () => {
    const ran = vi.fn(says("ran"));
    await run([{ calls: [["good", ""]] }, { text: "ok" }], [tool("good", ran)]).outcome;
    expect(ran.mock.calls[0]?.[0]).toEqual({});
  });

  it("refuses the calls of a round that are too many, and says so", async () => {
    const ran = vi.fn(says("ran"));
    const { model, outcome } = run(
      [
        {
          calls: [
            ["good", {}],
            ["good", {}],
            ["good", {}],
          ],
        },
        { text: "ok" },
      ],
      [tool("good", ran)],
      { maxCallsPerRound: 2 },
    );
    await outcome;
    expect(ran).toHaveBeenCalledTimes(2);
    expect(results(model)).toEqual(["ran", "ran", expect.stringContaining("too many calls")]);
  });

  it("cuts an output that is too long, and says so", async () => {
    const { model, outcome } = run([{ calls: [["big", {}]] }, { text: "ok" }], [tool("big", says("x".repeat(60_010)))]);
    await outcome;
    expect(results(model)[0]).toMatch(/^x{60000}\n\[cut: 10 more characters\]$/);
  });

  it("has a last round without tools, in which it must answer in text", async () => {
    const { model, outcome } = run([{ calls: [["good", {}]], text: "again" }], [tool("good", says("ran"))], {
      maxToolRounds: 2,
    });
    expect(await outcome).toMatchObject({ kind: "answered", text: "again" });
    expect(model.requests.map(({ tools }) => tools?.length)).toEqual([1, 1, undefined]);
    expect((await outcome).turns.map(({ toolCalls }) => toolCalls?.length)).toEqual([1, 1, undefined]);
  });

  it("demands the ending tool in the last round, and ends with it", async () => {
    const tools = [
      tool("look", says("seen")),
      tool("decide", async () => ({ content: "decided", endsRun: true }), { execution: "durable" }),
    ];
    const { model, outcome } = run(
      [
        { calls: [["look", {}]] },
        {
          calls: [
            ["look", {}],
            ["decide", { to: "a" }],
          ],
        },
      ],
      tools,
      { maxToolRounds: 1 },
      { endingTools: ["decide"], toolChoice: "required" },
    );
    expect(await outcome).toMatchObject({ kind: "ended", by: { name: "decide", args: { to: "a" } } });
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(["required", { tool: "decide" }]);
    expect(model.requests[1]?.tools?.map(({ name }) => name)).toEqual(["decide"]);
  });

  it.each([
    ["tokens", { maxTokens: 15 }, clock(0), "token budget of 15"],
    ["time", { maxActiveMs: 10 }, clock(7), "time budget of 10 ms"],
  ])("stops when its budget of %s is used up, and says which", async (_what, limits, now, detail) => {
    const { outcome } = run([{ calls: [["good", {}]], tokens: 9 }], [tool("good", says("ran"))], limits, {}, { now });
    expect(await outcome).toMatchObject({
      kind: "failed",
      code: "budget_exceeded",
      detail: expect.stringContaining(detail),
    });
  });

  it("calls nothing whose result it couldn't read any more, but ends with a decision that came in time", async () => {
    const ran = vi.fn(says("ran"));
    const decide = tool("decide", async () => ({ content: "decided", endsRun: true }), { execution: "durable" });
    const both: [string, unknown][] = [
      ["look", {}],
      ["decide", {}],
    ];
    for (const [calls, kind] of [
      [both, "ended"],
      [both.slice(0, 1), "failed"],
    ] as const) {
      const tools = [tool("look", ran), decide];
      const { outcome } = run([{ calls, tokens: 20 }], tools, { maxTokens: 15 }, { endingTools: ["decide"] });
      expect((await outcome).kind).toBe(kind);
    }
    expect(ran).not.toHaveBeenCalled();
    const { outcome } = run([{ text: "answer", tokens: 20 }], [], { maxTokens: 15 });
    expect(await outcome).toMatchObject({ kind: "answered", text: "answer" });
  });

  it("fails by name when no model gives a usable reply", async () => {
    const { outcome } = run([new ModelError("unavailable", "No model gave a usable reply.")]);
    expect(await outcome).toMatchObject({
      kind: "failed",
      code: "model_failed",
      detail: "No model gave a usable reply.",
    });
  });

  it("asks for the prompt and the tools anew each round: what changes holds from the next call on", async () => {
    let tools: AgentTool[] = [
      tool("first", async () => {
        tools = [tool("second", says("2"))];
        return { content: "1" };
      }),
    ];
    const model = new ScriptedModel([{ calls: [["first", {}]] }, { calls: [["first", {}]] }, { text: "ok" }]);
    await runAgent({ ...specOf([]), tools: () => tools }, portsOf(model, new MemoryJournal()));
    expect(model.requests.map((request) => request.tools?.map(({ name }) => name))).toEqual([
      ["first"],
      ["second"],
      ["second"],
    ]);
    expect(results(model)[1]).toContain('There is no tool "first"');
  });

  it("calls a tool by what its name stood for when it was offered, though another of that name has come in since", async () => {
    const ran: string[] = [];
    const found = (server: string, name: string) =>
      tool(name, async () => ({ content: ran.push(server).toString() }), { ref: { server, tool: "find" } });
    let tools = [found("a", "find")];
    const model = new ScriptedModel([{ calls: [["find", {}]] }, { text: "ok" }]);
    const call: typeof model.call = async (request) => {
      tools = [found("b", "b__find"), found("a", "a__find")];
      return model.call(request);
    };
    const { turns } = await runAgent({ ...specOf([]), tools: () => tools }, portsOf({ call }, new MemoryJournal()));
    expect(ran).toEqual(["a"]);
    expect(turns[0]?.toolCalls).toMatchObject([{ server: "a", tool: "find", output: "1" }]);
  });

  it("calls with the arguments that supervision made, and shows the output that it made", async () => {
    const ran = vi.fn(says("secret output"));
    const { model, outcome } = run(
      [
        {
          calls: [
            ["good", { a: "secret" }],
            ["bad", { a: "secret" }],
            ["hidden", { a: "secret" }],
            ["4111 1111", { a: "secret" }],
            ["good", '{"a": "secret'],
          ],
        },
        { text: "ok" },
      ],
      [tool("good", ran), tool("bad", ran), tool("hidden", ran)],
      {},
      {},
      {
        guard: {
          beforeCall: async (call: { tool: { name: string } }) =>
            call.tool.name === "bad"
              ? { kind: "refuse", reason: "not this one" }
              : { kind: "go", value: { a: "clean" } },
          afterCall: async (call: { tool: { name: string } }) =>
            call.tool.name === "hidden"
              ? { kind: "refuse", reason: "not shown" }
              : { kind: "go", value: { content: "clean output" } },
        },
      },
    );
    const { turns } = await outcome;
    expect(ran.mock.calls.map(([args]) => args)).toEqual([{ a: "clean" }, { a: "clean" }]);
    expect(results(model).slice(0, 3)).toEqual(["clean output", "not this one", "not shown"]);
    expect(turns[0]?.toolCalls).toMatchObject([
      { args: { a: "clean" }, output: "clean output" },
      { args: {}, error: "not this one" },
      { args: { a: "clean" }, error: "not shown" },
      { server: "", tool: "unknown", args: {}, error: expect.stringContaining('no tool "4111 1111"') },
      { args: {}, error: expect.stringContaining("must be a JSON object") },
    ]);
  });

  it("swallows no cancellation inside a tool", async () => {
    const { outcome } = run(
      [{ calls: [["gone", {}]] }],
      [
        tool("gone", async () => {
          throw new Superseded("cancelled");
        }),
      ],
    );
    await expect(outcome).rejects.toThrow(Superseded);
  });
});

function clock(stepMs: number): () => number {
  let at = 0;
  return () => (at += stepMs);
}
