/** Streams of text over HTTP: server-sent events as they are read of a body, and texts as the body of an answer. */
import { ServerSentEventParser, type StreamBlock } from "../text/server-sent-events.js";

/** The blocks of a stream as they come. Who reads no further, or whose signal is aborted, lets the stream go. */
export async function* readBlocks(
  bytes: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<StreamBlock, void, undefined> {
  const reader = bytes.pipeThrough(new TextDecoderStream()).getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", stop);
  const parser = new ServerSentEventParser();
  try {
    if (signal?.aborted) return;
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield* parser.push(read.value);
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

/** Texts as bytes, as their reader asks for them; empty ones are left out. A reader who goes away ends them. */
export function bytesOf(texts: AsyncGenerator<string, void, undefined>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { value, done } = await texts.next();
        if (done) return controller.close();
        if (value !== "") return controller.enqueue(encoder.encode(value));
      }
    },
    async cancel() {
      await texts.return();
    },
  });
}
