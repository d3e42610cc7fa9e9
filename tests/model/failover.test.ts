import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../support/scripted-upstream.js";
import { upstreamFor } from "../support/upstream-client.js";
import { failureOf, harnessFor, Recorder, requestFor } from "./harness.js";

let server: Awaited<ReturnType<typeof startUpstream>>;
beforeAll(async () => {
  server = await startUpstream();
});
afterAll(() => server.stop());

describe("retries against a server", () => {
  it("waits as Retry-After says, in seconds or until a date by the server's clock", async () => {
    const upstream = upstreamFor(server.url);
    const { port, waits } = harnessFor(upstream);
    await upstream.reply(
      { status: 429, headers: { "retry-after": "7" } },
      {
        status: 503,
        headers: { "retry-after": "Sat, 21 Nov 2026 12:00:20 GMT", date: "Sat, 21 Nov 2026 12:00:00 GMT" },
      },
      { text: "at last" },
    );
    expect((await port.call(requestFor(upstream))).text).toBe("at last");
    expect(waits).toEqual([7_000, 20_000]);
  });

  it("makes exactly as many requests as attempts: the package's own retries are off", async () => {
    const upstream = upstreamFor(server.url);
    const { port, waits } = harnessFor(upstream);
    await upstream.reply({ status: 500, headers: { "x-should-retry": "true" }, repeat: true });
    const error = await failureOf(port.call(requestFor(upstream)));
    expect(error).toMatchObject({ kind: "unavailable", details: { status: 500 } });
    expect(await upstream.requests()).toHaveLength(3);
    expect(waits).toEqual([500, 1_000]);
  });

  it("tells how long to wait when the provider asks for more than a call may take", async () => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ status: 429, headers: { "retry-after": "3600" } });
    const error = await failureOf(harnessFor(upstream).port.call(requestFor(upstream)));
    expect(error).toMatchObject({ kind: "rate_limited", details: { status: 429, retryAfterMs: 3_600_000 } });
  });

  it("fails over, and names the model that answered", async () => {
    const [first, second] = [upstreamFor(server.url), upstreamFor(server.url)];
    await first.reply({ status: 401 });
    await second.reply({ text: "from the second" });
    const models = ["nobody/has-this", `acme/${first.model}`, `acme/${second.model}`];
    const result = await harnessFor(first).port.call(requestFor(first, { models }));
    expect(result).toMatchObject({ text: "from the second", model: `acme/${second.model}` });
    expect(await first.requests()).toHaveLength(1);
  });

  it("ends on the offline model where it is the last of the list", async () => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ status: 503, repeat: true });
    const result = await harnessFor(upstream).port.call(
      requestFor(upstream, { models: [`acme/${upstream.model}`, "offline"] }),
    );
    expect(result).toMatchObject({ model: "offline", metadata: { offline: true } });
  });

  it("retracts what was heard of a stream that was cut, and begins again", async () => {
    const upstream = upstreamFor(server.url);
    const recorder = new Recorder();
    await upstream.reply({ text: "Half of this and", cut: "reset" }, { text: "All of it" });
    const result = await harnessFor(upstream).port.call(requestFor(upstream), { listener: recorder });
    expect(result.text).toBe("All of it");
    expect(recorder.heard).toContain("retracted");
    expect(recorder.heard[0]).toBe("Half ");
    expect(recorder.text).toBe("All of it");
  });
});

describe("cancellation against a server", () => {
  it("ends a stream in the middle, and the request with it", async () => {
    const upstream = upstreamFor(server.url);
    const controller = new AbortController();
    const recorder = new Recorder(() => controller.abort());
    await upstream.reply({ text: "One two three", hold: { name: "rest", afterChunks: 1 } });
    const { port, waits } = harnessFor(upstream);
    const error = await failureOf(port.call(requestFor(upstream), { listener: recorder, signal: controller.signal }));
    expect(error.kind).toBe("cancelled");
    expect(recorder.heard).toEqual(["One "]);
    expect(waits).toEqual([]);
    expect((await upstream.until({ open: 0, aborted: 1 })).requests).toHaveLength(1);
  });

  it("ends a request that has no answer yet", async () => {
    const upstream = upstreamFor(server.url);
    const controller = new AbortController();
    await upstream.reply({ text: "late", hold: "answer" });
    const call = failureOf(harnessFor(upstream).port.call(requestFor(upstream), { signal: controller.signal }));
    await upstream.until({ open: 1 });
    controller.abort();
    expect((await call).kind).toBe("cancelled");
    await upstream.until({ open: 0, aborted: 1 });
  });
});

describe("the scripted upstream", () => {
  it("serves each model's queue in order, the last reply once unless told otherwise", async () => {
    const upstream = upstreamFor(server.url);
    const { port } = harnessFor(upstream);
    const next = async () => (await port.call(requestFor(upstream))).text;
    await upstream.reply({ text: "one" }, { text: "two", repeat: 2 });
    expect([await next(), await next(), await next()]).toEqual(["one", "two", "two"]);
    expect((await failureOf(next())).details.status).toBe(400);
  });

  it("holds requests open until they are released, and counts them", async () => {
    const upstream = upstreamFor(server.url);
    const { port } = harnessFor(upstream);
    await upstream.reply({ text: "held", hold: "gate", repeat: true });
    const calls = [1, 2, 3].map(() => port.call(requestFor(upstream)));
    expect((await upstream.until({ open: 3 })).requests).toHaveLength(3);
    await upstream.release("gate");
    expect((await Promise.all(calls)).map((result) => result.text)).toEqual(["held", "held", "held"]);
    const { open, mostOpen } = await upstream.until({ open: 0 });
    expect({ open, mostOpen }).toEqual({ open: 0, mostOpen: 3 });
  });

  it("takes requests for other things than models, such as webhooks", async () => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ status: 202, headers: { "x-seen": "yes" }, body: { accepted: true } });
    const response = await fetch(`${upstream.hookURL}/deep/path`, { method: "POST", body: "not json" });
    expect([response.status, response.headers.get("x-seen"), await response.json()]).toEqual([
      202,
      "yes",
      { accepted: true },
    ]);
    expect(await upstream.requests()).toMatchObject([{ body: "not json", aborted: false }]);
  });
});
