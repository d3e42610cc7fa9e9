import { describe, expect, it } from "vitest";
import { keyForms } from "../../../src/supervision/rules/secret/key-forms.js";
import { keyFrom } from "./made-up-keys.js";
import { personalData, phrases, redact } from "./rule-builders.js";
import { finds, rulesOf, seeded, stream } from "./support.js";

const all = rulesOf(
  redact({ ...personalData("email", "phone", "card", "iban", "nationalId", "ip"), privateIps: true }),
  redact({ type: "secrets" }),
  redact(phrases("blue falcon", "crème brûlée", "c++")),
);

/** What texts are put together from: what is found, what looks like it, and what stands between. */
const parts = [
  "call me at ",
  "Tel.: ",
  "order ",
  "password is ",
  "пароль: ",
  "密码是",
  "电话",
  "api_key=",
  "version ",
  "SSN ",
  "BSN: ",
  "+44 20 7946 0958",
  "(555) 123-4567",
  "555-123-4567x123",
  "13812345678",
  "06 12 34 56 78",
  "12.05.2024",
  "2024-05-12",
  "4111 1111 1111 1111",
  "4111111111111111",
  "DE89 3704 0044 0532 0130 00",
  "123-45-6789",
  "12345678Z",
  "1112.22.333",
  "81.2.69.142",
  "2001:db8::1",
  "10.0.0.1",
  "jane@example.com",
  "hunter22!",
  "Xk29!mmQ",
  "AKIAIOSFODNN7ABCDEFG",
  "postgres://a:p4ss@h/",
  "blue-falcon",
  "blüe. Falcon",
  "creme_brulee",
  "c++",
  " ext. 12",
  " x",
  "é",
  "e\u0301",
  "\u200b",
  "😀",
  "\ud83d",
  "中文",
  "の",
  "ا",
  "한",
  " ",
  "  ",
  "\n",
  ". ",
  ", ",
  ":",
  "-",
  "/",
  "(",
  ")",
  "+",
  "0",
  "1",
  "99",
  "a",
  "Z",
  '"',
  "'",
  "=",
  "@",
  "\t",
  "٠١٢٣٤",
  "１２３",
];

function textOf(random: () => number): string {
  const count = 1 + Math.floor(random() * 14);
  return Array.from({ length: count }, () => parts[Math.floor(random() * parts.length)]).join("");
}

function piecesOf(text: string, random: () => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + Math.floor(random() * random() * 12);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

describe("any text", () => {
  it("ends streamed as it does whole, wherever it is cut, and shows no more", { timeout: 60_000 }, () => {
    const random = seeded(15);
    for (let round = 0; round < 150; round++) {
      const text = textOf(random);
      const judged = all.judge(text);
      const pieces = piecesOf(text, random);
      const streamed = stream(all, pieces);
      expect(streamed.action, JSON.stringify(pieces)).toBe(judged.action);
      if (judged.action === "allow" || judged.action === "modify") {
        expect(streamed.released, JSON.stringify(pieces)).toBe(judged.text);
        // What was redacted leaves nothing that is found again.
        expect(all.judge(judged.text).action, text).toBe("allow");
      }
    }
  });

  it("leaves no part of a key", () => {
    for (const { kind, example } of keyForms) {
      const key = keyFrom(example, 3);
      for (const text of [`(${key})`, `x=${key};`, `${key}\n`, `看${key}看`]) {
        const redacted = rulesOf(redact({ type: "secrets" })).judge(text).text;
        for (let at = 0; at + 12 <= key.length; at++) expect(redacted, kind).not.toContain(key.slice(at, at + 12));
      }
    }
  });

  it("leaves no part of what is found with invisible characters in it", () => {
    const hidden = (text: string) => Array.from(text).join("\u200b");
    for (const text of ["4111 1111 1111 1111", "jane@example.com", "81.2.69.142", "+44 20 7946 0958"]) {
      expect(finds({ type: "personalData", kinds: ["email", "phone", "card", "ip"] }, hidden(text))).toEqual([
        hidden(text),
      ]);
    }
  });
});

describe("time", () => {
  /** What a text begins with, and what it repeats. */
  const texts: [beginning: string, unit: string][] = [
    ["", "\u200b"],
    ["", "a\u200b"],
    ["", "e\u0301"],
    ["a", "\u0301"],
    ["", "1"],
    ["1", " "],
    ["", "0 "],
    ["", "+1 "],
    ["", "+44 20 7946 0958 "],
    ["", "555-123-4567 "],
    ["", "4111 1111 1111 1111 "],
    ["", "123-45-6789 "],
    ["", "12."],
    ["", "::1:"],
    ["::", "."],
    ["", "a@"],
    ["", "password:"],
    ["", "pw="],
    ["", "?a="],
    ["", "login: b / "],
    ["password: ", "!"],
    ["password: a1", "."],
    ["", "密码"],
    ["", "sk-"],
    ["", "-eyJaaaaaaaaaa"],
    ["", "DE89 "],
    ["", "http://a:"],
    ["", "blue. "],
    ["", "中"],
    ["", "の"],
    ["", "ا"],
    ["", "क"],
    ["", "ก"],
    ["", "я"],
    ["", "한"],
    ["", "١٢"],
    ["", "😀"],
    ["", "-----BEGIN PRIVATE KEY-----\nAAAA "],
    ["", "token=a1&"],
    ["", "(0"],
    ["", ",@"],
    ["@", ",,,,"],
  ];

  const time = (run: () => void): number => {
    const start = performance.now();
    run();
    return performance.now() - start;
  };

  /** How many times as long a text of four times the length takes; the least of a few, since a busy machine only adds. */
  const growth = (judge: (length: number) => void, length: number): number => {
    let least = Number.POSITIVE_INFINITY;
    judge(2_000);
    for (let round = 0; round < 3 && least > 10; round++) {
      const short = Math.max(
        time(() => judge(length)),
        15,
      );
      least = Math.min(least, time(() => judge(4 * length)) / short);
    }
    return least;
  };

  it.each(texts.map(([beginning, unit]) => [JSON.stringify(beginning + unit), beginning, unit]))(
    "grows with the length of a text of %s, no faster",
    { timeout: 60_000 },
    (_shown, beginning, unit) => {
      const text = (length: number) => `${beginning}${unit.repeat(Math.ceil(length / unit.length))}x`;
      // Linear work takes four times as long, quadratic work sixteen times.
      expect(growth((length) => all.judge(text(length)), 25_000)).toBeLessThan(10);
      expect(growth((length) => stream(all, text(length).match(/.{1,200}/gsu) ?? []), 5_000)).toBeLessThan(10);
    },
  );
});
