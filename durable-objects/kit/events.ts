/** The event log of an object: everything that happened in it, numbered. Streams, sockets and history are views of it. */
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

export type Subscriber = (event: LiveEvent) => void;

export class EventLog {
  /** Each with whether anybody listens through it now. */
  private readonly subscribers = new Map<Subscriber, () => boolean>();

  /**
   * @param present what is shown for stored data. The log stores ids and no texts, so that what is erased elsewhere isn't left
   * here, and what is shown is what holds now.
   */
  constructor(
    private readonly sql: SqlStorage,
    private readonly now: () => number,
    private readonly present: (type: string, data: unknown) => unknown,
  ) {}

  /** In the write that makes it true. `data` is what the catalogue says is stored of the type. Gives its number. */
  append<Type extends LoggedEventType>(type: Type, work: string | undefined, data: StoredEventData<Type>): number {
    const at = this.now();
    const text = JSON.stringify(data);
    const { seq } = this.sql
      .exec<{ seq: number }>(
        "INSERT INTO events (work, type, at, data) VALUES (?, ?, ?, ?) RETURNING seq",
        work ?? null,
        type,
        at,
        text,
      )
      .one();
    if (this.isHeard()) this.emit({ seq, work, type, at: new Date(at).toISOString(), data: this.shown(type, text) });
    return seq;
  }

  /** Emits to those who listen now, and stores nothing. */
  announce<Type extends LiveEventType>(type: Type, work: string | undefined, data: EventData<Type>): void {
    if (this.isHeard()) this.emit(this.live(type, work, data));
  }

  /** A live event for one listener alone. */
  live<Type extends LiveEventType>(type: Type, work: string | undefined, data: EventData<Type>): LiveEvent {
    return { work, type, at: new Date(this.now()).toISOString(), data: JSON.stringify(data) };
  }

  read(after: number, limit: number, work?: string): LoggedEvent[] {
    type Row = { seq: number; work: string | null; type: string; at: number; data: string };
    const columns = "SELECT seq, work, type, at, data FROM events";
    // Two queries, so that the events of one piece of work are found by an index and not among all there ever were.
    const rows =
      work === undefined
        ? this.sql.exec<Row>(`${columns} WHERE seq > ? ORDER BY seq LIMIT ?`, after, limit)
        : this.sql.exec<Row>(`${columns} WHERE work = ? AND seq > ? ORDER BY seq LIMIT ?`, work, after, limit);
    return rows.toArray().map((row) => ({
      ...row,
      work: row.work ?? undefined,
      at: new Date(row.at).toISOString(),
      data: this.shown(row.type, row.data),
    }));
  }

  /** The number of the last event before a time, in milliseconds since the epoch; 0 when there is none. */
  lastBefore(at: number): number {
    const [row] = this.sql
      .exec<{ seq: number }>("SELECT seq FROM events WHERE at < ? ORDER BY seq DESC LIMIT 1", at)
      .toArray();
    return row?.seq ?? 0;
  }

  /** Events of these types of one work, in order, as they are stored. */
  stored(work: string, ...types: LoggedEventType[]): { readonly type: string; readonly data: string }[] {
    const any = types.map(() => "?").join(", ");
    return this.sql
      .exec<{ type: string; data: string }>(
        `SELECT type, data FROM events WHERE work = ? AND type IN (${any}) ORDER BY seq`,
        work,
        ...types,
      )
      .toArray();
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
