/** Reads the `data` of server-sent events from a byte stream. */
import { readJson } from "../../text/json.js";
import { ServerSentEventParser } from "../../text/server-sent-events.js";

/** A stream went on beyond what is read of it. */
export class EventsTooLargeError extends Error {
  override readonly name = "EventsTooLargeError";
  constructor(readonly maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
  }
}

/**
 * Yields the data of each event, and ends when the stream ends. What is left without its closing blank line is yielded too if
 * it is whole (some servers leave out the last blank line), and dropped if it was torn in the middle.
 * @throws {EventsTooLargeError} when more than `maxBytes` come.
 */
export async function* readEventData(
  body: ReadableStream<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new ServerSentEventParser();
  let bytes = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      bytes += value?.byteLength ?? 0;
      if (bytes > maxBytes) throw new EventsTooLargeError(maxBytes);
      for (const { data } of parser.push(done ? decoder.decode() : decoder.decode(value, { stream: true }))) {
        if (data !== undefined) yield data;
      }
      if (done) break;
    }
    const tail = parser.rest()?.data ?? "";
    if (tail !== "" && isWhole(tail)) yield tail;
  } finally {
    // Not awaited: a body that hangs would keep us here.
    reader.cancel().catch(() => {});
  }
}

function isWhole(data: string): boolean {
  return data === "[DONE]" || readJson(data).problem === undefined;
}
