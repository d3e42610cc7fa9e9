/** Store a resource: a body that differs makes a new version. */
import { maxAutoItems } from "../../chat/context.js";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { ResourceBody, ResourceKind } from "../../tenancy/resources.js";
import { doOnce } from "../creation.js";
import type { Services } from "../services.js";
import { pinAsStored } from "./pin-tools.js";
import { noResource } from "./read-resource.js";
import { checkResource } from "./resource-checks.js";
import { type ResourceView, resourceView } from "./resource-view.js";
import { resourceWarnings } from "./resource-warnings.js";

export interface ResourceInput<K extends ResourceKind> {
  readonly kind: K;
  readonly name: string;
  readonly body: ResourceBody<K>;
  /** The version that has to be the current one, or `any`: it has to exist. Without it, the body is stored whatever there is. */
  readonly expected?: number | "any" | undefined;
}

export interface StoredResource {
  readonly resource: ResourceView;
  /** There was none of this name. */
  readonly created: boolean;
}

export async function putResource<K extends ResourceKind>(
  actor: Actor,
  input: ResourceInput<K>,
  services: Services,
): Promise<Result<StoredResource>> {
  const allowed = authorize(actor, "putResource");
  if (!allowed.ok) return allowed;
  return storeResource(actor, input, services);
}

/** Stores it for an actor who may: one that is written, and one that is restored. */
export async function storeResource<K extends ResourceKind>(
  actor: Actor,
  { kind, name, body, expected }: ResourceInput<K>,
  services: Services,
): Promise<Result<StoredResource>> {
  const { tenantId } = actor;
  const { resources } = services;
  const checked = await checkResource(tenantId, kind, name, body, services);
  if (!checked.ok) return checked;
  const store = async (claim: WorkClaim | undefined): Promise<Result<boolean>> => {
    if (expected === "any" && (await resources.get(tenantId, kind, name)) === undefined) return hasChanged(undefined);
    const version = expected === "any" ? undefined : expected;
    const outcome = await resources.put(tenantId, kind, name, body, version, recordOf(actor), claim);
    switch (outcome.kind) {
      case "precondition_failed":
        return hasChanged(outcome.current);
      case "too_many_auto":
        return tooManyAuto(kind);
      case "stored":
        return ok(outcome.created);
    }
  };
  const created = await doOnce(actor, services, store, async (note) => ok(note === "created"));
  if (!created.ok) return created;
  const stored = await resources.get(tenantId, kind, name);
  if (stored === undefined) return noResource(kind, name);
  const warnings = await resourceWarnings(tenantId, kind, stored.body, services);
  const { pinned, warnings: ofPinning = [] } = await pinAsStored(actor, stored, services);
  return ok({
    resource: { ...resourceView(stored, [...warnings, ...ofPinning]), ...(pinned && { pinned }) },
    created: created.value,
  });
}

function hasChanged(current: number | undefined): Result<never> {
  const now = current === undefined ? "It doesn't exist" : `Its version is "${current}" now`;
  return refuse("precondition_failed", `${now}. Read it again, and decide on what it says.`);
}

function tooManyAuto(kind: ResourceKind): Result<never> {
  return refuse(
    "invalid",
    `${maxAutoItems} ${kind} have include "auto" already. Give it another, or another to one of them.`,
    { errors: [{ path: "include", message: `at most ${maxAutoItems} ${kind} may include themselves` }] },
  );
}
