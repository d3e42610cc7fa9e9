import { DurableObject } from "cloudflare:workers";
import type { Ask, Role } from "../../src/asks/ask.js";
import { composeSessionPlatform } from "../../src/composition.js";
import type { RunObject, RunTrace } from "../../src/platform/run-gateway.js";
import type { EventsQuery } from "../../src/platform/session-gateway.js";
import { fromWire, toWire, type Wire } from "../../src/platform/wire.js";
import { ok, type Result, refuse } from "../../src/problem.js";
import { type NewRun, newRunSchema, type Run } from "../../src/routing/routed-run.js";
import { answerResult } from "../kit/asks.js";
import { eventStream } from "../kit/event-stream.js";
import { applySchema, hasSchema } from "../kit/schema.js";
import { EventSockets } from "../kit/sockets.js";
import { RunAtWork } from "./run-at-work.js";
import { traceView } from "./run-view.js";
import { routingRunSchema } from "./schema.js";

/** One run of a team: its decisions, its results, the asks it waits on. */
export class RoutingRun extends DurableObject<Env> implements RunObject {
  private readonly run: RunAtWork;
  private readonly sockets: EventSockets;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.run = new RunAtWork(ctx, composeSessionPlatform(env));
    this.sockets = new EventSockets(ctx, this.run.kit.events);
    if (this.exists()) applySchema(ctx.storage, routingRunSchema);
  }

  /** Begins the run, unless that was done before, and waits for its end or its wait, at most `waitMs`. */
  async start(
    identity: { tenantId: string; runId: string },
    definition: Wire<NewRun>,
    waitMs: number,
  ): Promise<Wire<Result<Run>>> {
    if (!this.exists()) {
      const parsed = fromWire(definition, newRunSchema);
      applySchema(this.ctx.storage, routingRunSchema);
      this.run.begin(identity, parsed);
    }
    return this.describe(waitMs);
  }

  async describe(waitMs: number): Promise<Wire<Result<Run>>> {
    if (!this.exists()) return toWire(noRun);
    await this.run.settled(waitMs);
    return toWire(ok(this.run.view()));
  }

  async readTrace(): Promise<Wire<Result<RunTrace>>> {
    return toWire(this.exists() ? ok(traceView(this.run.view(), this.run.kit)) : noRun);
  }

  async cancelRun(): Promise<Wire<Result<Run>>> {
    if (!this.exists()) return toWire(noRun);
    this.run.cancel();
    return toWire(ok(this.run.view()));
  }

  async remove(): Promise<boolean> {
    if (!this.exists()) return false;
    await this.run.stop();
    await this.ctx.storage.deleteAll();
    return true;
  }

  async ask(askId: string): Promise<Wire<Result<Ask>>> {
    const ask = this.exists() ? this.run.kit.asks.get(askId) : undefined;
    return toWire(ask === undefined ? noAsk : ok(ask));
  }

  async answerAsk(askId: string, said: Wire<unknown>, by: Role): Promise<Wire<Result<Ask>>> {
    if (!this.exists()) return toWire(noAsk);
    return toWire(answerResult(this.run.kit.asks.answer(askId, JSON.parse(said.json), by)));
  }

  async cancelAsk(askId: string): Promise<Wire<Result<Ask>>> {
    const ask = this.exists() ? this.run.kit.asks.cancel(askId) : undefined;
    return toWire(ask === undefined ? noAsk : ok(ask));
  }

  /** Server-sent events; nothing for a run that doesn't exist. */
  async streamEvents({ after, lingerMs }: EventsQuery): Promise<ReadableStream<Uint8Array> | null> {
    if (!this.exists()) return null;
    return eventStream(this.run.kit.events, { after, lingerMs, active: () => this.run.active() });
  }

  /** A WebSocket that gets the same events, and sleeps with the object. */
  override async fetch(request: Request): Promise<Response> {
    return this.exists() ? this.sockets.accept(request) : new Response(null, { status: 404 });
  }

  override async alarm(): Promise<void> {
    if (this.exists()) this.run.kit.alarmRang();
  }

  private exists(): boolean {
    return hasSchema(this.ctx.storage.sql);
  }
}

const noRun = refuse("not_found", "There is no such run.");
const noAsk = refuse("not_found", "There is no such ask.");
