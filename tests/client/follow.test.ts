/** The typed client on connections that break: against an object's own event log, and against the running Worker. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { eventStream } from "../../durable-objects/kit/event-stream.js";
import { EventLog } from "../../durable-objects/kit/events.js";
import { Conclave, ConclaveError, type ConclaveEvent, ReplyText } from "../../src/client/index.js";
import { withKitTables } from "../durable-objects/kit/support.js";
import { seeded } from "../supervision/rules/support.js";
import { newTenant, origin } from "../support/conclave.js";

/** Lets so many bytes through, and breaks then, or ends as if all were said. */
function cut(body: ReadableStream<Uint8Array>, bytes: number, how: "breaks" | "ends"): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = bytes;
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (value !== undefined && left > 0) controller.enqueue(value.slice(0, left));
      left -= value?.byteLength ?? 0;
      if (done) return controller.close();
      if (left > 0) return;
      await reader.cancel();
      if (how === "ends") controller.close();
      else controller.error(new TypeError("the network is gone"));
    },
    cancel: () => reader.cancel(),
  });
}

function clientOf(answer: (request: Request) => Promise<Response> | Response): Conclave {
  return new Conclave({
    baseUrl: origin,
    token: "cnk_test",
    retryAfterMs: 1,
    fetch: async (input, init) => answer(new Request(input, init)),
  });
}

async function all(events: AsyncIterable<ConclaveEvent>): Promise<ConclaveEvent[]> {
  const seen: ConclaveEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** What is shown by somebody who only ever appends. */
function appended(events: readonly ConclaveEvent[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.event === "reply.delta")
      texts.set(event.data.turnId, (texts.get(event.data.turnId) ?? "") + event.data.text);
    if (event.event === "reply.retracted") texts.set(event.data.turnId, "");
  }
  return texts;
}

describe("events over a connection that breaks at any byte", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("come once each, in their order, and their deltas fit together (seed %i)", (seed) =>
    withKitTables(async (state) => {
      const random = seeded(seed);
      const below = (n: number) => Math.floor(random() * n);
      const log = new EventLog(
        state.storage.sql,
        () => 0,
        (_type, data) => data,
      );
      let active = true;
      let shown: { turnId: string; text: string; attempt: number } | undefined;
      // What each attempt at a reply came to: who was away when one was void may have seen its beginning.
      const said = new Map<string, string[]>();
      const write = async () => {
        for (let n = 0; n < 12; n++) {
          const turnId = `trn_${n}`;
          log.append("turn.started", turnId, { turnId });
          shown = { turnId, text: "", attempt: 0 };
          for (let steps = below(12); steps > 0; steps--) {
            await new Promise((resolve) => setTimeout(resolve, 0));
            if (below(6) === 0 && shown.text !== "") {
              said.set(turnId, [...(said.get(turnId) ?? []), shown.text]);
              shown = { turnId, text: "", attempt: shown.attempt + 1 };
              log.announce("reply.retracted", turnId, { turnId, attempt: shown.attempt });
            }
            const text = `${seed}.${n}.${steps} `;
            log.announce("reply.delta", turnId, { turnId, text, attempt: shown.attempt, offset: shown.text.length });
            shown = { ...shown, text: shown.text + text };
          }
          said.set(turnId, [...(said.get(turnId) ?? []), shown.text]);
          shown = undefined;
          log.append("turn.completed", turnId, { turnId });
        }
        active = false;
        log.append("context.changed", undefined, { version: 1 });
      };
      const catchUp = () => {
        if (shown === undefined || shown.text === "") return undefined;
        return log.live("reply.delta", shown.turnId, { ...shown, offset: 0 });
      };
      let connections = 0;
      const conclave = clientOf((request) => {
        connections += 1;
        if (below(8) === 0) return new Response("", { status: 503 });
        const after = Number(request.headers.get("last-event-id"));
        const stream = eventStream(log, {
          after,
          lingerMs: 0,
          active: () => active,
          visible: ({ data }) => data,
          catchUp,
        });
        return new Response(cut(stream, 20 + below(600), below(2) === 0 ? "breaks" : "ends"));
      });
      const [events] = await Promise.all([all(conclave.sessions.events("ses_1", { untilIdle: true })), write()]);

      const ids = events.flatMap(({ event, id }) => (id === undefined && event.startsWith("reply.") ? [] : [id]));
      expect(ids).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
      for (const [turnId, text] of appended(events))
        expect(said.get(turnId)?.some((whole) => whole.startsWith(text))).toBe(true);
      expect(connections).toBeGreaterThan(5);
    }),
  );
});

it("tells how far a call of a tool is as an event that it knows", async () => {
  const progress = { toolCallId: "tlc_1", server: "docs", tool: "search", progress: 3, total: 7 };
  const sent = `event: tool.progress\ndata: ${JSON.stringify(progress)}\n\n`;
  const conclave = clientOf(() => new Response(sent, { headers: { "content-type": "text/event-stream" } }));
  const { value: event } = await conclave.sessions.events("ses_1", {}).next();
  expect(event?.event === "tool.progress" ? event.data.progress / (event.data.total ?? 1) : undefined).toBe(3 / 7);
});

