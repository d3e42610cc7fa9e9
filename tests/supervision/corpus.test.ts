/** The corpus of harmless kinds of texts, which rules are held against. */
import { expect, it } from "vitest";
import { kindOf, kinds, textsOf } from "../support/corpus/corpus.js";
import { finds } from "./rules/support.js";

it.each(kinds)("%s: the same texts for a seed, others for another, few of them twice", (kind) => {
  const texts = textsOf(kind, 50, 1);
  expect(textsOf(kind, 50, 1)).toEqual(texts);
  expect(textsOf(kind, 50, 2)).not.toEqual(texts);
  expect(texts.every((text) => text !== "" && !/\{(?:thing|day|name|city|n|text)\}/.test(text))).toBe(true);
  expect(new Set(texts).size).toBeGreaterThan(25);
});

it.each(kinds.filter((kind) => kindOf(kind).holds !== undefined))("%s hold the personal data that they say", (kind) => {
  for (const held of kindOf(kind).holds ?? []) {
    const withIt = textsOf(kind, 50, 3).filter(
      (text) => finds({ type: "personalData", kinds: [held] }, text).length > 0,
    );
    expect(withIt.length).toBeGreaterThan(25);
  }
});
