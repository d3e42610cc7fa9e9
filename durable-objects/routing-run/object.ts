import { composeSessionPlatform } from "../../src/composition.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { RunObject, RunTrace } from "../../src/gateways/run-gateway.js";
import { fromWire, toWire, type Wire } from "../../src/gateways/wire.js";
import { type NewRun, newRunSchema, type Run } from "../../src/routing/routed-run.js";
import { Root } from "../kit/root.js";
import { RunAtWork } from "./run-at-work.js";
import { traceView } from "./run-view.js";
import { routingRunSchema } from "./schema.js";

/** One run of a team: its decisions, its results, the asks it waits on. */
export class RoutingRun extends Root<RunAtWork> implements RunObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, routingRunSchema, new RunAtWork(ctx, composeSessionPlatform(env)));
  }

  /** Begins the run, unless that was done before, and waits for its end or its wait, at most `waitMs`. */
  async start(
    identity: { tenantId: string; runId: string },
    definition: Wire<NewRun>,
    waitMs: number,
  ): Promise<Wire<Result<Run>>> {
    if (!this.exists()) {
      const parsed = fromWire(definition, newRunSchema);
      this.makeTables();
      this.atWork.begin(identity, parsed);
    }
    return this.describe(waitMs);
  }

  async describe(waitMs: number): Promise<Wire<Result<Run>>> {
    if (!this.exists()) return toWire(noRun);
    await this.atWork.settled(waitMs);
    return toWire(ok(this.atWork.view()));
  }

  async readTrace(): Promise<Wire<Result<RunTrace>>> {
    return toWire(this.exists() ? ok(traceView(this.atWork.view(), this.atWork.kit)) : noRun);
  }

  async cancelRun(): Promise<Wire<Result<Run>>> {
    if (!this.exists()) return toWire(noRun);
    this.atWork.cancel();
    return toWire(ok(this.atWork.view()));
  }
}

const noRun = refuse("not_found", "There is no such run.");
