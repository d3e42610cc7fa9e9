import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { seeded } from "../../supervision/rules/support.js";
import { newTenant, openStream, parseEvents, send, shownText, type TestTenant } from "../../support/conclave.js";
import type { UpstreamModel } from "../../support/upstream-client.js";

const text = "Well, see: the crown  jewels (ABC-DEFG) are here.";
const forbidden = /crown|jewels|ABC|DEFG/;
const phrase = { type: "phrases", phrases: ["crown jewels"] };
const pattern = { type: "pattern", pattern: "[A-Z]{3}-[A-Z]{4}" };
const rule = (match: object, action: string) => ({
  match,
  action,
  reason: "no treasure",
  ...(action === "redact" ? { replacement: "***" } : {}),
});

/** Character by character, in one piece, and cut at one and two places as a seed says. */
function sampled(count: number): string[][] {
  const random = seeded(7);
  const at = () => Math.floor(random() * (text.length + 1));
  const cuts = Array.from({ length: count }, () => [at(), at()].sort((a, b) => a - b));
  return [
    [text],
    text.split(""),
    ...cuts.map(([first = 0, second = 0], index) =>
      index % 2 === 0
        ? [text.slice(0, first), text.slice(first)]
        : [text.slice(0, first), text.slice(first, second), text.slice(second)],
    ),
  ].map((pieces) => pieces.filter((piece) => piece !== ""));
}

async function guarded(action: string): Promise<{ tenant: TestTenant; model: UpstreamModel }> {
  const tenant = await newTenant();
  await tenant.rules("guard", [rule(phrase, action), rule(pattern, action)]);
  const model = await tenant.agent("assistant", { supervisors: ["guard"] });
  return { tenant, model };
}

