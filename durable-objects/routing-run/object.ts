/** The object of a run as others call it: what it does is in `RunEngine`. */

import { environmentOf } from "../../src/composition/databases.js";
import { composeRootPlatform } from "../../src/composition/objects.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { RunIdentity, RunObject } from "../../src/gateways/run-gateway.js";
import { fromWire, toWire, type Wire } from "../../src/gateways/wire.js";
import { type Run, type RunDefinition, runDefinitionSchema } from "../../src/routing/run.js";
import type { RunTrace } from "../../src/routing/trace.js";
import { tenantOf } from "../kit/home.js";
import { Root } from "../kit/root.js";
import { RunEngine } from "./run-engine.js";
import { traceView } from "./run-view.js";
import { routingRunSchema } from "./schema.js";

/** One run of a team: its decisions, its results, the asks it waits on. */
export class RoutingRun extends Root<RunEngine> implements RunObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(
      ctx,
      env,
      routingRunSchema,
      new RunEngine(ctx, composeRootPlatform(environmentOf(env, tenantOf(ctx, "run")))),
    );
  }

  /** Begins the run, unless that was done before, and waits for its end or its wait, at most `waitMs`. */
  async start(identity: RunIdentity, definition: Wire<RunDefinition>, waitMs: number): Promise<Wire<Result<Run>>> {
    if (!this.exists()) {
      const parsed = fromWire(definition, runDefinitionSchema);
      const admitted = await this.engine.admit(identity, parsed);
      if (admitted?.ok === false) return toWire(admitted);
      // Sent twice at the same time, it is begun by the first that there is room for: what the other took is the same.
      if (!this.exists()) {
        this.makeTables();
        this.engine.begin(identity, parsed, admitted?.value);
      }
    }
    return this.describe(waitMs);
  }

  async describe(waitMs: number): Promise<Wire<Result<Run>>> {
    return toWire((await this.settled(waitMs)) ? ok(this.engine.view()) : noRun);
  }

  async readTrace(): Promise<Wire<Result<RunTrace>>> {
    return toWire(this.exists() ? ok(traceView(this.engine.view(), this.engine.store, this.engine.kit)) : noRun);
  }

  async cancelRun(by: ActorRecord): Promise<Wire<Result<Run>>> {
    if (!this.exists()) return toWire(noRun);
    this.engine.cancel(by);
    return toWire(ok(this.engine.view()));
  }
}

const noRun = refuse("not_found", "There is no such run.");
