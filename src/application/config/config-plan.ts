/** What would change if a tenant's configuration were as somebody writes it: all of it checked, nothing stored. */
import { z } from "zod";
import { maxAutoItems } from "../../chat/context.js";
import { defined } from "../../conversation/defined.js";
import { issuesSchema } from "../../conversation/issues.js";
import { itemName } from "../../conversation/names.js";
import { need, problem } from "../../conversation/problem.js";
import { shownSecret } from "../../conversation/secret-text.js";
import type { ConfigChanges, ResourceHead, StoredBody } from "../../stores/config-store.js";
import { includeOf } from "../../stores/resource-writes.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { changedFields } from "../../tenancy/changed-fields.js";
import { type ResourceKind, type ResourcePin, resourceKinds, resourceSchemas } from "../../tenancy/resources.js";
import { mapSecrets } from "../../tenancy/secrets.js";
import { lazily } from "../../text/lazily.js";
import { readPut } from "../as-read.js";
import { putLimit } from "../limits/manage-limits.js";
import { resourceServerFields } from "../resources/put-resource.js";
import { checkResource } from "../resources/resource-checks.js";
import { resourceWarnings } from "../resources/resource-warnings.js";
import type { Services } from "../services.js";
import { changeSettings } from "../tenants/own-settings.js";
import { findTenant } from "../tenants/tenant-view.js";
import { Issues, under, wrongConfig } from "./config-issues.js";
import { plannedResources } from "./planned-resources.js";
import { type PlannedSettings, planSettings } from "./planned-settings.js";
import {
  planUnversioned,
  type UnversionedChange,
  unversionedKinds,
  unversionedSchemas,
} from "./planned-unversioned.js";

const maxResources = 1_000;

const appliedKinds = [...resourceKinds, ...unversionedKinds] as const;

/** A configuration as it is sent: by kind and name, each body as PUT takes it. */
export const configSchema = () =>
  z.strictObject({
    resources: z.partialRecord(z.enum(appliedKinds), z.record(itemName, z.unknown())).default({}),
    /** As PATCH /v1/tenant takes them: one that isn't given stays. */
    settings: z.unknown().optional(),
    /** Whether resources that aren't named are deleted; of limits, webhooks and channels where their kind is named. */
    prune: z.boolean().default(false),
    /** The revision that a plan was made at: nothing is done where the tenant has another by now. */
    expectRevision: z.int().min(0).optional(),
  });
export type Config = z.infer<ReturnType<typeof configSchema>>;

/** The same, as the document describes it. */
export const documentedConfig = lazily(() =>
  configSchema().extend({
    resources: z
      .strictObject(
        Object.fromEntries(
          Object.entries({ ...resourceSchemas, ...unversionedSchemas() }).map(([kind, schema]) => [
            kind,
            z.record(itemName, schema).optional(),
          ]),
        ),
      )
      .optional(),
    settings: z.record(z.string(), z.unknown()).optional(),
    prune: z.boolean().optional(),
  }),
);

const configChangeSchema = z.object({
  /** `settings` of one of the tenant's settings. */
  kind: z.enum([...appliedKinds, "settings"]),
  name: z.string(),
  change: z.enum(["create", "change", "delete"]),
  /** The paths of fields that are others then, without any value. */
  fields: z.array(z.string()).optional(),
});

export const configPlanSchema = z.object({
  /** The tenant's, at which this holds; raised by every change of its configuration. */
  revision: z.int(),
  changes: z.array(configChangeSchema),
  /** How many resources are as they should be. */
  unchanged: z.int(),
  /** What is named and isn't there, by its path in the body. */
  warnings: issuesSchema,
});
export type ConfigPlan = z.infer<typeof configPlanSchema>;

/** A plan, and what storing it takes. */
export interface PreparedConfig {
  readonly plan: ConfigPlan;
  readonly changes: Omit<ConfigChanges, "unversioned"> & { readonly unversioned: readonly UnversionedChange[] };
}

