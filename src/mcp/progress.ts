/**
 * What the host of a long call hears while it waits, where it gave a progress token: which step the work is at. The work's own events
 * are followed for that, under the caller's authority, as long as the call waits and no longer.
 */
import { followEvents, type RootRef } from "../application/events/follow-events.js";
import { caughtUp } from "../conversation/event.js";
import { attempt } from "../conversation/problem.js";
import { readBlocks } from "../platform/event-stream.js";
import { describeError, log } from "../platform/logging.js";
import type { StreamBlock } from "../text/server-sent-events.js";
import type { Call } from "./call.js";
import { Paced } from "./paced.js";
import { stepOf } from "./steps.js";

/** What is waited for: one work of a root; without its id the one that goes on, of a run the whole. */
export interface AwaitedWork {
  readonly root: RootRef;
  readonly turnId?: string;
}

/** Work that is over sooner has no steps worth hearing of; milliseconds. */
const followAfterMs = 250;
/** A host hears of at most so many steps in so many milliseconds. */
const pace = { most: 10, perMs: 1_000 };
/** The longest token that is reported to, in characters: each message repeats it. Protocols leave it to us whether we report at all. */
const longestToken = 200;

/**
 * Begins to report; undefined for a host that didn't ask for it, or with too long a token.
 * @param until when the call waits no longer, in milliseconds since the epoch
 */
export function reportProgress(call: Call, work: AwaitedWork, until: number): ProgressReports | undefined {
  const progressToken = call.context.mcpReq._meta?.progressToken;
  if (progressToken === undefined || String(progressToken).length > longestToken) return undefined;
  return new ProgressReports(call, work, until, progressToken);
}

class ProgressReports {
  private sent: Promise<void> = Promise.resolve();
  private newest: string | undefined;
  private readonly paced: Paced;
  private readonly begin: ReturnType<typeof setTimeout>;
  /** Aborted when the call waits no longer. */
  private readonly over = new AbortController();

  constructor(
    private readonly call: Call,
    private readonly work: AwaitedWork,
    private readonly until: number,
    private readonly progressToken: string | number,
  ) {
    this.paced = new Paced(pace, call.services.now, (message) => this.send(message));
    this.begin = setTimeout(() => void this.follow().catch((error: unknown) => this.lost(error)), followAfterMs);
  }

  /** Nothing has ended: the host hears that it goes on, and at which step. */
  goesOn(status: string): void {
    this.paced.say(this.newest ?? (status === "queued" ? "It waits for its turn." : "It is being worked on."));
  }

  /** The call is about to be answered: nothing is sent after this. */
  async end(): Promise<void> {
    clearTimeout(this.begin);
    this.paced.stop();
    this.over.abort();
    await this.sent;
  }

  private async follow(): Promise<void> {
    const { actor, services } = this.call;
    const { root, turnId } = this.work;
    const query = {
      after: 0,
      lingerMs: 0,
      ...(turnId === undefined ? { ofRunning: true as const } : { work: turnId }),
    };
    const followed = await attempt(async () =>
      (await followEvents(actor, root, services)).streamUntil(this.until, query),
    );
    if (!followed.ok) return;
    if (this.over.signal.aborted) return followed.value.cancel();
    let isPast = true;
    try {
      for await (const block of readBlocks(followed.value, this.over.signal)) {
        const step = this.stepIn(block) ?? this.newest;
        // Of what was before, the last step says where the work is.
        const arrives = isPast && block.comment === caughtUp;
        if (arrives) isPast = false;
        if (step !== undefined && (arrives || (!isPast && step !== this.newest))) this.paced.say(step);
        this.newest = step;
      }
    } finally {
      // Which step comes next nobody tells any more: that it goes on is said in plain words.
      this.newest = undefined;
    }
  }

  private stepIn({ event, data }: StreamBlock): string | undefined {
    return event === undefined || data === undefined ? undefined : stepOf(event, data);
  }

  private send(message: string): void {
    if (this.over.signal.aborted) return;
    this.call.steps.heard += 1;
    const params = { progressToken: this.progressToken, progress: this.call.steps.heard, message };
    const notify = (): Promise<void> => this.call.context.mcpReq.notify({ method: "notifications/progress", params });
    // A host that is gone hears nothing; what it asked for goes on.
    this.sent = this.sent.then(notify).catch(() => undefined);
  }

  /** The work goes on, and its end is answered all the same. */
  private lost(error: unknown): void {
    if (this.over.signal.aborted) return;
    const { tenantId } = this.call.actor;
    log("warn", "mcp.progress_lost", { tenantId, objectId: this.work.root.id, ...describeError(error) });
  }
}
