/** What every root (a session, a run …) offers from outside, whatever it does: its asks and its events. */
import { z } from "zod";
import { type Answerer, type Ask, askSchema } from "../asks/ask.js";
import { eventAudiences } from "../conversation/event.js";
import { type ParkedDelivery, parkedDeliverySchema } from "../conversation/parked-delivery.js";
import type { Result } from "../conversation/problem.js";
import { type DebateRecord, debateRecordSchema } from "../roundtable/debate-record.js";
import type { AskOwner } from "./ask-gateway.js";
import type { DebateOwner } from "./debate-gateway.js";
import { callObject } from "./object-call.js";
import type { PlacedObjects } from "./placement.js";
import { fromWire, resultOf, toWire, type Wire } from "./wire.js";

/** Who listens, as far as the object has to know: what to tell them, and when to stop. */
export const readerSchema = z.object({
  id: z.string(),
  /** The key that it depends on: its own, or the one that its token was minted with. */
  keyId: z.string(),
  /** When the connection ends by itself; milliseconds since the epoch. */
  until: z.number(),
  /** Whose events it hears. */
  audience: z.enum(eventAudiences),
});
export type Reader = Readonly<z.infer<typeof readerSchema>>;

/** Says who listens, on the request for a WebSocket that goes to the object. What a caller sends under this name is dropped. */
export const readerHeader = "x-conclave-reader";

/** The subprotocol of our sockets; a token may come as a second one beside it. */
export const socketProtocol = "conclave";

/** Whether a connection of this reader is one of `who`: a key, or the tokens of a subject. */
export function isReader({ id, keyId }: Reader, who: string): boolean {
  return id === who || keyId === who;
}

export interface EventsQuery {
  readonly reader: Reader;
  readonly after: number;
  readonly lingerMs: number;
  /** Only the events of this work: one turn of a session. */
  readonly work?: string | undefined;
  /** Only those of the work that goes on as the stream is opened: one round of a roundtable. Roundtables alone heed it. */
  readonly ofRunning?: true;
}

/** Which events of a log are read. */
export interface LogQuery {
  /** Those behind this number; without it those from the time `since` on, in milliseconds since the epoch. */
  readonly after?: number | undefined;
  readonly since?: number | undefined;
  readonly limit: number;
}

const loggedEventSchema = z.object({
  seq: z.int(),
  type: z.string(),
  at: z.string(),
  data: z.record(z.string(), z.unknown()),
});
/** An event as it stands in the log, with what holds now where the log has ids. */
export type LoggedEventView = z.infer<typeof loggedEventSchema>;

/** What a root's object offers, next to its own work. */
export interface RootObject {
  /** Erases everything that the object holds; false when there is nothing. */
  remove(): Promise<boolean>;
  ask(askId: string): Promise<Wire<Result<Ask>>>;
  answerAsk(askId: string, answer: Wire<unknown>, answerer: Answerer): Promise<Wire<Result<Ask>>>;
  cancelAsk(askId: string, answerer: Answerer): Promise<Wire<Result<Ask>>>;
  readDebate(debateId: string): Promise<Wire<Result<DebateRecord>>>;
  /** Whether there is such a root. */
  isThere(): Promise<boolean>;
  streamEvents(query: EventsQuery): Promise<ReadableStream<Uint8Array> | null>;
  events(query: LogQuery): Promise<Wire<LoggedEventView[]>>;
  /** What it could not deliver; nothing where there is no such root. */
  parked(): Promise<Wire<readonly ParkedDelivery[] | null>>;
  /** Delivers that again, in the background; says how many there are. */
  retryParked(): Promise<number | null>;
  /** Closes the sockets and streams of a key, or of a subject's tokens. */
  disconnect(who: string): Promise<void>;
  fetch(request: Request): Promise<Response>;
}