describe("a streamed answer", () => {
  it("lets no byte of a blocked phrase or pattern out, however it is cut", async () => {
    const { tenant, model } = await guarded("block");
    await Promise.all(
      sampled(24).map(async (chunks) => {
        const one = await tenant.agent(`a${crypto.randomUUID()}`, { supervisors: ["guard"] });
        await one.reply({ chunks, text });
        const agents = (await tenant.call("GET", "/v1/agents?limit=200")).body.items;
        const { name } = agents.find((agent: { model: string }) => agent.model === `openai/${one.model}`);
        const stream = await openStream(tenant, await tenant.session({ agent: name }));
        const seen = await stream.until(() => false);
        expect(seen, JSON.stringify(chunks)).not.toMatch(forbidden);
        expect(parseEvents(seen).at(-1)).toMatchObject({ event: "turn.completed", data: { status: "blocked" } });
        expect(shownText(parseEvents(seen))).toBe("");
      }),
    );
    expect(await model.requests()).toEqual([]);
  });

  it("shows redacted what is redacted, and comes to the very text of the turn, however it is cut", async () => {
    const { tenant, model } = await guarded("redact");
    const session = await tenant.session();
    for (const chunks of sampled(12)) {
      await model.reply({ chunks, text });
      const events = await tenant.stream(session, "Tell me.");
      expect(JSON.stringify(events), JSON.stringify(chunks)).not.toMatch(forbidden);
      expect(shownText(events)).toBe("Well, see: the *** (***) are here.");
      expect(events.at(-1)?.data.reply.modelReply.turns[0].message).toBe(shownText(events));
      expect(events.map(({ event }) => event)).not.toContain("reply.retracted");
    }
  });

  it("is under way while the forbidden part hasn't even come", async () => {
    const { tenant, model } = await guarded("block");
    const chunks = ["Well, see: ", "the cro", "wn jew", "els are here."];
    await model.reply({ chunks, text: chunks.join(""), hold: { name: "h", afterChunks: 2 } });
    const stream = await openStream(tenant, await tenant.session());

    const early = await stream.until((events) => shownText(events).includes("Well, see:"));
    expect(early).not.toMatch(/cro/);
    expect(parseEvents(early).map(({ event }) => event)).not.toContain("turn.completed");
    expect(await model.open()).toBe(1);
    await model.release("h");

    const all = await stream.until(() => false);
    expect(all).not.toMatch(/crown|jewels|wn jew|els are/);
    expect(parseEvents(all).at(-2)?.event).not.toBe("reply.delta");
    expect(shownText(parseEvents(all))).toBe("");
    expect(parseEvents(all).at(-1)?.data.status).toBe("blocked");
  });

  it("is void when its call is cut and redone, and is said anew", async () => {
    const { tenant, model } = await guarded("redact");
    await model.reply(
      { chunks: ["One two ", "three four ", "five six ", "seven."], text: "", cut: true },
      { chunks: ["A new ", "answer."], text: "A new answer." },
    );
    const events = await tenant.stream(await tenant.session(), "Tell me.");
    expect(events.map(({ event }) => event)).toContain("reply.retracted");
    expect(shownText(events)).toBe("A new answer.");
    const attempts = events.filter(({ event }) => event === "reply.delta").map(({ data }) => data.attempt);
    expect(new Set(attempts)).toEqual(new Set([0, 1]));
    let offset = 0;
    for (const { data } of events.filter(({ event, data: { attempt } }) => event === "reply.delta" && attempt === 1)) {
      expect(data.offset).toBe(offset);
      offset += data.text.length;
    }
  });

  it("is held whole where the whole has to be seen, and arrives", async () => {
    const { tenant } = await guarded("redact");
    await tenant.rules("length", [{ match: { type: "length", max: 40 }, action: "block", reason: "too long" }]);
    const model = await tenant.agent("assistant", { supervisors: ["length"] });
    const session = await tenant.session();
    await model.reply({ chunks: ["Short ", "enough."], text: "Short enough." }, { text: "word ".repeat(20) });
    const short = await tenant.stream(session, "Tell me.");
    expect(short.filter(({ event }) => event === "reply.delta")).toHaveLength(1);
    expect(shownText(short)).toBe("Short enough.");
    const long = await tenant.stream(session, "Tell me more.");
    expect(JSON.stringify(long)).not.toContain("word");
    expect(long.at(-1)?.data.status).toBe("blocked");
  });

  it("tells what happens in its order, with growing ids, and only of its own turn", async () => {
    const { tenant, model } = await guarded("redact");
    const session = await tenant.session();
    await model.reply({ text: "First." }, { text: "Second." });
    await tenant.say(session, "one");
    const events = await tenant.stream(session, "two");
    const logged = events.filter(({ id }) => id !== undefined);
    expect(logged.map(({ event }) => event)).toEqual([
      "turn.started",
      "supervision.decided",
      "supervision.decided",
      "turn.completed",
    ]);
    const ids = logged.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(new Set(events.map(({ data }) => data.turnId)).size).toBe(1);
    expect(JSON.stringify(events)).not.toContain("First.");

    const resumed = await tenant.call("GET", `/v1/sessions/${session}/events?lingerMs=0`, undefined, {
      "last-event-id": String(ids[1]),
    });
    expect(parseEvents(resumed.body).map(({ id }) => Number(id))).toEqual(ids.slice(2));
  });

  it("catches up with who comes late", async () => {
    const { tenant, model } = await guarded("redact");
    const session = await tenant.session();
    await model.reply({
      chunks: ["Hello there, ", "my friend ", "of old."],
      text: "x",
      hold: { name: "h", afterChunks: 2 },
    });
    const first = await openStream(tenant, session);
    await first.until((events) => shownText(events).includes("Hello there"));
    const response = await send("GET", `/v1/sessions/${session}/events?lingerMs=0`, { key: tenant.key });
    await model.release("h");
    expect(shownText(parseEvents(await response.text()))).toBe("Hello there, my friend of old.");
  });

  it("goes over a WebSocket as well, which outlives the object's sleep", async () => {
    const { tenant, model } = await guarded("redact");
    const session = await tenant.session();
    await model.reply({ text: "Hello." });
    const { status, webSocket } = await send("GET", `/v1/sessions/${session}/events`, {
      key: tenant.key,
      headers: { upgrade: "websocket" },
    });
    expect(status).toBe(101);
    const heard: { id?: number; event: string; data: { text?: string } }[] = [];
    const over = Promise.withResolvers<void>();
    webSocket?.accept();
    await evictDurableObject(tenant.object(session));
    webSocket?.addEventListener("message", ({ data }) => {
      const event = JSON.parse(String(data));
      heard.push(event);
      if (event.event === "turn.completed") over.resolve();
    });
    await tenant.say(session, "hi");
    await over.promise;
    webSocket?.close();
    expect(heard.map(({ event }) => event)).toEqual(
      expect.arrayContaining(["turn.started", "reply.delta", "turn.completed"]),
    );
    const other = await newTenant();
    expect(
      (await send("GET", `/v1/sessions/${session}/events`, { key: other.key, headers: { upgrade: "websocket" } }))
        .status,
    ).toBe(404);
  });
});
