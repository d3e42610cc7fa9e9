/** The events of a turn, as bytes of server-sent events, made into the bytes of a UI message stream. */
import { caughtUp } from "../../conversation/event.js";
import { bytesOf, readBlocks } from "../../platform/event-stream.js";
import type { StreamBlock } from "../../text/server-sent-events.js";
import type { UiChunk } from "./chunks.js";
import { type TurnEvent, UiMessage } from "./message.js";

/** A turn to be followed. */
export interface FollowedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** Its events, as the stream of its session brings them. */
  readonly events: ReadableStream<Uint8Array>;
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
  return bytesOf(messageTexts(followed));
}

async function* messageTexts({ sessionId, turnId, events }: FollowedTurn): AsyncGenerator<string, void, undefined> {
  const message = new UiMessage(sessionId, turnId);
  let past: TurnEvent[] | undefined = [];
  for await (const block of readBlocks(events)) {
    const { comment } = block;
    if (comment === caughtUp && past !== undefined) {
      yield textOf(message.begin(past));
      past = undefined;
      if (message.asksUser()) break;
    } else if (comment !== undefined) {
      yield `: ${comment}\n\n`;
    }
    const event = readEvent(block);
    if (event === undefined) continue;
    if (past !== undefined) past.push(event);
    else yield textOf(message.next(event));
    if (event.type === "turn.waiting" && message.asksUser()) break;
  }
  if (past !== undefined) yield textOf(message.begin(past));
  yield `${textOf(message.end())}data: [DONE]\n\n`;
}

function textOf(chunks: readonly UiChunk[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
}

function readEvent({ event: type, data }: StreamBlock): TurnEvent | undefined {
  return type === undefined || data === undefined ? undefined : { type, data: JSON.parse(data) };
}
