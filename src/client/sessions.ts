/** Sessions: conversations with an agent, their messages and their events. */
import type { Connection } from "./connection.js";
import type { ConclaveEvent } from "./event-types.js";
import { beginAndFollow, type EventOptions, eventsOf, type SendOptions } from "./follow.js";
import type {
  ChatMessage,
  Feedback,
  NewFeedback,
  NewMessage,
  NewSession,
  Page,
  PageRequest,
  Session,
  Turn,
} from "./types.js";

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
   * Sends a message and returns the events of its turn, until it has ended or waits for an answer. When the connection is cut, the
   * message isn't sent again: the same turn is followed further. With `follow` it goes on through what is waited for, to the end, and
   * brings the turns before it too where it is queued behind them.
   */
  stream(
    sessionId: string,
    message: NewMessage,
    { follow = false, ...options }: Omit<SendOptions, "waitMs"> & { readonly follow?: boolean } = {},
  ): AsyncGenerator<ConclaveEvent, void, undefined> {
    const path = sessionPath(sessionId, "messages");
    let own: string | undefined;
    const isLast = ({ event, data }: ConclaveEvent): boolean => {
      if (event === "turn.queued" || event === "turn.started") own ??= data.turnId;
      return event === "turn.completed" && data.turnId === (own ?? data.turnId);
    };
    const body = follow ? { ...message, follow } : message;
    return beginAndFollow(this.connection, { path, body, isLast, follow }, options);
  }

  /** @param waitMs how long its end is waited for, in milliseconds */
  turn(sessionId: string, turnId: string, { waitMs = 0 }: { readonly waitMs?: number } = {}): Promise<Turn> {
    return this.connection.json("GET", sessionPath(sessionId, "turns", turnId), { query: { waitMs } });
  }

  cancel(sessionId: string, turnId: string): Promise<Turn> {
    return this.connection.json("POST", sessionPath(sessionId, "turns", turnId, "cancel"));
  }

  /** Takes the conversation over from its agent, for staff: what is written from then on waits for {@link writeAsStaff}. */
  hold(sessionId: string): Promise<Session> {
    return this.connection.json("POST", sessionPath(sessionId, "hold"));
  }

  /** Hands it back. @param answer whether the agent answers what nobody answered meanwhile */
  release(sessionId: string, { answer = true }: { readonly answer?: boolean } = {}): Promise<Session> {
    return this.connection.json("DELETE", sessionPath(sessionId, "hold"), { query: { answer: String(answer) } });
  }

  /** Writes as staff to a conversation that is held: the reply to what waits. */
  writeAsStaff(sessionId: string, content: string, options: { readonly idempotencyKey?: string } = {}): Promise<Turn> {
    return this.connection.json("POST", sessionPath(sessionId, "staff-messages"), { body: { content }, ...options });
  }

  /** Asks for a person, on behalf of the end user. */
  requestPerson(sessionId: string, request: { readonly speaker?: string } = {}): Promise<Session> {
    return this.connection.json("POST", sessionPath(sessionId, "person"), { body: request });
  }

  /** Takes that back, as long as nobody has come. */
  withdrawPersonRequest(sessionId: string): Promise<Session> {
    return this.connection.json("DELETE", sessionPath(sessionId, "person"));
  }

  /** Says what one thinks of a turn or a message: one for each who says it, the newest counts. */
  feedback(sessionId: string, feedback: NewFeedback): Promise<Feedback> {
    return this.connection.json("PUT", sessionPath(sessionId, "feedback"), { body: feedback });
  }

  /** Everything that happened in a session, and happens: no event lost, none twice, whatever becomes of the connection. */
  events(sessionId: string, options: EventOptions = {}): AsyncGenerator<ConclaveEvent, void, undefined> {
    return eventsOf(this.connection, sessionPath(sessionId, "events"), options);
  }
}

function sessionPath(...parts: readonly string[]): string {
  return ["/v1/sessions", ...parts.map(encodeURIComponent)].join("/");
}
