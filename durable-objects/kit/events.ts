/**
 * The event log of an object: everything that happened in it, numbered. Streams, sockets and history are views of it. The last number
 * is kept in memory: nobody else writes events.
 */
import { z } from "zod";
import type { EventData, LiveEventType, LoggedEventType, StoredEventData } from "../../src/catalogues/events.js";

export interface LoggedEvent {
  readonly seq: number;
  readonly work: string | undefined;
  /** One of the catalogue; or one that a version before this had. */
  readonly type: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** JSON text. */
  readonly data: string;
}

/** A transient event has no number of its own and isn't stored: pieces of a reply, which its end repeats as a whole. */
export type LiveEvent = LoggedEvent | (Omit<LoggedEvent, "seq"> & { readonly seq?: undefined });

/** An event as a trace shows it. */
export interface ReadEvent {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly data: unknown;
}

const pageSize = 500;

/** All events of one work, in order. */
export function eventsOf(events: Pick<EventLog, "read">, work: string): ReadEvent[] {
  const all: ReadEvent[] = [];
  for (
    let page = events.read(0, pageSize, work);
    page.length > 0;
    page = events.read(all.at(-1)?.seq ?? 0, pageSize, work)
  ) {
    for (const { seq, at, type, data } of page) all.push({ seq, at, type, data: JSON.parse(data) });
  }
  return all;
}

/** An event on its way into the log. */
interface NewEvent {
  readonly work: string | undefined;
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** JSON text. */
  readonly data: string;
}

/** Type, time and data of an event in the row of a later one. A contract with what is stored. */
const beforeSchema = z.array(z.tuple([z.string(), z.number(), z.unknown()]));

interface EventRow extends Record<string, SqlStorageValue> {
  seq: number;
  work: string | null;
  type: string;
  at: number;
  data: string;
  before: string | null;
}

/** A row holds an event and those that were stored with it, whose numbers are just below its own. */
function eventsOfRow({ seq, work, type, at, data, before }: EventRow): (NewEvent & { readonly seq: number })[] {
  const own = { seq, work: work ?? undefined, type, at, data };
  if (before === null) return [own];
  const earlier = beforeSchema.parse(JSON.parse(before));
  return [
    ...earlier.map(([ofType, ofAt, ofData], index) => ({
      ...own,
      seq: seq - earlier.length + index,
      type: ofType,
      at: ofAt,
      data: JSON.stringify(ofData),
    })),
    own,
  ];
}

/** Between which events, both included, those of a work lie; others may lie there, too. Without an end: up to the last. */
export interface EventSpan {
  readonly first: number;
  readonly last: number | undefined;
}

/** How an object of many works knows where the events of each lie: without it, they are looked for among all. */
export interface EventSpans {
  /** Nothing of a work whose events may lie anywhere. */
  readonly of: (work: string) => EventSpan | undefined;
  /** An event of a work was stored, in the write that is under way. */
  readonly extend: (work: string, seq: number) => void;
}

export type Subscriber = (event: LiveEvent) => void;

export class EventLog {
  /** Each with whether anybody listens through it now. */
  private readonly subscribers = new Map<Subscriber, () => boolean>();
  /** Events of the write that is under way, while they are gathered. */
  private together: (NewEvent & { readonly seq: number })[] | undefined;
  /** The number of the last that is stored; read when it is asked for. */
  private last: number | undefined;

  /**
   * @param present what is shown for stored data. The log stores ids and no texts, so that what is erased elsewhere isn't left
   * here, and what is shown is what holds now.
   */
  constructor(
    private readonly sql: SqlStorage,
    private readonly now: () => number,
    private readonly present: (type: string, data: unknown) => unknown,
    /** Called before live events of a work: what happened before them is logged, and so heard first. */
    private readonly beforeLive: (work: string) => void = () => {},
    private readonly spans?: EventSpans,
  ) {}

  /** In the write that makes it true. `data` is what the catalogue says is stored of the type. Returns its number. */
  append<Type extends LoggedEventType>(type: Type, work: string | undefined, data: StoredEventData<Type>): number {
    const event = { work, type, at: this.now(), data: JSON.stringify(data) };
    if (this.together === undefined) return this.insert([event]);
    const first = this.together[0]?.seq ?? this.lastSeq() + 1;
    const seq = first + this.together.length;
    this.together.push({ ...event, seq });
    return seq;
  }

  /** From here on events wait for `flush`: those of one work that follow one another become one row. Within one write. */
  gather(): void {
    this.together = [];
  }

  /** Stores what waits, in the write that is under way. */
  flush(): void {
    const waiting = this.together ?? [];
    this.together = undefined;
    for (let from = 0; from < waiting.length; ) {
      const work = waiting[from]?.work;
      const other = waiting.findIndex((event, at) => at > from && event.work !== work);
      const to = other < 0 ? waiting.length : other;
      this.insert(waiting.slice(from, to));
      from = to;
    }
  }

  /** The write that was under way was rolled back. Who listened may have heard its events: their numbers are given to no others. */
  onRollback(): void {
    this.together = undefined;
  }

  /** Everything was erased: the next event is the first. */
  onErased(): void {
    this.onRollback();
    this.last = undefined;
  }

