/** What was said before, in parts that a supervising agent can read whole beside the text that it judges. */
import type { HistoryMessage } from "../../agent/prompt.js";
import { maxParts, overlap, partCharacters } from "./reply-parts.js";

/** One text of the conversation, or a section of a long one. */
interface TranscriptText {
  readonly about: { readonly role: string; readonly tool?: string };
  readonly what: "content" | "args" | "result";
  readonly text: string;
}

/** Where less room than this is left in a part, a text that is longer begins in the next one. */
const leastSection = 1_000;

/**
 * The conversation a line a text, oldest first; one empty part where nothing was said. Parts grow where there would be too many: of
 * what the model reads nothing is left out.
 * @example transcriptParts([{ role: "user", content: "Hello." }]) // ['{"role":"user","content":"Hello."}']
 */
export function transcriptParts(transcript: readonly HistoryMessage[]): string[] {
  const texts = transcript.flatMap(textsOf);
  const total = texts.reduce((sum, { text }) => sum + text.length + leastSection / 10, 0);
  const size = Math.max(partCharacters, Math.ceil(total / maxParts));
  const parts: string[][] = [[]];
  let room = size;
  for (const { about, what, text } of texts) {
    for (let at = 0; ; ) {
      if (text.length - at > room && room < leastSection) {
        parts.push([]);
        room = size;
      }
      const section = text.slice(at, at + room);
      const isWhole = section.length === text.length;
      // As JSON, so that no message can pass a line of its own for another's.
      parts.at(-1)?.push(JSON.stringify({ ...about, ...(isWhole ? {} : { at }), [what]: section }));
      room -= section.length;
      if (at + section.length >= text.length) break;
      at += section.length - overlap;
    }
  }
  return parts.map((lines) => lines.join("\n"));
}

function textsOf({ role, content, rounds = [] }: HistoryMessage): TranscriptText[] {
  const calls = rounds.flatMap((round) => round.calls);
  return [
    ...(content === "" && calls.length > 0 ? [] : [{ about: { role }, what: "content" as const, text: content }]),
    ...calls.flatMap(({ ref, args, result }) => {
      const tool = `${ref.server}/${ref.tool}`;
      return [
        { about: { role, tool }, what: "args" as const, text: args },
        { about: { role: "tool", tool }, what: "result" as const, text: result },
      ];
    }),
  ];
}
