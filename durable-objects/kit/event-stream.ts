/** The event log as server-sent events. */
import type { EventLog, LiveEvent, LoggedEvent } from "./events.js";

export interface StreamOptions {
  /** Events with a higher number only. */
  readonly after: number;
  /** Only those of this work. */
  readonly work?: string | undefined;
  /** Milliseconds that the stream stays open while nothing goes on; a stream keeps its object awake. */
  readonly lingerMs: number;
  /** What a late subscriber has missed of transient events. */
  readonly catchUp?: LiveEvent | undefined;
  /** For a subscriber to whom an event brings the end of a reply whose deltas it never saw: what it would have seen. */
  readonly unseen?: ((event: LiveEvent) => LiveEvent | undefined) | undefined;
  /** Whether more is to be expected now, without anybody doing anything. */
  readonly active: () => boolean;
}

const pageSize = 200;
const heartbeatMs = 15_000;

/**
 * Everything after a number, and then what happens while it happens. Ends when no work goes on any more (all is done, or waits
 * for an answer) and the linger is over; a client resumes with the last id it saw.
 */
export function eventStream(log: EventLog, options: StreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      let last = options.after;
      let sawDeltas = false;
      const timers: { heartbeat?: ReturnType<typeof setInterval>; linger?: ReturnType<typeof setTimeout> } = {};
      const end = (): void => {
        stop();
        controller.close();
      };
      const endWhenIdle = (): void => {
        clearTimeout(timers.linger);
        if (options.active()) return;
        timers.linger = setTimeout(() => (options.active() ? undefined : end()), options.lingerMs);
      };
      const send = (event: LiveEvent): void => {
        if (options.work !== undefined && event.work !== options.work) return;
        if (event.seq !== undefined) {
          if (event.seq <= last) return;
          last = event.seq;
          const unseen = sawDeltas ? undefined : options.unseen?.(event);
          if (unseen !== undefined) controller.enqueue(encoder.encode(render(unseen)));
        }
        sawDeltas ||= event.seq === undefined;
        controller.enqueue(encoder.encode(render(event)));
      };
      const unsubscribe = log.subscribe((event) => {
        send(event);
        // The write that ends the work changes the state after it appends the event: look when it is complete.
        queueMicrotask(endWhenIdle);
      });
      stop = () => {
        unsubscribe();
        clearInterval(timers.heartbeat);
        clearTimeout(timers.linger);
        stop = () => {};
      };

      controller.enqueue(encoder.encode("retry: 2000\n\n"));
      for (
        let page = log.read(last, pageSize, options.work);
        page.length > 0;
        page = log.read(last, pageSize, options.work)
      ) {
        for (const event of page) send(event);
      }
      if (options.catchUp !== undefined) send(options.catchUp);
      timers.heartbeat = setInterval(() => controller.enqueue(encoder.encode(": still here\n\n")), heartbeatMs);
      endWhenIdle();
    },
    cancel() {
      stop();
    },
  });
}

function render(event: LiveEvent | LoggedEvent): string {
  const id = event.seq === undefined ? "" : `id: ${event.seq}\n`;
  return `${id}event: ${event.type}\ndata: ${event.data}\n\n`;
}
