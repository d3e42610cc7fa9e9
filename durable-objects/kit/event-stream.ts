/** The event log as server-sent events. */
import { caughtUp } from "../../src/conversation/event.js";
import type { EventLog, LiveEvent, LoggedEvent } from "./events.js";

export interface StreamOptions {
  /** Events with a higher number only. */
  readonly after: number;
  /** Only those of this work. */
  readonly work?: string | undefined;
  /** And of these, which have to end before it. */
  readonly also?: ((work: string) => boolean) | undefined;
  /** Milliseconds that the stream stays open while nothing goes on; a stream keeps its object awake. */
  readonly lingerMs: number;
  /** What a late subscriber has missed of transient events; a function is asked when the past has been read. */
  readonly catchUp?: LiveEvent | (() => LiveEvent | undefined) | undefined;
  /** For a subscriber to whom an event brings the end of a reply whose deltas it never saw: what it would have seen. */
  readonly unseen?: ((event: LiveEvent) => LiveEvent | undefined) | undefined;
  /** What its reader hears of an event, as JSON text; nothing where it isn't for them. */
  readonly visible: (event: LiveEvent) => string | undefined;
  /** How long its reader may read; without it as long as there is something to read. */
  readonly life?: StreamLife | undefined;
  /** Whether more is to be expected now, without anybody doing anything. */
  readonly active: () => boolean;
}

export interface StreamLife {
  readonly now: () => number;
  /** When the stream ends whatever goes on: its reader's token expires. Milliseconds since the epoch. */
  readonly until: number;
  /** Registers a way to end the stream when the reader is revoked; what it returns is called when the stream has ended. */
  readonly onOpen: (close: () => void) => () => void;
}

const pageSize = 200;
const heartbeatMs = 15_000;
/** How much waits for a reader who reads more slowly than things happen, in bytes. Beyond it the stream ends, and the reader resumes. */
export const maxUnreadBytes = 1_000_000;

/**
 * Everything after a number, and then what happens while it happens. Ends when no work goes on any more (all is done, or waits
 * for an answer) and the linger is over; a client resumes with the last id it saw.
 *
 * The past is read from the log only as fast as its reader takes it. What happens while it reads on isn't kept for it either: it
 * stands in the log. Only what is live is buffered, and only so much of it.
 */
export function eventStream(log: EventLog, options: StreamOptions): ReadableStream<Uint8Array> {
  const stream = new EventStream(log, options);
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => stream.start(controller),
      pull: () => stream.pull(),
      cancel: () => stream.stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  );
}

/** How much of the past is written ahead of the reader, in bytes. */
const aheadBytes = 64_000;
/** How many turns of the microtask queue what is written in one synchronous section may take to go out together. */
const sectionTurns = 20;

class EventStream {
  private readonly encoder = new TextEncoder();
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private last: number;
  /** Read from the log, and not yet sent. */
  private page: LoggedEvent[] = [];
  /** What goes on reading the past, behind whoever else wants something of the object. */
  private readingOn: Promise<void> | undefined;
  /** Written, and not yet on its way. */
  private unsent = "";
  /** Whose reply was seen in pieces, the last one. */
  private deltasOf: string | undefined;
  private isLive = false;
  private ended = false;
  private heartbeat: ReturnType<typeof setInterval> | undefined;
  private linger: ReturnType<typeof setTimeout> | undefined;
  private leave: readonly (() => void)[] = [];

  constructor(
    private readonly log: EventLog,
    private readonly options: StreamOptions,
  ) {
    this.last = options.after;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller;
    const { life } = this.options;
    const unsubscribe = this.log.subscribe((event) => this.happened(event));
    const closed = life?.onOpen(() => this.end());
    this.leave = [unsubscribe, ...(closed === undefined ? [] : [closed])];
    this.heartbeat = setInterval(() => (this.isOver() ? this.end() : this.write(": still here\n\n")), heartbeatMs);
    this.write("retry: 2000\n\n");
    this.pull();
  }

  /** Reads on in the log while its reader is close behind; at its end the stream is live. */
  pull(): Promise<void> | undefined {
    if (this.readingOn === undefined && !this.readPage()) {
      this.readingOn = this.readOn().finally(() => {
        this.readingOn = undefined;
      });
    }
    return this.readingOn;
  }

  /** Much of a long past may be for others: without a pause nobody would be heard until it is read. */
  private async readOn(): Promise<void> {
    do await new Promise<void>((resolve) => setTimeout(resolve, 0));
    while (!this.readPage());
  }

