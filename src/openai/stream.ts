/** Lines of text as the body of a streamed answer. */

/**
 * How long nothing may be written, in milliseconds. Then a comment is, which clients skip: that a reader has gone shows when something is
 * written to them.
 */
const quietMs = 2_000;
const comment = ": \n\n";

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
      const result = await withinTime(next);
      if (result === undefined) {
        controller.enqueue(encoder.encode(comment));
        return;
      }
      next = undefined;
      if (result.done) controller.close();
      else controller.enqueue(encoder.encode(result.value));
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

/** What comes in time. */
function withinTime<T>(coming: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), quietMs);
    coming.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
