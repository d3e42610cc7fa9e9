import { describe, expect, it } from "vitest";
import { prepareExamples } from "../../src/text/example-classifier.js";
import { readFeatures, type WordFeatures } from "../../src/text/text-features.js";
import { everyScript } from "../support/scripts.js";

const examples = Object.entries({
  billing: ["I was charged twice", "Where is my invoice?", "refund my last payment", "die Rechnung stimmt nicht"],
  technical: ["the app crashes at login", "I can't sign in", "error 500 when I save", "Die App stürzt ab"],
  shipping: ["where is my parcel", "the package never arrived", "track my delivery", "Wann kommt mein Paket?"],
}).flatMap(([label, texts]) => texts.map((text) => ({ label, text })));
const classifier = prepareExamples(examples);
const best = (text: string) => classifier.classify(text)[0];

describe("telling by examples", () => {
  it.each([
    ["you charged my card twice", "billing"],
    ["It crashed again when I logged in", "technical"],
    ["my parcels are late, where are they", "shipping"],
    ["Meine Rechnungen stimmen nicht", "billing"],
    ["Mein Päckchen, wann kommt es?", "shipping"],
  ])("%j is %s", (text, label) => {
    expect(best(text)?.label).toBe(label);
  });

  it("is surer of an example than of a like text, and of that than of something else", () => {
    const [same, alike, other, nothing] = [
      "where is my parcel",
      "where did my parcel go, is it lost",
      "Sing a song about the sea",
      "",
    ].map((text) => best(text)?.confidence ?? 0);
    expect(same).toBeGreaterThan(0.9);
    expect(same).toBeGreaterThan(alike ?? 0);
    expect(alike).toBeGreaterThan(2 * (other ?? 0));
    expect(other).toBeLessThan(0.3);
    expect(nothing).toBe(0);
  });

  it("is unsure of what is for nobody, with few labels too", () => {
    for (const text of ["who painted the night watch", "give me three rhymes for orange", "ilk defa mi geliyorsun"]) {
      expect(best(text)?.confidence, text).toBeLessThan(0.4);
    }
  });

  it("learns from the examples of the others what speaks against a label", () => {
    const { classify } = prepareExamples(
      Object.entries({
        on: ["lamp on please", "heater on please", "radio on please", "oven on", "fan on"],
        off: ["lamp off please", "heater off please", "radio off please", "oven off", "fan off"],
      }).flatMap(([label, texts]) => texts.map((text) => ({ label, text }))),
    );
    expect(classify("kettle off please")[0]).toMatchObject({ label: "off" });
    expect(classify("kettle off please")[1]?.score).toBeLessThan(0);
  });

  it("gives the same for the same examples, to the last digit", () => {
    expect(prepareExamples(examples).classify("a payment for my parcel")).toEqual(
      classifier.classify("a payment for my parcel"),
    );
  });

  it("tells scripts without spaces apart by their letters", () => {
    const chinese = prepareExamples([
      { label: "refund", text: "我要退款" },
      { label: "refund", text: "请把钱退给我" },
      { label: "parcel", text: "我的包裹在哪里" },
      { label: "parcel", text: "快递什么时候到" },
    ]);
    expect(chinese.classify("可以退款吗")[0]?.label).toBe("refund");
    expect(chinese.classify("包裹到了吗")[0]?.label).toBe("parcel");
  });

  it.each([
    ["Han", "我要退款", "的"],
    ["kana", "返金してください", "の"],
    ["Thai", "ขอเงินคืน", "ก"],
    ["Khmer", "សុំប្រាក់វិញ", "ក"],
  ])("reads the first 400 letters of a run of %s that has more", (_script, request, filler) => {
    const { classify } = prepareExamples([
      { label: "refund", text: request },
      { label: "parcel", text: "where is my parcel" },
    ]);
    const asLong = request + filler.repeat(400 - request.length);
    expect(classify(asLong)[0]).toMatchObject({ label: "refund" });
    expect(classify(asLong)[0]?.confidence).toBeGreaterThan(0);
    const other = (match: { label: string; similarity: number }) => [match.label, match.similarity];
    expect(classify(asLong + filler).map(other)).toEqual(classify(asLong).map(other));
  });

  it("reads no more of a run than that, so that 8,000 letters cost what 400 do", () => {
    const letters = Array.from({ length: 8_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("");
    const words = new Map<string, WordFeatures>();
    readFeatures(letters, { runs: [2, 3, 4], most: 1_000_000, words }, () => undefined);
    expect([...words.keys()].join("")).toBe(letters.slice(0, 400));
  });

  it("keeps letters of scripts without spaces once, whatever runs they stand in", () => {
    const words = new Map<string, WordFeatures>();
    for (const text of ["我要退款", "退款我要", "要我退款"]) {
      readFeatures(text, { runs: [3], most: 1_000, words }, () => undefined);
    }
    expect([...words.keys()]).toEqual(["我", "要", "退", "款"]);
  });

  it("has nothing to say without examples", () => {
    expect(prepareExamples([]).classify("anything")).toEqual([]);
    expect(prepareExamples([{ label: "a", text: "?!" }]).classify("anything")[0]?.confidence).toBe(0);
  });

  it("keeps within its memory for the largest team: 200 workers with 100 examples each", () => {
    const words = Array.from({ length: 5_000 }, (_, index) => `word${index.toString(36)}`);
    const team = Array.from({ length: 200 * 100 }, (_, index) => ({
      label: `worker-${index % 200}`,
      text: Array.from({ length: 12 }, (_, at) => words[(index * 31 + at * at * 977) % words.length]).join(" "),
    }));
    const { size, classify } = prepareExamples(team);
    expect(size.weights).toBeLessThanOrEqual(400_000);
    expect(size.features).toBeLessThanOrEqual(1_500_000);
    expect(size.bytes).toBeLessThan(32_000_000);
    expect(classify(team[777]?.text ?? "")[0]?.label).toBe(team[777]?.label);
  });

  it("keeps little for a small team", () => {
    expect(classifier.size.weights).toBeGreaterThan(0);
    expect(classifier.size.bytes).toBeLessThan(100_000);
  });

  it.each(everyScript)(
    "reads 100 KB of %s, as an example and as a text, in time that no length makes worse",
    (_name, sample) => {
      const long = sample.repeat(Math.ceil(100_000 / sample.length));
      const prepared = prepareExamples([...examples, { label: "long", text: long }]);
      const [match] = prepared.classify(long);
      expect(match?.confidence).toBeGreaterThanOrEqual(0);
      expect(match?.confidence).toBeLessThanOrEqual(1);
    },
  );
});
