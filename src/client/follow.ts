/** Events that survive their connection: what was seen isn't told again, and what was missed is. */
import { type Connection, isPassing, newKey } from "./connection.js";
import type { ConclaveEvent, EventData } from "./event-types.js";
import { DeltaSequence } from "./reply-text.js";
import { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.js";

export interface EventOptions {
  /** Behind this number; from the first event on, if nothing is said. */
  readonly after?: number;
  /** Ends when nothing goes on any more. Otherwise it goes on until `signal` aborts it. */
  readonly untilIdle?: boolean;
  /** With `untilIdle`: not while something waits for an answer. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

export interface SendOptions {
  /** What is sent twice under one key is done once. Without one of yours, each call does it anew. */
  readonly idempotencyKey?: string;
  /** How long the end of the work is waited for, in milliseconds; a minute, if nothing is said. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** The events of a session, a run or a roundtable. @param path of the API's route of its events */
export function eventsOf(
  connection: Connection,
  path: string,
  { after = 0, untilIdle = false, follow: isFollowed, signal }: EventOptions,
): AsyncGenerator<ConclaveEvent, void, undefined> {
  return follow({
    connection,
    after,
    forEver: !untilIdle,
    isLast: () => false,
    signal,
    open: (behind) =>
      connection.once("GET", path, {
        query: { lingerMs: untilIdle ? 0 : 60_000, follow: isFollowed },
        headers: { accept: "text/event-stream", "last-event-id": String(behind) },
        signal,
      }),
  });
}

interface Begun {
  readonly path: string;
  readonly body: unknown;
  /** Behind it nothing is to be expected. */
  readonly isLast: (event: ConclaveEvent) => boolean;
  /** Goes on until then, whatever is waited for. */
  readonly follow?: boolean | undefined;
}

/**
 * Begins some work and returns its events, until it has ended or, without `follow`, waits for an answer. However often the connection is cut, it is begun
 * once: each try has the same key.
 */
export function beginAndFollow(
  connection: Connection,
  { path, body, isLast, follow: isFollowed = false }: Begun,
  { idempotencyKey = newKey(), signal }: Omit<SendOptions, "waitMs">,
): AsyncGenerator<ConclaveEvent, void, undefined> {
  const headers = { accept: "text/event-stream" };
  return follow({
    connection,
    after: 0,
    forEver: isFollowed,
    isLast,
    signal,
    open: () => connection.once("POST", path, { body, idempotencyKey, headers, signal }),
  });
}

interface Following {
  /** Opens the stream behind an event's number. */
  readonly open: (after: number) => Promise<Response>;
  readonly connection: Connection;
  readonly after: number;
  /** Behind it nothing is to be expected. */
  readonly isLast: (event: ConclaveEvent) => boolean;
  /** Goes on when the API has nothing to tell at the moment. */
  readonly forEver: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Connections that brought nothing new, one after the other, until it is given up. */
const maxFruitless = 8;

/**
 * Events in their order, each once. The connection is opened again when it is cut, and when the API ends it because its reader
 * was too slow. It is over when the API has nothing more to tell, at a second look too.
 */
async function* follow({
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
  "turn.queued": true,
  "turn.started": true,
  "turn.waiting": true,
  "turn.completed": true,
  "reply.delta": true,
  "reply.retracted": true,
  "tool.called": true,
  "tool.progress": true,
  "tool.returned": true,
  "ask.opened": true,
  "ask.closed": true,
  "run.started": true,
  "run.waiting": true,
  "run.delta": true,
  "run.retracted": true,
  "run.completed": true,
  "roundtable.started": true,
  "round.started": true,
  "position.taken": true,
  "seat.failed": true,
  "round.completed": true,
  "round.failed": true,
  "synthesis.completed": true,
  "roundtable.completed": true,
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
