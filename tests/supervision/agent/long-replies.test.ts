/** A supervising agent reads all that the client would get: of a long reply in parts. */
import { describe, expect, it } from "vitest";
import { maxParts, partsOf } from "../../../src/supervision/kinds/reply-parts.js";
import type { SubjectOf } from "../../../src/supervision/subject.js";
import { agent, call, pass, type Said, scripted } from "./support.js";

const why = { reason: "because" };
const filler = (characters: number) => "x ".repeat(characters / 2);

function reply(...outputs: readonly string[]): SubjectOf<"response"> {
  return {
    hook: "response",
    reply: {
      timestamp: "2030-01-01T00:00:00.000Z",
      turns: [
        {
          turnId: "t0",
          message: "Looking.",
          toolCalls: outputs.map((output, index) => ({
            toolCallId: `c${index}`,
            server: "s",
            tool: "look",
            args: { n: index },
            output,
            elapsedMs: 1,
          })),
        },
        { turnId: "t1", message: "Done." },
      ],
    },
  };
}

describe("a supervising agent at response", () => {
  it("is shown a tool's output to its last word, in one piece where it fits", async () => {
    const model = scripted([[call("allow_message")]]);
    await pass(reply(`${filler(20_000)}the password is swordfish`), [agent(model)]);
    expect(model.asked).toHaveLength(1);
    expect(model.asked[0]?.messages[1]?.content).toContain("the password is swordfish");
  });

  it("is shown a longer reply in parts: no character of it is in none", async () => {
    const subject = reply(`${filler(59_000)}swordfish`, filler(50_000), `start ${filler(59_000)}`);
    const parts = partsOf(subject.reply);
    const model = scripted(parts.map((): Said => [call("allow_message")]));
    const { state } = await pass(subject, [agent(model)]);
    expect(state.decision).toBe("allow");
    expect(model.asked).toHaveLength(parts.length);
    expect(parts.length).toBeGreaterThan(2);
    for (const { output = "" } of subject.reply.turns[0]?.toolCalls ?? []) {
      const pieces = parts.flat().filter((piece) => piece.what === "output" && output.startsWith(piece.text, piece.at));
      const covered = pieces.reduce((to, { at, text }) => (at <= to ? Math.max(to, at + text.length) : to), 0);
      expect(covered).toBeGreaterThanOrEqual(output.length);
    }
    expect(
      model.asked.map(({ messages }) => messages[1]?.content ?? "").some((text) => text.includes("swordfish")),
    ).toBe(true);
  });

  it("blocks the reply with any part of it", async () => {
    const subject = reply(filler(59_000), filler(59_000), "the secret");
    const parts = partsOf(subject.reply).length;
    const allows = Array.from({ length: parts - 1 }, (): Said => [call("allow_message")]);
    const model = scripted([...allows, [call("block_message", why)]]);
    const { state } = await pass(subject, [agent(model)]);
    expect(state).toMatchObject({ decision: "block", reasons: ["because"] });
    expect(state.steps[0]?.usage).toEqual({ inputTokens: parts, outputTokens: parts });
  });

  it("edits each part by its ids, and no part puts one text in the place of all", async () => {
    const subject = reply(filler(59_000), "the secret");
    const parts = partsOf(subject.reply).length;
    const redact = [{ type: "redact_tool_output", toolCallId: "c1" }];
    const edit = call("edit_response", { operations: redact, baseHash: "h", ...why });
    const rounds = Array.from(
      { length: parts },
      (_, index): Said => (index === parts - 1 ? [edit] : [call("allow_message")]),
    );
    const model = scripted(rounds);
    const { state, subject: after } = await pass(subject, [agent(model)], { hash: async () => "h" });
    expect(state.decision).toBe("modify");
    expect(JSON.stringify(after)).not.toContain("the secret");
    expect(model.asked[0]?.tools?.map(({ name }) => name)).not.toContain("modify_response");
  });

  it("fails over a reply that has more parts than it reads, and never lets it pass unseen in silence", async () => {
    const subject = reply(...Array.from({ length: maxParts + 2 }, () => filler(39_000)));
    const { state } = await pass(subject, [agent(scripted([]), { onFailure: "block" })]);
    expect(state.decision).toBe("block");
    expect(state.steps[0]?.failed).toContain("parts of text");
  });
});

describe("a supervising agent that is given few tools", () => {
  it("judges beside others where none of them changes a text", async () => {
    const few = { model: "scripted", instructions: "Judge.", tools: ["request_review", "edit_response"] };
    const supervisor = agent(scripted([]), { config: few });
    expect(supervisor.onlyJudgesAt).toEqual(new Set(["request", "tool_call", "tool_result", "hop"]));
    const model = scripted([[call("request_review", { ...why, content: "another" })], [call("request_review", why)]]);
    const { state } = await pass({ hook: "hop", from: "a", to: "b", content: "x" }, [agent(model, { config: few })]);
    expect(model.asked[0]?.tools?.map(({ name }) => name)).toEqual([
      "allow_message",
      "block_message",
      "request_review",
    ]);
    expect(state.decision).toBe("review");
  });
});
