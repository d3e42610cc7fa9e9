import { seeded } from "./support.js";

const small = "abcdefghijklmnopqrstuvwxyz";
const hexadecimal = "0123456789abcdef";
const alphabets: Readonly<Record<string, string>> = {
  "": `${small}${small.toUpperCase()}0123456789`,
  h: hexadecimal,
  U: `${small.toUpperCase()}234567`,
  l: `${small}0123456789`,
  d: "0123456789",
};

/** A key of a recipe of key-forms.ts, put together here so that no scanner takes a file for a leak. */
export function keyFrom(recipe: string, seed: number): string {
  const random = seeded(seed);
  const of = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
  const uuid = () => [8, 4, 4, 4, 12].map((length) => of(hexadecimal, length)).join("-");
  return recipe.replace(/\{([hUldu]?)(\d*)\}/g, (_all, kind: string, length: string) =>
    kind === "u" ? uuid() : of(alphabets[kind] ?? "", Number(length)),
  );
}
