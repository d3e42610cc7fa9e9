/** Lines of text as the body of a streamed answer. */

/** @param drop called when the reader goes before the end */
export function streamResponse(
  lines: AsyncGenerator<string>,
  drop: () => void,
  headers: Readonly<Record<string, string>>,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
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
