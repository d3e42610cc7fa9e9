import { describe, expect, it } from "vitest";
import { meaningTable } from "../../src/text/meaning-table.js";
import { meaningsOf } from "../../src/text/meanings.js";

const names = meaningTable
  .trim()
  .split("\n")
  .map((line) => line.split(" | ")[0]);
const named = (word: string) => meaningsOf(word.toLowerCase()).map((meaning) => names[meaning]);

describe("meanings", () => {
  it.each([
    ["English, in another form", "refunded", "refund"],
    ["German", "Rückerstattung", "refund"],
    ["French", "remboursement", "refund"],
    ["Spanish", "devolución", "refund"],
    ["Portuguese", "reembolso", "refund"],
    ["Italian", "rimborsato", "refund"],
    ["Dutch", "terugbetaling", "refund"],
    ["Swedish", "återbetalning", "refund"],
    ["Danish", "slukke", "off"],
    ["Polish", "wyłączyć", "off"],
    ["Czech", "vypnout", "off"],
    ["Romanian", "factura", "pay"],
    ["Hungarian", "kikapcsolom", "off"],
    ["Finnish", "sammuta", "off"],
    ["Turkish", "fatura", "pay"],
    ["Russian", "выключи", "off"],
    ["Arabic, with its article", "الفاتورة", "pay"],
    ["Chinese, within a sentence", "我要退款", "refund"],
    ["Japanese, within a sentence", "請求書を見せて", "pay"],
    ["Korean, with a particle", "날씨가", "weather"],
    ["Hindi", "खरीदना", "buy"],
  ])("knows %s: %s", (_language, word, meaning) => {
    expect(named(word)).toContain(meaning);
  });

  it.each(["remarquer", "ramble", "xyzzy", "Ფ", "", "\ud83d"])("knows nothing of %j", (word) => {
    expect(named(word).filter((name) => name === "refund")).toEqual([]);
  });

  it("takes short words as they are, not as the beginning of others", () => {
    expect(named("licht")).toContain("light");
    expect(named("cor")).toContain("color");
    expect(named("corridor")).not.toContain("color");
  });

  it("gives a word of several meanings all of them", () => {
    expect(named("karte")).toEqual(expect.arrayContaining(["card", "route", "reserve"]));
  });

  it("gives every word of the table its own line's meaning, whatever else it means in other languages", () => {
    for (const line of meaningTable.trim().split("\n")) {
      const [name, ...parts] = line.split(" | ");
      for (const word of parts.join(" ").split(" ")) expect(named(word), word).toContain(name);
    }
  });

  it.each([
    ["Termine", "calendar"],
    ["cartes", "card"],
    ["オペレーター", "human"],
    ["ダウンロードして", "update"],
  ])("knows %s, which is like a word of English or long", (word, meaning) => {
    expect(named(word)).toContain(meaning);
  });

  it("takes an English word for one of another language only where the ending is short", () => {
    expect(named("termin")).toEqual(expect.arrayContaining(["calendar", "stop"]));
    expect(named("terminate")).toEqual(["stop"]);
  });

  it("has no line without a name of its own, without English or without another language", () => {
    const lines = meaningTable.trim().split("\n");
    for (const line of lines) expect(line.split(" | ").filter((words) => words.trim() !== "")).toHaveLength(8);
    expect(new Set(names).size).toBe(lines.length);
  });
});
