/** What a root (an object that runs agents: a session, a run) needs of the platform. */
import type { CallOrigin } from "../agent/call-context.js";
import type { ChannelGateway } from "../gateways/channel-gateway.js";
import type { CancelSignal, ModelPort } from "../model/port.js";
import type { IsolateLoad } from "../platform/isolate-load.js";
import type { HttpWorkerAnswer, HttpWorkerCall } from "../routing/ports.js";
import type { TeamState } from "../routing/team-state.js";
import type { Delivery } from "../stores/deliveries.js";
import type { LimitedWork, LimitPlatform } from "./limits/work-limits.js";
import type { SessionMemory } from "./memory/session-memory.js";
import type { RemoteTools } from "./remote-tools.js";
import type { SupervisorBuilder } from "./supervisor-builder.js";
import type { SetupSources } from "./work-setup.js";

export interface RootPlatform extends SetupSources, LimitPlatform, LimitedWork {
  /** The same, with what is known of a tenant at this revision; without one at the tenant's revision now. */
  readonly at: (tenantId: string, revision: number | undefined) => Promise<RootPlatform>;
  /** A tenant's revision now. */
  readonly revision: (tenantId: string) => Promise<number | undefined>;
  readonly memory: SessionMemory;
  readonly remoteTools: RemoteTools;
  readonly supervisors: SupervisorBuilder;
  /** From now on everything of the tenant is read anew. */
  readonly renew: () => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The models that a tenant can call. */
  readonly model: (tenantId: string) => Promise<ModelPort>;
  /** What the teams of a tenant remember over all their runs. */
  readonly teamState: (tenantId: string) => TeamState;
  /** Calls a worker that is an address. */
  readonly callWorker: (
    work: { readonly tenantId: string; readonly origin: CallOrigin },
    call: HttpWorkerCall,
    signal: CancelSignal,
  ) => Promise<HttpWorkerAnswer>;
  /** The conversations of chat channels that sessions belong to. */
  readonly conversations: Pick<ChannelGateway, "accept">;
  /** Brings an outbox's messages to D1 and the queues; all or throws. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
  /** What all objects of the isolate have at work. */
  readonly load: IsolateLoad;
}
