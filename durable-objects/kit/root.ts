/** What all roots share: asks to answer, events to follow, and waking up with the work that is left. */
import type { Ask, Role } from "../../src/asks/ask.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { EventsQuery, RootObject } from "../../src/gateways/root-gateway.js";
import { toWire, type Wire } from "../../src/gateways/wire.js";
import { answerResult } from "./asks.js";
import { eventStream, type StreamOptions } from "./event-stream.js";
import type { Kit } from "./kit.js";
import type { SchemaStep } from "./schema.js";
import { EventSockets } from "./sockets.js";
import { StoredObject } from "./stored-object.js";

/** What a root does, as far as its shell has to know. */
export interface RootEngine {
  readonly kit: Kit;
  /** Whether it (or one work of it) goes on without anybody doing anything. */
  active(work?: string): boolean;
  /** Ends what runs and waits, so that nothing is written after an erasure. */
  stop(): Promise<void>;
  /** What a subscriber who comes late gets besides the log. */
  forLatecomers?(work: string | undefined): Pick<StreamOptions, "catchUp" | "unseen">;
}

/** The shell of a root: an object that does work of its own, raises asks and has events to follow. */
export abstract class Root<W extends RootEngine> extends StoredObject<W> implements RootObject {
  private readonly sockets: EventSockets;

  constructor(ctx: DurableObjectState, env: Env, schema: readonly SchemaStep[], engine: W) {
    super(ctx, env, schema, engine);
    this.sockets = new EventSockets(ctx, engine.kit.events);
    // A new instance goes on at once with what the one before it left, whoever woke it.
    if (this.exists() && engine.active()) engine.kit.kick();
  }

  /** Erases everything that the object holds; false when there is nothing. */
  async remove(): Promise<boolean> {
    if (!this.exists()) return false;
    await this.engine.stop();
    await this.ctx.storage.deleteAll();
    return true;
  }

  async ask(askId: string): Promise<Wire<Result<Ask>>> {
    const ask = this.exists() ? this.engine.kit.asks.get(askId) : undefined;
    return toWire(ask === undefined ? noAsk : ok(ask));
  }

  async answerAsk(askId: string, response: Wire<unknown>, by: Role): Promise<Wire<Result<Ask>>> {
    if (!this.exists()) return toWire(noAsk);
    return toWire(answerResult(this.engine.kit.asks.answer(askId, JSON.parse(response.json), by)));
  }

  async cancelAsk(askId: string): Promise<Wire<Result<Ask>>> {
    const ask = this.exists() ? this.engine.kit.asks.cancel(askId) : undefined;
    return toWire(ask === undefined ? noAsk : ok(ask));
  }

  /** Server-sent events; nothing for a root that doesn't exist. */
  async streamEvents({ work, after, lingerMs }: EventsQuery): Promise<ReadableStream<Uint8Array> | null> {
    if (!this.exists()) return null;
    const { engine } = this;
    const active = (): boolean => engine.active(work);
    return eventStream(engine.kit.events, { after, lingerMs, work, active, ...engine.forLatecomers?.(work) });
  }

  /** A WebSocket that gets the same events, and sleeps with the object. */
  override async fetch(request: Request): Promise<Response> {
    return this.exists() ? this.sockets.accept(request) : new Response(null, { status: 404 });
  }
}

const noAsk = refuse("not_found", "There is no such ask.");
