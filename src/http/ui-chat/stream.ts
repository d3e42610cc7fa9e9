/** The events of a turn, as bytes of server-sent events, made into the bytes of a UI message stream. */
import { caughtUp } from "../../conversation/event.js";
import { ServerSentEventParser, type StreamBlock } from "../../text/server-sent-events.js";
import type { UiChunk } from "./chunks.js";
import { type TurnEvent, UiMessage } from "./message.js";

/** A turn to be followed. */
export interface FollowedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** Its events, as the stream of its session brings them. */
  readonly events: ReadableStream<Uint8Array>;
  /** The turn as it is when the events are over. */
  readonly turn: () => Promise<Parameters<UiMessage["end"]>[0]>;
}

/** How a page of the AI SDK knows the stream. */
export const uiStreamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
} as const;

/** Reads on as its own reader does. A reader who goes away ends nothing but the reading. */
export function uiMessageStream(followed: FollowedTurn): ReadableStream<Uint8Array> {
  const texts = messageTexts(followed);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { value, done } = await texts.next();
        if (done) return controller.close();
        // Many an event is nothing for a page.
        if (value !== "") return controller.enqueue(encoder.encode(value));
      }
    },
    async cancel() {
      await texts.return();
    },
  });
}

async function* messageTexts({
  sessionId,
  turnId,
  events,
  turn,
}: FollowedTurn): AsyncGenerator<string, void, undefined> {
  const message = new UiMessage(sessionId, turnId);
  let past: TurnEvent[] | undefined = [];
  for await (const block of blocksOf(events)) {
    const { comment } = block;
    if (comment === caughtUp && past !== undefined) {
      yield textOf(message.begin(past));
      past = undefined;
    } else if (comment !== undefined) {
      yield `: ${comment}\n\n`;
    }
    const event = readEvent(block);
    if (event === undefined) continue;
    if (past !== undefined) past.push(event);
    else yield textOf(message.next(event));
  }
  if (past !== undefined) yield textOf(message.begin(past));
  yield `${textOf(message.end(await turn()))}data: [DONE]\n\n`;
}

function textOf(chunks: readonly UiChunk[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
}

async function* blocksOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<StreamBlock, void, undefined> {
  const decoder = new TextDecoder();
  const parser = new ServerSentEventParser();
  for await (const chunk of bytes) yield* parser.push(decoder.decode(chunk, { stream: true }));
}

function readEvent({ event: type, data }: StreamBlock): TurnEvent | undefined {
  return type === undefined || data === undefined ? undefined : { type, data: JSON.parse(data) };
}
