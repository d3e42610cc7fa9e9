/** Sessions: conversations with an agent, their messages and their events. */
import { type Connection, newKey } from "./connection.js";
import { follow } from "./follow.js";
import type { ChatMessage, ConclaveEvent, NewMessage, NewSession, Page, PageRequest, Session, Turn } from "./types.js";

export interface SendOptions {
  /** A message that is sent twice under one key is one turn. Without one of yours, each call is a message of its own. */
  readonly idempotencyKey?: string;
  /** How long the turn's end is waited for, in milliseconds; a minute, if nothing is said. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export interface EventOptions {
  /** Behind this number; from the first event on, if nothing is said. */
  readonly after?: number;
  /** Ends when nothing goes on any more. Otherwise it goes on until `signal` aborts it. */
  readonly untilIdle?: boolean;
  readonly signal?: AbortSignal;
}

/** Where the events of a session or a run are. */
export function eventsOf(
  connection: Connection,
  path: string,
  { after = 0, untilIdle = false, signal }: EventOptions,
): AsyncGenerator<ConclaveEvent, void, undefined> {
  return follow({
    connection,
    after,
    forEver: !untilIdle,
    isLast: () => false,
    signal,
    open: (last) =>
      connection.once("GET", path, {
        query: { lingerMs: untilIdle ? 0 : 60_000 },
        headers: { accept: "text/event-stream", "last-event-id": String(last) },
        signal,
      }),
  });
}

export class Sessions {
  constructor(private readonly connection: Connection) {}

  /** Begins a session. */
  create(session: NewSession, options: { readonly idempotencyKey?: string } = {}): Promise<Session> {
    return this.connection.json("POST", "/v1/sessions", { body: session, ...options });
  }

  /** The session that has your own id; begun, if there is none. */
  ensure(externalId: string, session: NewSession): Promise<Session> {
    return this.connection.json("PUT", `/v1/sessions/by-external-id/${encodeURIComponent(externalId)}`, {
      body: session,
    });
  }

  get(sessionId: string): Promise<Session> {
    return this.connection.json("GET", sessionPath(sessionId));
  }

  list(
    query: PageRequest & {
      readonly agent?: string;
      readonly status?: Session["status"];
      readonly subject?: string;
      readonly externalId?: string;
    } = {},
  ): Promise<Page<Session>> {
    return this.connection.json("GET", "/v1/sessions", { query: { ...query } });
  }

  /** What was said, oldest first, as supervision let it pass. */
  messages(sessionId: string, page: PageRequest = {}): Promise<Page<ChatMessage>> {
    return this.connection.json("GET", sessionPath(sessionId, "messages"), { query: { ...page } });
  }

  /** Sends a message and waits for its turn: it has ended, or waits for an answer, or still runs after `waitMs`. */
  send(sessionId: string, message: NewMessage, { waitMs, ...options }: SendOptions = {}): Promise<Turn> {
    const body = { ...message, ...(waitMs === undefined ? {} : { waitMs }) };
    return this.connection.json("POST", sessionPath(sessionId, "messages"), { body, ...options });
  }

  /**
   * Sends a message and gives the events of its turn, until it has ended or waits for an answer. When the connection is cut, the
   * message isn't sent again: the same turn is followed further.
   */
  stream(
    sessionId: string,
    message: NewMessage,
    { idempotencyKey = newKey(), signal }: Omit<SendOptions, "waitMs"> = {},
  ): AsyncGenerator<ConclaveEvent, void, undefined> {
    return follow({
      connection: this.connection,
      after: 0,
      forEver: false,
      isLast: ({ event }) => event === "turn.completed",
      signal,
      open: () =>
        this.connection.once("POST", sessionPath(sessionId, "messages"), {
          body: message,
          idempotencyKey,
          headers: { accept: "text/event-stream" },
          signal,
        }),
    });
  }

  /** @param waitMs how long its end is waited for, in milliseconds */
  turn(sessionId: string, turnId: string, { waitMs = 0 }: { readonly waitMs?: number } = {}): Promise<Turn> {
    return this.connection.json("GET", sessionPath(sessionId, "turns", turnId), { query: { waitMs } });
  }

  cancel(sessionId: string, turnId: string): Promise<Turn> {
    return this.connection.json("POST", sessionPath(sessionId, "turns", turnId, "cancel"));
  }

  /** Everything that happened in a session, and happens: no event lost, none twice, whatever becomes of the connection. */
  events(sessionId: string, options: EventOptions = {}): AsyncGenerator<ConclaveEvent, void, undefined> {
    return eventsOf(this.connection, sessionPath(sessionId, "events"), options);
  }
}

function sessionPath(...parts: readonly string[]): string {
  return ["/v1/sessions", ...parts.map(encodeURIComponent)].join("/");
}
