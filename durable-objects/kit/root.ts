/** What all roots share: asks to answer, events to follow, and waking up with the work that is left. */
import type { Answerer, Ask } from "../../src/asks/ask.js";
import type { Claimant, Holding } from "../../src/asks/claim.js";
import { dataVisibleTo } from "../../src/catalogues/events.js";
import { defined } from "../../src/conversation/defined.js";
import type { ParkedDelivery } from "../../src/conversation/delivery.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import {
  type EventsQuery,
  isReader,
  type LoggedEventView,
  type LogQuery,
  type Numbers,
  type Reader,
  type RootObject,
} from "../../src/gateways/root-gateway.js";
import { toWire, type Wire } from "../../src/gateways/wire.js";
import type { DebateRecord } from "../../src/roundtable/debate-record.js";
import { placeRenewalMs } from "../../src/tenancy/limits/grants.js";
import { answerResult } from "./asks.js";
import { eventStream, missedBy, type StreamOptions } from "./event-stream.js";
import type { LiveEvent } from "./events.js";
import type { Kit } from "./kit.js";
import type { SchemaStep } from "./schema.js";
import { EventSockets, readerDeadline } from "./sockets.js";
import { StoredObject } from "./stored-object.js";

/** What a root does, as far as its shell has to know. */
export interface RootEngine {
  readonly kit: Kit;
  /** Whether it (or one work of it) goes on without anybody doing anything. */
  active(work?: string): boolean;
  /** Sends its copy for the list anew. In the write that is under way. */
  renewCopy(): void;
  /** Whether more is to come of it (or of one work of it), be it that somebody answers. */
  unfinished(work?: string): boolean;
  /** The works that have to end before this one, for who follows it to its end, and behind which event they are followed. */
  before?(work: string): { readonly after: number; readonly also: (work: string) => boolean } | undefined;
  /** Ends what runs and waits: its object is to be erased. */
  stop?(): void;
  /** The work that is done now, of a root that does one after another and whose callers know no ids of them. */
  runningWork?(): string;
  /** What a subscriber who comes late gets besides the log. */
  replaySoFar?(work: string | undefined, also?: (work: string) => boolean): Pick<StreamOptions, "catchUp" | "unseen">;
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
    const missed = () => missedBy(engine.replaySoFar?.(undefined) ?? {});
    const { events, deadlines } = engine.kit;
    const wakeAt = (at: number): void => deadlines.within(readerDeadline, at, Date.now());
    this.sockets = new EventSockets(ctx, events, () => Date.now(), missed, wakeAt);
    engine.kit.whenPassed(readerDeadline, () => this.sockets.closeExpired());
    engine.kit.whenPassed(placesDeadline, () => this.renewPlaces());
    // A new instance goes on at once with what the one before it left, whatever woke it.
    if (this.canGoOn()) engine.kit.resume();
  }

  /** Erases everything that the object holds; false when there is nothing. */
  async remove(): Promise<boolean> {
    if (!this.exists()) return false;
    const { engine } = this;
    engine.stop?.();
    // Their places go back with what else is sent off before everything is erased.
    engine.kit.write(() => {
      for (const place of this.sockets.places()) engine.kit.budgets.giveBack(place);
    });
    await engine.kit.stop();
    for (const close of [...this.streams.keys()]) close();
    this.sockets.closeAll();
    await engine.kit.empty();
    this.wasCreated = false;
    return true;
  }

  async quiesce(): Promise<void> {
    if (!this.exists()) return;
    this.engine.stop?.();
    await this.engine.kit.stop();
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
    return toWire(answerResult(askId, this.engine.kit.asks.answer(askId, JSON.parse(response.json), answerer)));
  }

  async cancelAsk(askId: string, answerer: Answerer): Promise<Wire<Result<Ask>>> {
    if (!this.exists()) return toWire(noAsk);
    return toWire(answerResult(askId, this.engine.kit.asks.cancelBy(askId, answerer)));
  }

  async holdAsk(askId: string, claimant: Claimant, holding: Holding): Promise<Wire<Result<Ask>>> {
    if (!this.exists()) return toWire(noAsk);
    return toWire(answerResult(askId, this.engine.kit.asks.hold(askId, claimant, holding)));
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

  /** Waits until it, or one work of it, has ended or waits for an ask (with `follow` until it has ended), at most `waitMs`. @returns whether it is there */
  protected async settled(waitMs: number, work?: string, follow = false): Promise<boolean> {
    if (!this.exists()) return false;
    await this.engine.kit.waiters.until(() => !this.goesOn(follow, work), waitMs);
    return this.exists();
  }

  async isThere(): Promise<boolean> {
    return this.exists();
  }

  /** Server-sent events, those that are for the reader; nothing for a root that doesn't exist. */
  async streamEvents(query: EventsQuery): Promise<ReadableStream<Uint8Array> | null> {
    if (!this.exists()) return null;
    const { engine } = this;
    const { lingerMs, reader, follow = false } = query;
    const work = query.work ?? (query.ofRunning === true ? engine.runningWork?.() : undefined);
    const active = (): boolean => this.goesOn(follow, work);
    const before = follow && work !== undefined ? engine.before?.(work) : undefined;
    const after = Math.max(query.after, before?.after ?? 0);
    const also = before?.also;
    const onOpen = (close: () => void): (() => void) => {
      this.streams.set(close, reader);
      return () => this.streams.delete(close);
    };
    const life = { until: reader.until, now: () => Date.now(), onOpen };
    const visible = (event: LiveEvent): string | undefined =>
      dataVisibleTo(reader.audience, event.type, () => event.data);
    const options = { after, lingerMs, work, also, active, visible, life };
    return eventStream(engine.kit.events, { ...options, ...engine.replaySoFar?.(work, also) });
  }

  /** @param follow also while somebody has to answer first */
  private goesOn(follow: boolean, work: string | undefined): boolean {
    return follow ? this.engine.unfinished(work) : this.engine.active(work);
  }

  /** Events of the log, oldest first; none of a root that doesn't exist. */
  async events({ after, since = 0, limit }: LogQuery): Promise<Wire<LoggedEventView[]>> {
    if (!this.exists()) return toWire([]);
    const log = this.engine.kit.events;
    const events = log.read(after ?? log.lastBefore(since), limit);
    return toWire(events.map(({ seq, type, at, data }) => ({ seq, type, at, data: JSON.parse(data) })));
  }

  override webSocketClose(socket: WebSocket): void {
    const place = this.sockets.placeOf(socket);
    if (place === undefined || !this.canGoOn()) return;
    const { kit } = this.engine;
    kit.write(() => kit.budgets.giveBack(place));
    kit.deliverSoon();
  }

  /** Says of open sockets that they are still there; who dies says nothing more, and their places are free after a while. */
  private renewPlaces(): void {
    const { kit } = this.engine;
    const places = this.sockets.places();
    if (places.length === 0) return;
    kit.write(() => {
      for (const place of places) kit.budgets.renewPlace(place);
      this.keepPlaces();
    });
    kit.deliverSoon();
  }

  private keepPlaces(): void {
    this.engine.kit.deadlines.within(placesDeadline, Date.now() + placeRenewalMs, Date.now());
  }

  override webSocketError(socket: WebSocket): void {
    this.webSocketClose(socket);
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

  async numbers(): Promise<Numbers> {
    if (!this.exists()) return { outbox: 0, events: 0 };
    const { outbox, events } = this.engine.kit;
    return { outbox: outbox.lastNumber(), events: events.lastNumber() };
  }

  async restored(numbers: Numbers, at: string): Promise<boolean> {
    if (!this.exists()) return false;
    const { engine } = this;
    const { kit } = engine;
    // Done before: the event of it has a higher number.
    if (kit.events.lastNumber() > numbers.events) return true;
    kit.write(() => {
      kit.outbox.goOnBehind(numbers.outbox);
      kit.events.goOnBehind(numbers.events);
      kit.events.append("history.restored", undefined, defined({ at: at || undefined }));
      for (const ask of kit.asks.all()) kit.outbox.put("ask", ask.askId, ask);
      engine.renewCopy();
    });
    kit.deliverSoon();
    return true;
  }

  /** A WebSocket that gets the same events, and sleeps with the object. */
  override async fetch(request: Request): Promise<Response> {
    if (!this.exists()) return new Response(null, { status: 404 });
    const answer = this.sockets.accept(request);
    if (this.sockets.places().length > 0) this.keepPlaces();
    return answer;
  }
}

/** When the tenant's budget hears again of the places that open sockets take. */
const placesDeadline = "places";

const noAsk = refuse("not_found", "There is no such ask.");
const noDebate = refuse("not_found", "There is no such roundtable.");
