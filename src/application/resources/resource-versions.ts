/** What a resource was at other times: its versions with their authors, what differs between two, and one made to count again. */
import { createTwoFilesPatch } from "diff";
import type { ActorRecord } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { ResourceChange } from "../../stores/resource-versions.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { ResourceBody, ResourceKind } from "../../tenancy/resources.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { type StoredResource, storeResource } from "./put-resource.js";
import { type NamedResource, noResource } from "./read-resource.js";
import { type ResourceView, resourceView } from "./resource-view.js";

export interface VersionView {
  readonly version: number;
  readonly author?: ActorRecord | undefined;
  readonly createdAt: string;
}

type VersionRef = NamedResource & { readonly version: number };

/** Newest first; those of a resource that was deleted too. */
export async function listResourceVersions(
  actor: Actor,
  query: PageRequest & NamedResource,
  services: Services,
): Promise<Result<Page<VersionView>>> {
  const allowed = authorize(actor, "listResourceVersions");
  if (!allowed.ok) return allowed;
  const { kind, name } = query;
  const read = async (before: string | undefined, limit: number) => {
    const from = Number(before ?? Number.MAX_SAFE_INTEGER);
    const changes = await services.near.resourceVersions.list(actor.tenantId, kind, name, from, limit);
    return changes.map(viewOf);
  };
  const page = await readPage(query, read, ({ version }) => String(version));
  return page.ok && page.value.items.length === 0 ? noResource(kind, name) : page;
}

export async function readResourceVersion(
  actor: Actor,
  ref: VersionRef,
  services: Services,
): Promise<Result<ResourceView & VersionView>> {
  const allowed = authorize(actor, "readResourceVersion");
  if (!allowed.ok) return allowed;
  return bodyOf(actor.tenantId, ref, services);
}

/** What is different between two versions, as a unified diff of their JSON; secrets are hidden in both. */
export async function compareResourceVersions(
  actor: Actor,
  { kind, name, from, to }: NamedResource & { readonly from: number; readonly to: number },
  services: Services,
): Promise<Result<{ from: number; to: number; diff: string }>> {
  const allowed = authorize(actor, "compareResourceVersions");
  if (!allowed.ok) return allowed;
  const texts: string[] = [];
  for (const version of [from, to]) {
    const view = await bodyOf(actor.tenantId, { kind, name, version }, services);
    if (!view.ok) return view;
    const { name: _, version: __, updatedAt: ___, createdAt: ____, author: _____, ...body } = view.value;
    texts.push(`${JSON.stringify(body, undefined, 2)}\n`);
  }
  const [before = "", after = ""] = texts;
  return ok({ from, to, diff: createTwoFilesPatch(`version ${from}`, `version ${to}`, before, after) });
}

/** Makes an earlier version count again, as a new one with its own author; also of a resource that was deleted. */
export async function restoreResource(
  actor: Actor,
  ref: VersionRef,
  services: Services,
): Promise<Result<StoredResource>> {
  const allowed = authorize(actor, "restoreResource");
  if (!allowed.ok) return allowed;
  return restore(actor, ref.kind, ref, services);
}

async function restore<K extends ResourceKind>(
  actor: Actor,
  kind: K,
  { name, version }: VersionRef,
  services: Services,
): Promise<Result<StoredResource>> {
  const stored = await services.resourceVersions.get(actor.tenantId, kind, name, version);
  if (stored === undefined) return noVersion(version);
  const body: ResourceBody<K> = stored.body;
  return storeResource(actor, { kind, name, body }, services);
}

async function bodyOf(
  tenantId: string,
  { kind, name, version }: VersionRef,
  { near }: Services,
): Promise<Result<ResourceView & VersionView>> {
  const stored = await near.resourceVersions.get(tenantId, kind, name, version);
  if (stored === undefined) return noVersion(version);
  return ok({ ...resourceView({ ...stored, updatedAt: stored.createdAt }), ...viewOf(stored) });
}

function viewOf({ version, author, createdAt }: ResourceChange): VersionView {
  return { version, ...(author === undefined ? {} : { author }), createdAt: new Date(createdAt).toISOString() };
}

function noVersion(version: number): Result<never> {
  return refuse("not_found", `There is no version ${version} of it.`);
}
