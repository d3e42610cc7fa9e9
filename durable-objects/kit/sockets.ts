/** The event log over WebSockets that hibernate. */
import { dataVisibleTo } from "../../src/catalogues/events.js";
import { isReader, type Reader, readerHeader, readerSchema, socketProtocol } from "../../src/gateways/root-gateway.js";
import type { EventLog, LiveEvent, LoggedEvent } from "./events.js";

/** How many logged events a new socket is given at once: a client that is further behind connects again behind the last of them. */
const backlog = 500;

/** The deadline at which the first of the sockets may no longer be read. */
export const readerDeadline = "readers";

/** Closing codes (RFC 6455 and its registry): there is no more; what was asked for isn't allowed (any more); it may be asked for again. */
const goingAway = 1001;
const policyViolation = 1008;
const tryAgain = 1013;

/** WebSockets that get an object's events. They hibernate: an open socket doesn't keep its object awake. */
export class EventSockets {
  constructor(
    private readonly ctx: DurableObjectState,
    private readonly log: EventLog,
    private readonly now: () => number,
    /** What who comes late has missed of live events. */
    private readonly catchUp: () => LiveEvent | undefined,
    /** Has `closeExpired` called at this time. */
    private readonly wakeAt: (at: number) => void,
  ) {
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    log.subscribe(
      (event) => {
        for (const socket of ctx.getWebSockets()) this.send(socket, event);
      },
      () => ctx.getWebSockets().length > 0,
    );
  }

  /** Accepts an upgrade; `?after=` says which events the client has already. */
  accept(request: Request): Response {
    const reader = readerSchema.parse(JSON.parse(decodeURIComponent(request.headers.get(readerHeader) ?? "null")));
    const after = Number(new URL(request.url).searchParams.get("after") ?? 0);
    const { 0: client, 1: server } = new WebSocketPair();
    // Before the socket is one of those that are told: asking may tell them what was kept back, and that is part of the answer.
    const missed = this.catchUp();
    this.ctx.acceptWebSocket(server);
    // Kept with the socket, also while the object sleeps.
    server.serializeAttachment(reader);
    this.wakeAt(reader.until);
    const past = this.past(reader, Number.isSafeInteger(after) ? after : 0);
    for (const message of past.slice(0, backlog)) server.send(message);
    // Going on with what happens now would leave a gap.
    if (past.length > backlog) server.close(tryAgain, "there is more: connect again behind the last event");
    else if (missed !== undefined) this.send(server, missed);
    const protocol = request.headers.has("sec-websocket-protocol") ? { "sec-websocket-protocol": socketProtocol } : {};
    return new Response(null, { status: 101, webSocket: client, headers: protocol });
  }

  /** Under which name a socket takes a place of a limit. */
  placeOf(socket: WebSocket): string | undefined {
    return readerOf(socket)?.held;
  }

  /** The places that open sockets take. */
  places(): string[] {
    return this.ctx.getWebSockets().flatMap((socket) => this.placeOf(socket) ?? []);
  }

  /** Closes the sockets of a key, or of a subject's tokens. */
  disconnect(who: string): void {
    for (const socket of this.ctx.getWebSockets()) {
      const reader = readerOf(socket);
      if (reader === undefined || isReader(reader, who)) socket.close(policyViolation, "revoked");
    }
  }

  /** Closes those whose reader's key or token has expired, also where nothing happens that they would be told. */
  closeExpired(): void {
    for (const socket of this.ctx.getWebSockets()) {
      const { until } = readerOf(socket) ?? {};
      if (until === undefined) continue;
      if (until <= this.now()) socket.close(policyViolation, "expired");
      else this.wakeAt(until);
    }
  }

  /** Everything is erased: nothing more will be told. */
  closeAll(): void {
    for (const socket of this.ctx.getWebSockets()) socket.close(goingAway, "deleted");
  }

  /** What is for a reader, behind an event: more than `backlog` where there is more. */
  private past(reader: Reader, after: number): string[] {
    const visible: string[] = [];
    for (let last: number | undefined = after; last !== undefined && visible.length <= backlog; ) {
      const page: LoggedEvent[] = this.log.read(last, backlog + 1);
      visible.push(...page.flatMap((event) => messageFor(reader, event) ?? []));
      last = page.length > backlog ? page.at(-1)?.seq : undefined;
    }
    return visible;
  }

  private send(socket: WebSocket, event: LiveEvent): void {
    try {
      const reader = readerOf(socket);
      if (reader === undefined) {
        // Opened under a version before, which noted less of its reader: its client connects again.
        socket.close(tryAgain, "connect again");
        return;
      }
      if (reader.until <= this.now()) {
        socket.close(policyViolation, "expired");
        return;
      }
      const message = messageFor(reader, event);
      if (message !== undefined) socket.send(message);
    } catch {
      // It is closing: its client resumes with the last id it saw.
    }
  }
}

/** An event as a reader is told of it; nothing where it isn't for them. */
function messageFor({ audience }: Reader, event: LiveEvent): string | undefined {
  const data = dataVisibleTo(audience, event.type, () => event.data);
  if (data === undefined) return undefined;
  const id = event.seq === undefined ? "" : `"id":${event.seq},`;
  return `{${id}"event":${JSON.stringify(event.type)},"data":${data}}`;
}

function readerOf(socket: WebSocket): Reader | undefined {
  return readerSchema.safeParse(socket.deserializeAttachment()).data;
}