  /** At most a page of the past in one synchronous section. @returns whether that is enough for now */
  private readPage(): boolean {
    for (let left = pageSize; !this.isLive && !this.ended && this.unread() < aheadBytes; left -= 1) {
      if (left <= 0) return false;
      if (this.page.length === 0) this.page = this.log.read(this.last, pageSize, this.indexed());
      const event = this.page.shift();
      if (event === undefined) this.goLive();
      else this.send(event);
    }
    return true;
  }

  stop(): void {
    this.ended = true;
    for (const leave of this.leave) leave();
    this.leave = [];
    clearInterval(this.heartbeat);
    clearTimeout(this.linger);
  }

  /** The work whose events an index finds. */
  private indexed(): string | undefined {
    return this.options.also === undefined ? this.options.work : undefined;
  }

  private isFollowed(work: string | undefined): boolean {
    const { work: followed, also } = this.options;
    return followed === undefined || work === followed || (work !== undefined && also?.(work) === true);
  }

  private goLive(): void {
    // First: asking may tell everybody who is live what was kept back, and that is part of the answer.
    const missed = missedBy(this.options);
    this.isLive = true;
    if (missed !== undefined) this.send(missed);
    this.write(`: ${caughtUp}\n\n`);
    this.endWhenIdle();
  }

  private happened(event: LiveEvent): void {
    // Until then it is read from the log; what isn't stored is made up for by what catches up.
    if (this.isLive) this.send(event);
    // The write that ends the work changes the state after it appends the event: look when it is complete.
    queueMicrotask(() => this.endWhenIdle());
  }

  private endWhenIdle(): void {
    clearTimeout(this.linger);
    const { active, lingerMs } = this.options;
    if (this.ended || !this.isLive || active()) return;
    this.linger = setTimeout(() => (active() ? undefined : this.end()), lingerMs);
  }

  private send(event: LiveEvent): void {
    const { unseen, visible } = this.options;
    if (this.ended || !this.isFollowed(event.work)) return;
    if (this.isOver()) {
      this.end();
      return;
    }
    if (event.seq !== undefined) {
      if (event.seq <= this.last) return;
      this.last = event.seq;
    }
    const data = visible(event);
    if (data === undefined) return;
    if (event.seq !== undefined) {
      const missed = event.work !== undefined && this.deltasOf === event.work ? undefined : unseen?.(event);
      if (missed !== undefined) this.write(render(missed));
    }
    if (event.seq === undefined) this.deltasOf = event.work;
    this.write(render({ type: event.type, seq: event.seq, data }));
  }

  /** What is written in one synchronous section goes out in one piece. */
  private write(text: string): void {
    if (this.ended) return;
    const isFirst = this.unsent === "";
    this.unsent += text;
    if (isFirst) void this.sendSoon();
    if (this.unsent.length >= aheadBytes) this.flush();
  }

  private async sendSoon(): Promise<void> {
    for (let turn = 0; turn < sectionTurns && this.unsent !== ""; turn++) await undefined;
    this.flush();
  }

  private flush(): void {
    const { unsent } = this;
    this.unsent = "";
    if (unsent === "" || this.ended) return;
    const bytes = this.encoder.encode(unsent);
    // One event may be larger than the buffer; a reader who has read everything gets it.
    if (this.unread() > 0 && this.unread() + bytes.byteLength > maxUnreadBytes) this.end();
    else this.controller?.enqueue(bytes);
  }

  private unread(): number {
    return maxUnreadBytes - (this.controller?.desiredSize ?? maxUnreadBytes) + this.unsent.length;
  }

  private end(): void {
    if (this.ended) return;
    this.flush();
    if (this.ended) return;
    this.stop();
    this.controller?.close();
  }

  private isOver(): boolean {
    const { life } = this.options;
    return life !== undefined && life.now() >= life.until;
  }
}

/** The live event that makes up for those that a late subscriber has missed. */
export function missedBy({ catchUp }: Pick<StreamOptions, "catchUp">): LiveEvent | undefined {
  return typeof catchUp === "function" ? catchUp() : catchUp;
}

function render(event: Pick<LiveEvent, "type" | "seq" | "data">): string {
  const id = event.seq === undefined ? "" : `id: ${event.seq}\n`;
  return `${id}event: ${event.type}\ndata: ${event.data}\n\n`;
}
