/** The services that acts are given: stores, gateways, and what was configured. Faces only hand them on. */
import type { AskGateway } from "../gateways/ask-gateway.js";
import type { RunGateway } from "../gateways/run-gateway.js";
import type { SessionGateway } from "../gateways/session-gateway.js";
import type { OutgoingPolicy } from "../platform/outgoing.js";
import type { Sealer } from "../platform/secrets.js";
import type { IdempotencyStore } from "../stores/idempotency-store.js";
import type { ResourceStore } from "../stores/resource-store.js";
import type { RunIndex } from "../stores/run-index.js";
import type { SessionIndex } from "../stores/session-index.js";
import type { TenantStore } from "../stores/tenant-store.js";
import type { MemoryService } from "./memory/memory-service.js";

export interface Services {
  readonly environment: string;
  readonly adminSecret: string;
  readonly now: () => number;
  readonly db: D1Database;
  readonly sealer: Sealer;
  readonly policy: OutgoingPolicy;
  readonly answers: IdempotencyStore;
  readonly tenants: TenantStore;
  readonly resources: ResourceStore;
  readonly sessions: SessionGateway;
  readonly index: SessionIndex;
  readonly memory: MemoryService;
  readonly runs: RunGateway;
  readonly runIndex: RunIndex;
  readonly asks: AskGateway;
}
