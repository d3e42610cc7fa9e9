import { describe, expect, it } from "vitest";
import { joined, newestWithin, resolveResults } from "../../src/application/openai/conversation-before.js";
import { readResponseId, responseId } from "../../src/application/openai/response-ref.js";
import { turnSchema } from "../../src/chat/session.js";
import { turnRequestSchema } from "../../src/chat/turn-request.js";
import { OpenAiError } from "../../src/openai/errors.js";
import { type ResponseRequest, responseBodySchema } from "../../src/openai/response-body.js";
import { asMessages, completeItems } from "../../src/openai/response-items.js";
import { responseOfItem } from "../../src/openai/response-object.js";
import { responseInput } from "../../src/openai/response-request.js";

const inputOf = (body: object, session?: string) => {
  const {
    stream: _stream,
    stream_options: _options,
    background: _background,
    input,
    ...rest
  } = responseBodySchema.parse({
    model: "a",
    ...body,
  });
  const told = input.flatMap((item) => (item.type === "item_reference" || item.type === "compaction" ? [] : [item]));
  const request: ResponseRequest = { ...rest, input: told };
  return responseInput(request, session);
};

const call = { type: "function_call", call_id: "c1", name: "look", arguments: '{"at":1}' } as const;
const output = { type: "function_call_output", call_id: "c1", output: "seen" } as const;
const user = (content: string) => ({ type: "message", role: "user", content }) as const;
const assistant = (content: string) => ({ type: "message", role: "assistant", content }) as const;

describe("items that clients leave half unsaid", () => {
  it.each([
    ["a text", "Hello", [user("Hello")]],
    ["a role alone", [{ role: "user", content: "x" }], [user("x")]],
    ["an id alone", [{ id: "msg_1" }], [{ type: "item_reference", id: "msg_1" }]],
    ["a type", [call], [call]],
    ["no item", [7], [7]],
  ])("%s", (_what, given, expected) => {
    expect(completeItems(given)).toEqual(expected);
  });
});

describe("items as the messages of a chat", () => {
  it("put what one reply said and called into one message", () => {
    const items = [user("Look."), assistant("I look."), call, { ...call, call_id: "c2" }, output, assistant("Done.")];
    expect(asMessages(items)).toMatchObject([
      { at: 0, message: { role: "user", content: "Look." } },
      { at: 1, message: { role: "assistant", content: "I look.", tool_calls: [{ id: "c1" }, { id: "c2" }] } },
      { at: 4, message: { role: "tool", tool_call_id: "c1", content: "seen" } },
      { at: 5, message: { role: "assistant", content: "Done." } },
    ]);
  });

  it("join the parts of a text, refusals included", () => {
    const parts = [
      { type: "output_text", text: "I saw " },
      { type: "refusal", refusal: "No." },
    ] as const;
    const [told] = asMessages([{ type: "message", role: "assistant", content: [...parts] }]);
    expect(told?.message).toMatchObject({ content: "I saw No." });
  });
});

describe("a request", () => {
  it("is the conversation before, the message, and what came of the last calls", () => {
    const { content, request } = inputOf({ input: [user("One."), assistant("Two."), user("Look."), call, output] });
    expect(request.history).toEqual([
      { role: "user", content: "One." },
      { role: "assistant", content: "Two." },
      { role: "user", content: "Look." },
      { role: "assistant", content: "" },
    ]);
    expect(request.results).toEqual([{ toolCallId: "c1", tool: "look", args: '{"at":1}', output: "seen" }]);
    expect(content).toBe('The tool "look" returned: seen');
  });

  it("has the instructions before the messages that instruct", () => {
    const { request } = inputOf({
      instructions: "First.",
      input: [
        { role: "system", content: "Second." },
        user("x"),
        assistant("y"),
        { role: "developer", content: "Third." },
        user("z"),
      ],
    });
    expect(request.instructions).toBe("First.\n\nSecond.\n\nThird.");
  });

  it.each([
    [{ conversation: "ses_1" }, undefined, "ses_1"],
    [{ conversation: { id: "ses_1" } }, "ses_2", "ses_1"],
    [{}, "ses_2", "ses_2"],
    [{ metadata: { sessionId: "ses_3" } }, undefined, "ses_3"],
    [{}, undefined, undefined],
  ])("names its session: %j with the header %s", (fields, header, sessionId) => {
    expect(inputOf({ input: "x", ...fields }, header).sessionId).toBe(sessionId);
  });

  it.each([
    [{}, { isStored: true, isWhole: true, subject: undefined }],
    [
      { store: false, truncation: "auto", safety_identifier: "ada" },
      { isStored: false, isWhole: false, subject: "ada" },
    ],
    [{ user: "ada", safety_identifier: "bob" }, { subject: "ada" }],
  ])("%j is to be done so: %j", (fields, expected) => {
    expect(inputOf({ input: "x", ...fields })).toMatchObject(expected);
  });

  it.each([
    ["none", [], "none"],
    [{ type: "function", name: "look" }, ["look", "write"], { tool: "look" }],
    [{ type: "allowed_tools", tools: [{ type: "function", name: "write" }], mode: "required" }, ["write"], "required"],
    [{ type: "allowed_tools", tools: [{ type: "function", name: "look" }] }, ["look"], "auto"],
  ])("offers, at the choice %j, the functions %j", (tool_choice, offered, toolChoice) => {
    const tools = offered.length === 0 ? [] : ["look", "write"].map((name) => ({ type: "function", name }));
    const { request } = inputOf({ input: "x", tools, tool_choice });
    expect([request.tools.map(({ name }) => name), request.toolChoice]).toEqual([offered, toolChoice]);
  });

  it("says which item is wrong, instructions or not", () => {
    const wrong = () => inputOf({ instructions: "Be brief.", input: [user("x"), output] });
    expect(wrong).toThrow(OpenAiError);
    expect(wrong).toThrow(expect.objectContaining({ param: "input[1].call_id" }));
  });

  it("keeps for its answer what it asked for, but not its instructions", () => {
    const { request } = inputOf({ input: "x", instructions: "Secret.", metadata: { a: "b" } });
    expect(request.note).toMatchObject({ metadata: { a: "b" }, tool_choice: "auto", store: true });
    expect(JSON.stringify(request.note)).not.toContain("Secret");
  });
});

