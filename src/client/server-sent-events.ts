/** Reads server-sent events from the body of an answer. */

export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** Says that what follows happens now: all that was there has been told. */
const caughtUp = /^: caught up$/m;

/**
 * Whole events alone: one that is torn at the end of the stream comes again when the stream is resumed.
 * @param isLive called when all that was there has been told
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  isLive: () => void,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffered = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      buffered += decoder.decode(value, { stream: true });
      const blocks = buffered.split(/\r?\n\r?\n/);
      buffered = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = eventOf(block);
        if (event !== undefined) yield event;
        else if (caughtUp.test(block)) isLive();
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function eventOf(block: string): ServerSentEvent | undefined {
  const fields = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line) ?? []);
  const last = (name: string) => fields.findLast(([, field]) => field === name)?.[2];
  const data = fields.flatMap(([, name, value = ""]) => (name === "data" ? [value] : []));
  const event = last("event");
  return event === undefined || data.length === 0 ? undefined : { id: last("id"), event, data: data.join("\n") };
}
