/** What rules look for takes time in proportion to a text's length, whole or streamed, whatever is repeated in it. */
import { describe, expect, it } from "vitest";
import { type Run, slowness } from "../../support/growth.js";
import { block, personalData, phrases, redact } from "./rule-builders.js";
import { rulesOf, stream } from "./support.js";

const links = rulesOf(redact({ type: "links" }));
const injection = rulesOf(block({ type: "injection" }));
const editing = rulesOf(
  redact({ ...personalData(), privateIps: true }),
  redact({ type: "secrets" }),
  redact(phrases("blue falcon", "crème brûlée", "c++")),
);
const inPieces = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];

const units = [
  ...[
    "\u200b",
    "a\u200b",
    "e\u0301",
    "1",
    "0 ",
    "1 ",
    "+1 ",
    "+44 20 7946 0958 ",
    "555-123-4567 ",
    "4111 1111 1111 1111 ",
  ],
  ...["123-45-6789 ", "12.", "::1:", "::", "a@", ",@", "password:", "pw=", "?a=", "login: b / ", "密码", "sk-", "AKIA"],
  ...["-eyJaaaaaaaaaa", "eyJ", "DE89 ", "http://a:", "blue. ", "token=a1&", "(0", "-----BEGIN PRIVATE KEY-----\nAAAA "],
  ...[
    "中",
    "字",
    "の",
    "ا",
    "م",
    "क",
    "अ",
    "निर्देश",
    "ก",
    "ไ",
    "я",
    "Ж ",
    "한",
    "١٢",
    "٣ ",
    "😀",
    "𝐀",
    "é",
    "[",
    "\n\n",
  ],
  ...["忽略", "助手", "<!--", "<p hidden>", "<p id=a hidden>", "<p style='", "AI: ", '"a b c d ', "Dear AI, "],
  ...["![", "](", "[a](//b.c", "[a]: //b.c ", "<a href=", "<img src='", "https://", "www.", "https:", "![a]", "url("],
  "ignore previous rules ",
];
const runs: readonly Run[] = [
  ...units.map((unit): Run => ["", unit, "x"]),
  ...([
    ["a", "\u0301", "x"],
    ["1", " ", "x"],
    ["::", ".", "x"],
    ["password: ", "!", "x"],
  ] satisfies Run[]),
  // One end for all of the elements.
  ...([
    ["password: a1", ".", "x"],
    ["@", ",,,,", "x"],
    ["", "<p hidden>", "</p>"],
  ] satisfies Run[]),
];

describe.each(runs.map((run) => ({ named: JSON.stringify(run[0] + run[1]), run })))("a flood of $named", ({ run }) => {
  it("is judged in linear time, as what people write and as data", () => {
    expect(slowness((text) => [editing.judge(text), injection.judgeData(text)], run, 16_000)).toBeUndefined();
  });

  it("is streamed in linear time", () => {
    expect(slowness((text) => stream(editing, inPieces(text, 200)), run, 8_000)).toBeUndefined();
    expect(slowness((text) => stream(injection, inPieces(text, 16)), run, 8_000)).toBeUndefined();
    expect(slowness((text) => stream(links, inPieces(text, 16)), run, 8_000)).toBeUndefined();
  });
});
