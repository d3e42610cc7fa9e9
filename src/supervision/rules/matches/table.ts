/** The kinds of rule matches: one line each. The schema of rules and their compilation read this table. */
import { z } from "zod";
import { injectionMatch } from "./injection.js";
import { lengthMatch } from "./length.js";
import { linksMatch } from "./links.js";
import type { CompiledMatch } from "./match-kind.js";
import { patternMatch } from "./pattern.js";
import { personalDataMatch } from "./personal-data.js";
import { phrasesMatch } from "./phrases.js";
import { secretsMatch } from "./secrets.js";
import { topicsMatch } from "./topics.js";

const matchKinds = {
  phrases: phrasesMatch,
  pattern: patternMatch,
  personalData: personalDataMatch,
  secrets: secretsMatch,
  injection: injectionMatch,
  length: lengthMatch,
  links: linksMatch,
  topics: topicsMatch,
};

type Kinds = typeof matchKinds;
type MatchType = keyof Kinds;
/** What the schema of each kind accepts; a kind whose schema has another `type` than its name here does not compile. */
type MatchOf<Type extends MatchType> = { [T in Type]: z.infer<Kinds[T]["schema"]> & { type: T } }[Type];

// A union wants to see that it has a member; it is the first one.
const { phrases, ...others } = matchKinds;
export const matchSchema = z.discriminatedUnion("type", [
  phrases.schema,
  ...Object.values(others).map(({ schema }) => schema),
]);

const compilers: { [T in MatchType]: { compile(match: MatchOf<T>): CompiledMatch } } = matchKinds;

export function compileMatch<Type extends MatchType>(match: MatchOf<Type>): CompiledMatch {
  return compilers[match.type].compile(match);
}
