import type { AskGateway } from "./ask-gateway.js";
import type { KeptAnswers } from "./kept-answers.js";
import type { MemoryService } from "./memory/memory-service.js";
import type { OutgoingPolicy } from "./outgoing.js";
import type { ResourceStore } from "./resource-store.js";
import type { RunGateway } from "./run-gateway.js";
import type { RunIndex } from "./run-index.js";
import type { Sealer } from "./secrets.js";
import type { SessionGateway } from "./session-gateway.js";
import type { SessionIndex } from "./session-index.js";
import type { TenantStore } from "./tenant-store.js";

/** Everything that the faces need. */
export interface Services {
  readonly environment: string;
  readonly adminSecret: string;
  readonly now: () => number;
  readonly db: D1Database;
  readonly sealer: Sealer;
  readonly policy: OutgoingPolicy;
  readonly answers: KeptAnswers;
  readonly tenants: TenantStore;
  readonly resources: ResourceStore;
  readonly sessions: SessionGateway;
  readonly index: SessionIndex;
  readonly memory: MemoryService;
  readonly runs: RunGateway;
  readonly runIndex: RunIndex;
  readonly asks: AskGateway;
}
