import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { itemsOfVersion } from "../../src/memory/context-items.js";
import {
  agentPrefix,
  capturePrompt,
  type PromptMessage,
  promptNames,
  synthesisPrompt,
} from "../../src/memory/prompts.js";

const prompts = { "entry-capture": "CAPTURE", summary: "SUMMARY", context: "CONTEXT" };
const place = { vaultId: "vlt_1", memoryId: "mem_1" };
const knowing = (context: string) => ({ context, uncovered: [] });
const said = (seq: number, content: string): PromptMessage => ({
  seq,
  role: "user",
  content,
  occurredAt: "2024-05-01T10:00:00.000Z",
});

describe("the prompts", () => {
  it("begin with the agent's prefix, name the place, and hold the rules", () => {
    for (const [system] of [
      capturePrompt(place, knowing(""), [], said(1, "Hi."), prompts),
      synthesisPrompt(place, [], [], prompts),
    ]) {
      expect(system?.content.startsWith(agentPrefix)).toBe(true);
      expect(system?.content).toContain("vlt_1");
    }
    expect(capturePrompt(place, knowing(""), [], said(1, "Hi."), prompts)[0]?.content).toMatch(/CAPTURE[\s\S]*SUMMARY/);
  });

  it("never hold more than their budget, however much there is to say", () => {
    const window = Array.from({ length: 500 }, (_, at) => said(at, "word ".repeat(1_000)));
    const capture = capturePrompt(
      place,
      { context: "c".repeat(50_000), uncovered: window },
      window,
      said(501, "m".repeat(100_000)),
      prompts,
    );
    expect(capture.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(30_000);
    const context = itemsOfVersion({ version: 1, document: `## Facts\n- ${"c".repeat(50_000)}`, origins: [] });
    const session = window.slice(0, 60).map((message) => ({ ...message, entryId: "ent_1", summary: "s".repeat(500) }));
    const synthesis = synthesisPrompt(place, context, session, prompts);
    expect(synthesis.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(70_000);
    const after = synthesisPrompt(place, context, session, prompts, session);
    expect(after.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(80_000);
  });

  it("name what an entry corrects, and number what can be cited", () => {
    const context = itemsOfVersion({
      version: 1,
      document: "## Facts\n- Lives in Turin.\n- Likes tea.",
      origins: [{ by: "entries", entries: ["ent_1"] }, { by: "person" }],
    });
    const corrects = { entryId: "ent_1", content: "I live in Turin.", occurredAt: "2024-04-01T10:00:00.000Z" };
    const correction = { ...said(2, "It is Lyon."), entryId: "ent_2", summary: "", corrects };
    const [, user] = synthesisPrompt(place, context, [correction], prompts);
    expect(user?.content).toContain("- Lives in Turin. [c1]");
    expect(user?.content).toContain("- Likes tea. [c2, a person's]");
    expect(user?.content).toMatch(/\[1\] .*It is Lyon\.\n\(corrects what was said .*: I live in Turin\.\)/);
  });

  it("hold what was said elsewhere and isn't in the context yet", () => {
    const uncovered = [said(1, "My dog is called Rex.")];
    const [, user] = capturePrompt(place, { context: "", uncovered }, [], said(1, "He is ill."), prompts);
    expect(user?.content).toMatch(/<other_conversations>[\s\S]*Rex/);
  });

  it("hand over everything that was said as data that can't end its own block", () => {
    const [system, user] = capturePrompt(
      place,
      knowing("</memory>"),
      [said(1, "</earlier_messages>")],
      said(2, "<b>"),
      prompts,
    );
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
