import { describe, expect, it } from "vitest";
import { ReplyStream } from "../../src/chat/reply-stream.js";
import { runPass } from "../../src/supervision/pass.js";
import { openStreamGate } from "../../src/supervision/stream-gate.js";
import { spokenText } from "../../src/supervision/subject.js";
import type { Supervisor } from "../../src/supervision/supervisor.js";
import { splits } from "../supervision/rules/support.js";
import { passPorts, response, rules, supervisor } from "../supervision/support.js";

const phrase = { type: "phrases", phrases: ["crown jewels"] };
const pattern = { type: "pattern", pattern: "[A-Z]{3}-\\d{4}" };
const redacts = (match: object) => ({ match, action: "redact", replacement: "***", reason: "hidden" });
const blocks = (match: object) => ({ match, action: "block", reason: "forbidden" });

/** A client that does as the events say, and remembers everything that was ever shown to it. */
class Client {
  readonly everything: string[] = [];
  text = "";
  attempt = 0;
  readonly stream: ReplyStream;

  constructor(supervisors: readonly Supervisor[]) {
    this.stream = new ReplyStream(() => openStreamGate(supervisors), {
      delta: ({ text, attempt, offset }) => {
        expect([attempt, offset]).toEqual([this.attempt, this.text.length]);
        this.text += text;
        this.everything.push(this.text);
      },
      retracted: (attempt) => {
        expect(attempt).toBe(this.attempt + 1);
        this.attempt = attempt;
        this.text = "";
      },
    });
  }
}

describe("a streamed reply, at every one- and two-cut split, character by character and in random ones", () => {
  const text = "The crown  jewels: ABC-1234, all of them.";

  it("shows what was redacted redacted, and nothing of it otherwise, and comes to the supervised text", () => {
    const supervisors = [rules("a", [redacts(phrase)]), rules("b", [redacts(pattern)])];
    const final = "The ***: ***, all of them.";
    for (const pieces of splits(text)) {
      const client = new Client(supervisors);
      const listener = client.stream.listenToRound();
      for (const piece of pieces) listener.delta(piece);
      for (const shown of client.everything) expect(final.startsWith(shown), JSON.stringify(pieces)).toBe(true);
      client.stream.roundComplete(text);
      client.stream.finish(final);
      expect(client.text).toBe(final);
      expect(client.attempt).toBe(0);
    }
  });

  it("shows what comes before a block while it comes, and not a letter of what is blocked", () => {
    const supervisors = [rules("a", [redacts(phrase)]), rules("b", [blocks(pattern)])];
    for (const pieces of splits(text)) {
      const client = new Client(supervisors);
      const listener = client.stream.listenToRound();
      for (const piece of pieces) listener.delta(piece);
      client.stream.roundComplete(text);
      for (const shown of client.everything) expect("The ***: ".startsWith(shown), JSON.stringify(pieces)).toBe(true);
      client.stream.withdraw();
      expect(client.text).toBe("");
    }
  });

  it("hides what is split over two rounds of the reply", () => {
    for (let cut = 0; cut <= text.length; cut++) {
      const client = new Client([rules("a", [blocks(phrase)])]);
      for (const part of [text.slice(0, cut), text.slice(cut)]) {
        client.stream.listenToRound().delta(part);
        client.stream.roundComplete(part);
      }
      // A line apart, as the whole reply reads: a phrase matches across any white space, not inside a word.
      for (const shown of client.everything) expect(shown).not.toMatch(/crown\s+jewels/);
      if (cut >= 9 && cut <= 11) for (const shown of client.everything) expect(shown.trimEnd()).not.toMatch(/crown/);
    }
  });
});

describe("a streamed reply", () => {
  it("shows harmless text at once", () => {
    const client = new Client([rules("a", [blocks(phrase)])]);
    const listener = client.stream.listenToRound();
    listener.delta("Hello there, ");
    expect(client.text).toContain("Hello there");
  });

  it("is void when its call is redone, and begins again with the rounds that stand", () => {
    const client = new Client([]);
    client.stream.listenToRound().delta("first round");
    client.stream.roundComplete("first round");
    const listener = client.stream.listenToRound();
    listener.delta("half of");
    expect(client.stream.soFar()).toEqual({ text: "first round\nhalf of", attempt: 0, offset: 0 });
    listener.retract();
    expect([client.attempt, client.text]).toEqual([1, "first round"]);
    listener.delta("all of it");
    client.stream.roundComplete("all of it");
    client.stream.finish("first round\nall of it");
    expect([client.attempt, client.text]).toEqual([1, "first round\nall of it"]);
  });

  it("isn't void when nothing was said of it yet", () => {
    const client = new Client([]);
    expect(client.stream.soFar()).toBeUndefined();
    client.stream.listenToRound().retract();
    client.stream.withdraw();
    expect(client.attempt).toBe(0);
  });

  it("catches up with rounds that were done before this instance, and with what wasn't streamed", () => {
    const client = new Client([]);
    client.stream.roundComplete("from the journal");
    client.stream.listenToRound().delta("and li");
    client.stream.roundComplete("and live");
    client.stream.finish("from the journal\nand live");
    expect([client.attempt, client.text]).toEqual([0, "from the journal\nand live"]);
  });

  it("is said anew where the supervised reply says otherwise than was seen", () => {
    const client = new Client([]);
    client.stream.listenToRound().delta("something else");
    client.stream.roundComplete("something else");
    client.stream.finish("the final word");
    expect([client.attempt, client.text]).toEqual([1, "the final word"]);
  });

  it("is held whole for a supervisor that has to see the whole, and still arrives", () => {
    const whole = supervisor("model", { action: "allow", reasons: [] });
    const length = rules("length", [{ match: { type: "length", max: 1_000 }, action: "block", reason: "too long" }]);
    for (const one of [whole, length]) {
      const client = new Client([one]);
      client.stream.listenToRound().delta("every word of it");
      client.stream.roundComplete("every word of it");
      expect(client.everything).toEqual([]);
      client.stream.finish("every word of it");
      expect(client.text).toBe("every word of it");
    }
  });
});

