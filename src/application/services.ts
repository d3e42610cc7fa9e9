/** The services that acts are given: stores, gateways, and what was configured. Faces only hand them on. */

import type { RetentionJob } from "../catalogues/queue-jobs.js";
import type { LaterJob } from "../catalogues/webhooks.js";
import type { BoundChannel } from "../channels/adapter.js";
import type { OpenConnection } from "../channels/connection.js";
import type { AskGateway } from "../gateways/ask-gateway.js";
import type { BudgetGateway } from "../gateways/budget-gateway.js";
import type { ChannelGateway } from "../gateways/channel-gateway.js";
import type { CopyGateway } from "../gateways/copy-gateway.js";
import type { DatasetGateway } from "../gateways/dataset-gateway.js";
import type { DebateGateway } from "../gateways/debate-gateway.js";
import type { RoundtableGateway } from "../gateways/roundtable-gateway.js";
import type { RunGateway } from "../gateways/run-gateway.js";
import type { SessionGateway } from "../gateways/session-gateway.js";
import type { SubjectJobGateway } from "../gateways/subject-job-gateway.js";
import type { OutgoingPolicy } from "../platform/outgoing.js";
import type { PublishedKeys } from "../platform/published-keys.js";
import type { Sealer, SealingSecrets } from "../platform/secrets.js";
import type { Database } from "../platform/sql.js";
import type { TokenSigner } from "../platform/token-signer.js";
import type { AuditArchive } from "../stores/archive/audit-archive.js";
import type { AuditSeals } from "../stores/archive/audit-seals.js";
import type { AskReminders } from "../stores/ask-reminders.js";
import type { CallerStore } from "../stores/caller-store.js";
import type { ChannelStore } from "../stores/channel-store.js";
import type { ConfigStore } from "../stores/config-store.js";
import type { ConsoleStore } from "../stores/console-store.js";
import type { CreationClaims } from "../stores/creation-claims.js";
import type { EvidenceIndex } from "../stores/evidence-index.js";
import type { ExperimentStore } from "../stores/experiment-store.js";
import type { GrantStore } from "../stores/grant-store.js";
import type { HoldStore } from "../stores/hold-store.js";
import type { IdempotencyStore } from "../stores/idempotency-store.js";
import type { LimitStore } from "../stores/limit-store.js";
import type { NearStores } from "../stores/near-stores.js";
import type { PeopleStore } from "../stores/people-store.js";
import type { PriceStore } from "../stores/price-store.js";
import type { ReaderStore } from "../stores/reader-store.js";
import type { ResealStore } from "../stores/reseal-store.js";
import type { ResourceStore } from "../stores/resource-store.js";
import type { ResourceVersions } from "../stores/resource-versions.js";
import type { RestoreStore } from "../stores/restore-store.js";
import type { RetentionStore } from "../stores/retention-store.js";
import type { RoundtableIndex } from "../stores/roundtable-index.js";
import type { RunIndex } from "../stores/run-index.js";
import type { SecretStore } from "../stores/secret-store.js";
import type { SessionIndex } from "../stores/session-index.js";
import type { SubjectStore } from "../stores/subject-store.js";
import type { TenantCopy } from "../stores/tenant-copy.js";
import type { TenantMoves } from "../stores/tenant-moves.js";
import type { TenantPlacements } from "../stores/tenant-placements.js";
import type { TenantReader, TenantSnapshots } from "../stores/tenant-snapshots.js";
import type { TenantStore } from "../stores/tenant-store.js";
import type { WebhookDeliveries } from "../stores/webhook-deliveries.js";
import type { WebhookStore } from "../stores/webhook-store.js";
import type { LimitFacts } from "../tenancy/limits/demand.js";
import type { WorkLimits } from "./limits/work-limits.js";
import type { MemoryService } from "./memory/memory-service.js";
import type { MemorySupervision } from "./memory/memory-supervision.js";
import type { RemoteTools } from "./remote-tools.js";
import type { SupervisorBuilder } from "./supervisor-builder.js";
import type { ToolBuilder } from "./tool-builder.js";

