/** Limits of a rules configuration. */

/** Limits of a rules configuration. Lengths are UTF-16 code units. */
export const rulesLimits = {
  rules: 200,
  /** Phrases of one rule, and characters of one phrase. */
  phrases: 1_000,
  phraseLength: 500,
  /** Characters of all phrases of a configuration together: what the phrase automata keep in memory. */
  allPhrasesLength: 50_000,
  patternLength: 1_000,
  /** Pattern rules of a configuration; each keeps a program and the states it has met. */
  patterns: 50,
  topics: 100,
  topicLength: 200,
  replacementLength: 2_000,
  reasonLength: 500,
  /** The greatest `max` of a length rule. */
  textLength: 10_000_000,
} as const;
