/** What seats read: the same beginning for all of them in all rounds, within the room that is stated, and as much of it as there is. */
import { describe, expect, it } from "vitest";
import { modeNamed } from "../../src/roundtable/modes/table.js";
import { type SeatView, seatPrompt } from "../../src/roundtable/prompts.js";
import { asked, position, requestsOf, withResults } from "./support.js";

const seats = ["ana", "ben", "cem"].map((id) => ({ id, name: id.toUpperCase() }));
const told = (round: number, length = 60) => ({
  round,
  positions: seats.map(({ id }) => position(id, `${id} in round ${round}: ${"ledger ".repeat(length)}`, { round })),
  failures: [],
  absent: [],
  passes: [],
  startedAt: "2026-01-01T00:00:00.000Z",
  endedAt: "2026-01-01T00:00:00.000Z",
});

function promptOf(at: number, rounds: readonly ReturnType<typeof told>[], more: Partial<SeatView> = {}): string {
  const mode = more.mode ?? modeNamed("collaborative");
  const view: SeatView = {
    seat: seats[at] ?? { id: "", name: "" },
    index: at,
    seats,
    mode,
    role: mode.role?.(at, seats.length),
    topic: "Do we move the ledger?",
    round: rounds.length + 1,
    totalRounds: 20,
    focusQuestion: undefined,
    earlier: rounds,
    heard: [],
    replaced: undefined,
    requests: [],
    mayAsk: true,
    promptTokens: 8_000,
    ...more,
  };
  return seatPrompt(view)
    .map(({ content }) => content)
    .join("\n\n");
}

function shared(one: string, other: string): number {
  let end = 0;
  while (end < one.length && one[end] === other[end]) end += 1;
  return end;
}

/** Where the seat's own part begins. */
const partAt = (prompt: string) => prompt.lastIndexOf("\n\nYour part: ");

describe("the prompts of a debate", () => {
  it.each(["collaborative", "devils-advocate", "red-team-blue-team", "delphi"] as const)(
    "share all but each seat's own part, in %s",
    (name) => {
      const rounds = [told(1), told(2)];
      const [first = "", ...others] = seats.map((_, at) => promptOf(at, rounds, { mode: modeNamed(name) }));
      for (const other of others) expect(shared(first, other)).toBeGreaterThan(partAt(first));
      expect(partAt(first)).toBeGreaterThan(first.indexOf("cem in round 2") + 100);
    },
  );

  it("keep what they had from round to round, and add to it", () => {
    const open = requestsOf(asked("ana", "What does it cost?"));
    const answered = withResults(open, { requestId: "ask_1", result: "Two nights." });
    const first = promptOf(0, [told(1)], { requests: answered });
    const second = promptOf(1, [told(1), told(2)], { requests: answered });
    expect(first).toContain("Two nights.");
    expect(shared(first, second)).toBeGreaterThanOrEqual(partAt(first));
  });

  it("keep it over most rounds, too, where not all fits and older ones are shortened", () => {
    const rounds = Array.from({ length: 14 }, (_, at) => told(at + 1, 100));
    const prompts = rounds.map((_, at) => promptOf(at % 3, rounds.slice(0, at + 1)));
    const kept = prompts
      .slice(1)
      .filter((prompt, at) => shared(prompts[at] ?? "", prompt) >= partAt(prompts[at] ?? ""));
    expect(kept.length).toBeGreaterThan(prompts.length * 0.6);
    for (const prompt of prompts) expect(prompt.length).toBeLessThanOrEqual(8_000 * 4);
  });

  it("use the room that is stated: nothing is cut as long as it fits, and it is filled where not all does", () => {
    expect(promptOf(0, [told(1, 250), told(2, 250)])).not.toContain("[…]");
    const long = promptOf(0, [told(1, 2_000), told(2, 2_000)]);
    expect(long.length).toBeGreaterThan(8_000 * 4 * 0.8);
  });

  it("say which team spoke, and whose a position is", () => {
    const mode = modeNamed("red-team-blue-team");
    const prompt = promptOf(1, [], { mode, heard: [position("ana", "It leaks."), position("cem", "It stalls.")] });
    expect(prompt).toContain('<position from="ANA" role="red" round="1"');
    expect(prompt).toContain("You are BEN");
    expect(prompt).toContain("You are on the blue team");
    expect(promptOf(0, [told(1)])).not.toContain("role=");
  });
});
