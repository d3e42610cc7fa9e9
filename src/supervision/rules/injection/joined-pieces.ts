/** Words that were cut and are to be put together: quoted pieces, strings in variables, hyphens within words, words turned round. */

/** How a sentence gives pieces. */
export interface Pieces {
  /** Quoted ones, those of them that a name is given, and pluses between pieces. */
  readonly quoted: number;
  readonly assigned: number;
  readonly added: number;
  /** What the pieces give when they are joined, for the lexicon; undefined if nothing says that they are to be joined. */
  readonly joined: string | undefined;
}

const noPieces: Pieces = { quoted: 0, assigned: 0, added: 0, joined: undefined };
const quoteSign = /["'`“”«»„‘「『]/;
const quotedPiece =
  /"([^"\n]{1,40})"|“([^“”\n]{1,40})”|«([^«»\n]{1,40})»|„([^„“”\n]{1,40})[“”]|[「『]([^「」『』\n]{1,40})[」』]|(?<![^\s([{=+,:])['‘`]([^'’`\n]{1,40})['’`](?!\p{L})/gu;
const assignedPiece = /[\p{L}\p{N}_]["'”»」]?\s?[=:＝：]=?\s?["'“«„‘「『`]/gu;
const addedPiece = /["'”»」』`\p{L}\p{N}]\s?\+\s?["'“«„「『`\p{L}\p{N}]/gu;
/** A word with signs in it more than once: `pa-ss-word`. */
const partedWord = /[a-z][-_.*|/][a-z]{1,8}[-_.*|/][a-z]/i;
/** Signs that stand between the parts of one word. */
const within = /(?<=\p{L})["'”»]?\s?[-_·*|/.+]\s?["'“«]?(?=\p{L})/gu;

/** The pieces of a sentence of bounded length. @param isPuzzle its words speak of joining or of other forms of a text */
export function piecesOf(sentence: string, isPuzzle: boolean): Pieces {
  const hasQuotes = quoteSign.test(sentence);
  const added = sentence.includes("+") ? (sentence.match(addedPiece)?.length ?? 0) : 0;
  const isParted = isPuzzle || added > 0 || partedWord.test(sentence);
  if (!hasQuotes && !isParted) return noPieces;
  const pieces = hasQuotes ? Array.from(sentence.matchAll(quotedPiece), contentOf) : [];
  const stripped = isParted ? sentence.replace(within, "") : sentence;
  const joined = [
    ...(pieces.length > 1 ? [pieces.join(""), pieces.map((piece) => piece.trim()).join(" ")] : []),
    ...(stripped === sentence ? [] : [stripped]),
  ];
  return {
    quoted: pieces.length,
    assigned: hasQuotes ? (sentence.match(assignedPiece)?.length ?? 0) : 0,
    added,
    joined: joined.length === 0 ? undefined : joined.join(" \n "),
  };
}

const contentOf = (match: RegExpMatchArray): string => match.slice(1).find((piece) => piece !== undefined) ?? "";
