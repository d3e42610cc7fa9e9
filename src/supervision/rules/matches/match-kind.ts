/** What a kind of rule match is made of; the kinds stand in table.ts. */
import type { z } from "zod";
import type { Detector } from "../detector.js";

/** A match ready to be used. */
export interface CompiledMatch {
  /** Find places in a text. */
  detectors: readonly Detector[];
  /** Find places only in what should inform and nothing else: a tool's result, a recalled text. */
  inData?: readonly Detector[];
  /** Find places that leave in doubt whether the rule is broken. */
  inDoubt?: readonly Detector[];
  /** Why a text is found, for operators: it quotes nothing of the text. Nothing of one that isn't. */
  explain?: (text: string, isData: boolean) => string[];
  /** The same of what leaves in doubt. */
  explainDoubt?: (text: string) => string[];
  /** For what only the whole text can show: whether it breaks the rule. */
  isViolatedBy?: (text: string) => boolean;
  /** What it demands of a text no name or value can fulfil. */
  onlyOfTexts?: boolean;
  /** The most characters a text may have. Applied after all other rules. */
  maxLength?: number;
}

export interface MatchKind<Schema extends z.ZodType> {
  /** What a rule's `match` may say; its `type` is the kind's name in the table. */
  readonly schema: Schema;
  compile(match: z.infer<Schema>): CompiledMatch;
}

/** Gives `compile` the type of what the schema accepts. */
export function matchKind<Schema extends z.ZodType>(kind: MatchKind<Schema>): MatchKind<Schema> {
  return kind;
}
