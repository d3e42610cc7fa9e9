/** What all roots share: asks to answer, events to follow, and waking up with the work that is left. */
import type { Answerer, Ask } from "../../src/asks/ask.js";
import { heardBy } from "../../src/catalogues/events.js";
import type { ParkedDelivery } from "../../src/conversation/parked-delivery.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import {
  type EventsQuery,
  isReader,
  type LoggedEventView,
  type LogQuery,
  type Reader,
  type RootObject,
} from "../../src/gateways/root-gateway.js";
import { toWire, type Wire } from "../../src/gateways/wire.js";
import type { DebateRecord } from "../../src/roundtable/debate-record.js";
import { answerResult } from "./asks.js";
import { eventStream, missedBy, type StreamOptions } from "./event-stream.js";
import type { LiveEvent } from "./events.js";
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
  /** The work that is done now, of a root that does one after another and whose callers know no ids of them. */
  runningWork?(): string;
  /** What a subscriber who comes late gets besides the log. */
  forLatecomers?(work: string | undefined): Pick<StreamOptions, "catchUp" | "unseen">;
}

/** The shell of a root: an object that does work of its own, raises asks and has events to follow. */
export abstract class Root<W extends RootEngine> extends StoredObject<W> implements RootObject {
  private readonly sockets: EventSockets;
  /** Its tables were seen: they go with `remove` alone. */
  private wasCreated = false;
  /** The streams that are open, with who reads them. They live no longer than this instance. */
  private readonly streams = new Map<() => void, Reader>();

  constructor(ctx: DurableObjectState, env: Env, schema: readonly SchemaStep[], engine: W) {
    super(ctx, env, schema, engine);
    const missed = () => missedBy(engine.forLatecomers?.(undefined) ?? {});
    this.sockets = new EventSockets(ctx, engine.kit.events, () => Date.now(), missed);
    // A new instance goes on at once with what the one before it left, whoever woke it.
    if (this.canGoOn()) engine.kit.resume();
  }

  /** Erases everything that the object holds; false when there is nothing. */
  async remove(): Promise<boolean> {
    if (!this.exists()) return false;
    await this.engine.stop();
    for (const close of [...this.streams.keys()]) close();
    await this.ctx.storage.deleteAll();
    this.engine.kit.emptied();
    this.wasCreated = false;
    return true;
  }

  protected override exists(): boolean {
    this.wasCreated ||= super.exists();
    return this.wasCreated;
  }

  async ask(askId: string): Promise<Wire<Result<Ask>>> {
    const ask = this.exists() ? this.engine.kit.asks.get(askId) : undefined;
    return toWire(ask === undefined ? noAsk : ok(ask));
  }

  async answerAsk(askId: string, response: Wire<unknown>, answerer: Answerer): Promise<Wire<Result<Ask>>> {
    if (!this.exists()) return toWire(noAsk);
    return toWire(answerResult(this.engine.kit.asks.answer(askId, JSON.parse(response.json), answerer)));
  }

  async cancelAsk(askId: string, answerer: Answerer): Promise<Wire<Result<Ask>>> {
    if (!this.exists()) return toWire(noAsk);
    return toWire(answerResult(this.engine.kit.asks.cancelBy(askId, answerer)));
  }

  /** A panel's debate in some work of this root. One whose work is over, and that came to no end, has stopped. */
  async readDebate(debateId: string): Promise<Wire<Result<DebateRecord>>> {
    const { kit } = this.engine;
    const found = this.exists() ? kit.debates.get(debateId) : undefined;
    if (found === undefined) return toWire(noDebate);
    const { work, record } = found;
    const goesOn = this.engine.active(work) || kit.asks.openOfWork(work).length > 0;
    if (record.status === "completed" || goesOn) return toWire(ok(record));
    const exit = record.exit ?? { reason: "stopped" as const, round: record.rounds.at(-1)?.round ?? 0 };
    return toWire(ok({ ...record, status: "completed" as const, exit }));
  }

  async isThere(): Promise<boolean> {
    return this.exists();
  }

  /** Server-sent events, those that are for the reader; nothing for a root that doesn't exist. */
  async streamEvents(query: EventsQuery): Promise<ReadableStream<Uint8Array> | null> {
    if (!this.exists()) return null;
    const { engine } = this;
    const { after, lingerMs, reader } = query;
    const work = query.work ?? (query.ofRunning === true ? engine.runningWork?.() : undefined);
    const active = (): boolean => engine.active(work);
    const onOpen = (close: () => void): (() => void) => {
      this.streams.set(close, reader);
      return () => this.streams.delete(close);
    };
    const life = { until: reader.until, now: () => Date.now(), onOpen };
    const heard = (event: LiveEvent): string | undefined => heardBy(reader.audience, event.type, () => event.data);
    const options = { after, lingerMs, work, active, heard, life };
    return eventStream(engine.kit.events, { ...options, ...engine.forLatecomers?.(work) });
  }

  /** Events of the log, oldest first; none of a root that doesn't exist. */
  async events({ after, since = 0, limit }: LogQuery): Promise<Wire<LoggedEventView[]>> {
    if (!this.exists()) return toWire([]);
    const log = this.engine.kit.events;
    const events = log.read(after ?? log.lastBefore(since), limit);
    return toWire(events.map(({ seq, type, at, data }) => ({ seq, type, at, data: JSON.parse(data) })));
  }

  /** Closes the sockets and streams of a key, or of a subject's tokens. */
  async disconnect(who: string): Promise<void> {
    this.sockets.disconnect(who);
    for (const [close, reader] of [...this.streams]) if (isReader(reader, who)) close();
  }

  async parked(): Promise<Wire<readonly ParkedDelivery[] | null>> {
    return toWire(this.exists() ? this.engine.kit.outbox.parked() : null);
  }

  async retryParked(): Promise<number | null> {
    if (!this.exists()) return null;
    const retried = this.engine.kit.outbox.retryParked();
    if (retried > 0) this.engine.kit.deliverSoon();
    return retried;
  }

  /** A WebSocket that gets the same events, and sleeps with the object. */
  override async fetch(request: Request): Promise<Response> {
    return this.exists() ? this.sockets.accept(request) : new Response(null, { status: 404 });
  }
}

const noAsk = refuse("not_found", "There is no such ask.");
const noDebate = refuse("not_found", "There is no such roundtable.");