/** @throws {ProblemError} `invalid` with every place that is wrong; `precondition_failed` for another revision */
export async function prepareConfig(actor: Actor, config: Config, services: Services): Promise<PreparedConfig> {
  const { tenantId } = actor;
  const revision = await services.tenants.revision(tenantId);
  const tenant = await findTenant(tenantId, services);
  if (revision === undefined) throw problem("not_found", "There is no such tenant.");
  if (config.expectRevision !== undefined && config.expectRevision !== revision) throw hasMoved(revision);
  if (config.settings !== undefined) need(authorize(actor, changeSettings));
  if (config.resources.limits !== undefined) need(authorize(actor, putLimit));

  const heads = await services.config.heads(tenantId);
  const issues = new Issues();
  const wanted = await readBodies(tenantId, config, heads, services, issues);
  const settings: PlannedSettings = await issues.within("settings", { changed: [], update: {} }, () =>
    planSettings(config.settings, tenant, services),
  );
  issues.throwAny();

  const named = new Set(wanted.map(keyOf));
  const others = heads.filter((head) => head.deleted === 0 && !named.has(keyOf(head)));
  const removed = config.prune ? others : [];
  const kept = config.prune ? [] : others;
  const planned = wanted.map((one) => ({ ...one, version: versionOf(one) }));
  const { policy, memory, providers, secrets } = services;
  const view = {
    ...{ policy, memory, providers, secrets },
    resources: plannedResources(services.resources, kept, planned),
    tenants: { get: async () => tenant },
  };
  for (const { kind, name, body } of wanted) {
    await issues.within(pathOf({ kind, name }), undefined, () =>
      checkResource(tenantId, kind, name, resourceSchemas[kind].parse(body), view),
    );
  }
  const agents = new Map(
    planned.flatMap(({ kind, name, body }) => (kind === "agents" ? [[name, resourceSchemas.agents.parse(body)]] : [])),
  );
  const unversioned = await planUnversioned(actor, config, services, { resources: view.resources, agents }, issues);
  for (const kind of ["rules", "references"] as const) {
    const auto = [
      ...kept.filter((head) => head.kind === kind && head.auto === 1),
      ...wanted.filter((one) => one.kind === kind && includeOf(one.body) === "auto"),
    ];
    if (auto.length > maxAutoItems) {
      const message = `at most ${maxAutoItems} ${kind} may have include "auto", and ${auto.length} would`;
      issues.add({ path: `resources.${kind}`, message });
    }
  }
  issues.throwAny();

  const warnings = await Promise.all(
    wanted.map(async ({ kind, name, body }) =>
      (await resourceWarnings(tenantId, kind, body, view)).map((one) => under(pathOf({ kind, name }), one)),
    ),
  );
  const changed = planned.filter(({ isStored }) => !isStored);
  return {
    plan: {
      revision,
      changes: [
        ...changed.map(({ kind, name, fields }) => ({
          ...{ kind, name, change: fields === undefined ? ("create" as const) : ("change" as const) },
          ...(fields === undefined ? {} : { fields }),
        })),
        ...removed.map(({ kind, name }) => ({ kind, name, change: "delete" as const })),
        ...unversioned.changes.map(({ kind, name, change, fields }) => ({
          kind,
          name,
          change,
          ...defined({ fields }),
        })),
        ...settings.changed.map((name) => ({ kind: "settings" as const, name, change: "change" as const })),
      ],
      unchanged: planned.length - changed.length + unversioned.unchanged,
      warnings: [...warnings.flat(), ...unversioned.warnings],
    },
    changes: { stored: changed, removed, unversioned: unversioned.changes, settings: settings.update },
  };
}

interface Wanted extends Pick<ResourcePin, "kind" | "name"> {
  readonly body: object;
  readonly head: ResourceHead | undefined;
  /** It is what is stored. */
  readonly isStored: boolean;
  /** That differ from what is stored; without anything stored none. */
  readonly fields: string[] | undefined;
}

async function readBodies(
  tenantId: string,
  { resources }: Config,
  heads: readonly ResourceHead[],
  services: Services,
  issues: Issues,
): Promise<Wanted[]> {
  const sent = resourceKinds.flatMap((kind) =>
    Object.entries(resources[kind] ?? {}).map(([name, body]) => ({ kind, name, body })),
  );
  const count = Object.values(resources).reduce((sum, ofKind) => sum + Object.keys(ofKind).length, 0);
  if (count > maxResources) {
    const message = `at most ${maxResources} at once, and there are ${count}`;
    throw wrongConfig([{ path: "resources", message }]);
  }
  const headOf = new Map(heads.map((head) => [keyOf(head), head]));
  const current = sent.flatMap((one) => {
    const head = headOf.get(keyOf(one));
    return head === undefined || head.deleted === 1 ? [] : [head];
  });
  const bodies = await services.config.bodiesOf(tenantId, current);
  const read = await Promise.all(
    sent.map(({ kind, name, body }) => {
      const stored = bodies.get(keyOf({ kind, name }));
      return issues.within(pathOf({ kind, name }), undefined, () =>
        readBody({ kind, name, body, head: headOf.get(keyOf({ kind, name })), stored }),
      );
    }),
  );
  return read.flatMap((one) => one ?? []);
}

interface Sent {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly body: unknown;
  readonly head: ResourceHead | undefined;
  readonly stored: StoredBody | undefined;
}

async function readBody({ kind, name, body: sent, head, stored }: Sent): Promise<Wanted> {
  const schema: z.ZodType<object> = resourceSchemas[kind];
  const body = await readPut(schema, sent, {
    ...{ name, serverFields: resourceServerFields },
    current: async () => {
      if (stored === undefined) return undefined;
      const open = await stored.open();
      return { open, shown: mapSecrets(open, shownSecret) };
    },
  });
  const isStored = stored !== undefined && (await stored.is(body));
  const fields = stored === undefined || isStored ? undefined : changedFields(await stored.open(), body);
  return { kind, name, body, head, isStored, fields };
}

/** The one that it has, or is going to have. */
function versionOf({ head, isStored }: Wanted): number {
  return (head?.version ?? 0) + (isStored ? 0 : 1);
}

const keyOf = ({ kind, name }: Pick<ResourcePin, "kind" | "name">): string => `${kind}/${name}`;

const pathOf = ({ kind, name }: Pick<ResourcePin, "kind" | "name">): string => `resources.${kind}.${name}`;

export function hasMoved(revision: number) {
  return problem(
    "precondition_failed",
    `The tenant's revision is ${revision} now: its configuration was changed since. Make a new plan, and decide on what it says. Nothing was changed.`,
  );
}
