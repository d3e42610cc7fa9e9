/**
 * What every work item (a turn, a run, a panel) begins with: the versions of everything that it uses, pinned once, and what is built
 * from them. What differs (which names it uses) is given by `turn-setup.ts` and `run-setup.ts`.
 */
import { z } from "zod";
import type { CallOrigin } from "../agent/call-context.js";
import type { Journal } from "../agent/journal.js";
import type { ResourceEditor, ResourceReader, TenantReader } from "../stores/tenant-snapshots.js";
import type { HealthStore } from "../supervision/breaker.js";
import { ordersInDataActions } from "../supervision/orders-in-data.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { type ResourceKind, type ResourcePin, resourcePinSchema } from "../tenancy/resources.js";
import { type Settings, storedSettingsSchema } from "../tenancy/tenant.js";
import type { ExampleClassifiers } from "./example-classifiers.js";
import type { SessionMemory } from "./memory/session-memory.js";
import type { RemoteTools } from "./remote-tools.js";
import type { SupervisorBuilder } from "./supervisor-builder.js";
import type { ToolBuilder } from "./tool-builder.js";
import { type ResourceRef, WorkResources } from "./work-resources.js";

export interface SetupSources {
  readonly memory: Pick<SessionMemory, "recall">;
  readonly resources: ResourceReader & ResourceEditor;
  readonly tenants: TenantReader;
  readonly tools: Pick<ToolBuilder, "build">;
  readonly remoteTools: Pick<RemoteTools, "use" | "connect">;
  readonly supervisors: Pick<SupervisorBuilder, "build" | "givesOrders">;
  readonly examples: ExampleClassifiers;
}

/** How supervision and asks of the work go, as the tenant had it when the work began. */
export type WorkPolicies = Pick<Settings, "strict" | "ordersInData" | "reviews" | "approvals" | "questions">;

const { reviews, approvals, questions } = storedSettingsSchema.shape;

/** What is pinned when work begins. Stored as a step: work that began under an earlier version reads it too. */
export const pinnedWorkSchema = z.object({
  strict: z.boolean(),
  /** Work that began before there was such a setting goes on without it. */
  ordersInData: z.enum(ordersInDataActions).default("allow"),
  reviews,
  approvals,
  questions,
  /** Who supervises the work as a whole, by name. */
  supervisors: z.array(z.string()),
  pins: z.array(resourcePinSchema),
});
export type PinnedWork = z.infer<typeof pinnedWorkSchema>;

/** What the tenant says of all its work. */
export async function tenantPolicies(
  tenantId: string,
  { tenants }: Pick<SetupSources, "tenants">,
): Promise<WorkPolicies & { readonly supervisors: readonly string[] }> {
  const settings = (await tenants.get(tenantId))?.settings;
  return {
    strict: settings?.strict ?? true,
    ordersInData: settings?.ordersInData ?? "fence",
    reviews: settings?.reviews ?? reviews.parse(undefined),
    approvals: settings?.approvals ?? approvals.parse(undefined),
    questions: settings?.questions ?? {},
    supervisors: settings?.supervisors ?? [],
  };
}

export interface WorkFacts {
  readonly tenantId: string;
  /** What its outgoing calls say of it. */
  readonly origin: CallOrigin;
  /** The memories that the work is bound to. */
  readonly memoryIds: readonly string[];
  /** Where the failures of its supervisors are counted. */
  readonly health: HealthStore;
}

/** Loaded work, or why it can't begin: a text for whoever asked for it. */
export type Loaded<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly detail: string };

/** What the work is built from. */
export interface WorkParts {
  readonly tenantId: string;
  readonly resources: WorkResources;
  readonly examples: ExampleClassifiers;
  /** Builds the supervisors of these names. */
  readonly supervisorsNamed: (names: readonly string[]) => Supervisor[];
}

export interface LoadedWork<P> extends WorkParts {
  readonly pinned: P;
  readonly policies: WorkPolicies;
}

/**
 * Pins and loads what the work begins with. It is journalled as versions: a replay has the same, whatever was changed meanwhile.
 * @param plan which versions those are, how they are stored, and which supervisors must be there.
 */
export async function loadWork<P extends PinnedWork>(
  { tenantId, origin, memoryIds, health }: WorkFacts,
  plan: {
    readonly schema: z.ZodType<P>;
    readonly pin: () => Promise<P>;
    readonly requiredSupervisors: (pinned: P) => readonly string[];
  },
  journal: Journal,
  sources: SetupSources,
): Promise<Loaded<LoadedWork<P>>> {
  const step = { id: "setup", kind: "load", schema: plan.schema, interrupted: "again", writtenWithNext: true } as const;
  const pinned = await journal.step(step, plan.pin);
  const resources = new WorkResources(tenantId, journal, sources, {
    memoryIds,
    origin,
    ordersInData: pinned.ordersInData,
  });
  await resources.load(pinned.pins);
  const absent = plan.requiredSupervisors(pinned).find((name) => !resources.has("supervisors", name));
  // A supervisor that is gone must not be a supervisor that allows.
  if (absent !== undefined) return { ok: false, detail: missing("supervisors", absent) };
  const { strict, ordersInData, reviews, approvals, questions } = pinned;
  return {
    ok: true,
    tenantId,
    pinned,
    policies: { strict, ordersInData, reviews, approvals, questions },
    resources,
    examples: sources.examples,
    supervisorsNamed: (names) =>
      resources
        .all("supervisors")
        .filter(({ name }) => names.includes(name))
        .map((version) => sources.supervisors.build(tenantId, version, { health, origin })),
  };
}

export function named(kind: ResourceKind, names: readonly string[]): ResourceRef[] {
  return names.map((name) => ({ kind, name }));
}

/** The pins of one kind alone: every look-up brings the tenant's `always` items too. */
export function pinsOf(kind: ResourceKind, pins: readonly ResourcePin[]): ResourcePin[] {
  return pins.filter((pin) => pin.kind === kind);
}

export function missing(kind: ResourceKind, name: string): string {
  return `${kind}/${name} doesn't exist any more. Store it again at PUT /v1/${kind}/${name}, or take it out of what uses it.`;
}
