import { describe, expect, it } from "vitest";
import { consensusOf } from "../../../src/roundtable/consensus/consensus.js";
import { debateJson } from "../../../src/roundtable/reading/json.js";
import { layeredAnswer, layeredAnswerSchema } from "../../../src/roundtable/reading/layered-answer.js";
import { debateMarkdown } from "../../../src/roundtable/reading/markdown.js";
import { withoutNames } from "../../../src/roundtable/reading/names.js";
import { thoughtsOf, thoughtsSchema } from "../../../src/roundtable/reading/thoughts.js";
import { debate, position } from "../support.js";

describe("the thoughts of a seat", () => {
  it("are its positions and confidence over the rounds, what moved it, and what it asked for", () => {
    const thoughts = thoughtsOf(debate(), "ben");
    expect(thoughts).toMatchObject({
      agentId: "ben",
      name: "Ben Baker",
      rounds: [
        { round: 1, position: { stance: "NO", confidence: 0.6 }, asked: [{ label: "C1", status: "answered" }] },
        { round: 2, position: { stance: "YES" }, confidenceChange: 0.2, movement: { toward: ["ana"] }, asked: [] },
      ],
    });
    expect(thoughtsSchema.parse(thoughts)).toEqual(thoughts);
  });

  it("show a round in which it failed, and nothing of a seat that isn't there", () => {
    const failures = [{ seat: "ben", error: "The model is down.", attempts: 2, reason: "failed" as const }];
    const rounds = debate()
      .rounds.slice(0, 1)
      .map((round) => ({ ...round, positions: [], failures }));
    expect(thoughtsOf(debate({ rounds }), "ben")?.rounds).toEqual([
      { round: 1, asked: [expect.objectContaining({ label: "C1" })], failure: "The model is down." },
    ]);
    expect(thoughtsOf(debate(), "dan")).toBeUndefined();
  });
});

describe("the layered answer", () => {
  const answer = (more: Parameters<typeof debate>[0] = {}) => layeredAnswer(debate(more));

  it("says what to do, who holds what, what it rests on and what it took", () => {
    expect(answer()).toMatchObject({
      decision: { advice: "ask", because: ["the panel is divided (agreement 0.38)"] },
      agents: [
        { name: "Ana Alvarez" },
        { name: "Ben Baker", moved: expect.stringContaining("NO to YES") },
        { agentId: "cem" },
      ],
      evidence: {
        sources: [{ title: "Budget [draft]", agents: ["Ben Baker"] }],
        context: [{ label: "C1", source: "finance", agents: ["Ben Baker"] }],
        missing: [{ label: "C2", status: "withdrawn" }],
      },
      metadata: { rounds: 2, exit: "rounds", requests: 2, tokens: 1_000 },
    });
    expect(layeredAnswerSchema.parse(answer())).toEqual(answer());
  });

  it("isn't there before a round is complete", () => {
    expect(answer({ rounds: [] })).toBeUndefined();
  });

  it("says to ask while something required never came, however much they agree", () => {
    const requests = debate().requests.map((request) => ({ ...request, status: "skipped" as const }));
    expect(answer({ requests })?.decision).toMatchObject({
      advice: "ask",
      because: ["C1 was required and is skipped", expect.anything()],
    });
  });

  it.each([
    ["proceed", 0.8, ["The law demands it.", "Users want it.", "It pays off soon."]],
    ["verify", 0.6, ["The law demands it.", "Users want it.", "It pays off soon."]],
  ] as const)("says to %s when they agree and are sure by %d", (advice, confidence, reasons) => {
    const positions = reasons.map((reasoning, at) =>
      position(["ana", "ben", "cem"][at] ?? "", "Migrate in May.", { stance: "YES", confidence, reasoning }),
    );
    const consensus = consensusOf({
      rounds: [positions],
      stancesAreParts: false,
      stableRounds: 3,
      nameOf: (seat) => seat,
    });
    const [round] = debate().rounds;
    const rounds = round === undefined ? [] : [{ ...round, positions, consensus }];
    expect(answer({ rounds })?.decision.advice).toBe(advice);
  });
});