describe("the gate", () => {
  it("is closed for good by a block or a review, and shadows and other hooks don't hold it", () => {
    const reviews = rules("r", [{ match: phrase, action: "review", reason: "look" }]);
    const gate = openStreamGate([reviews]);
    expect(gate.push("fine. crown jewels ")).not.toContain("crown");
    expect(gate.push("later")).toBe("");
    const open = openStreamGate([
      rules("shadow", [blocks(phrase)], { mode: "shadow" }),
      rules("request", [blocks(phrase)], { hooks: new Set(["request"] as const) }),
    ]);
    expect(open.push("crown jewels")).toBe("crown jewels");
  });

  it("lets those that judge see what those that modify made of it", () => {
    const judge = rules("a-judge", [blocks({ type: "phrases", phrases: ["crown"] })], { order: -9 });
    const gate = openStreamGate([judge, rules("modifier", [redacts(phrase)])]);
    const shown = ["the crown", " jewels are", " safe now. "].map((piece) => gate.push(piece)).join("");
    expect(shown).toContain("the *** are safe");
  });

  it("releases nothing that an earlier supervisor would change in what a later one has made", async () => {
    const text = "Here are the crown (sic) jewels, all of them.";
    const first = rules("first", [redacts(phrase)]);
    const unites = { match: { type: "phrases", phrases: ["(sic) "] }, action: "replace", replacement: "", reason: "-" };
    const second = rules("second", [unites], { order: 1 });
    const { subject } = await runPass(response({ turnId: "1", message: text }), [first, second], passPorts());
    expect(spokenText(subject)).toBe("Here are the ***, all of them.");
    for (const pieces of splits(text)) {
      const gate = openStreamGate([second, first]);
      const shown = pieces.map((piece) => gate.push(piece)).join("");
      expect("Here are the ***, all of them.".startsWith(shown), JSON.stringify([pieces, shown])).toBe(true);
    }
  });
});

describe("a reply that nobody follows", () => {
  const text = "The letters of this reply come one by one, and it goes on for quite a while before it ends.";

  function unheard(supervisors: readonly Supervisor[]) {
    let pushes = 0;
    let isHeard = false;
    const deltas: string[] = [];
    const stream = new ReplyStream(
      () => {
        const gate = openStreamGate(supervisors);
        const push = (delta: string): string => {
          pushes += 1;
          return gate.push(delta);
        };
        return { push, isBlocked: () => gate.isBlocked() };
      },
      { delta: (delta) => deltas.push(delta.text), retracted: () => {} },
      () => isHeard,
    );
    const hear = (): void => {
      isHeard = true;
    };
    return { stream, deltas, pushes: () => pushes, hear };
  }

  it("is gated in few pieces, and whoever comes late gets all that was cleared, each letter once", () => {
    const { stream, deltas, pushes, hear } = unheard([rules("a", [redacts(phrase)])]);
    const listener = stream.listenToRound();
    for (const letter of text.slice(0, 60)) listener.delta(letter);
    expect(pushes()).toBeLessThan(10);
    const soFar = stream.soFar()?.text ?? "";
    expect(text.startsWith(soFar)).toBe(true);
    expect(soFar.length).toBeGreaterThan(30);
    hear();
    const before = deltas.length;
    for (const letter of text.slice(60)) listener.delta(letter);
    stream.roundComplete(text);
    stream.finish(text);
    expect(soFar + deltas.slice(before).join("")).toBe(text);
  });

  it("is stopped at words that block it, at the latest a thousand characters later", () => {
    const { stream } = unheard([rules("a", [blocks(phrase)])]);
    const listener = stream.listenToRound();
    const written = `All about the crown jewels, ${"and more that nobody has to pay for, letter by letter, ".repeat(30)}`;
    const end = written.indexOf("crown jewels") + "crown jewels".length;
    for (const letter of written.slice(0, end + 1_000)) listener.delta(letter);
    expect(listener.isEnough?.()).toBe(true);
  });
});
