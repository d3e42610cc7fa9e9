/** Limits, webhooks and channels of a configuration: what is stored under a name and has no versions. Which are others, and what storing them takes. */
import { webhookSchema } from "../../catalogues/webhooks.js";
import { connectionSchema } from "../../channels/connection.js";
import type { ProblemIssue } from "../../conversation/problem.js";
import { newAddressId, newId } from "../../platform/ids.js";
import { newWebhookSecret } from "../../platform/webhook-signature.js";
import { maxLimits } from "../../stores/limit-store.js";
import type { ChangeStatements } from "../../stores/store-change.js";
import type { Actor } from "../../tenancy/actor.js";
import { changedFields } from "../../tenancy/changed-fields.js";
import { markAddress } from "../../tenancy/home.js";
import { limitSchema } from "../../tenancy/limits/limit.js";
import type { ResourceBody } from "../../tenancy/resources.js";
import { checkConnection, otherKind } from "../channels/put-channel.js";
import { checkLimit, unpriced } from "../limits/manage-limits.js";
import type { NameReader } from "../name-checks.js";
import type { Services } from "../services.js";
import { checkWebhook } from "../webhooks/manage-webhooks.js";
import { type Issues, under } from "./config-issues.js";

export const unversionedKinds = ["limits", "webhooks", "channels"] as const;
export const unversionedSchemas = () => ({
  limits: limitSchema(),
  webhooks: webhookSchema,
  channels: connectionSchema(),
});
type UnversionedKind = (typeof unversionedKinds)[number];

interface Named {
  readonly kind: UnversionedKind;
  readonly name: string;
}

/** What is to be done; nothing where it is all that already. */
export interface UnversionedChange extends Named {
  readonly change: "create" | "change" | "delete";
  readonly fields?: string[] | undefined;
  readonly statements: ChangeStatements;
  /** Of a channel that is deleted: its conversations go once that is stored. */
  readonly channelId?: string;
}

interface Planned {
  readonly change: UnversionedChange | undefined;
  readonly warnings: readonly ProblemIssue[];
}

/** As they are going to be. */
interface PlannedNames {
  readonly resources: NameReader;
  /** Those that are sent. */
  readonly agents: ReadonlyMap<string, ResourceBody<"agents">>;
}

/** Of each kind that is named. What is wrong is noted with the issues. */
export async function planUnversioned(
  actor: Actor,
  {
    resources: sent,
    prune,
  }: { readonly resources: Partial<Record<UnversionedKind, Record<string, unknown>>>; readonly prune: boolean },
  services: Services,
  names: PlannedNames,
  issues: Issues,
): Promise<{ changes: UnversionedChange[]; unchanged: number; warnings: ProblemIssue[] }> {
  const changes: UnversionedChange[] = [];
  const warnings: ProblemIssue[] = [];
  let unchanged = 0;
  for (const kind of unversionedKinds) {
    const bodies = sent[kind];
    if (bodies === undefined) continue;
    for (const [name, body] of Object.entries(bodies)) {
      const path = `resources.${kind}.${name}`;
      const planned = await issues.within(path, undefined, () => planOne(actor, { kind, name, body }, services, names));
      if (planned?.change !== undefined) changes.push(planned.change);
      else unchanged++;
      warnings.push(...(planned?.warnings ?? []).map((issue) => under(path, issue)));
    }
    const others = (await storedOf(actor.tenantId, kind, services)).filter(({ name }) => !Object.hasOwn(bodies, name));
    if (prune) changes.push(...others.map(({ remove }) => remove));
    const count = Object.keys(bodies).length + (prune ? 0 : others.length);
    if (kind === "limits" && count > maxLimits) {
      issues.add({ path: "resources.limits", message: `at most ${maxLimits} limits, and there would be ${count}` });
    }
  }
  return { changes, unchanged, warnings };
}

interface StoredUnversioned {
  readonly name: string;
  readonly remove: UnversionedChange;
}

/** Webhooks and channels that are looked at: more than anybody has. */
const mostStored = 1_000;

