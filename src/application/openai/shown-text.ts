/**
 * The text of a reply for readers who can't take anything back: pieces are given on as they are released, and once what was given was
 * retracted, only what continues it.
 */
import { z } from "zod";
import { readBlocks } from "../../platform/event-stream.js";
import { readJson } from "../../text/json.js";
import type { StreamBlock } from "../../text/server-sent-events.js";

const deltaSchema = z.object({ text: z.string(), attempt: z.int() });

export interface ShownText {
  /** The pieces, until the stream ends. */
  read(bytes: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string>;
  /** What is missing of the whole; undefined where what was given isn't its beginning. */
  rest(whole: string): string | undefined;
}

export function shownText(): ShownText {
  let given = "";
  let attempt = 0;
  let released = "";

  /** What of the released text is new, if it continues what was given. */
  const next = (): string => {
    if (!released.startsWith(given)) return "";
    const piece = released.slice(given.length);
    given = released;
    return piece;
  };

  return {
    async *read(bytes, signal) {
      for await (const block of readBlocks(bytes, signal)) {
        const delta = deltaOf(block);
        if (delta === undefined) continue;
        if (delta.attempt !== attempt) released = "";
        attempt = delta.attempt;
        released += delta.text;
        const piece = next();
        if (piece !== "") yield piece;
      }
    },
    rest: (whole) => (whole.startsWith(given) ? whole.slice(given.length) : undefined),
  };
}

/** The delta of an event of a session's stream. */
function deltaOf({ event, data = "" }: StreamBlock): z.infer<typeof deltaSchema> | undefined {
  return event === "reply.delta" ? deltaSchema.safeParse(readJson(data).value).data : undefined;
}
