/** JSON as models write it: bare, in a fence, with prose around it, slightly broken; and probabilities as they write those. */
import { jsonrepair } from "jsonrepair";
import { isNestedTooDeep, isRecord, readJson } from "./json.js";

/**
 * The JSON objects of a text, in the order in which they should be tried: those in fences first. Broken JSON is repaired; what
 * can't be is left out.
 * @example [...jsonObjectsIn("Sure: {'a': 1,}")] // [{ a: 1 }]
 */
export function* jsonObjectsIn(text: string): Generator<object> {
  const fenced = [...text.matchAll(/```[a-z]*\s*([\s\S]*?)(?:```|$)/gi)].map(([, inner = ""]) => inner);
  for (const candidate of [...fenced, ...objectsIn(text)].map((one) => one.trim())) {
    const value = candidate.startsWith("{") ? repairedObject(candidate) : undefined;
    if (value !== undefined) yield value;
  }
}

/**
 * A probability: percentages are put right, what is no probability either way is `undefined`.
 * @example readProbability("80 %") // 0.8
 */
export function readProbability(given: number | string): number | undefined {
  const percent = typeof given === "string" && given.trim().endsWith("%");
  const number =
    typeof given === "number" ? given : given.trim() === "" ? Number.NaN : Number(given.replace(/%\s*$/, ""));
  const value = percent || number > 1 ? number / 100 : number;
  return value >= 0 && value <= 1 ? value : undefined;
}

/** The outermost `{…}` of a text, braces in strings left alone; one that is never closed goes to the end. */
function objectsIn(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = -1;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"' && depth > 0) inString = true;
    else if (character === "{") {
      if (depth === 0) start = at;
      depth++;
    } else if (character === "}" && depth > 0) {
      depth--;
      if (depth === 0) found.push(text.slice(start, at + 1));
    }
  }
  if (depth > 0 && start >= 0) found.push(text.slice(start));
  return found;
}

function repairedObject(text: string): object | undefined {
  // Repairing goes down into it, too.
  if (isNestedTooDeep(text)) return undefined;
  try {
    const { value } = readJson(jsonrepair(text));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