async function storedOf(
  tenantId: string,
  kind: UnversionedKind,
  { limits, webhooks, channels, database }: Services,
): Promise<StoredUnversioned[]> {
  const removal = (name: string, statements: ChangeStatements, more: { readonly channelId?: string } = {}) => ({
    name,
    remove: { kind, name, change: "delete" as const, statements, ...more },
  });
  switch (kind) {
    case "limits":
      return (await limits.list(tenantId, "", maxLimits)).map((limit) =>
        removal(limit.name, (done) => limits.removeStatements(tenantId, limit, done)),
      );
    case "webhooks":
      return (await webhooks.list(tenantId, "", mostStored)).map(({ name }) =>
        removal(name, (done) => webhooks.removeStatements(tenantId, name, done)),
      );
    case "channels":
      return (await channels.list(tenantId, "", mostStored)).map((channel) => {
        const address = markAddress(newAddressId(), database);
        const { name, channelId } = channel;
        return removal(name, (done) => channels.removalStatements(channel, address, done), { channelId });
      });
  }
}

/** @throws {ProblemError} with the places that are wrong */
function planOne(
  actor: Actor,
  { kind, name, body }: Named & { readonly body: unknown },
  services: Services,
  { resources, agents }: PlannedNames,
): Promise<Planned> {
  switch (kind) {
    case "limits":
      return planLimit(actor, name, body, services, agents);
    case "webhooks":
      return planWebhook(actor, name, body, services);
    case "channels":
      return planChannel(actor, name, body, services, resources);
  }
}

type Found = Awaited<ReturnType<Services["webhooks"]["changeOf"]>>;

function changeOf(kind: UnversionedKind, name: string, found: Found): UnversionedChange | undefined {
  if (found === undefined) return undefined;
  const { decision, fields, statements } = found;
  return { kind, name, change: decision === "created" ? "create" : "change", fields, statements };
}

async function planLimit(
  actor: Actor,
  name: string,
  sent: unknown,
  services: Services,
  agents: PlannedNames["agents"],
): Promise<Planned> {
  const { tenantId } = actor;
  const limit = await checkLimit(name, sent);
  const known = await services.limits.get(tenantId, name);
  const { name: _, version: __, updatedAt: ___, raises: ____, ...before } = known ?? {};
  const fields = known === undefined ? undefined : changedFields(before, limit);
  const decision = known === undefined ? "created" : "changed";
  const statements: ChangeStatements = (done) => services.limits.putStatements(tenantId, name, limit, decision, done);
  return {
    change: fields?.length === 0 ? undefined : changeOf("limits", name, { decision, fields, statements }),
    warnings: await unpriced(actor, limit, services, agents),
  };
}

async function planWebhook({ tenantId }: Actor, name: string, sent: unknown, services: Services): Promise<Planned> {
  const { secret, ...webhook } = await checkWebhook(tenantId, name, sent, services);
  const found = await services.webhooks.changeOf(tenantId, name, webhook, { secret, made: newWebhookSecret() });
  // One that its receiver ended (410) isn't another: whatever else changes switches it on, as PUT does.
  const isSame = found?.fields?.every((field) => field === "status") === true;
  const isUnknown = found?.decision === "created" && secret === undefined;
  const message =
    'its secret is made and shown to nobody: name one that its receiver knows, as {"$secret": "NAME"}, or PUT it by itself';
  return {
    change: isSame ? undefined : changeOf("webhooks", name, found),
    warnings: isUnknown ? [{ path: "secret", message }] : [],
  };
}

async function planChannel(
  { tenantId }: Actor,
  name: string,
  sent: unknown,
  { channels, policy, memory, secrets, database }: Services,
  resources: NameReader,
): Promise<Planned> {
  const connection = await checkConnection(tenantId, name, sent, { channels, policy, memory, secrets, resources });
  const ids = { channelId: newId("chn"), connectionId: markAddress(newAddressId(), database) };
  const found = await channels.changeOf(tenantId, name, connection, ids);
  if (found === "other_kind") {
    const kind = (await channels.find(tenantId, name))?.connection.kind ?? "another";
    throw otherKind(name, kind);
  }
  return { change: changeOf("channels", name, found), warnings: [] };
}
