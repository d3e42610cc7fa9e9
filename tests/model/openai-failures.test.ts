import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelErrorKind } from "../../src/model/port.js";
import { startUpstream } from "../support/scripted-upstream.js";
import { type ScriptedReply, upstreamFor } from "../support/upstream-client.js";
import { failureOf, harnessFor, Recorder, requestFor, SECRET } from "./harness.js";

let server: Awaited<ReturnType<typeof startUpstream>>;
beforeAll(async () => {
  server = await startUpstream();
});
afterAll(() => server.stop());

/** A body that tells everything it shouldn't. */
const leaky = { error: { message: `Bad key ${SECRET}. The prompt was: raw-provider-text`, code: SECRET } };
const html = { body: "<html>raw-provider-text</html>", headers: { "content-type": "text/html" } };

const always: [string, ScriptedReply, ModelErrorKind][] = [
  ...[401, 402, 403].map(failing("unauthorized")),
  ...[307, 400, 404, 413, 422].map(failing("bad_request")),
  ...[429].map(failing("rate_limited")),
  ...[408].map(failing("timeout")),
  ...[409, 500, 502, 503, 529].map(failing("unavailable")),
  ["a dropped connection", { drop: true }, "unavailable"],
  ["an HTML page with 200", html, "bad_response"],
  ["an HTML page with 502", { ...html, status: 502 }, "unavailable"],
  ["malformed JSON", { body: '{"choices": [{"mess', headers: { "content-type": "application/json" } }, "bad_response"],
  ["an empty body", { body: "" }, "bad_response"],
  ["no choices", { body: { choices: [] } }, "bad_response"],
  ["something else", { body: { greeting: "hello" } }, "bad_response"],
  ["an error with 200", { body: leaky }, "unavailable"],
  ["a call without a name", { toolCalls: [{ name: "", arguments: {} }] }, "bad_response"],
  ["a time-out before the first byte", { text: "late", hold: "never" }, "timeout"],
];

const whole: [string, ScriptedReply, ModelErrorKind][] = [
  ["a reply that stops half-way", { text: "Half of this", cut: true }, "bad_response"],
  ["a reply that breaks off", { text: "Half of this", cut: "reset" }, "unavailable"],
];

const streamed: [string, ScriptedReply, ModelErrorKind][] = [
  ["a stream that stops half-way", { text: "Half of this and", cut: true }, "cut_stream"],
  ["a stream that breaks off", { text: "Half of this and", cut: "reset" }, "cut_stream"],
  ["a stream of nothing", { events: [] }, "cut_stream"],
  ["a stream with neither end", { text: "Text", finishReason: null, done: false, usage: null }, "cut_stream"],
  ["an event that isn't JSON", { events: ['{"choices": [{"del', "[DONE]"] }, "bad_response"],
  ["an event of another kind", { events: ['{"choices": "none"}'] }, "bad_response"],
  ["an error event", { events: [JSON.stringify(leaky)] }, "unavailable"],
  ["a rate limit event", { events: [JSON.stringify({ error: { code: "rate_limit_exceeded" } })] }, "rate_limited"],
  ["a time-out before the last byte", { text: "so far", hold: { name: "never", afterChunks: 1 } }, "timeout"],
];

describe.each([
  { mode: "in one piece", cases: [...always, ...whole], isStreamed: false },
  { mode: "streamed", cases: [...always, ...streamed], isStreamed: true },
])("failures, $mode", ({ cases, isStreamed }) => {
  it.each(cases)("%s", async (_name, reply, kind) => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ ...reply, repeat: true });
    const { port } = harnessFor(upstream, { retry: { attemptsPerModel: 1 } });
    const options = isStreamed ? { listener: new Recorder() } : {};
    // What answers, however slow the machine, doesn't run into the deadline of what hangs.
    const timeoutMs = reply.hold === undefined ? 30_000 : 150;
    const error = await failureOf(port.call(requestFor(upstream, { timeoutMs }), options));
    expect(error.kind).toBe(kind);
    expect(error.details.status).toBe(reply.status);
    expect(error.message).toContain(`acme/${upstream.model}: ${kind}`);
    for (const told of [error.message, JSON.stringify(error), String(error.stack), String(error.cause)]) {
      expect(told).not.toContain(SECRET);
      expect(told).not.toContain("raw-provider-text");
    }
  });
});

describe("other failures", () => {
  const failWith = async (baseURL: string) => {
    const upstream = upstreamFor(server.url);
    const config = { providers: { acme: { baseURL, apiKey: SECRET } }, retry: { attemptsPerModel: 1 } };
    return failureOf(harnessFor(upstream, config).port.call(requestFor(upstream)));
  };

  it("takes a refused connection for unavailable", async () => {
    // Nothing listens on the port for reserved use.
    expect((await failWith("http://127.0.0.1:1/v1")).kind).toBe("unavailable");
  });

  it("takes a base URL that is none for a bad request", async () => {
    expect((await failWith("not a url")).kind).toBe("bad_request");
  });

  it("tells codes that say more than the status, from a closed list", async () => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({
      status: 400,
      body: { error: { code: "context_length_exceeded", message: "raw-provider-text" } },
    });
    const error = await failureOf(harnessFor(upstream).port.call(requestFor(upstream)));
    expect(error.message).toContain("the provider answered 400 (context_length_exceeded)");
  });

  it("frees the connection of an attempt that timed out", async () => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ text: "never", hold: "never" });
    const { port } = harnessFor(upstream, { retry: { attemptsPerModel: 1 } });
    // Long enough for it to arrive.
    await failureOf(port.call(requestFor(upstream, { timeoutMs: 1_000 })));
    expect((await upstream.until({ open: 0, aborted: 1 })).open).toBe(0);
  });
});

function failing(kind: ModelErrorKind) {
  return (status: number): [string, ScriptedReply, ModelErrorKind] => [
    `status ${status}`,
    { status, body: leaky },
    kind,
  ];
}