  /** One row, with the number of its last event, which is what comes back. */
  private insert(events: readonly NewEvent[]): number {
    const last = events.at(-1);
    if (last === undefined) throw new RangeError("no event to store");
    // Their data is JSON already.
    const before = events.slice(0, -1).map(({ type, at, data }) => `[${JSON.stringify(type)},${at},${data}]`);
    const seq = this.lastSeq() + events.length;
    this.sql.exec(
      "INSERT INTO events (seq, work, type, at, data, before) VALUES (?, ?, ?, ?, ?, ?)",
      seq,
      last.work ?? null,
      last.type,
      last.at,
      last.data,
      before.length === 0 ? null : `[${before.join(",")}]`,
    );
    this.last = seq;
    if (last.work !== undefined) this.spans?.extend(last.work, seq);
    if (this.isHeard()) {
      for (const [index, { work, type, at, data }] of events.entries())
        this.emit({
          seq: seq - events.length + 1 + index,
          work,
          type,
          at: new Date(at).toISOString(),
          data: this.shown(type, data),
        });
    }
    return seq;
  }

  lastNumber(): number {
    return this.lastSeq();
  }

  /** In a write that appends: its number and all after it are higher than this one. */
  goOnBehind(number: number): void {
    this.last = Math.max(this.lastSeq(), number);
  }

  private lastSeq(): number {
    this.last ??= this.sql.exec<{ seq: number }>("SELECT COALESCE(MAX(seq), 0) AS seq FROM events").one().seq;
    return this.last;
  }

  /** Emits to those who listen now, and stores nothing. */
  announce<Type extends LiveEventType>(type: Type, work: string | undefined, data: EventData<Type>): void {
    if (!this.isHeard()) return;
    if (work !== undefined) this.beforeLive(work);
    this.emit(this.live(type, work, data));
  }

  /** A live event for one listener alone. */
  live<Type extends LiveEventType>(type: Type, work: string | undefined, data: EventData<Type>): LiveEvent {
    return { work, type, at: new Date(this.now()).toISOString(), data: JSON.stringify(data) };
  }

  read(after: number, limit: number, work?: string): LoggedEvent[] {
    const columns = "SELECT seq, work, type, at, data, before FROM events";
    const rows =
      work === undefined
        ? this.sql.exec<EventRow>(`${columns} WHERE seq > ? ORDER BY seq LIMIT ?`, after, limit).toArray()
        : this.rowsOf(work, after, limit);
    return rows
      .flatMap(eventsOfRow)
      .filter(({ seq }) => seq > after)
      .slice(0, limit)
      .map(({ at, data, ...event }) => {
        const shown = (): string => this.shown(event.type, data);
        return {
          ...event,
          at: new Date(at).toISOString(),
          // Made when it is asked for: much of what a reader passes isn't for them.
          get data() {
            return shown();
          },
        };
      });
  }

  /** The number of the last event before a time, in milliseconds since the epoch; 0 when there is none. */
  lastBefore(at: number): number {
    const columns = "SELECT seq, work, type, at, data, before FROM events";
    // The last one before it, or one that was stored along with the first one after it.
    const before = this.sql.exec<EventRow>(`${columns} WHERE at < ? ORDER BY seq DESC LIMIT 1`, at).toArray();
    const next = this.sql
      .exec<EventRow>(`${columns} WHERE seq > ? ORDER BY seq LIMIT 1`, before[0]?.seq ?? 0)
      .toArray();
    const found = [...before, ...next].flatMap(eventsOfRow).findLast((event) => event.at < at);
    return found?.seq ?? 0;
  }

  /** Events of these types of one work, in order, as they are stored. */
  stored(work: string, ...types: LoggedEventType[]): { readonly type: string; readonly data: string }[] {
    const wanted: readonly string[] = types;
    return this.rowsOf(work, 0, Number.MAX_SAFE_INTEGER)
      .flatMap(eventsOfRow)
      .filter(({ type }) => wanted.includes(type));
  }

  /** Rows of a work behind an event, in order: of the span that is known of it, and not among all there ever were. */
  private rowsOf(work: string, after: number, limit: number): EventRow[] {
    const { first, last } = this.spans?.of(work) ?? { first: 0, last: undefined };
    const query = `SELECT seq, work, type, at, data, before FROM events
      WHERE seq > ? AND seq <= ? AND work = ? ORDER BY seq LIMIT ?`;
    const span = [Math.max(after, first - 1), last ?? Number.MAX_SAFE_INTEGER];
    return this.sql.exec<EventRow>(query, ...span, work, limit).toArray();
  }

  private shown(type: string, data: string): string {
    return JSON.stringify(this.present(type, JSON.parse(data)));
  }

  /** Whether anybody listens now: what is only shown needn't be made otherwise. */
  isHeard(): boolean {
    for (const listens of this.subscribers.values()) if (listens()) return true;
    return false;
  }

  /** @param listens whether anybody hears what the subscriber is told; by default always */
  subscribe(subscriber: Subscriber, listens: () => boolean = () => true): () => void {
    this.subscribers.set(subscriber, listens);
    return () => this.subscribers.delete(subscriber);
  }

  private emit(event: LiveEvent): void {
    for (const subscriber of this.subscribers.keys()) subscriber(event);
  }
}
