/** The weights of ranking. A score of 1 is about what an entry gets that holds every word of the query once. */
export interface RankingWeights {
  /** Saturation of repeated words (BM25). */
  k1: number;
  /** How far long texts are discounted, 0–1 (BM25), for every field. */
  readonly b: number;
  /** A word in a field counts so many times as much as one in the raw text. */
  readonly fields: { raw: number; summary: number; tags: number };
  /** A word of the same topic counts so many times as much as the word itself: "cat" where pets are asked for. */
  readonly topic: number;
  /** In a long text, words outside of the passage that fits best count so many times as much. */
  readonly otherPassages: number;
  /** Of an entry that stands alone. `b`: as above, by its whole length. `passage`: what the best passage of a long one counts, of 1. */
  readonly alone: { readonly b: number; readonly passage: number };
  /**
   * What the entry so many places away (−1: the one before) adds: `text`, a word in it counts this much of one of the entry's own;
   * `score`, this share of its own score.
   */
  readonly neighbours: readonly { readonly offset: number; readonly text: number; readonly score: number }[];
  /** The same for the entry just before, between people: one that ends in a question, and any other. */
  readonly before: { readonly question: number; readonly statement: number };
  /** Share of the mean of the session's three best entries that is added. */
  readonly session: number;
  /** Said by someone the query names. */
  readonly speaker: number;
  /** Said by a user where the query is about the person asking. */
  readonly firstPerson: number;
  /** What a speaker's name is worth as a word of the text, of 1: texts hold the name of who is spoken to. */
  readonly speakerNameAsWord: number;
  /** Happened, or speaks of, when the query says. */
  readonly date: number;
  /** Share of `date` for what was said within `soonAfterDays` after it. */
  readonly soonAfter: number;
  readonly soonAfterDays: number;
  /** Names a time where the query asks for one. */
  readonly asksWhen: number;
  /** Taken off an entry that ends in a question. */
  readonly question: number;
  /** Taken off an entry without any words, in proportion off those shorter than the average. */
  readonly brevity: number;
  /** Taken off what an assistant said, unless the query is about that: it repeats what it was told. */
  readonly assistant: number;
  /** An entry that shares no word with the query is a hit only if its neighbours add as much. */
  readonly leastNeighbours: number;
  /** The nearest vector among the candidates gets this much, the farthest nothing. */
  readonly vector: number;
}

/**
 * Round numbers from a wide plateau, chosen on long two-person chats: of 160 random settings around these, half lie
 * within a hundredth of one another in recall@10 (before `topic` and `before` were added: these gain as much anywhere from 0.2 to 0.3, and with 0.5 to 0.7 and 0.2 to 0.28). `firstPerson`, `vector` and the weights of summary and tags are set
 * by judgement.
 */
export const defaultWeights: RankingWeights = {
  k1: 1.5,
  b: 0.5,
  fields: { raw: 1, summary: 0.5, tags: 0.5 },
  topic: 0.2,
  otherPassages: 0.2,
  alone: { b: 0.85, passage: 0.4 },
  neighbours: [
    { offset: -1, text: 0.4, score: 0.1 },
    { offset: 1, text: 0.2, score: 0.1 },
    { offset: -2, text: 0.2, score: 0.05 },
    { offset: 2, text: 0.2, score: 0.05 },
  ],
  before: { question: 0.6, statement: 0.25 },
  session: 0.2,
  speaker: 0.4,
  firstPerson: 0.1,
  speakerNameAsWord: 0.2,
  date: 0.4,
  soonAfter: 0.5,
  soonAfterDays: 10,
  asksWhen: 0.15,
  question: 0.05,
  brevity: 0.1,
  assistant: 0.2,
  leastNeighbours: 0.07,
  vector: 0.4,
};

/** How far neighbours reach: as many places to either side as any weight looks. */
export function neighbourReach(weights: RankingWeights): number {
  return Math.max(0, ...weights.neighbours.map(({ offset }) => Math.abs(offset)));
}