describe("ids", () => {
  const ref = { sessionId: `ses_${"0".repeat(26)}`, turnId: `trn_${"1".repeat(26)}` };
  it("of a response name its session and its turn, and those of its items the response", () => {
    expect(readResponseId(responseId(ref))).toEqual(ref);
    expect(responseOfItem(`fc_${ref.sessionId}_${"1".repeat(26)}_3`)).toBe(responseId(ref));
    for (const other of ["resp_x", `resp_${ref.sessionId}`, `${responseId(ref)}0`]) {
      expect(readResponseId(other)).toBeUndefined();
    }
  });
});

describe("the conversation before", () => {
  const turn = (fields: object) =>
    turnSchema.parse({
      turnId: "trn_1",
      status: "completed",
      supervision: { status: "ok", degraded: [], request: { action: "allow", reasons: [] } },
      asks: [],
      usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0 },
      createdAt: "2026-11-22T10:00:00.000Z",
      ...fields,
    });
  const said = (content: string) => ({ messageId: "msg_1", role: "user", content });
  const reply = (message: string, pendingToolCalls: object[] = []) => ({
    messageId: "msg_2",
    role: "assistant",
    modelReply: { timestamp: "2026-11-22T10:00:00.000Z", turns: [{ turnId: "t", message }], pendingToolCalls },
  });
  const request = (fields: object = {}) => turnRequestSchema.parse(fields);
  const pending = { toolCallId: "c1", server: "caller", tool: "look", args: { at: 1 } };

  it("is what each turn brought, said and replied", () => {
    const { messages } = joined([
      {
        turn: turn({ message: said("Two."), reply: reply("Three.") }),
        request: request({ history: [{ role: "user", content: "One." }] }),
      },
      { turn: turn({ message: said("Four."), reply: reply("Five.") }), request: request() },
    ]);
    expect(messages.map(({ content }) => content)).toEqual(["One.", "Two.", "Three.", "Four.", "Five."]);
  });

  it("tells calls with what came of them, and hands on those that are open", () => {
    const results = [{ toolCallId: "c1", tool: "look", args: "{}", output: "seen" }];
    const turns = [
      { turn: turn({ message: said("Look."), reply: reply("I look.", [pending]) }), request: request() },
      {
        turn: turn({ message: said('The tool "look" returned: seen'), reply: reply("", [pending]) }),
        request: request({ results }),
      },
    ];
    expect(joined(turns)).toMatchObject({
      messages: [
        { role: "user", content: "Look." },
        {
          role: "assistant",
          content: "I look.",
          rounds: [{ message: "I look.", calls: [{ ref: { tool: "look" }, args: '{"at":1}', result: "seen" }] }],
        },
      ],
      pending: [pending],
    });
  });

  it("leaves out what was blocked, erased or failed, and tells a changed message as it was changed", () => {
    const changed = { status: "ok", degraded: [], request: { action: "modify", reasons: [] } };
    const blocked = { status: "ok", degraded: [], request: { action: "block", reasons: [] } };
    const results = [{ toolCallId: "c1", tool: "look", args: "{}", output: "a secret" }];
    const { messages } = joined([
      {
        turn: turn({ status: "blocked", message: said("[blocked]"), supervision: blocked }),
        request: request({ results }),
      },
      {
        turn: turn({ message: { ...said(""), erased: true }, reply: { ...reply(""), erased: true } }),
        request: undefined,
      },
      { turn: turn({ status: "failed", message: said("Hello?") }), request: request() },
      {
        turn: turn({ message: said("It returned: [redacted]"), supervision: changed, reply: reply("Fine.") }),
        request: request({ results }),
      },
    ]);
    expect(messages.map(({ content }) => content)).toEqual(["Hello?", "It returned: [redacted]", "Fine."]);
    expect(JSON.stringify(messages)).not.toContain("secret");
  });

  it("loses its beginning where it is too long", () => {
    const messages = ["aaaa", "bbbb", "cccc"].map((content) => ({ role: "user" as const, content }));
    const each = JSON.stringify(messages[0]).length;
    expect(newestWithin(messages, 2 * each)).toEqual(messages.slice(1));
    expect(newestWithin(messages, 3 * each)).toEqual(messages);
    expect(newestWithin(messages, each - 1)).toEqual([]);
  });

  it("finds the call that a result is of, and names it in a message that brings nothing else", () => {
    const results = [{ toolCallId: "c1", tool: "", args: "{}", output: "seen" }];
    const content = 'The tool "" returned: seen';
    expect(resolveResults({ content, results }, [pending])).toEqual({
      content: 'The tool "look" returned: seen',
      results: [{ toolCallId: "c1", tool: "look", args: '{"at":1}', output: "seen" }],
    });
    expect(resolveResults({ content, results }, [])).toBeUndefined();
  });
});
