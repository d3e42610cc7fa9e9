/** Calls of runs. */
import type { ActorRecord } from "../conversation/actor-record.js";
import type { Result } from "../conversation/problem.js";
import { type Run, type RunDefinition, runSchema } from "../routing/run.js";
import { type RunTrace, runTraceSchema } from "../routing/trace.js";
import { RootGateway, type RootObject } from "./root-gateway.js";
import { resultOf, toWire, type Wire } from "./wire.js";

/** Whose run it is, and what it was begun with. */
export interface RunIdentity {
  readonly tenantId: string;
  readonly runId: string;
  readonly keyId?: string | undefined;
  /** The tenant's revision, as it was read with the key. */
  readonly revision?: number | undefined;
  /** Of what the tenant has limits, where that was read with the key. */
  readonly measures?: readonly string[] | undefined;
}

/** What a run's object offers. */
export interface RunObject extends RootObject {
  /** Begins the run, unless it was begun before; waits for its end, at most `waitMs`. */
  start(identity: RunIdentity, definition: Wire<RunDefinition>, waitMs: number): Promise<Wire<Result<Run>>>;
  describe(waitMs: number): Promise<Wire<Result<Run>>>;
  /** Not `trace`: that is the name of a handler of the platform. */
  readTrace(): Promise<Wire<Result<RunTrace>>>;
  cancelRun(by: ActorRecord): Promise<Wire<Result<Run>>>;
}

const runResult = resultOf(runSchema);
const traceResult = resultOf(runTraceSchema);

/** The runs of the system. A run is begun once under its id, so that beginning it can be repeated too. */
export class RunGateway extends RootGateway<RunObject> {
  start(identity: RunIdentity, definition: RunDefinition, waitMs: number): Promise<Result<Run>> {
    const wire = toWire(definition);
    const { tenantId, runId } = identity;
    return this.objects.read([tenantId, runId], runResult, (object) => object.start(identity, wire, waitMs));
  }

  describe(tenantId: string, runId: string, waitMs: number): Promise<Result<Run>> {
    return this.objects.read([tenantId, runId], runResult, (object) => object.describe(waitMs));
  }

  trace(tenantId: string, runId: string): Promise<Result<RunTrace>> {
    return this.objects.read([tenantId, runId], traceResult, (object) => object.readTrace());
  }

  cancel(tenantId: string, runId: string, by: ActorRecord): Promise<Result<Run>> {
    return this.objects.read([tenantId, runId], runResult, (object) => object.cancelRun(by));
  }
}
