/**
 * Answers in words, by extraction: the sentences of the given data that share the most with the question, quoted with their
 * source. Where nothing fits it says so, and that it is the offline model. Instructions are never quoted.
 */
import type { Conversation } from "./conversation.js";
import { type Passage, passages, passagesOrHeadings } from "./passages.js";
import { contentWords, overlap, sentences, shorten, stem, stems } from "./words.js";

const quotedSentences = 2;
const quoteLimit = 600;
/** The part of the question's words that a sentence has to share. */
const sharedEnough = 0.3;
/** What a word of the heading counts, next to one of the sentence. */
const headingWeight = 0.5;
/** A sentence of so many characters counts half: a long one shares words by chance. */
const longSentence = 400;
/** What a sentence counts that only announces what follows it. */
const announcementWeight = 0.5;

interface Source {
  readonly introduction: string;
  readonly passages: readonly Passage[];
}

/** The answer to the question of a conversation. */
export function answer(conversation: Conversation): string {
  if (conversation.results.length > 0) return fromResults(conversation);
  return quoteFor(conversation.question, dataSources(conversation)) ?? noAnswer(conversation.question);
}

/** One or two sentences that say the most of what a text says. */
export function summary(text: string): string {
  const all = sentences(text);
  const weights = wordWeights(all);
  const ranked = all
    .map((sentence, place) => ({
      sentence,
      place,
      score: weight(stems(sentence), weights) / (5 + sentence.length / 40),
    }))
    .sort((one, other) => other.score - one.score || one.place - other.place)
    .slice(0, quotedSentences)
    .sort((one, other) => one.place - other.place);
  return shorten(ranked.map(({ sentence }) => sentence).join(" "), quoteLimit);
}

/** The words that most sentences of a text use, the earlier first among equals. */
export function keywords(text: string, count: number): string[] {
  const uses = stemCounts(sentences(text));
  return contentWords(text)
    .filter((word) => word.length > 2)
    .map((word, place) => ({ word, place, uses: uses.get(stem(word)) ?? 0 }))
    .sort((one, other) => other.uses - one.uses || one.place - other.place)
    .slice(0, count)
    .map(({ word }) => word);
}

function dataSources({ blocks, earlier }: Conversation): Source[] {
  return [
    ...blocks.map(({ tag, name, text }) => ({
      introduction: tag === "memory" ? "From memory" : `According to "${name}"`,
      passages: passagesOrHeadings(text),
    })),
    // What was request before answers nothing.
    ...earlier.map((text) => ({
      introduction: "You said earlier",
      passages: passages(text).filter((passage) => !passage.text.endsWith("?")),
    })),
  ];
}

function fromResults({ question, results }: Conversation): string {
  return results
    .map(({ tool, content }) => {
      const introduction = `${tool} returned`;
      if (content.trim() === "") return `${introduction} nothing.`;
      const fitting =
        content.length > quoteLimit && quoteFor(question, [{ introduction, passages: passagesOrHeadings(content) }]);
      return fitting || `${introduction}: ${shorten(content, quoteLimit)}`;
    })
    .join("\n");
}

function quoteFor(question: string, sources: readonly Source[]): string | undefined {
  const request = stems(question);
  if (request.size === 0) return undefined;
  const weights = wordWeights(sources.flatMap((source) => source.passages.map(({ text }) => text)));
  const ranked = sources
    .flatMap(({ introduction, passages: all }, source) =>
      all.map((passage, place) => ({
        sentence: passage.text,
        place,
        introduction,
        source,
        stems: stems(passage.text),
        heading: stems(passage.heading),
      })),
    )
    .filter(
      (candidate) =>
        overlap(request, new Set([...candidate.stems, ...candidate.heading])) >=
        Math.max(1, request.size * sharedEnough),
    )
    .map((candidate) => ({ ...candidate, score: scoreOf(request, candidate, weights) }))
    .sort((one, other) => other.score - one.score || one.source - other.source || one.place - other.place);
  const [best] = ranked;
  if (best === undefined) return undefined;
  const chosen = ranked
    .filter((candidate) => candidate.source === best.source && candidate.score >= best.score / 2)
    .slice(0, quotedSentences)
    .sort((one, other) => one.place - other.place);
  return `${best.introduction}: ${shorten(joined(chosen.map(({ sentence }) => sentence)), quoteLimit)}`;
}

/** Items of lists and rows of tables have no full stop of their own. */
function joined(quoted: readonly string[]): string {
  return quoted.reduce((text, sentence) => `${text}${/[\p{L}\p{N}`)]$/u.test(text) ? ";" : ""} ${sentence}`);
}

interface Candidate {
  readonly sentence: string;
  readonly stems: ReadonlySet<string>;
  readonly heading: ReadonlySet<string>;
}

function scoreOf(
  request: ReadonlySet<string>,
  { sentence, stems: ofSentence, heading }: Candidate,
  weights: ReadonlyMap<string, number>,
): number {
  const inSentence = [...request].filter((word) => ofSentence.has(word));
  const inHeading = [...request].filter((word) => heading.has(word));
  const shared = weight(new Set(inSentence), weights) + headingWeight * weight(new Set(inHeading), weights);
  const announces = sentence.endsWith(":") ? announcementWeight : 1;
  return (shared * announces) / (1 + sentence.length / longSentence);
}

/** Rare words weigh more. */
function wordWeights(all: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...stemCounts(all)].map(([word, count]) => [word, Math.log(1 + all.length / count)]));
}

function stemCounts(all: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const sentence of all) for (const word of stems(sentence)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function weight(set: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const word of set) sum += weights.get(word) ?? 0;
  return sum;
}

function noAnswer(question: string): string {
  const topic = contentWords(question).slice(0, 6).join(" ");
  const about = topic === "" ? "" : ` about: ${shorten(topic, 80)}`;
  return `This is the offline model. It knows only what it is given, and was given nothing${about}. Connect a model for real answers.`;
}
