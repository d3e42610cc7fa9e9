/** Events that survive their connection: what was seen isn't told again, and what was missed is. */
import { type Connection, isPassing } from "./connection.js";
import { DeltaSequence } from "./reply-text.js";
import { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.js";
import type { ConclaveEvent, EventData } from "./types.js";

export interface Following {
  /** Opens the stream behind an event's number. */
  readonly open: (after: number) => Promise<Response>;
  readonly connection: Connection;
  readonly after: number;
  /** Whether nothing is to be expected behind this event. */
  readonly isLast: (event: ConclaveEvent) => boolean;
  /** Goes on when the API has nothing to tell at the moment. */
  readonly forEver: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Connections that brought nothing new, one after the other, until it is given up. */
const maxFruitless = 8;

/**
 * Events in their order, each once. The connection is opened again when it is cut, and when the API ends it because its reader
 * was too slow. It is over when the API has nothing more to tell, at a second look too.
 */
export async function* follow({
  open,
  connection,
  after,
  isLast,
  forEver,
  signal,
}: Following): AsyncGenerator<ConclaveEvent, void, undefined> {
  const deltas = new DeltaSequence();
  let last = after;
  for (let fruitless = 0; ; fruitless++) {
    let problem: unknown;
    let isNews = false;
    let isLive = false;
    try {
      const response = await open(last);
      if (response.body === null) return;
      const live = (): void => {
        isLive = true;
      };
      for await (const sent of readServerSentEvents(response.body, live)) {
        const event = eventOf(sent);
        if (event.id !== undefined && event.id <= last) continue;
        last = event.id ?? last;
        isNews = true;
        yield* deltas.next(event);
        if (isLast(event)) return;
      }
    } catch (error) {
      if (signal?.aborted === true || !isPassing(error)) throw error;
      problem = error;
    }
    // Ended in good order, with nothing that wasn't known: nothing goes on.
    if (!isNews && isLive && problem === undefined && !forEver) return;
    if (isNews || isLive) fruitless = 0;
    else if (fruitless >= maxFruitless) throw problem ?? new TypeError("the stream of events ends before it begins");
    if (!isNews) await connection.pause(Math.min(fruitless, 6), problem, signal);
  }
}

const known: Readonly<Record<keyof EventData, true>> = {
  "turn.started": true,
  "turn.waiting": true,
  "turn.completed": true,
  "reply.delta": true,
  "reply.retracted": true,
  "tool.called": true,
  "tool.returned": true,
  "ask.opened": true,
  "ask.closed": true,
  "run.started": true,
  "run.waiting": true,
  "run.completed": true,
};

function isKnown(event: string): event is keyof EventData {
  return Object.hasOwn(known, event);
}

/** The API's document says which data goes with which type. */
function eventOf({ id, event, data: text }: ServerSentEvent): ConclaveEvent {
  const numbered = id === undefined ? {} : { id: Number(id) };
  const data = JSON.parse(text);
  return isKnown(event) ? { event, ...numbered, data } : { event: "other", type: event, ...numbered, data };
}
