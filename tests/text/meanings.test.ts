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

  it.each([
    [
      "English",
      "a an the is are was be am i me you he it we they to of at by for with and or but so as if than do does did",
    ],
    [
      "German",
      "der die das den dem ein eine einen ich sie es ist war bin hat kann und aber von zu mit bei aus über für im um hier so",
    ],
    [
      "French",
      "la les un une du au et ou où mais je il mon ma mes ton ta tes son sa ses ce est ai ont qui que sur par si se te y",
    ],
    [
      "Spanish",
      "el la los las un de del al en y o pero yo su sus son es está este para por con si se me te lo más que ha",
    ],
    [
      "Portuguese",
      "o os as um uma de do da dos em na e ou mas eu ele meu sua são está para por com se te ao mais que há",
    ],
    [
      "Italian",
      "il la gli le un di da dal alla a al in su sul per e o ma se io lui lei mi ti si ci mio è sono ho ha via qui",
    ],
    ["Dutch", "de het een van in op te voor bij over om en of ik jou hij ze we zijn is was ben kan dat er dan nu"],
    [
      "Swedish and Danish",
      "den det en i för af till om och men som att du han vi din är var ved kan mot med ut sig der så",
    ],
    ["Polish and Czech", "w v na do z ze od po za o u i a ale to ta te ty je się si mi go ich co czy při"],
    ["Romanian", "o în la de din pe cu și sau că eu noi am ai să nu ce al pentru este"],
    ["Hungarian", "a az egy és te ki be el meg van volt is ha már de"],
    ["Finnish and Turkish", "me te se jos kun bir ve ile için bu şu o ben sen biz ki mi var çok"],
  ])("takes small words of %s for nothing that another language calls so", (_language, words) => {
    for (const word of words.split(" ")) expect(named(word), word).toEqual([]);
  });

  it("has no line without a name of its own, without English or without another language", () => {
    const lines = meaningTable.trim().split("\n");
    for (const line of lines) expect(line.split(" | ").filter((words) => words.trim() !== "")).toHaveLength(8);
    expect(new Set(names).size).toBe(lines.length);
  });
});
