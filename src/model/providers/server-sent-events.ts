/** Reads the `data` of server-sent events from a byte stream. */
import { readJson } from "../../text/json.js";

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
  const unended: string[] = [];
  let data: string[] = [];
  let bytes = 0;
  try {
    while (true) {
      const { value, done } = await reader.read();
      bytes += value?.byteLength ?? 0;
      if (bytes > maxBytes) throw new EventsTooLargeError(maxBytes);
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A line that doesn't end isn't looked through again with every piece of it.
      unended.push(text);
      if (!done && !text.includes("\n")) continue;
      const lines = unended.splice(0).join("").split("\n");
      if (!done) unended.push(lines.pop() ?? "");
      for (const line of lines) {
        const text = line.endsWith("\r") ? line.slice(0, -1) : line;
        if (text !== "") {
          const field = dataField(text);
          if (field !== undefined) data.push(field);
        } else if (data.length > 0) {
          yield data.join("\n");
          data = [];
        }
      }
      if (done) break;
    }
    const tail = data.join("\n");
    if (tail !== "" && isWhole(tail)) yield tail;
  } finally {
    // Not awaited: a body that hangs would keep us here.
    reader.cancel().catch(() => {});
  }
}

function dataField(line: string): string | undefined {
  if (!line.startsWith("data:")) return undefined;
  return line.startsWith("data: ") ? line.slice(6) : line.slice(5);
}

function isWhole(data: string): boolean {
  return data === "[DONE]" || readJson(data).problem === undefined;
}
