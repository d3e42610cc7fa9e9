import { describe, expect, it } from "vitest";
import { estimatesOf, quartilesOf } from "../../src/roundtable/estimates.js";
import { modeNamed } from "../../src/roundtable/modes/table.js";
import { seatPrompt } from "../../src/roundtable/prompts.js";
import { position } from "./support.js";

const estimates = (...texts: readonly string[]) => estimatesOf(texts.map((text, at) => position(`s${at}`, text)));

describe("the estimates of a survey", () => {
  it("are the figures of the unit that most seats name, with median and quartiles", () => {
    const five = [
      "It takes 14 days.",
      "20 days, if 3 people work on it.",
      "10 to 14 days.",
      "Two weeks.",
      "About 30 days",
    ];
    expect(estimates(...five)).toEqual({
      unit: "days",
      count: 4,
      least: 12,
      lowerQuartile: 13.5,
      median: 17,
      upperQuartile: 22.5,
      most: 30,
    });
  });

  it.each([
    [["40,000 euros a month", "€ 60 thousand a month"], { unit: "euros", median: 50_000 }],
    [["4.5 % by March [C1]", "We hold 5.5% likely"], { unit: "percent", median: 5 }],
    [["Das dauert 12 Monate.", "In 18 Monaten ist es fertig."], { unit: "monate", median: 15 }],
    [["In 2031.", "Not before 2035."], { median: 2033 }],
  ])("are read in the ways in which figures are written: %j", (texts, expected) => {
    expect(estimates(...texts)).toMatchObject(expected);
  });

  it.each([
    ["10-14 days", 12],
    ["100–150 days", 125],
    ["10 – 14 days", 12],
    ["2.5-3 days", 2.75],
    ["0.125 days", 0.125],
    ["1,250.75 days", 1250.75],
    ["1.500,50 days", 1500.5],
    ["1.500 days", 1500],
    ["1.500.000 days", 1_500_000],
    ["12,5 days", 12.5],
    ["5 days, by 2027-03-15 or 15.03.2027", 5],
    ["version 3.2.1 in 20 days", 20],
    ["Q3, so 20 days", 20],
    ["+5 days", 5],
  ])("of %j are one number", (text, value) => {
    expect(estimates(text, text)).toMatchObject({ median: value });
  });

  it.each(["2.375 percent", "-5 percent", "2027-03-15", "15.03.2027", "at 14:30", "version 3.2.1", "Q3"])(
    "of %j are none: no amount, or one that may be two",
    (text) => {
      expect(estimates(text, text)).toBeUndefined();
    },
  );

  it.each(["5% to 10%", "$5 to $10", "5 to 10 %"])("of %j are the middle of the range", (text) => {
    expect(estimates(text, text)).toMatchObject({ median: 7.5 });
  });

  it("are none where seats name none, or different things", () => {
    expect(estimates("Soon.", "Later, I think.", "12 days")).toBeUndefined();
    expect(estimates("12 days")).toBeUndefined();
  });

  it("lie between quartiles in proportion", () => {
    expect(quartilesOf([4, 1, 3, 2])).toEqual({
      least: 1,
      lowerQuartile: 1.75,
      median: 2.5,
      upperQuartile: 3.25,
      most: 4,
    });
    expect(quartilesOf([7])).toMatchObject({ least: 7, median: 7, most: 7 });
  });

  it("come back to the panelists after each round", () => {
    const seats = ["ana", "ben", "cem"].map((id) => ({ id, name: id }));
    const days = [10, 20, 60];
    const positions = seats.map(({ id }, at) => position(id, `${days[at]} days.`, { confidence: at * 0.2 + 0.3 }));
    const mode = modeNamed("delphi");
    const at = { failures: [], absent: [], passes: [], startedAt: "", endedAt: "" };
    const [, prompt] = seatPrompt({
      seat: seats[0] ?? { id: "", name: "" },
      index: 0,
      seats,
      mode,
      role: mode.role?.(0, 3),
      topic: "How long?",
      round: 2,
      totalRounds: 3,
      focusQuestion: undefined,
      earlier: [{ ...at, round: 1, positions }],
      heard: [],
      replaced: undefined,
      requests: [],
      mayAsk: true,
      promptTokens: 8_000,
    });
    expect(prompt?.content).toContain(
      `<statistics round="1">
answers: 3
confidence: median 0.5, quartiles 0.4 and 0.6, from 0.3 to 0.7
estimates in days (3 of 3): median 20, quartiles 15 and 40, from 10 to 60
</statistics>`,
    );
  });
});
