/** The event log over WebSockets that hibernate. */
import type { EventLog, LiveEvent } from "./events.js";

/** How many logged events a new socket is given at once; older ones are to be read over HTTP. */
const backlog = 500;

/** WebSockets that get an object's events. They hibernate: an open socket doesn't keep its object awake. */
export class EventSockets {
  constructor(
    private readonly ctx: DurableObjectState,
    private readonly log: EventLog,
  ) {
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    log.subscribe((event) => {
      for (const socket of ctx.getWebSockets()) send(socket, event);
    });
  }

  /** Accepts an upgrade; `?after=` says which events the client has already. */
  accept(request: Request): Response {
    const after = Number(new URL(request.url).searchParams.get("after") ?? 0);
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    for (const event of this.log.read(Number.isSafeInteger(after) ? after : 0, backlog)) send(server, event);
    return new Response(null, { status: 101, webSocket: client });
  }
}

function send(socket: WebSocket, event: LiveEvent): void {
  try {
    const id = event.seq === undefined ? "" : `"id":${event.seq},`;
    socket.send(`{${id}"event":${JSON.stringify(event.type)},"data":${event.data}}`);
  } catch {
    // It is closing: its client resumes with the last id it saw.
  }
}