/** Where the events of a kind of root are read. */
export interface EventSource {
  /** Whether there is such a root. */
  isThere(tenantId: string, rootId: string): Promise<boolean>;
  /** Events of the log, oldest first; none when there is no such root. */
  events(tenantId: string, rootId: string, query: LogQuery): Promise<LoggedEventView[]>;
  /** Server-sent events, those that are for its reader; nothing when there is no such root. */
  streamEvents(tenantId: string, rootId: string, query: EventsQuery): Promise<ReadableStream<Uint8Array> | null>;
  /** The same over a WebSocket; 404 when there is no such root. */
  socket(tenantId: string, rootId: string, request: Request, reader: Reader): Promise<Response>;
  disconnect(tenantId: string, rootId: string, who: string): Promise<void>;
}

const askResult = resultOf(askSchema);
const parkedSchema = z.array(parkedDeliverySchema).nullable();

/**
 * Calls of a kind of root. Their objects' names carry the tenant: another tenant's id is a root that doesn't exist. What goes
 * through is JSON, checked on arrival.
 */
export class RootGateway<O extends RootObject> implements AskOwner, DebateOwner, EventSource {
  constructor(private readonly objects: PlacedObjects<O>) {}

  remove(tenantId: string, rootId: string): Promise<boolean> {
    return this.call(tenantId, rootId, (object) => object.remove());
  }

  async ask(tenantId: string, rootId: string, askId: string): Promise<Result<Ask>> {
    return fromWire(await this.call(tenantId, rootId, (object) => object.ask(askId)), askResult);
  }

  async answerAsk(
    tenantId: string,
    rootId: string,
    askId: string,
    answer: unknown,
    answerer: Answerer,
  ): Promise<Result<Ask>> {
    const wire = toWire(answer);
    return fromWire(await this.call(tenantId, rootId, (object) => object.answerAsk(askId, wire, answerer)), askResult);
  }

  async debate(tenantId: string, rootId: string, debateId: string): Promise<Result<DebateRecord>> {
    const wire = await this.call(tenantId, rootId, (object) => object.readDebate(debateId));
    return fromWire(wire, resultOf(debateRecordSchema));
  }

  async cancelAsk(tenantId: string, rootId: string, askId: string, answerer: Answerer): Promise<Result<Ask>> {
    return fromWire(await this.call(tenantId, rootId, (object) => object.cancelAsk(askId, answerer)), askResult);
  }

  async parked(tenantId: string, rootId: string): Promise<readonly ParkedDelivery[] | undefined> {
    const parked = fromWire(await this.call(tenantId, rootId, (object) => object.parked()), parkedSchema);
    return parked ?? undefined;
  }

  async retryParked(tenantId: string, rootId: string): Promise<number | undefined> {
    return (await this.call(tenantId, rootId, (object) => object.retryParked())) ?? undefined;
  }

  isThere(tenantId: string, rootId: string): Promise<boolean> {
    return this.call(tenantId, rootId, (object) => object.isThere());
  }

  streamEvents(tenantId: string, rootId: string, query: EventsQuery): Promise<ReadableStream<Uint8Array> | null> {
    return this.call(tenantId, rootId, (object) => object.streamEvents(query));
  }

  async events(tenantId: string, rootId: string, query: LogQuery): Promise<LoggedEventView[]> {
    return fromWire(await this.call(tenantId, rootId, (object) => object.events(query)), z.array(loggedEventSchema));
  }

  socket(tenantId: string, rootId: string, request: Request, reader: Reader): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set(readerHeader, encodeURIComponent(JSON.stringify(reader)));
    // What the caller authenticated with stays here.
    headers.delete("authorization");
    if (headers.has("sec-websocket-protocol")) headers.set("sec-websocket-protocol", socketProtocol);
    return this.once(tenantId, rootId, (object) => object.fetch(new Request(request, { headers })));
  }

  disconnect(tenantId: string, rootId: string, who: string): Promise<void> {
    return this.call(tenantId, rootId, (object) => object.disconnect(who));
  }

  /** For what can't be repeated. */
  protected once<T>(tenantId: string, rootId: string, method: (object: O) => Promise<T>): Promise<T> {
    return this.objects.call(tenantId, [rootId], method);
  }

  /** For what can be repeated: reads, answers (which are compared), and commands that carry their key or their id. */
  protected call<T>(tenantId: string, rootId: string, method: (object: O) => Promise<T>): Promise<T> {
    return callObject(() => this.objects.call(tenantId, [rootId], method));
  }
}
