/** Lines of text as the body of a streamed answer. */

/**
 * How long a stream may say nothing, in milliseconds; then it says so in a comment, which clients skip. Proxies don't take the connection for
 * dead, and a reader who has gone is noticed: a runtime finds out by writing.
 */
const silenceMs = 5_000;
const comment = ": still here\n\n";

/** @param drop called when the reader goes before the end */
export function streamResponse(
  lines: AsyncGenerator<string>,
  drop: () => void,
  headers: Readonly<Record<string, string>>,
): Response {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string>> | undefined;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      next ??= lines.next();
      const line = await within(next, silenceMs);
      if (line === undefined) return controller.enqueue(encoder.encode(comment));
      next = undefined;
      if (line.done) controller.close();
      else controller.enqueue(encoder.encode(line.value));
    },
    async cancel() {
      drop();
      await lines.return(undefined);
    },
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no", ...headers },
  });
}

/** What comes in time; undefined when it takes longer. */
async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
