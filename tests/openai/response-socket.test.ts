import { afterEach, describe, expect, it, vi } from "vitest";
import { newTenant, send, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { runHousekeeping } from "../support/housekeeping.js";
import { passTime } from "../support/objects.js";
import { expectPublished } from "./published-schema.js";
import { checkedEvents, type Event, respond, retrieve, userItem } from "./response-support.js";
import { storedSessions } from "./support.js";

afterEach(() => {
  vi.useRealTimers();
});

/** A socket at `/v1/responses`: what is sent is answered by events up to the end of a response, or by a refusal. */
class Socket {
  readonly messages: Event[] = [];
  code: number | undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener("message", ({ data }) => void this.messages.push(JSON.parse(String(data))));
    socket.addEventListener("close", ({ code }) => {
      this.code = code;
    });
    socket.accept();
  }

  static async open({ key }: Pick<TestTenant, "key">): Promise<Socket> {
    const response = await send("GET", "/v1/responses", { key, headers: { upgrade: "websocket" } });
    expect(response.status).toBe(101);
    if (response.webSocket === null) throw new Error("there is no socket");
    return new Socket(response.webSocket);
  }

  async create(input: unknown, fields: object = {}): Promise<readonly Event[]> {
    this.send(JSON.stringify({ type: "response.create", model: "assistant", input, ...fields }));
    return this.answer();
  }

  send(text: string): void {
    this.socket.send(text);
  }

  async answer(): Promise<readonly Event[]> {
    await eventually(() => expect(this.messages.map(({ type }) => type)).toContainEqual(expect.stringMatching(ends)));
    const end = this.messages.findIndex(({ type }) => ends.test(type));
    return this.messages.splice(0, end + 1);
  }

  close(): void {
    this.socket.close();
  }
}

const ends = /^(error|response\.(completed|incomplete|failed))$/;

const text = (events: readonly Event[]): string => checkedEvents(events).text;

function expectRefused(events: readonly Event[], error: object): void {
  expect(events).toHaveLength(1);
  expectPublished("WebSocketErrorEvent", events[0]);
  expect(events[0]).toMatchObject(error);
}

describe("a socket of responses", () => {
  it("gives the events of one response after the other", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ chunks: ["One ", "two."] }, { text: "Three." });
    const socket = await Socket.open(tenant);
    socket.send(JSON.stringify({ type: "response.create", model: "assistant", input: "Count." }));
    socket.send(JSON.stringify({ type: "response.create", model: "assistant", input: [userItem("Go on.")] }));
    const first = await socket.answer();
    expect(text(first)).toBe("One two.");
    expect(text(await socket.answer())).toBe("Three.");
    const { id } = first.at(-1).response;
    expect((await retrieve(tenant, id)).body.output[0].content[0].text).toBe("One two.");
    socket.close();
  });

  it("goes on from what isn't stored, as long as it is open, and nobody else does", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "OK." }, { text: "Fine." }, { text: "cobalt" }, { text: "new" });
    const socket = await Socket.open(tenant);
    const store = false;
    const first = (await socket.create("Remember cobalt.", { store })).at(-1).response;
    const second = (await socket.create("And?", { store, previous_response_id: first.id })).at(-1).response;
    const missing = { type: "error", status: 404, error: { code: "previous_response_not_found" } };
    const other = await Socket.open(tenant);
    expectRefused(await other.create("x", { store, previous_response_id: second.id }), missing);
    expect((await retrieve(tenant, second.id)).status).toBe(404);
    expectRefused(await socket.create("x", { store, previous_response_id: first.id }), missing);
    expectRefused(await socket.create("x", { previous_response_id: second.id }), {
      status: 400,
      error: { param: "store" },
    });
    expect(text(await socket.create("Which word?", { store, previous_response_id: second.id }))).toBe("cobalt");
    expect((await model.requests())[2]?.body).toMatchObject({
      messages: [{}, { content: "Remember cobalt." }, {}, { content: "And?" }, {}, { content: "Which word?" }],
    });
    socket.close();
    other.close();
    await eventually(async () => {
      expect((await tenant.call("GET", "/v1/sessions")).body.items).toEqual([]);
    });
  });

  it("goes on for longer than housekeeping leaves alone what isn't stored", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "OK." }, { text: "Fine." }, { text: "cobalt" });
    const socket = await Socket.open(tenant);
    const store = false;
    const first = (await socket.create("Remember cobalt.", { store })).at(-1).response;
    await eventually(async () => expect(await storedSessions(tenant)).toHaveLength(1));
    vi.useFakeTimers({ toFake: ["Date"] });
    passTime(20 * 60_000);
    const second = (await socket.create("And?", { store, previous_response_id: first.id })).at(-1).response;
    passTime(20 * 60_000);
    await runHousekeeping();
    expect(text(await socket.create("Which word?", { store, previous_response_id: second.id }))).toBe("cobalt");
    socket.close();
  });

  it("forgets what couldn't be gone on from", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "OK.", repeat: true });
    const socket = await Socket.open(tenant);
    const { id } = (await socket.create("Remember ember.", { store: false })).at(-1).response;
    const follow = { store: false, previous_response_id: id };
    const output = { type: "function_call_output", call_id: "call_none", output: "x" };
    expectRefused(await socket.create([output], follow), { status: 400, error: { param: "input" } });
    expectRefused(await socket.create("Again?", follow), { error: { code: "previous_response_not_found" } });
    socket.close();
  });

  it("refuses what it can't read, goes on after it, and ends when the key is gone", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "OK." }, { status: 400, body: {} });
    const own = await tenant.withRole("client");
    const socket = await Socket.open(own);
    for (const [message, error] of [
      ["{", { status: 400 }],
      [JSON.stringify({ type: "response.cancel" }), { status: 400, error: { param: "type" } }],
      [
        JSON.stringify({ type: "response.create", model: "assistant", input: "x", stream: true }),
        { error: { param: "stream" } },
      ],
      [`{"model":${"[".repeat(90)}${"]".repeat(90)}}`, { status: 400 }],
    ] as const) {
      socket.send(message);
      expectRefused(await socket.answer(), error);
    }
    expect(text(await socket.create("Hello?"))).toBe("OK.");
    const failed = await socket.create("Hello?");
    expect(failed.at(-1)).toMatchObject({
      type: "response.failed",
      response: { error: { code: "model_unavailable" } },
    });
    const { items } = (await tenant.call("GET", "/v1/keys")).body;
    const { keyId } = items.find(({ role }: { role: string }) => role === "client");
    await tenant.call("DELETE", `/v1/keys/${keyId}`);
    expectRefused(await socket.create("Hello?"), { status: 401, error: { code: "invalid_api_key" } });
    await eventually(() => expect(socket.code).toBe(1008));
  });

  it("takes a model call with it that isn't stored", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ chunks: ["One ", "two"], hold: { name: "never", afterChunks: 1 } });
    const socket = await Socket.open(tenant);
    socket.send(JSON.stringify({ type: "response.create", model: "assistant", input: "Count.", store: false }));
    await model.until({ requests: 1 });
    socket.close();
    await model.until({ aborted: 1 });
  });

  it("is closed soon after its key was deleted, whether it waits or is told an answer", async () => {
    // The time between two looks, made short: a clock that the test moved would call in the test's name.
    const { setInterval } = globalThis;
    const timer = vi.spyOn(globalThis, "setInterval");
    timer.mockImplementation((look, ms) => setInterval(look, ms === 15_000 ? 50 : ms));
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const { key, keyId } = (await tenant.call("POST", "/v1/keys", { role: "client" })).body;
    const [idle, busy, other] = [await Socket.open({ key }), await Socket.open({ key }), await Socket.open(tenant)];
    await model.reply({ chunks: ["Nothing ", "for strangers."], hold: "reply" });
    busy.send(JSON.stringify({ type: "response.create", model: "assistant", input: "Tell." }));
    await eventually(() => expect(busy.messages.map(({ type }) => type)).toContain("response.created"));
    expect([idle.code, busy.code]).toEqual([undefined, undefined]);
    expect((await tenant.call("DELETE", `/v1/keys/${keyId}`)).status).toBe(204);
    await eventually(() => expect([idle.code, busy.code, other.code]).toEqual([1008, 1008, undefined]));
    await model.release("reply");
    expectRefused(idle.messages, { type: "error", status: 401, error: { code: "invalid_api_key" } });
    expect(JSON.stringify(busy.messages)).not.toContain("strangers");
    other.close();
    timer.mockRestore();
  });
});

