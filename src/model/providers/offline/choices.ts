/** Choosing one of several values by what they and their descriptions have in common with the text at hand. */
import { listOf, type Schema, textOf } from "./schema-reading.js";
import { identifierWords, overlap, stems } from "./words.js";

interface Choice {
  readonly value: unknown;
  readonly label: string;
  readonly description: string;
}

export interface RankedChoices {
  /** The best fit first; the order of the schema decides among equals. */
  readonly values: readonly unknown[];
  /** There are several, and nothing that was request speaks for any of them. */
  readonly isGuess: boolean;
}

/** The values of an enumeration by how they fit. */
export function rankChoices(schema: Schema, request: ReadonlySet<string>, instructions: string): RankedChoices {
  const ranked = choicesOf(schema, instructions)
    .map((choice, place) => ({
      value: choice.value,
      place,
      // Naming a value says more than sharing words with its description.
      score: 3 * overlap(request, stems(choice.label)) + overlap(request, stems(choice.description)),
    }))
    .sort((one, other) => other.score - one.score || one.place - other.place);
  return { values: ranked.map(({ value }) => value), isGuess: ranked.length > 1 && ranked[0]?.score === 0 };
}

function choicesOf(schema: Schema, instructions: string): Choice[] {
  const values = listOf(schema, "enum");
  const labels = values.map((value) => identifierWords(String(value)));
  return values.map((value, place) => {
    const description = [
      passageAbout(String(value), values, textOf(schema, "description") ?? ""),
      linesAbout(String(value), values, instructions),
    ];
    return { value, label: labels[place] ?? "", description: description.join(" ") };
  });
}

/** In "billing: invoices; support: bugs" what stands between one value's name and the next one's. */
function passageAbout(value: string, values: readonly unknown[], description: string): string {
  const starts = values.map((other) => placeOf(String(other), description)).filter((place) => place >= 0);
  const start = placeOf(value, description);
  if (start < 0) return "";
  const end = Math.min(...starts.filter((place) => place > start), description.length);
  return description.slice(start + value.length, end);
}

/** Lines of the instructions that are about this value only, such as "- billing: invoices and refunds". */
function linesAbout(value: string, values: readonly unknown[], instructions: string): string {
  return instructions
    .split("\n")
    .filter(
      (line) =>
        placeOf(value, line) >= 0 && values.every((other) => other === value || placeOf(String(other), line) < 0),
    )
    .join(" ");
}

/** Where a value stands in a text as a word of its own; -1 if it doesn't. */
function placeOf(value: string, text: string): number {
  if (value === "") return -1;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const around = [text[at - 1], text[at + value.length]];
    if (around.every((character) => character === undefined || !/[\p{L}\p{N}_]/u.test(character))) return at;
  }
  return -1;
}
