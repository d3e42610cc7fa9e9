/** A long reply in parts that a supervising agent can read whole, one after the other: every text that the client would get is in one. */
import type { ModelReply } from "../../conversation/message.js";

/** One text of a reply, or a section of a long one. */
export interface ReplyPiece {
  readonly turnId: string;
  readonly what: "message" | "error" | "arguments" | "output";
  readonly toolCallId?: string;
  /** Where in the text it begins; 0 of a text that is whole. */
  readonly at: number;
  readonly text: string;
}

/** Characters of one part, of a reply as of the transcript beside it: what a model with a small window can read. */
export const partCharacters = 40_000;
/** By so many characters the sections of one text overlap, so that nothing hides where they meet. */
export const overlap = 400;
/** A reply of more parts isn't judged: that is the supervisor's failure. */
export const maxParts = 12;

/** The parts of a reply, in order; one if it fits into one. */
export function partsOf(reply: ModelReply): ReplyPiece[][] {
  const parts: ReplyPiece[][] = [];
  let current: ReplyPiece[] = [];
  let room = partCharacters;
  for (const piece of piecesOf(reply)) {
    if (piece.text.length > room && current.length > 0) {
      parts.push(current);
      current = [];
      room = partCharacters;
    }
    current.push(piece);
    room -= piece.text.length;
  }
  return [...parts, current];
}

function piecesOf({ turns, pendingToolCalls = [] }: ModelReply): ReplyPiece[] {
  const ofTurns = turns.flatMap(({ turnId, message, error, toolCalls = [] }) => [
    ...sections({ turnId, what: "message" }, message),
    ...sections({ turnId, what: "error" }, error),
    ...toolCalls.flatMap(({ toolCallId, args, output, error: problem }) => [
      ...sections({ turnId, what: "arguments", toolCallId }, JSON.stringify(args)),
      ...sections({ turnId, what: "output", toolCallId }, output),
      ...sections({ turnId, what: "error", toolCallId }, problem),
    ]),
  ]);
  const last = turns.at(-1)?.turnId ?? "";
  const pending = pendingToolCalls.flatMap(({ toolCallId, args }) =>
    sections({ turnId: last, what: "arguments", toolCallId }, JSON.stringify(args)),
  );
  return [...ofTurns, ...pending];
}

function sections(about: Omit<ReplyPiece, "at" | "text">, text = ""): ReplyPiece[] {
  const found: ReplyPiece[] = [];
  for (let at = 0; at < text.length; at += partCharacters - overlap) {
    found.push({ ...about, at, text: text.slice(at, at + partCharacters) });
    if (at + partCharacters >= text.length) break;
  }
  return found;
}
