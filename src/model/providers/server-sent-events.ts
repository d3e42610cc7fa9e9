/** Reads the `data` of server-sent events from a provider's stream. */
import { readJson } from "../../text/json.js";
import { ServerSentEventParser } from "../../text/server-sent-events.js";
import { tooLarge } from "./reply-assembler.js";

/**
 * Yields the data of the events, in one list those that came in one piece. A connection that breaks ends them, and whether that was too
 * early is the reader's to say. What is left at the end without its closing blank line is yielded too if it is whole (some servers leave
 * out the last blank line), and dropped if it was torn in the middle.
 * @throws {ModelError} `bad_response` when there is more than `maxBytes`.
 */
export async function* readEventData(
  body: ReadableStream<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly string[], void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new ServerSentEventParser();
  let bytes = 0;
  try {
    for (;;) {
      const read = await reader.read().catch(() => undefined);
      if (read === undefined) return;
      const { value, done } = read;
      bytes += value?.byteLength ?? 0;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      const blocks = parser.push(done ? decoder.decode() : decoder.decode(value, { stream: true }));
      const together = blocks.flatMap(({ data }) => data ?? []);
      if (together.length > 0) yield together;
      if (done) break;
    }
    const tail = parser.rest()?.data ?? "";
    if (tail !== "" && isWhole(tail)) yield [tail];
  } finally {
    // Not awaited: a body that hangs would keep us here.
    reader.cancel().catch(() => {});
  }
}

function isWhole(data: string): boolean {
  return data === "[DONE]" || readJson(data).problem === undefined;
}
