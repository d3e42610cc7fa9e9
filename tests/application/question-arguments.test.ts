import { describe, expect, it } from "vitest";
import { askHumanTool } from "../../src/agent/built-in/ask-human.js";
import { validateArguments } from "../../src/application/argument-check.js";

describe("the arguments of ask_human", () => {
  it("take `timeout` for `timeoutMs`", () => {
    expect(validateArguments(askHumanTool, { question: "Which?", timeout: 5_000 })).toEqual([]);
  });

  it("are refused with a word that it doesn't know, and the word is named", () => {
    const problems = validateArguments(askHumanTool, { question: "Which?", deadline: "soon" });
    expect(problems.join("; ")).toContain("deadline");
  });
});
