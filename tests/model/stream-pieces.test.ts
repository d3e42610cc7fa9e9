import { describe, expect, it } from "vitest";
import { createModelPort } from "../../src/model/directory.js";
import type { ModelListener } from "../../src/model/port.js";
import type { ModelPorts } from "../../src/model/provider-table.js";
import { withDeadline } from "../../src/platform/clock.js";
import { ask, Recorder, testPorts } from "./harness.js";

const words = ["Your ", "parcel ", "left ", "on ", "Monday."];
const ending = [
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { choices: [], usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } },
];
const chunks = [...words.map((content) => ({ choices: [{ index: 0, delta: { content } }] })), ...ending];

/** What a server does behind the end mark. */
type End = "closes" | "stays open" | "breaks" | "closes late";

/** A server whose replies come a chunk at a time; `end` may be changed between two of them. */
class Server {
  end: End = "closes";
  calls = 0;
  cancelled = 0;
  closedLate = 0;
  readonly fetch: typeof fetch = async () => {
    this.calls += 1;
    const lines = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`);
    let at = 0;
    let late: ReturnType<typeof setTimeout> | undefined;
    const pull = (controller: ReadableByteStreamController): Promise<void> | void => {
      const line = lines[at++];
      if (line !== undefined) return controller.enqueue(new TextEncoder().encode(line));
      if (this.end === "stays open") return new Promise(() => {});
      if (this.end === "breaks") return controller.error(new Error("reset"));
      const close = (): void => {
        controller.close();
        controller.byobRequest?.respond(0);
      };
      if (this.end !== "closes late") return close();
      return new Promise((resolve) => {
        late = setTimeout(() => {
          this.closedLate += 1;
          resolve(close());
        }, 60);
      });
    };
    const cancel = () => {
      clearTimeout(late);
      this.cancelled += 1;
    };
    const body = new ReadableStream({ type: "bytes", pull, cancel });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

/** Hears in how many pieces a reply comes: deltas that came together are one. */
class Pieces extends Recorder {
  count = 0;
  private isOpen = false;
  constructor(private readonly isRead: boolean) {
    super();
  }
  override delta(text: string): void {
    super.delta(text);
    if (this.isOpen) return;
    this.isOpen = true;
    this.count += 1;
    queueMicrotask(() => {
      this.isOpen = false;
    });
  }
  isFollowed(): boolean {
    return this.isRead;
  }
}

/** @param endsWithinMs how long the end of a stream is waited for */
function portOf(server: Server, endsWithinMs = 1_000) {
  const providers = { acme: { baseURL: "https://models.example/v1", apiKey: "key" } };
  const quicker: ModelPorts["withDeadline"] = (ms, ...rest) => withDeadline(ms === 1_000 ? endsWithinMs : ms, ...rest);
  return createModelPort({ providers }, testPorts([], { fetch: server.fetch, withDeadline: quicker }));
}

/** One call. @returns how many pieces its text came in */
async function callOf(
  port: ReturnType<typeof portOf>,
  { isFollowed = false, timeoutMs = 5_000 } = {},
): Promise<number> {
  const pieces = new Pieces(isFollowed);
  const listener: ModelListener = pieces;
  const { text } = await port.call(ask("Where is it?", { models: ["acme/large"], timeoutMs }), { listener });
  expect(text).toBe(words.join(""));
  expect(pieces.text).toBe(text);
  return pieces.count;
}

describe("a streamed reply", () => {
  it("that nobody follows comes in one large piece, once its server was seen to end a stream", async () => {
    const port = portOf(new Server());
    expect(await callOf(port)).toBe(words.length);
    expect(await callOf(port)).toBe(1);
    expect(await callOf(port)).toBe(1);
  });

  it("that somebody follows comes as it is written", async () => {
    const port = portOf(new Server());
    for (let call = 0; call < 3; call++) expect(await callOf(port, { isFollowed: true })).toBe(words.length);
  });

  it("of a server that stays open behind the end mark is complete with it; one connection alone waits for more, and not for long", async () => {
    const server = new Server();
    server.end = "stays open";
    const port = portOf(server, 200);
    for (let call = 0; call < 4; call++) expect(await callOf(port)).toBe(words.length);
    expect(server.cancelled).toBe(3);
    await expect.poll(() => server.cancelled).toBe(4);
  });

  it("of a server that closes late isn't held back until it does", async () => {
    const server = new Server();
    server.end = "closes late";
    const port = portOf(server, 20);
    expect(await callOf(port)).toBe(words.length);
    await expect.poll(() => server.cancelled + server.closedLate).toBe(1);
    expect(await callOf(port)).toBe(words.length);
  });

  it.each<[End]>([["stays open"], ["breaks"]])(
    "whose server %s where it ended its streams before is read as it comes when it is tried again",
    async (end) => {
      const server = new Server();
      const port = portOf(server);
      await callOf(port);
      server.end = end;
      expect(await callOf(port, { timeoutMs: 200 })).toBe(words.length);
      expect(server.calls).toBe(3);
      expect(await callOf(port, { timeoutMs: 200 })).toBe(words.length);
      expect(server.calls).toBe(4);
    },
  );
});
