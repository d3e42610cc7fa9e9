/** What a resource was at other times: its versions with their authors, what differs between two, and one made to count again. */
import { createTwoFilesPatch } from "diff";
import { z } from "zod";
import type { ActorRecord } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import { type ProblemError, problem } from "../../conversation/problem.js";
import type { ResourceChange } from "../../stores/resource-versions.js";
import { act } from "../act.js";
import { pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";
import { storeResource } from "./put-resource.js";
import { type NamedResource, noResource, resourceName } from "./read-resource.js";
import { type ResourceView, resourceView } from "./resource-view.js";

export interface VersionView {
  readonly version: number;
  readonly author?: ActorRecord | undefined;
  readonly createdAt: string;
}

const version = () => z.coerce.number<string>().int().min(1);
const resourceVersion = () => z.object({ ...resourceName(), version: version() });

/** Newest first; those of a resource that was deleted too. */
export const listResourceVersions = act("listResourceVersions", {
  role: "operator",
  input: () => z.object({ ...resourceName(), ...pageInput() }),
  run: async (actor, { kind, name, ...query }, services) => {
    const read = async (before: string | undefined, limit: number) => {
      const from = Number(before ?? Number.MAX_SAFE_INTEGER);
      const changes = await services.near.resourceVersions.list(actor.tenantId, kind, name, from, limit);
      return changes.map(viewOf);
    };
    const page = await readPage(query, read, (change) => String(change.version));
    if (page.items.length === 0) throw noResource(kind, name);
    return page;
  },
});

export const readResourceVersion = act("readResourceVersion", {
  role: "operator",
  input: resourceVersion,
  run: ({ tenantId }, ref, services) => bodyOf(tenantId, ref, services),
});

/** What is different between two versions, as a unified diff of their JSON; secrets are hidden in both. */
export const compareResourceVersions = act("compareResourceVersions", {
  role: "operator",
  input: () => z.object({ ...resourceName(), from: version(), to: version() }),
  output: () => z.object({ from: z.int(), to: z.int(), diff: z.string() }),
  run: async ({ tenantId }, { kind, name, from, to }, services) => {
    const text = async (one: number): Promise<string> => {
      const view = await bodyOf(tenantId, { kind, name, version: one }, services);
      const { name: _, version: __, updatedAt: ___, createdAt: ____, author: _____, ...body } = view;
      return `${JSON.stringify(body, undefined, 2)}\n`;
    };
    const diff = createTwoFilesPatch(`version ${from}`, `version ${to}`, await text(from), await text(to));
    return { from, to, diff };
  },
});

/** Makes an earlier version count again, as a new one with its own author; also of a resource that was deleted. */
export const restoreResource = act("restoreResource", {
  role: "operator",
  input: resourceVersion,
  run: async (actor, ref, services): Promise<ResourceView> => {
    const { kind, name } = ref;
    const stored = await services.resourceVersions.get(actor.tenantId, kind, name, ref.version);
    if (stored === undefined) throw noVersion(ref.version);
    return (await storeResource(actor, { kind, name, body: stored.body }, services)).resource;
  },
});

async function bodyOf(
  tenantId: string,
  ref: NamedResource & { readonly version: number },
  { near }: Services,
): Promise<ResourceView & VersionView> {
  const stored = await near.resourceVersions.get(tenantId, ref.kind, ref.name, ref.version);
  if (stored === undefined) throw noVersion(ref.version);
  return { ...resourceView({ ...stored, updatedAt: stored.createdAt }), ...viewOf(stored) };
}

function viewOf({ version, author, createdAt }: ResourceChange): VersionView {
  return { version, ...defined({ author }), createdAt: new Date(createdAt).toISOString() };
}

function noVersion(version: number): ProblemError {
  return problem("not_found", `There is no version ${version} of it.`);
}
