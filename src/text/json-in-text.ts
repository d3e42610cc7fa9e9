/**
 * JSON objects as models write them into a text: fenced, with prose around them, or slightly broken.
 * @example [...jsonObjectsIn("I'd say: {targetAgent: 'billing'}")] // [{ targetAgent: "billing" }]
 */
import { jsonrepair } from "jsonrepair";

/** The JSON objects of a text, in the order in which they are likely to be meant. */
export function* jsonObjectsIn(text: string): Generator<object> {
  for (const candidate of jsonCandidates(text)) {
    const value = repairedObject(candidate);
    if (value !== undefined) yield value;
  }
}

function jsonCandidates(text: string): string[] {
  const fenced = [...text.matchAll(/```[a-z]*\s*([\s\S]*?)(?:```|$)/gi)].map(([, inner = ""]) => inner);
  return [...fenced, ...objectsIn(text)]
    .map((candidate) => candidate.trim())
    .filter((candidate) => candidate.startsWith("{"));
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
  try {
    const value: unknown = JSON.parse(jsonrepair(text));
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
