import { describe, expect, it } from "vitest";
import { type PositionRules, takePositionTool } from "../../src/roundtable/position.js";
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

  it("is offered alike to every seat of a mode in every round, and takes a role's own stance alone", async () => {
    const parts = (["YES", "NO"] as const).map((stance) => ({ stance, citable: [] }));
    const schemas = [...parts, { stance: "NO" as const, citable: [{ requestId: "ask_1", label: "C1" }] }].map((rules) =>
      JSON.stringify(takePositionTool(rules).parameters),
    );
    expect(new Set(schemas).size).toBe(1);
    expect(JSON.parse(schemas[0] ?? "")).toMatchObject({ required: ["stance", "position", "reasoning", "confidence"] });
    expect((await take({ stance: "NO", citable: [] }, { ...good, stance: "YES" })).content).toContain('"NO"');
  });
});
