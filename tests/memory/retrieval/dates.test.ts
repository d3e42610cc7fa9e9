import { describe, expect, it } from "vitest";
import { findDates, namesTime, rangesOf } from "../../../src/memory/retrieval/dates.js";

const ranges = (text: string, now?: string) => findDates(text, now).map(({ range }) => range && [range.from, range.to]);
const WEDNESDAY = "2023-05-10T12:00:00.000Z";

describe("dates in text", () => {
  it.each([
    ["on 7 May 2023", "2023-05-07", "2023-05-07"],
    ["on the 7th of May, 2023", "2023-05-07", "2023-05-07"],
    ["December 1,2023", "2023-12-01", "2023-12-01"],
    ["at 2023-05-07T10:00", "2023-05-07", "2023-05-07"],
    ["2023/05/07", "2023-05-07", "2023-05-07"],
    ["in May 2023", "2023-05-01", "2023-05-31"],
    ["February 2024", "2024-02-01", "2024-02-29"],
    ["in 2022", "2022-01-01", "2022-12-31"],
    ["summer of 2022", "2022-06-01", "2022-08-31"],
  ])("reads %s", (text, from, to) => {
    expect(ranges(text)).toEqual([[from, to]]);
  });

  it.each([
    ["yesterday", "2023-05-09", "2023-05-09"],
    ["tomorrow", "2023-05-11", "2023-05-11"],
    ["last Tuesday", "2023-05-09", "2023-05-09"],
    ["last Wednesday", "2023-05-03", "2023-05-03"],
    ["next Friday", "2023-05-12", "2023-05-12"],
    ["last week", "2023-05-01", "2023-05-07"],
    ["last weekend", "2023-05-06", "2023-05-07"],
    ["two months ago", "2023-03-01", "2023-03-31"],
    ["3 days ago", "2023-05-07", "2023-05-07"],
    ["last year", "2022-01-01", "2022-12-31"],
    ["last summer", "2022-06-01", "2022-08-31"],
    ["next summer", "2023-06-01", "2023-08-31"],
  ])("counts %s from the day it is said", (text, from, to) => {
    expect(ranges(text, WEDNESDAY)).toEqual([[from, to]]);
    expect(findDates(text)).toEqual([]);
  });

  it("takes days and months without a year for those of any year", () => {
    const [may] = findDates("What happened in May?");
    expect(may?.recurring).toEqual({ month: 5 });
    expect(may && rangesOf(may, { from: "2022-10-01", to: "2024-02-01" }).map(({ from }) => from)).toEqual([
      "2024-05-01",
      "2023-05-01",
      "2022-05-01",
    ]);
    expect(findDates("May 7")[0]?.recurring).toEqual({ month: 5, day: 7 });
  });

  it("reads several, in order, each once", () => {
    expect(findDates("between August 11 and August 15 2023").map(({ text }) => text)).toEqual([
      "August 11",
      "August 15 2023",
    ]);
  });

  it("isn't fooled by other words, sums and impossible days", () => {
    expect(findDates("I may march on, it cost $2000, a ratio of 1.2023")).toEqual([]);
    expect(findDates("30 February 2023").filter(({ precision }) => precision === "day")).toEqual([]);
    expect(findDates("yesterday", "not a time")).toEqual([]);
  });

  it("knows whether a text says when", () => {
    expect(namesTime("I went there last Friday")).toBe(true);
    expect(namesTime("We met in 2019")).toBe(true);
    expect(namesTime("It was lovely")).toBe(false);
  });
});
