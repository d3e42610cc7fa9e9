/** What every root (a session, a run …) offers from outside, whatever it does: its asks and its events. */
import { z } from "zod";
import { type Answerer, type Ask, askSchema } from "../asks/ask.js";
import type { Claimant, Holding } from "../asks/claim.js";
import { type ParkedDelivery, parkedDeliverySchema } from "../conversation/delivery.js";
import { eventAudiences } from "../conversation/event.js";
import type { Result } from "../conversation/problem.js";
import { type DebateRecord, debateRecordSchema } from "../roundtable/debate-record.js";
import type { AskOwner } from "./ask-gateway.js";
import type { DebateOwner } from "./debate-gateway.js";
import type { PlacedObjects } from "./placement.js";
import { resultOf, toWire, type Wire } from "./wire.js";

/** Who listens, as far as the object has to know: what to tell them, and when to stop. */
export const readerSchema = z.object({
  id: z.string(),
  /** The key that it depends on: its own, or the one that its token was minted with. */
  keyId: z.string(),
  /** When the connection ends by itself; milliseconds since the epoch. */
  until: z.number(),
  /** Whose events it hears. */
  audience: z.enum(eventAudiences),
  /** Under which the socket counts where the tenant limits how many there are. */
  held: z.string().optional(),
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
  /** Goes on through whatever is waited for, to the end; of a queued turn with the turns before it. */
  readonly follow?: boolean | undefined;
}

/** Which events of a log are read. */
export interface LogQuery {
  /** Those behind this number; without it those from the time `since` on, in milliseconds since the epoch. */
  readonly after?: number | undefined;
  readonly since?: number | undefined;
  readonly limit: number;
}

/** The last numbers of its messages to others and of its events. */
export interface Numbers {
  readonly outbox: number;
  readonly events: number;
}

/** To when something is put back: a time as ISO 8601, or a bookmark of the platform. */
export interface RestoreTarget {
  readonly at?: string | undefined;
  readonly bookmark?: string | undefined;
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
  /** Ends what runs and waits in it, and delivers what it has for others: it is to be removed. */
  quiesce(): Promise<void>;
  ask(askId: string): Promise<Wire<Result<Ask>>>;
  answerAsk(askId: string, answer: Wire<unknown>, answerer: Answerer): Promise<Wire<Result<Ask>>>;
  cancelAsk(askId: string, answerer: Answerer): Promise<Wire<Result<Ask>>>;
  holdAsk(askId: string, claimant: Claimant, holding: Holding): Promise<Wire<Result<Ask>>>;
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
  numbers(): Promise<Numbers>;
  /** The next instance will be as it was then. @returns what undoes that */
  prepareRestore(target: RestoreTarget): Promise<Wire<Result<string>>>;
  /** Ends this instance: whoever calls it hears an error. */
  restart(): Promise<void>;
  /** It was put back: its numbers go on behind these, and its copies follow it. False where it wasn't there then. */
  restored(numbers: Numbers, at: string): Promise<boolean>;
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
const bookmarkResult = resultOf(z.string());
const debateResult = resultOf(debateRecordSchema);
const parkedSchema = z.array(parkedDeliverySchema).nullable();

/**
 * Calls of a kind of root. Their objects' names carry the tenant: another tenant's id is a root that doesn't exist. What goes
 * through is JSON, checked on arrival.
 */
export class RootGateway<O extends RootObject> implements AskOwner, DebateOwner, EventSource {
  constructor(protected readonly objects: PlacedObjects<O>) {}

  remove(tenantId: string, rootId: string): Promise<boolean> {
    return this.objects.call([tenantId, rootId], (object) => object.remove());
  }

  quiesce(tenantId: string, rootId: string): Promise<void> {
    return this.objects.call([tenantId, rootId], (object) => object.quiesce());
  }

  ask(tenantId: string, rootId: string, askId: string): Promise<Result<Ask>> {
    return this.objects.read([tenantId, rootId], askResult, (object) => object.ask(askId));
  }

  answerAsk(
    tenantId: string,
    rootId: string,
    askId: string,
    answer: unknown,
    answerer: Answerer,
  ): Promise<Result<Ask>> {
    const wire = toWire(answer);
    return this.objects.read([tenantId, rootId], askResult, (object) => object.answerAsk(askId, wire, answerer));
  }

  holdAsk(tenantId: string, rootId: string, askId: string, claimant: Claimant, holding: Holding): Promise<Result<Ask>> {
    return this.objects.read([tenantId, rootId], askResult, (object) => object.holdAsk(askId, claimant, holding));
  }

  debate(tenantId: string, rootId: string, debateId: string): Promise<Result<DebateRecord>> {
    return this.objects.read([tenantId, rootId], debateResult, (object) => object.readDebate(debateId));
  }

  async cancelAsk(tenantId: string, rootId: string, askId: string, answerer: Answerer): Promise<Result<Ask>> {
    return this.objects.read([tenantId, rootId], askResult, (object) => object.cancelAsk(askId, answerer));
  }

  async parked(tenantId: string, rootId: string): Promise<readonly ParkedDelivery[] | undefined> {
    return (await this.objects.read([tenantId, rootId], parkedSchema, (object) => object.parked())) ?? undefined;
  }

  async retryParked(tenantId: string, rootId: string): Promise<number | undefined> {
    return (await this.objects.call([tenantId, rootId], (object) => object.retryParked())) ?? undefined;
  }

  isThere(tenantId: string, rootId: string): Promise<boolean> {
    return this.objects.call([tenantId, rootId], (object) => object.isThere());
  }

  streamEvents(tenantId: string, rootId: string, query: EventsQuery): Promise<ReadableStream<Uint8Array> | null> {
    return this.objects.call([tenantId, rootId], (object) => object.streamEvents(query));
  }

  async events(tenantId: string, rootId: string, query: LogQuery): Promise<LoggedEventView[]> {
    return this.objects.read([tenantId, rootId], z.array(loggedEventSchema), (object) => object.events(query));
  }

  socket(tenantId: string, rootId: string, request: Request, reader: Reader): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set(readerHeader, encodeURIComponent(JSON.stringify(reader)));
    // What the caller authenticated with stays here.
    headers.delete("authorization");
    if (headers.has("sec-websocket-protocol")) headers.set("sec-websocket-protocol", socketProtocol);
    // What is sent with it can't be sent twice.
    return this.objects.call([tenantId, rootId], (object) => object.fetch(new Request(request, { headers })), false);
  }

  disconnect(tenantId: string, rootId: string, who: string): Promise<void> {
    return this.objects.call([tenantId, rootId], (object) => object.disconnect(who));
  }

  numbers(tenantId: string, rootId: string): Promise<Numbers> {
    return this.objects.call([tenantId, rootId], (object) => object.numbers());
  }

  prepareRestore(tenantId: string, rootId: string, target: RestoreTarget): Promise<Result<string>> {
    return this.objects.read([tenantId, rootId], bookmarkResult, (object) => object.prepareRestore(target));
  }

  /** Ends the instance that there is. That the call breaks is the sign that it did. */
  async restart(tenantId: string, rootId: string): Promise<void> {
    await this.objects.call([tenantId, rootId], (object) => object.restart(), false).catch(() => undefined);
  }

  restored(tenantId: string, rootId: string, numbers: Numbers, at: string): Promise<boolean> {
    return this.objects.call([tenantId, rootId], (object) => object.restored(numbers, at));
  }
}
