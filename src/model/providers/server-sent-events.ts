/** Reads the `data` of server-sent events from a byte stream. */
import { readJson } from "../../text/json.js";

/**
 * Yields the data of each event, and ends when the stream ends. What is left without its closing blank line is yielded too if
 * it is whole (some servers leave out the last blank line), and dropped if it was torn in the middle.
 */
export async function* readEventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffered = "";
  let data: string[] = [];
  try {
    while (true) {
      const { value, done } = await reader.read();
      buffered += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = buffered.split("\n");
      buffered = done ? "" : (lines.pop() ?? "");
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
