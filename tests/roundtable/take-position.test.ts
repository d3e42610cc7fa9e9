import { describe, expect, it } from "vitest";
import type { PositionRules } from "../../src/roundtable/position.js";
import { takePositionTool } from "../../src/roundtable/take-position.js";
import { JournalStore, MemoryJournal } from "../support/memory-journal.js";

const context = {
  callId: "call_1",
  journal: new MemoryJournal(new JournalStore()),
  signal: { aborted: false, addEventListener: () => {}, removeEventListener: () => {} },
};
const take = (rules: PositionRules, args: Record<string, unknown>) => takePositionTool(rules).run(args, context);
const good = { position: "Ship it.", reasoning: "The tests pass.", confidence: "90%" };

describe("take_position", () => {
  it("ends the seat's turn with a position that can be used", async () => {
    expect(await take({ citable: [] }, good)).toEqual({ content: "Taken.", endsRun: true });
  });

  it("says what would be right, and lets the turn go on, when it can't", async () => {
    const refused = await take({ citable: [], stance: "required" }, good);
    expect(refused.isError).toBe(true);
    expect(refused.endsRun).toBeUndefined();
    expect(refused.content).toContain('"YES", "NO" or "NEUTRAL"');
  });

  it("offers a role its own stance alone, and to cite what there is", () => {
    const { parameters } = takePositionTool({ stance: "NO", citable: [{ requestId: "ask_1", label: "C1" }] });
    expect(parameters).toMatchObject({
      required: ["stance", "position", "reasoning", "confidence"],
      properties: { stance: { enum: ["NO"] }, citedContext: { items: { enum: ["C1"] } } },
    });
    expect(takePositionTool({ citable: [] }).parameters.properties).not.toHaveProperty("citedContext");
  });
});
