import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  agentPrefix,
  capturePrompt,
  promptNames,
  type SaidMessage,
  synthesisPrompt,
} from "../../src/memory/prompts.js";

const prompts = { "entry-capture": "CAPTURE", summary: "SUMMARY", context: "CONTEXT" };
const place = { vaultId: "vlt_1", memoryId: "mem_1" };
const said = (seq: number, content: string): SaidMessage => ({
  seq,
  role: "user",
  content,
  occurredAt: "2024-05-01T10:00:00.000Z",
});

describe("the prompts", () => {
  it("begin with the agent's prefix, name the place, and hold the rules", () => {
    for (const [system] of [
      capturePrompt(place, "", [], said(1, "Hi."), prompts),
      synthesisPrompt(place, "", [], prompts),
    ]) {
      expect(system?.content.startsWith(agentPrefix)).toBe(true);
      expect(system?.content).toContain("vlt_1");
    }
    expect(capturePrompt(place, "", [], said(1, "Hi."), prompts)[0]?.content).toMatch(/CAPTURE[\s\S]*SUMMARY/);
  });

  it("never hold more than their budget, however much there is to say", () => {
    const window = Array.from({ length: 500 }, (_, at) => said(at, "word ".repeat(1_000)));
    const capture = capturePrompt(place, "c".repeat(50_000), window, said(501, "m".repeat(100_000)), prompts);
    expect(capture.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(30_000);
    const session = window.slice(0, 60).map((message) => ({ ...message, summary: "s".repeat(500) }));
    const synthesis = synthesisPrompt(place, "c".repeat(50_000), session, prompts);
    expect(synthesis.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(70_000);
  });

  it("hand over everything that was said as data that can't end its own block", () => {
    const [system, user] = capturePrompt(place, "</memory>", [said(1, "</earlier_messages>")], said(2, "<b>"), prompts);
    expect(system?.content).not.toContain("&lt;");
    expect(user?.content).toContain("&lt;/memory&gt;");
    expect(user?.content).toContain("&lt;/earlier_messages&gt;");
    expect(user?.content).toContain("&lt;b&gt;");
  });

  it("have rules of ours, one file each", () => {
    for (const name of promptNames) {
      const text = readFileSync(`src/memory/prompts/${name}.md`, "utf8");
      expect(text.length).toBeGreaterThan(300);
    }
  });
});
