/** Events for readers who are slow, asleep, late or far behind. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { eventStream, maxUnreadBytes, type StreamOptions } from "../../../durable-objects/kit/event-stream.js";
import { EventLog } from "../../../durable-objects/kit/events.js";
import { readerHeader } from "../../../src/gateways/root-gateway.js";
import { newTenant, splitEvents, type TestTenant } from "../../support/conclave.js";
import { withKitTables } from "./support.js";

const live: StreamOptions = { after: 0, lingerMs: 0, active: () => true, visible: ({ data }) => data };
const text = "x".repeat(9_000);

function logIn(state: DurableObjectState): EventLog {
  return new EventLog(
    state.storage.sql,
    () => 0,
    (_type, data) => data,
  );
}

describe("a stream whose reader is slower than what happens", () => {
  it("keeps a megabyte for it and no more, ends, and loses nothing for who resumes", () =>
    withKitTables(async (state) => {
      const log = logIn(state);
      const reader = eventStream(log, live);
      for (let n = 0; n < 300; n++) log.append("message.edited", undefined, { messageId: `${n} ${text}` });
      const kept = await new Response(reader).text();
      expect(kept.length).toBeLessThanOrEqual(maxUnreadBytes + 10_000);
      const first = splitEvents(kept);
      expect(first.length).toBeGreaterThan(50);
      const rest = eventStream(log, { ...live, active: () => false, after: Number(first.at(-1)?.id) });
      const ids = [...first, ...splitEvents(await new Response(rest).text())].map(({ id }) => Number(id));
      expect(ids).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
    }));

  it("reads the past only as far ahead of it as it reads", () =>
    withKitTables(async (state) => {
      const log = logIn(state);
      for (let n = 0; n < 1_000; n++) log.append("message.edited", undefined, { messageId: `${n} ${text}` });
      const read = vi.spyOn(log, "read");
      const reader = eventStream(log, { ...live, active: () => false }).getReader();
      await reader.read();
      expect(read.mock.calls.length).toBeLessThanOrEqual(2);
      await reader.cancel();
    }));
});

describe("a long past that is for others", () => {
  it("is read in pieces, between which others are heard", () =>
    withKitTables(async (state) => {
      const log = logIn(state);
      for (let n = 0; n < 1_000; n++) log.append("message.edited", undefined, { messageId: String(n) });
      const reader = eventStream(log, { ...live, active: () => false, visible: () => undefined }).getReader();
      const read = vi.spyOn(log, "read");
      await new Promise((resolve) => setTimeout(resolve, 0));
      expect(read.mock.calls.length).toBeLessThan(5);
      let text = "";
      for (let piece = await reader.read(); !piece.done; piece = await reader.read())
        text += new TextDecoder().decode(piece.value);
      expect(text).toContain("caught up");
    }));
});

interface Socket {
  readonly messages: { id?: number; event: string; data: { turnId?: string; text?: string; offset?: number } }[];
  closed: number | undefined;
}

/** A socket of the object itself, as the face hands it on. */
async function openSocket(tenant: TestTenant, session: string, after = 0): Promise<Socket> {
  const reader = { id: "key_1", keyId: "key_1", until: Date.now() + 3_600_000, audience: "operator" };
  const headers = { upgrade: "websocket", [readerHeader]: encodeURIComponent(JSON.stringify(reader)) };
  const response = await tenant.object(session).fetch(`https://object/?after=${after}`, { headers });
  const socket: Socket = { messages: [], closed: undefined };
  response.webSocket?.addEventListener("message", ({ data }) => {
    socket.messages.push(JSON.parse(String(data)));
  });
  response.webSocket?.addEventListener("close", ({ code }) => {
    socket.closed = code;
  });
  response.webSocket?.accept();
  return socket;
}

describe("sockets", () => {
  it("a thousand idle ones keep no object running, and hear what happens when it wakes", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Good morning.", repeat: true });
    const sessions = await Promise.all(Array.from({ length: 4 }, () => tenant.session()));
    const sockets = await Promise.all(
      sessions.flatMap((session) => Array.from({ length: 250 }, () => openSocket(tenant, session))),
    );
    for (const session of sessions) {
      await evictDurableObject(tenant.object(session));
      // There is none to stop any more: the sockets stay without it.
      await expect(evictDurableObject(tenant.object(session))).rejects.toThrow();
    }
    expect(sockets.every(({ closed }) => closed === undefined)).toBe(true);
    await Promise.all(sessions.map((session) => tenant.say(session, "Hello.")));
    await expect
      .poll(() => sockets.filter(({ messages }) => messages.at(-1)?.event === "turn.completed").length)
      .toBe(1_000);
  }, 60_000);

  it("far behind are closed at a page's end, so that they connect again behind it: none misses an event", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const session = await tenant.session();
    await runInDurableObject(tenant.object(session), (_instance, state) => {
      for (let n = 0; n < 1_200; n++)
        state.storage.sql.exec(`INSERT INTO events (type, at, data) VALUES ('turn.started', 0, '{"turnId":"t"}')`);
    });
    const ids: number[] = [];
    const pages: (number | undefined)[] = [];
    for (let open = true; open; ) {
      const socket = await openSocket(tenant, session, ids.at(-1) ?? 0);
      await expect.poll(() => socket.closed ?? socket.messages.length === 200).toBeTruthy();
      ids.push(...socket.messages.map(({ id = 0 }) => id));
      pages.push(socket.closed);
      open = socket.closed !== undefined;
    }
    expect(pages).toEqual([1013, 1013, undefined]);
    expect(ids).toEqual(Array.from({ length: 1_200 }, (_, n) => n + 1));
  });

  it("that come late get the reply so far, and then its pieces", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    const [long, end] = ["Once upon a time there was a tower by the sea. ".repeat(10), "The end."];
    await model.reply({ chunks: [long, end], text: long + end, hold: { name: "h", afterChunks: 1 } });
    const first = await openSocket(tenant, session);
    await tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "Tell me.", waitMs: 0 });
    const deltas = ({ messages }: Socket) => messages.filter(({ event }) => event === "reply.delta");
    await expect.poll(() => deltas(first).length).toBeGreaterThan(0);
    const late = await openSocket(tenant, session);
    await model.release("h");
    for (const socket of [first, late]) {
      await expect.poll(() => socket.messages.at(-1)?.event).toBe("turn.completed");
      expect(deltas(socket)[0]?.data.offset).toBe(0);
      expect(
        deltas(socket)
          .map(({ data }) => data.text)
          .join(""),
      ).toBe(long + end);
    }
  });
});
