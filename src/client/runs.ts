/** Runs: a team at work on one input. */
import type { Connection } from "./connection.js";
import type { ConclaveEvent } from "./event-types.js";
import { beginAndFollow, type EventOptions, eventsOf, type SendOptions } from "./follow.js";
import type { NewRun, Page, PageRequest, Run } from "./types.js";

export class Runs {
  constructor(private readonly connection: Connection) {}

  /** Starts a run and waits for it: it has ended, or waits for an answer, or still works after `waitMs`. */
  start(run: NewRun, { waitMs, ...options }: SendOptions = {}): Promise<Run> {
    const body = { ...run, ...(waitMs === undefined ? {} : { waitMs }) };
    return this.connection.json("POST", "/v1/runs", { body, ...options });
  }

  /** Starts a run and returns its events, until it has ended or waits for an answer. A cut connection starts nothing twice. */
  stream(run: NewRun, options: Omit<SendOptions, "waitMs"> = {}): AsyncGenerator<ConclaveEvent, void, undefined> {
    return beginAndFollow(
      this.connection,
      { path: "/v1/runs", body: run, isLast: ({ event }) => event === "run.completed" },
      options,
    );
  }

  /** @param waitMs how long its end is waited for, in milliseconds */
  get(runId: string, { waitMs = 0 }: { readonly waitMs?: number } = {}): Promise<Run> {
    return this.connection.json("GET", runPath(runId), { query: { waitMs } });
  }

  list(
    query: PageRequest & {
      readonly team?: string;
      readonly status?: Run["status"];
      readonly subject?: string;
      readonly externalId?: string;
    } = {},
  ): Promise<Page<Pick<Run, "runId" | "status">>> {
    return this.connection.json("GET", "/v1/runs", { query: { ...query } });
  }

  cancel(runId: string): Promise<Run> {
    return this.connection.json("POST", `${runPath(runId)}/cancel`);
  }

  events(runId: string, options: EventOptions = {}): AsyncGenerator<ConclaveEvent, void, undefined> {
    return eventsOf(this.connection, `${runPath(runId)}/events`, options);
  }
}

function runPath(runId: string): string {
  return `/v1/runs/${encodeURIComponent(runId)}`;
}
