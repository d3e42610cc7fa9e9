/** Calls of runs. */
import type { ActorRecord } from "../conversation/actor-record.js";
import type { Result } from "../conversation/problem.js";
import { type NewRun, type Run, runSchema } from "../routing/run.js";
import { type RunTrace, runTraceSchema } from "../routing/trace.js";
import { RootGateway, type RootObject } from "./root-gateway.js";
import { fromWire, resultOf, toWire, type Wire } from "./wire.js";

/** Whose run it is, and what it was begun with. */
export interface RunIdentity {
  readonly tenantId: string;
  readonly runId: string;
  readonly keyId?: string | undefined;
  /** The tenant's revision, as it was read with the key. */
  readonly revision?: number | undefined;
}

/** What a run's object offers. */
export interface RunObject extends RootObject {
  /** Begins the run, unless it was begun before; waits for its end, at most `waitMs`. */
  start(identity: RunIdentity, definition: Wire<NewRun>, waitMs: number): Promise<Wire<Result<Run>>>;
  describe(waitMs: number): Promise<Wire<Result<Run>>>;
  /** Not `trace`: that is the name of a handler of the platform. */
  readTrace(): Promise<Wire<Result<RunTrace>>>;
  cancelRun(by: ActorRecord): Promise<Wire<Result<Run>>>;
}

const runResult = resultOf(runSchema);
const traceResult = resultOf(runTraceSchema);

/** The runs of the system. A run is begun once under its id, so that beginning it can be repeated too. */
export class RunGateway extends RootGateway<RunObject> {
  async start(identity: RunIdentity, definition: NewRun, waitMs: number): Promise<Result<Run>> {
    const wire = toWire(definition);
    const { tenantId, runId } = identity;
    return fromWire(await this.call(tenantId, runId, (object) => object.start(identity, wire, waitMs)), runResult);
  }

  async describe(tenantId: string, runId: string, waitMs: number): Promise<Result<Run>> {
    return fromWire(await this.call(tenantId, runId, (object) => object.describe(waitMs)), runResult);
  }

  async trace(tenantId: string, runId: string): Promise<Result<RunTrace>> {
    return fromWire(await this.call(tenantId, runId, (object) => object.readTrace()), traceResult);
  }

  async cancel(tenantId: string, runId: string, by: ActorRecord): Promise<Result<Run>> {
    return fromWire(await this.call(tenantId, runId, (object) => object.cancelRun(by)), runResult);
  }
}
