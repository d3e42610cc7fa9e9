/** Reads the `data` of server-sent events from a provider's stream. */
import { readJson } from "../../text/json.js";
import { ServerSentEventParser } from "../../text/server-sent-events.js";
import { tooLarge } from "./reply-assembler.js";
import { largestPiece, type StreamPieces } from "./stream-pieces.js";

/** The data of the event behind which there is nothing. */
export const endMark = "[DONE]";

/** How a stream is read. */
export interface StreamReading {
  readonly maxBytes?: number;
  /** What is known of the server's streams; without it they are read as they come. */
  readonly pieces?: StreamPieces;
  /** Whether anybody follows the reply now. */
  readonly isFollowed?: () => boolean;
}

/**
 * Yields the data of the events, in one list those that came in one piece. A connection that breaks ends them, and whether that was too
 * early is the reader's to say. What is left at the end without its closing blank line is yielded too if it is whole (some servers leave
 * out the last blank line), and dropped if it was torn in the middle.
 * @throws {ModelError} `bad_response` when there is more than `maxBytes`.
 */
export async function* readEventData(
  body: ReadableStream<Uint8Array>,
  { maxBytes = Number.POSITIVE_INFINITY, pieces, isFollowed = () => true }: StreamReading = {},
): AsyncGenerator<readonly string[], void, undefined> {
  const reader = pieceReader(body);
  const decoder = new TextDecoder();
  const parser = new ServerSentEventParser();
  let bytes = 0;
  let latest: string | undefined;
  try {
    for (;;) {
      const read = await reader.read(pieces?.leastBytes(isFollowed()) ?? 1).catch(() => undefined);
      if (read === undefined) return;
      const { value, done } = read;
      bytes += value?.byteLength ?? 0;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      const text = decoder.decode(value, { stream: !done });
      const together = parser.push(text).flatMap(({ data }) => data ?? []);
      latest = together.at(-1) ?? latest;
      if (together.length > 0) yield together;
      if (done) break;
    }
    const tail = parser.rest()?.data ?? "";
    if (tail !== "" && isWhole(tail)) yield [tail];
  } finally {
    // Not awaited: a body that hangs would keep us here.
    if (latest === endMark && pieces?.awaitsEndMark() === true) void awaitEnd(reader, pieces);
    else reader.cancel().catch(() => {});
  }
}

async function awaitEnd(reader: PieceReader, pieces: StreamPieces): Promise<void> {
  const isOver = await pieces.endsSoon(async () => (await reader.read(1)).done);
  if (!isOver) await reader.cancel().catch(() => {});
}

interface PieceReader {
  /** Returns a piece of at least so many bytes, or the last one. */
  read(leastBytes: number): Promise<{ readonly value?: Uint8Array | undefined; readonly done: boolean }>;
  cancel(): Promise<void>;
}

/** As runtimes have it; types of Workers leave out its options. */
interface BytesReader {
  read(
    view: Uint8Array,
    options: { readonly min: number },
  ): Promise<{ readonly value?: Uint8Array | undefined; readonly done: boolean }>;
}

/** Streams that aren't of bytes by their kind give the pieces that they have. */
function pieceReader(body: ReadableStream<Uint8Array>): PieceReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return body.getReader();
  }
  const into: BytesReader = reader;
  let space: Uint8Array = new Uint8Array(largestPiece);
  return {
    async read(leastBytes) {
      const { value, done } = await into.read(space, { min: leastBytes });
      if (value !== undefined) space = new Uint8Array(value.buffer);
      return { value, done };
    },
    cancel: () => reader.cancel(),
  };
}

function isWhole(data: string): boolean {
  return data === endMark || readJson(data).problem === undefined;
}
