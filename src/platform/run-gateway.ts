/** The one place that makes stubs of runs. What goes through is JSON, checked on arrival. */
import { z } from "zod";
import { type Ask, askSchema, type Role } from "../asks/ask.js";
import type { Result } from "../problem.js";
import { type NewRun, type Run, runSchema } from "../routing/routed-run.js";
import type { AskOwner } from "./ask-gateway.js";
import { callObject } from "./object-call.js";
import { type EventsQuery, resultOf } from "./session-gateway.js";
import { fromWire, toWire, type Wire } from "./wire.js";

export const tracedEventSchema = z.object({
  seq: z.int(),
  at: z.iso.datetime(),
  type: z.string(),
  data: z.unknown(),
});
/** One thing that happened in a run. */
export type TracedEvent = z.infer<typeof tracedEventSchema>;

export const runTraceSchema = z.object({
  runId: z.string(),
  status: z.string(),
  entries: z.array(tracedEventSchema),
  /** The same as a story. */
  story: z.string(),
});
export type RunTrace = z.infer<typeof runTraceSchema>;

/** What a run's object offers. */
export interface RunObject {
  /** Begins the run, unless it was begun before; waits for its end, at most `waitMs`. */
  start(
    identity: { tenantId: string; runId: string },
    definition: Wire<NewRun>,
    waitMs: number,
  ): Promise<Wire<Result<Run>>>;
  describe(waitMs: number): Promise<Wire<Result<Run>>>;
  /** Not `trace`: that is the name of a handler of the platform. */
  readTrace(): Promise<Wire<Result<RunTrace>>>;
  cancelRun(): Promise<Wire<Result<Run>>>;
  /** Erases everything that the object holds; false when there is nothing. */
  remove(): Promise<boolean>;
  ask(askId: string): Promise<Wire<Result<Ask>>>;
  answerAsk(askId: string, said: Wire<unknown>, by: Role): Promise<Wire<Result<Ask>>>;
  cancelAsk(askId: string): Promise<Wire<Result<Ask>>>;
  streamEvents(query: EventsQuery): Promise<ReadableStream<Uint8Array> | null>;
  fetch(request: Request): Promise<Response>;
}

/** A namespace, as far as we use it. */
export interface RunNamespace {
  getByName(name: string): RunObject;
}

const runResult = resultOf(runSchema);
const traceResult = resultOf(runTraceSchema);
const askResult = resultOf(askSchema);

/** The runs of the system. Their objects' names carry the tenant: another tenant's id is a run that doesn't exist. */
export class RunGateway implements AskOwner {
  constructor(private readonly namespace: RunNamespace) {}

  async start(tenantId: string, runId: string, definition: NewRun, waitMs: number): Promise<Result<Run>> {
    const wire = toWire(definition);
    return fromWire(
      await this.call(tenantId, runId, (object) => object.start({ tenantId, runId }, wire, waitMs)),
      runResult,
    );
  }

  async describe(tenantId: string, runId: string, waitMs: number): Promise<Result<Run>> {
    return fromWire(await this.call(tenantId, runId, (object) => object.describe(waitMs)), runResult);
  }

  async trace(tenantId: string, runId: string): Promise<Result<RunTrace>> {
    return fromWire(await this.call(tenantId, runId, (object) => object.readTrace()), traceResult);
  }

  async cancel(tenantId: string, runId: string): Promise<Result<Run>> {
    return fromWire(await this.call(tenantId, runId, (object) => object.cancelRun()), runResult);
  }

  remove(tenantId: string, runId: string): Promise<boolean> {
    return this.call(tenantId, runId, (object) => object.remove());
  }

  async ask(tenantId: string, runId: string, askId: string): Promise<Result<Ask>> {
    return fromWire(await this.call(tenantId, runId, (object) => object.ask(askId)), askResult);
  }

  async answerAsk(tenantId: string, runId: string, askId: string, said: unknown, by: Role): Promise<Result<Ask>> {
    const wire = toWire(said);
    return fromWire(await this.call(tenantId, runId, (object) => object.answerAsk(askId, wire, by)), askResult);
  }

  async cancelAsk(tenantId: string, runId: string, askId: string): Promise<Result<Ask>> {
    return fromWire(await this.call(tenantId, runId, (object) => object.cancelAsk(askId)), askResult);
  }

  streamEvents(tenantId: string, runId: string, query: EventsQuery): Promise<ReadableStream<Uint8Array> | null> {
    return this.call(tenantId, runId, (object) => object.streamEvents(query));
  }

  socket(tenantId: string, runId: string, request: Request): Promise<Response> {
    return this.namespace.getByName(`${tenantId}/${runId}`).fetch(request);
  }

  /** Everything a run takes can be repeated: it is begun once under its id, answers are compared, the rest reads. */
  private call<T>(tenantId: string, runId: string, method: (object: RunObject) => Promise<T>): Promise<T> {
    return callObject(() => method(this.namespace.getByName(`${tenantId}/${runId}`)));
  }
}