describe("compacting", () => {
  it("sums a conversation up; the sealed summary stands for it", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "OK." }, { text: "The launch is on Tuesday." }, { text: "On Tuesday." });
    const { body: first } = await respond(tenant, "We launch on Tuesday.");
    const compacted = await tenant.call("POST", "/v1/responses/compact", {
      model: "assistant",
      previous_response_id: first.id,
    });
    expect(compacted).toMatchObject({
      status: 200,
      body: { object: "response.compaction", output: [{ type: "compaction" }] },
    });
    expectPublished("CompactResource", compacted.body);
    expect(JSON.stringify(compacted.body)).not.toContain("Tuesday");
    const { output } = compacted.body;
    await respond(tenant, [...output, userItem("When?")]);
    const [, asked, told] = await model.requests();
    expect(asked?.body).toMatchObject({ messages: [{}, { content: "We launch on Tuesday." }, {}, {}] });
    expect(JSON.stringify(told?.body)).toContain("The launch is on Tuesday.");
    const other = await newTenant();
    await other.agent("assistant");
    expect(await respond(other, [...output, userItem("When?")])).toMatchObject({
      status: 400,
      body: { error: { param: "input[0].encrypted_content" } },
    });
    const bob = (await tenant.call("POST", "/v1/tokens", { subject: "bob" })).body.token;
    const body = { model: "assistant", input: [...output, userItem("When?")] };
    expect((await send("POST", "/v1/responses", { key: bob, body })).status).toBe(400);
  });

  it("is supervised, answers no question, and needs a conversation", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"], supervisors: ["guard"] });
    await tenant.rules("guard", [{ match: { type: "phrases", phrases: ["giraffe"] }, action: "block", reason: "No." }]);
    await model.reply(
      { toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] },
      { text: "About a giraffe." },
    );
    const compact = (fields: object) => tenant.call("POST", "/v1/responses/compact", { model: "assistant", ...fields });
    const { body: asked } = await respond(tenant, "Is it paid?");
    expect(await compact({ previous_response_id: asked.id })).toMatchObject({
      status: 409,
      body: { error: { code: "waiting_on_ask" } },
    });
    expect(await compact({ input: "Hello." })).toMatchObject({
      status: 400,
      body: { error: { code: "content_filter" } },
    });
    expect(await compact({})).toMatchObject({ status: 400, body: { error: { param: "input" } } });
    expect(await compact({ model: undefined, input: "x" })).toMatchObject({
      status: 400,
      body: { error: { param: "model" } },
    });
  });
});
