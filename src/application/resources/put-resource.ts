/** Store a resource: a body that differs makes a new version. */
import { z } from "zod";
import { maxAutoItems } from "../../chat/context.js";
import { recordOf } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import { type ProblemError, problem } from "../../conversation/problem.js";
import { shownSecret } from "../../conversation/secret-text.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { type ResourceBody, type ResourceKind, resourceNoun, resourceSchemas } from "../../tenancy/resources.js";
import { mapSecrets } from "../../tenancy/secrets.js";
import { act } from "../act.js";
import { readPut, versionRead } from "../as-read.js";
import { doOnce } from "../creation.js";
import type { Services } from "../services.js";
import { pinAsStored } from "./pin-tools.js";
import { noResource, resourceName } from "./read-resource.js";
import { checkResource } from "./resource-checks.js";
import { type ResourceView, resourceView } from "./resource-view.js";
import { resourceWarnings } from "./resource-warnings.js";

export interface ResourceInput<K extends ResourceKind> {
  readonly kind: K;
  readonly name: string;
  readonly body: ResourceBody<K>;
  /** The version that has to be the current one, or `any`: it has to exist. Without it, the body is stored whatever there is. */
  readonly expected?: number | "any" | undefined;
  /** The version that the body itself says it was read as. */
  readonly readAs?: number | undefined;
}

export interface StoredResource {
  readonly resource: ResourceView;
  /** There was none of this name. */
  readonly created: boolean;
}

const ifMatch = z
  .string()
  .regex(/^(\*|"\d+")$/, 'an ETag as GET gave it, such as "3"')
  .transform((tag): number | "any" => (tag === "*" ? "any" : Number(tag.slice(1, -1))));

/** What a GET adds to a resource. */
export const resourceServerFields = ["version", "updatedAt", "createdAt", "author", "warnings", "pinned"];

export const putResource = act("putResource", {
  role: "operator",
  // The body is read by its kind's schema once it is known what is stored: it may be what a GET returned.
  input: () => z.object({ ...resourceName(), body: z.unknown(), expected: ifMatch.optional() }),
  run: async (actor, { kind, name, body: sent, expected }, services) => {
    const schema: z.ZodType<ResourceBody<ResourceKind>> = resourceSchemas[kind];
    const body = await readPut(schema, sent, {
      ...{ name, serverFields: resourceServerFields },
      current: async () => {
        const stored = await services.resources.get(actor.tenantId, kind, name);
        return stored && { open: stored.body, shown: mapSecrets(stored.body, shownSecret) };
      },
    });
    return storeResource(actor, { kind, name, body, expected, readAs: versionRead(sent) }, services);
  },
});

/** Stores it for an actor who may: one that is written, and one that is restored. */
export async function storeResource<K extends ResourceKind>(
  actor: Actor,
  { kind, name, body, expected, readAs }: ResourceInput<K>,
  services: Services,
): Promise<StoredResource> {
  const { tenantId } = actor;
  const { resources } = services;
  await checkResource(tenantId, kind, name, body, services);
  const store = async (claim?: WorkClaim): Promise<boolean> => {
    if (expected === "any" && (await resources.get(tenantId, kind, name)) === undefined) throw hasChanged(undefined);
    const version = expected === "any" || expected === undefined ? readAs : expected;
    if (readAs !== undefined && version !== readAs) throw isAnother(kind, readAs, version);
    const outcome = await resources.put(tenantId, kind, name, body, version, { by: recordOf(actor), claim });
    switch (outcome.kind) {
      case "precondition_failed":
        throw expected === undefined ? isAnother(kind, version, outcome.current) : hasChanged(outcome.current);
      case "too_many_auto":
        throw tooManyAuto(kind);
      case "stored":
        return outcome.created;
    }
  };
  const created = await doOnce(actor, services, store, async (note) => note === "created");
  const stored = await resources.get(tenantId, kind, name);
  if (stored === undefined) throw noResource(kind, name);
  const warnings = await resourceWarnings(tenantId, kind, stored.body, services);
  const { pinned, warnings: ofPinning = [] } = await pinAsStored(actor, stored, services);
  return { resource: { ...resourceView(stored, [...warnings, ...ofPinning]), ...defined({ pinned }) }, created };
}

function hasChanged(current: number | undefined): ProblemError {
  const now = current === undefined ? "It doesn't exist" : `Its version is "${current}" now`;
  return problem("precondition_failed", `${now}. Read it again, and decide on what it says.`);
}

/** A body that was read as one version, where another counts. */
function isAnother(kind: ResourceKind, read: number | undefined, current: number | undefined): ProblemError {
  const now = current === undefined ? `there is no such ${resourceNoun(kind)}` : `version ${current} counts`;
  const detail = `The body was read as version ${read}, and ${now}. Read it again and decide on what it says, or leave \`version\` out to store it whatever there is.`;
  return problem("conflict", detail, { errors: [{ path: "version", message: now }] });
}

function tooManyAuto(kind: ResourceKind): ProblemError {
  return problem(
    "invalid",
    `${maxAutoItems} ${kind} have include "auto" already. Give it another, or another to one of them.`,
    { errors: [{ path: "include", message: `at most ${maxAutoItems} ${kind} may include themselves` }] },
  );
}
