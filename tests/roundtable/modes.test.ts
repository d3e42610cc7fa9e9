/** The modes: who speaks when, what each hears, and how each is briefed; and prompts that stay within their budget. */
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/model/estimate.js";
import type { RoundRecord } from "../../src/roundtable/debate.js";
import { modeNamed, modeNames } from "../../src/roundtable/modes/table.js";
import type { Position } from "../../src/roundtable/position.js";
import { type SeatView, seatPrompt } from "../../src/roundtable/prompts.js";

const seats = Array.from({ length: 10 }, (_, index) => ({ id: `s${index}`, name: `Seat ${index}` }));
const position = (seat: string, round: number, text: string): Position => ({
  seat,
  round,
  position: text,
  reasoning: text,
  confidence: 0.5,
  citations: [],
  citedContext: [],
});
const round = (number: number, length = 5_000): RoundRecord => ({
  round: number,
  positions: seats.map(({ id }) => position(id, number, `${id} says ${"word ".repeat(length / 5)}`)),
  failures: [],
  absent: [],
  passes: [],
  startedAt: "2026-11-22T09:30:00.000Z",
  endedAt: "2026-11-22T09:30:00.000Z",
});

describe.each(modeNames)("%s", (name) => {
  const mode = modeNamed(name);

  it("has every seat speak once in a round, however many there are", () => {
    for (let count = mode.minSeats ?? 2; count <= 10; count++) {
      const speaking = mode.speaking(count).flat();
      expect(speaking.toSorted((a, b) => a - b)).toEqual(seats.slice(0, count).map((_, index) => index));
    }
  });

  it("lets nobody hear whoever speaks at the same time", () => {
    const [first = [], second = []] = mode.speaking(4);
    const spoken = first.map((index) => position(`s${index}`, 1, "x"));
    const hears = (index: number, said: readonly Position[]) =>
      mode.hears({ index, count: 4, round: 1 }, { spoken: said, indexOf: (seat) => Number(seat.slice(1)) });
    expect(hears(first[0] ?? 0, [])).toEqual([]);
    if (second.length > 0) expect(hears(second[0] ?? 0, spoken)).toEqual(spoken);
  });

  it("encourages asking in its own words", () => {
    expect(mode.asking).toContain("request_context");
    const others = modeNames.filter((other) => other !== name).map((other) => modeNamed(other).asking);
    expect(others).not.toContain(mode.asking);
  });

  it("keeps ten seats' prompts in the tenth round within their budget", () => {
    const view: SeatView = {
      seat: seats[0] ?? { id: "", name: "" },
      index: 0,
      seats,
      mode,
      role: mode.role?.(0, 10),
      topic: "Do we ship?",
      round: 10,
      totalRounds: 10,
      focusQuestion: undefined,
      earlier: Array.from({ length: 9 }, (_, index) => round(index + 1)),
      heard: [],
      replaced: undefined,
      requests: [],
      mayAsk: true,
      promptTokens: 4_000,
    };
    const tokens = seatPrompt(view).reduce((sum, { content }) => sum + estimateTokens(content), 0);
    expect(tokens).toBeLessThanOrEqual(4_000);
    expect(
      seatPrompt(view)
        .map(({ content }) => content)
        .join(),
    ).toContain("s9 says");
  });
});

describe("the parts of a mode", () => {
  it("gives a devil's advocate's table its stances", () => {
    const { role } = modeNamed("devils-advocate");
    expect([0, 1, 2, 3].map((index) => role?.(index, 4).stance)).toEqual(["YES", "NO", "NEUTRAL", "NEUTRAL"]);
  });

  it("has all of red speak at once, then all of blue", () => {
    const { speaking, role } = modeNamed("red-team-blue-team");
    expect(speaking(5)).toEqual([
      [0, 2, 4],
      [1, 3],
    ]);
    expect([0, 1, 2].map((index) => role?.(index, 3).name)).toEqual(["red", "blue", "red"]);
  });

  it("hides in delphi who is who: names, personas and the others' alike", () => {
    const mode = modeNamed("delphi");
    const view: SeatView = {
      seat: seats[1] ?? { id: "", name: "" },
      index: 1,
      seats,
      mode,
      role: mode.role?.(1, 10),
      topic: "When?",
      round: 2,
      totalRounds: 3,
      focusQuestion: undefined,
      earlier: [round(1, 50)],
      heard: [],
      replaced: undefined,
      requests: [],
      mayAsk: true,
      promptTokens: 8_000,
    };
    const prompt = seatPrompt({ ...view, earlier: [{ ...round(1, 50), positions: [position("s0", 1, "In May.")] }] })
      .map(({ content }) => content)
      .join("\n");
    expect(prompt).toContain('from="Panelist A"');
    expect(prompt).toContain("<statistics");
    expect(prompt).not.toMatch(/Seat \d|"s0"/);
  });
});