describe("the client against a Worker", () => {
  it("sends a message once and follows its one turn, however often the stream is cut", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    const text = "One two three four five six seven eight nine ten eleven twelve. ".repeat(8).trim();
    await model.reply({ chunks: text.split(/(?<= )/), text });
    const random = seeded(11);
    const conclave = new Conclave({
      baseUrl: origin,
      token: () => tenant.key,
      retryAfterMs: 1,
      fetch: async (input, init) => {
        const answer = await exports.default.fetch(new Request(input, init));
        if (answer.body === null || !(answer.headers.get("content-type") ?? "").includes("event-stream")) return answer;
        return new Response(cut(answer.body, 700 + Math.floor(random() * 2_000), "breaks"), answer);
      },
    });
    const reply = new ReplyText();
    const events: ConclaveEvent[] = [];
    let shown = "";
    for await (const event of conclave.sessions.stream(session, { content: "Count." })) {
      events.push(event);
      shown = reply.after(event);
    }
    expect(shown).toBe(text);
    expect([...appended(events).values()]).toEqual([text]);
    expect(events.at(-1)).toMatchObject({ event: "turn.completed", data: { status: "completed" } });
    expect(await model.requests()).toHaveLength(1);
    expect((await conclave.sessions.messages(session)).items).toHaveLength(2);
  });

  it("ends a stream that waits for an answer, answers, and reads how it went on", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    const conclave = new Conclave({
      baseUrl: origin,
      token: tenant.key,
      fetch: (input, init) => exports.default.fetch(new Request(input, init)),
    });
    const { sessionId } = await conclave.sessions.ensure("mine", { agent: "assistant", subject: "ada" });
    expect((await conclave.sessions.ensure("mine", { agent: "assistant" })).sessionId).toBe(sessionId);
    await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] }, { text: "That one." });
    const events = await all(conclave.sessions.stream(sessionId, { content: "Buy it." }));
    const opened = events.find((event) => event.event === "ask.opened");
    expect(events.at(-1)?.event).toBe("turn.waiting");
    const askId = opened?.event === "ask.opened" ? opened.data.askId : "";
    expect(await conclave.asks.answer(askId, { response: "The red one." })).toMatchObject({ status: "answered" });
    const { lastTurn } = await conclave.sessions.get(sessionId);
    const turn = await conclave.sessions.turn(sessionId, lastTurn?.turnId ?? "", { waitMs: 10_000 });
    expect(turn.reply?.modelReply.turns.at(-1)?.message).toBe("That one.");
    const told = await all(conclave.sessions.events(sessionId, { after: events.at(-1)?.id ?? 0, untilIdle: true }));
    expect(told.map(({ event }) => event)).toEqual(expect.arrayContaining(["ask.closed", "turn.completed"]));
  });

  it("follows through a wait to the end of its own turn, and says where it is", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    const conclave = new Conclave({
      baseUrl: origin,
      token: tenant.key,
      retryAfterMs: 1,
      fetch: (input, init) => exports.default.fetch(new Request(input, init)),
    });
    const { sessionId } = await conclave.sessions.create({ agent: "assistant", subject: "ada" });
    const asking = { toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] };
    await model.reply(asking, { text: "That one." }, { text: "Two of them." });
    const first = await conclave.sessions.send(sessionId, { content: "Buy it." });
    const reply = new ReplyText();
    const states: string[] = [];
    const texts: string[] = [];
    for await (const event of conclave.sessions.stream(sessionId, { content: "Twice." }, { follow: true })) {
      const text = reply.after(event);
      if (event.event === "turn.queued") {
        expect(reply.state?.userMessage).toMatch(/^Your message was taken/);
        await conclave.asks.answer(first.asks[0]?.askId ?? "", { response: "The red one." });
      }
      if (event.event === "turn.completed") texts.push(text);
      if (reply.state !== undefined && states.at(-1) !== reply.state.status) states.push(reply.state.status);
    }
    expect(texts).toEqual(["That one.", "Two of them."]);
    expect([states[0], states.at(-1)]).toEqual(["queued", "completed"]);
  });

  it("throws what is refused, with the API's words, and tries again what may pass", async () => {
    const tenant = await newTenant();
    let calls = 0;
    const keys = new Set<string | null>();
    const conclave = clientOf((request) => {
      calls += 1;
      keys.add(request.headers.get("idempotency-key"));
      if (calls % 2 === 1) return new Response("try later", { status: 503 });
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${tenant.key}`);
      return exports.default.fetch(new Request(request, { headers }));
    });
    const refused = await conclave.sessions.create({ agent: "nobody" }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConclaveError);
    expect(refused).toMatchObject({ status: 422, code: "invalid", more: { errors: [{ path: "agent" }] } });
    // The write was tried twice under one key.
    expect([calls, keys.size]).toEqual([2, 1]);
  });
});