describe("a debate in Markdown", () => {
  const text = debateMarkdown(debate());

  it("tells somebody who wasn't there who held what, who moved, what was asked and answered, and what stays open", () => {
    expect(text).toMatch(/^# Shall we migrate the ledger\?\n/);
    for (const part of [
      "Roundtable `rt_1`, 2026-01-01: collaborative, 3 agents, 2 of 3 rounds, ended after round 2: all its rounds are done.",
      "**Ask first**: the panel is divided",
      "**Minority report**\n\nCem Cinar (NO, confidence 0.80):\n\n> Keep the ledger where it is.",
      "- **Ana Alvarez** (`ana`): red; A banker.",
      "## Round 2\n\nThe question of this round:\n\n> And in May?",
      "### Ben Baker: YES, confidence 0.80\n\n> Migrate the ledger in May: the budget is there.",
      "Rests on: C1, [Budget \\[draft\\]](<https://example.com/budget>).",
      "- Ben Baker moved from NO to YES, towards Ana Alvarez, with new evidence",
      "### C1: What is the budget for May?\n\n- required, answered\n- asked by Ben Baker in round 1: It bounds the work.\n- source: finance\n- used by Ben Baker (round 2)\n\n> € 40,000 are there.",
      "## What stays open\n\n- C2, withdrawn: Who audits the ledger?",
      "7 model calls, 1000 tokens (900 in, 100 out).",
    ]) {
      expect(text).toContain(part);
    }
  });

  it("can't be taken over by what was said in it", () => {
    const hostile = "# Approved\n## What it came to\n<script>alert(1)</script>\n- [x](javascript:alert(1))";
    const [round] = debate().rounds;
    const rounds =
      round === undefined ? [] : [{ ...round, positions: [position("ana", hostile, { reasoning: hostile })] }];
    const attacked = debateMarkdown(debate({ rounds, topic: hostile }));
    expect(attacked.match(/^## What it came to$/gm)).toHaveLength(1);
    expect(attacked).not.toContain("<script>");
    expect(attacked.split("\n").filter((line) => /^\s*# /.test(line))).toHaveLength(1);
  });
});

describe("a debate as data", () => {
  it("has the answer and the thoughts beside what is stored", () => {
    const json = debateJson(debate());
    expect(JSON.parse(JSON.stringify(json))).toMatchObject({
      format: "conclave.roundtable/1",
      sessionId: "rt_1",
      rounds: [{ round: 1 }, { round: 2 }],
      answer: { decision: { advice: "ask" } },
      thoughts: [{ agentId: "ana" }, { agentId: "ben" }, { agentId: "cem" }],
    });
  });
});

describe("an anonymous debate", () => {
  const named = debate({ mode: "delphi" });
  const whole = {
    ...named,
    rounds: named.rounds.map((round) => ({
      ...round,
      absent: ["cem"],
      passes: [{ kind: "rerun" as const, seats: ["ben"] }],
      failures: [{ seat: "cem", error: "cem's model is down", attempts: 1, reason: "failed" as const }],
    })),
  };
  const identity = /\b(?:ana|ben|cem|Alvarez|Baker|Cinar|banker|security)\b/i;

  it("names nobody in any export", () => {
    expect(debateMarkdown(whole)).not.toMatch(identity);
    expect(JSON.stringify(debateJson(whole))).not.toMatch(identity);
    expect(debateMarkdown(whole)).toContain("Panelist B moved from NO to YES, towards Panelist A");
  });

  it("keeps one pseudonym a seat over all rounds", () => {
    expect(withoutNames(whole).rounds.map(({ positions }) => positions.map(({ seat }) => seat))).toEqual([
      ["Panelist A", "Panelist B", "Panelist C"],
      ["Panelist A", "Panelist B", "Panelist C"],
    ]);
  });

  it("is told apart by its mode alone: any other keeps its names", () => {
    expect(withoutNames(debate())).toEqual(debate());
  });
});
