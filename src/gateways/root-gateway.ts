/** What every root (a session, a run …) offers from outside, whatever it does: its asks and its events. */
import { type Ask, askSchema, type Role } from "../asks/ask.js";
import type { Result } from "../conversation/problem.js";
import type { AskOwner } from "./ask-gateway.js";
import { callObject } from "./object-call.js";
import { fromWire, resultOf, toWire, type Wire } from "./wire.js";

export interface EventsQuery {
  readonly after: number;
  readonly lingerMs: number;
  /** Only the events of this work: one turn of a session. */
  readonly work?: string | undefined;
}

/** What a root's object offers, next to its own work. */
export interface RootObject {
  /** Erases everything that the object holds; false when there is nothing. */
  remove(): Promise<boolean>;
  ask(askId: string): Promise<Wire<Result<Ask>>>;
  answerAsk(askId: string, answer: Wire<unknown>, by: Role): Promise<Wire<Result<Ask>>>;
  cancelAsk(askId: string): Promise<Wire<Result<Ask>>>;
  streamEvents(query: EventsQuery): Promise<ReadableStream<Uint8Array> | null>;
  fetch(request: Request): Promise<Response>;
}

/** A namespace, as far as we use it. */
export interface Namespace<O> {
  getByName(name: string): O;
}

/** Where the events of a kind of root are read. */
export interface EventSource {
  /** Server-sent events; nothing when there is no such root. */
  streamEvents(tenantId: string, rootId: string, query: EventsQuery): Promise<ReadableStream<Uint8Array> | null>;
  /** The same over a WebSocket; 404 when there is no such root. */
  socket(tenantId: string, rootId: string, request: Request): Promise<Response>;
}

const askResult = resultOf(askSchema);

/**
 * The one place that makes stubs of a kind of root. Their objects' names carry the tenant: another tenant's id is a root that
 * doesn't exist. What goes through is JSON, checked on arrival.
 */
export class RootGateway<O extends RootObject> implements AskOwner, EventSource {
  constructor(private readonly namespace: Namespace<O>) {}

  remove(tenantId: string, rootId: string): Promise<boolean> {
    return this.call(tenantId, rootId, (object) => object.remove());
  }

  async ask(tenantId: string, rootId: string, askId: string): Promise<Result<Ask>> {
    return fromWire(await this.call(tenantId, rootId, (object) => object.ask(askId)), askResult);
  }

  async answerAsk(tenantId: string, rootId: string, askId: string, answer: unknown, by: Role): Promise<Result<Ask>> {
    const wire = toWire(answer);
    return fromWire(await this.call(tenantId, rootId, (object) => object.answerAsk(askId, wire, by)), askResult);
  }

  async cancelAsk(tenantId: string, rootId: string, askId: string): Promise<Result<Ask>> {
    return fromWire(await this.call(tenantId, rootId, (object) => object.cancelAsk(askId)), askResult);
  }

  streamEvents(tenantId: string, rootId: string, query: EventsQuery): Promise<ReadableStream<Uint8Array> | null> {
    return this.call(tenantId, rootId, (object) => object.streamEvents(query));
  }

  socket(tenantId: string, rootId: string, request: Request): Promise<Response> {
    return this.object(tenantId, rootId).fetch(request);
  }

  protected object(tenantId: string, rootId: string): O {
    return this.namespace.getByName(`${tenantId}/${rootId}`);
  }

  /** For what can be repeated: reads, answers (which are compared), and commands that carry their key or their id. */
  protected call<T>(tenantId: string, rootId: string, method: (object: O) => Promise<T>): Promise<T> {
    return callObject(() => method(this.object(tenantId, rootId)));
  }
}
