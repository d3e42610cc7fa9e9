import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { maxReplyBytes, maxReplyCalls } from "../../src/model/port.js";
import { startUpstream } from "../support/scripted-upstream.js";
import { type ScriptedReply, type UpstreamModel, upstreamFor } from "../support/upstream-client.js";
import { failureOf, harnessFor, Recorder, requestFor } from "./harness.js";

let server: Awaited<ReturnType<typeof startUpstream>>;
beforeAll(async () => {
  server = await startUpstream();
});
afterAll(() => server.stop());

const huge = "All work and no play. ".repeat(Math.ceil(maxReplyBytes / 22));

async function scripted(...replies: ScriptedReply[]): Promise<UpstreamModel> {
  const upstream = upstreamFor(server.url);
  await upstream.reply(...replies);
  return upstream;
}

describe.each([{ isStreamed: false }, { isStreamed: true }])(
  "a reply that is too large (streamed: $isStreamed)",
  ({ isStreamed }) => {
    const options = () => (isStreamed ? { listener: new Recorder() } : {});

    it.each<[string, ScriptedReply]>([
      ["a text", { text: huge, chunks: [huge.slice(0, 300_000), huge.slice(300_000, 600_000), huge.slice(600_000)] }],
      ["a call's arguments", { toolCalls: [{ name: "note", arguments: { text: huge } }] }],
      ["calls", { toolCalls: Array.from({ length: maxReplyCalls + 1 }, () => ({ name: "note", arguments: {} })) }],
      ["what JSON makes six times as long", { text: "\u0001".repeat(maxReplyBytes / 5) }],
    ])("as %s is a bad response; the model isn't asked again, the next of the list is", async (_what, reply) => {
      const upstream = await scripted({ ...reply, repeat: true });
      const { port } = harnessFor(upstream);
      const error = await failureOf(port.call(requestFor(upstream), options()));
      expect(error.kind).toBe("bad_response");
      expect(await upstream.requests()).toHaveLength(1);
      const failedOver = await port.call(
        requestFor(upstream, { models: [`acme/${upstream.model}`, "offline"] }),
        options(),
      );
      expect(failedOver.model).toBe("offline");
    });

    it("is no reply yet one byte below the limit", async () => {
      const upstream = await scripted({ text: "x".repeat(maxReplyBytes), chunks: ["x".repeat(maxReplyBytes)] });
      const { port } = harnessFor(upstream);
      expect((await port.call(requestFor(upstream), options())).text).toHaveLength(maxReplyBytes);
    });

    it.each<[string, ScriptedReply]>([
      ["nothing", { text: "" }],
      ["blanks", { text: " \n " }],
    ])("that says %s is that model's failure: tried again, then the next", async (_what, reply) => {
      const upstream = await scripted(reply, { text: "Here I am." });
      const { port } = harnessFor(upstream);
      expect((await port.call(requestFor(upstream), options())).text).toBe("Here I am.");
      expect(await upstream.requests()).toHaveLength(2);
    });

    it.each(["length", "content_filter"])("that is empty for its %s isn't asked for again", async (finishReason) => {
      const upstream = await scripted({ text: "", finishReason, repeat: true });
      const error = await failureOf(harnessFor(upstream).port.call(requestFor(upstream), options()));
      expect(error).toMatchObject({ kind: "bad_response", message: expect.stringContaining("the reply is empty") });
      expect(await upstream.requests()).toHaveLength(1);
    });
  },
);

describe("a stream", () => {
  it("that goes on beyond the limit is read no further, and what was shown of it is retracted", async () => {
    const chunk = huge.slice(0, 200_000);
    const chunks = Array.from({ length: 30 }, () => chunk);
    const upstream = await scripted({ chunks, text: "", hold: { name: "rest", afterChunks: 10 } });
    const listener = new Recorder();
    const error = await failureOf(harnessFor(upstream).port.call(requestFor(upstream), { listener }));
    expect(error.kind).toBe("bad_response");
    expect(listener.heard.at(-1)).toBe("retracted");
    expect(listener.heard.join("").length).toBeLessThan(maxReplyBytes + 200_000);
    await upstream.until({ aborted: 1 });
  });

  it("of `[DONE]` alone, or without choices, is no reply", async () => {
    const upstream = await scripted(
      { events: ["[DONE]"] },
      { events: ['{"choices":[]}', "[DONE]"] },
      { text: "Hello." },
    );
    const reply = await harnessFor(upstream).port.call(requestFor(upstream), { listener: new Recorder() });
    expect(reply.text).toBe("Hello.");
    expect(await upstream.requests()).toHaveLength(3);
  });

  it("is closed as soon as its listener has enough, and what was read stands as a cut reply", async () => {
    const upstream = await scripted({
      chunks: ["One ", "two ", "three"],
      text: "",
      hold: { name: "rest", afterChunks: 2 },
    });
    const heard: string[] = [];
    const listener = {
      delta: (text: string) => heard.push(text),
      retract: () => {},
      isEnough: () => heard.length === 2,
    };
    const reply = await harnessFor(upstream).port.call(requestFor(upstream), { listener });
    expect(reply).toMatchObject({ text: "One two ", finishReason: "content_filter", toolCalls: [] });
    await upstream.until({ aborted: 1, open: 0 });
  });
});
