/**
 * Harmless texts of every kind that passes a hook, made anew from a seed: rules are held against them. README.md says what they are
 * made of.
 *
 * @example textsOf("JSON in a line", 1_000, 7)
 */
import { Chance } from "./chance.js";
import { dataKinds } from "./data.js";
import { documentKinds } from "./documents.js";
import type { Kind } from "./kind.js";
import { ownKinds } from "./own-formats.js";
import { programKinds } from "./programs.js";
import { talkKinds } from "./talk.js";

export { names } from "./words.js";

const table: ReadonlyMap<string, Kind> = new Map<string, Kind>(
  Object.entries({ ...talkKinds, ...dataKinds, ...programKinds, ...documentKinds, ...ownKinds }),
);

/** All kinds, by their names. */
export const kinds: readonly string[] = [...table.keys()];

export function kindOf(name: string): Kind {
  const kind = table.get(name);
  if (kind === undefined) throw new RangeError(`no kind "${name}"; there are: ${kinds.join(", ")}`);
  return kind;
}

/** So many texts of a kind, the same for the same seed. */
export function textsOf(name: string, count: number, seed: number): string[] {
  const kind = kindOf(name);
  const chance = new Chance(seed + kinds.indexOf(name) * 7_919);
  return Array.from({ length: count }, (_, index) => kind.make(chance, index));
}