export interface Services {
  /** Which of the deployment's databases these reach; all there are; and what reaches another one (`home.ts`). */
  readonly database: number;
  readonly databases: readonly number[];
  readonly at: (database: number) => Services;
  /** Tenants that live in another one than their ids say. */
  readonly moved: ReadonlyMap<string, number>;
  /** The laws that databases lie under, as far as they do. */
  readonly databaseJurisdictions: ReadonlyMap<number, string>;
  readonly environment: string;
  /** Where this request reached the deployment, as `https://host`; empty where nobody did, as in queues. */
  readonly origin: string;
  readonly adminSecret: string;
  /** The one in force first. */
  readonly sealingSecrets: SealingSecrets;
  /** Of models, those that the deployment has for every tenant: `openai`, `workers-ai`. */
  readonly providers: readonly string[];
  readonly now: () => number;
  /** A file of `docs`, by its path in the repository: a page, a picture, the style. */
  readonly readPage: (file: string) => Promise<ArrayBuffer | undefined>;
  readonly db: Database;
  readonly sealer: Sealer;
  readonly policy: OutgoingPolicy;
  readonly answers: IdempotencyStore;
  readonly claims: CreationClaims;
  readonly callers: CallerStore;
  readonly tenants: TenantStore;
  /** Loaded when somebody comes, as the next one is. */
  readonly people: () => Promise<PeopleStore>;
  readonly consoles: () => Promise<ConsoleStore>;
  readonly grants: () => Promise<GrantStore>;
  /** Of those who vouch for people. */
  readonly publishedKeys: () => Promise<PublishedKeys>;
  readonly askReminders: () => Promise<AskReminders>;
  readonly placements: TenantPlacements;
  readonly limits: LimitStore;
  /** What tenants have used of their limits. */
  readonly budgets: BudgetGateway;
  readonly limitsOfWork: (facts: LimitFacts, tenants?: TenantReader) => Promise<WorkLimits | undefined>;
  readonly resources: ResourceStore;
  readonly secrets: SecretStore;
  /** What is known of a tenant at a revision: for what only looks up. */
  readonly snapshots: TenantSnapshots;
  readonly remoteTools: RemoteTools;
  /** How stored tools and supervisors are built, for what is tried. */
  readonly tools: ToolBuilder;
  readonly supervisors: SupervisorBuilder;
  /** The secrets that sign a tenant's outgoing calls, the one in force first. */
  readonly signingSecrets: (tenantId: string) => Promise<readonly string[]>;
  readonly tokens: TokenSigner;
  readonly readers: ReaderStore;
  /** What models cost. */
  readonly prices: () => Promise<PriceStore>;
  readonly resourceVersions: ResourceVersions;
  /** A tenant's configuration as a whole. */
  readonly config: ConfigStore;
  /** Loaded when somebody comes, as the next one is. */
  readonly datasets: () => Promise<DatasetGateway>;
  readonly evidence: () => Promise<EvidenceIndex>;
  readonly experiments: () => Promise<ExperimentStore>;
  readonly sessions: SessionGateway;
  readonly index: SessionIndex;
  readonly memory: MemoryService;
  readonly memorySupervision: MemorySupervision;
  readonly runs: RunGateway;
  /** What acts look up that decide nothing: it may come from a replica near the caller. */
  readonly near: NearStores;
  /** Of D1: covers everything that this request has read and written; nothing before it has done either. */
  readonly bookmark: () => string | undefined;
  readonly runIndex: RunIndex;
  readonly reseals: ResealStore;
  readonly restores: RestoreStore;
  readonly copy: TenantCopy;
  /** Of tenants that go from this database to another. */
  readonly moves: () => Promise<TenantMoves>;
  /** What objects hold, as it is stored. */
  readonly copies: () => Promise<CopyGateway>;
  /** What there is of a person, the jobs on it, and what holds keep. */
  readonly subjects: SubjectStore;
  readonly subjectJobs: SubjectJobGateway;
  readonly holds: HoldStore;
  readonly retention: () => Promise<RetentionStore>;
  /** Rows of the audit that have left their table. */
  readonly auditArchive: () => Promise<AuditArchive>;
  readonly auditSeals: () => Promise<AuditSeals>;
  readonly roundtables: RoundtableGateway;
  readonly roundtableIndex: RoundtableIndex;
  readonly asks: AskGateway;
  /** Of panels within turns and runs. */
  readonly debates: DebateGateway;
  readonly webhooks: WebhookStore;
  readonly webhookDeliveries: WebhookDeliveries;
  /** To the queue that sends them; each when its time has come. */
  readonly sendWebhookJobs: (jobs: readonly LaterJob[]) => Promise<void>;
  /** Has tenants' old things go, each after so many milliseconds. */
  readonly sendRetentionJobs: (jobs: readonly (RetentionJob & { readonly inMs: number })[]) => Promise<void>;
  readonly channels: ChannelStore;
  readonly conversations: ChannelGateway;
  /** How a connection's platform is read and written. */
  readonly channelOf: (open: OpenConnection) => Promise<BoundChannel>;
}
