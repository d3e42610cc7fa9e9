/** The supervisors of a trial: stored ones as they count or as they were, and bodies that are stored nowhere. */
import { need, problem } from "../../conversation/problem.js";
import { shownSecret } from "../../conversation/secret-text.js";
import { type SupervisorDefinition, supervisorSchema } from "../../supervision/kinds/table.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { isOfKind } from "../../tenancy/resources.js";
import { mapSecrets } from "../../tenancy/secrets.js";
import { permission } from "../act.js";
import { readPut } from "../as-read.js";
import { noResource } from "../resources/read-resource.js";
import { checkResource } from "../resources/resource-checks.js";
import type { Services } from "../services.js";
import { named, pinsOf } from "../work-setup.js";
import type { NewTrial } from "./trial-schemas.js";

/** Try a supervisor that isn't stored, and calls a model or an address of the caller's choice. */
export const sendSupervisor = permission("sendSupervisor", { role: "operator" });

export interface TriedSupervisor {
  /** Its own, with a number behind it where another of the trial is called the same. */
  readonly name: string;
  /** Of a stored one. */
  readonly version?: number;
  readonly body: SupervisorDefinition;
}

/** In their order. @throws {ProblemError} where there is no such supervisor, or a body can't be stored either */
export async function triedSupervisors(
  wanted: NewTrial["supervisors"],
  actor: Actor,
  services: Services,
): Promise<TriedSupervisor[]> {
  // Rules call nobody: whoever may try stored ones may try them.
  const reachesOut = wanted.some((one) => typeof one === "object" && "kind" in one && one.kind !== "rules");
  if (reachesOut) need(authorize(actor, sendSupervisor));
  return loadTried(wanted, actor, services);
}

/** The same for who has asked before whether they may be tried. */
export async function loadTried(
  wanted: NewTrial["supervisors"],
  actor: Pick<Actor, "tenantId">,
  services: Services,
): Promise<TriedSupervisor[]> {
  const tried = await Promise.all(
    wanted.map((one, at) => {
      if (typeof one === "string") return stored({ name: one }, actor, services);
      return "kind" in one ? sent(one, at, actor, services) : stored(one, actor, services);
    }),
  );
  return tried.map((one, at) => {
    const before = tried.slice(0, at).filter(({ name }) => name === one.name).length;
    return before === 0 ? one : { ...one, name: `${one.name}-${before + 1}` };
  });
}

async function stored(
  { name, version }: { readonly name: string; readonly version?: number | undefined },
  { tenantId }: Pick<Actor, "tenantId">,
  { resources }: Services,
): Promise<TriedSupervisor> {
  const pins =
    version === undefined
      ? pinsOf("supervisors", await resources.pins(tenantId, named("supervisors", [name])))
      : [{ kind: "supervisors" as const, name, version }];
  const [found] = await resources.versions(tenantId, pins);
  if (found !== undefined && isOfKind("supervisors", found)) return found;
  throw version === undefined
    ? noResource("supervisors", name)
    : problem("not_found", `There is no version ${version} of a supervisor "${name}".`);
}

async function sent(
  sentBody: Readonly<Record<string, unknown>>,
  at: number,
  { tenantId }: Pick<Actor, "tenantId">,
  services: Services,
): Promise<TriedSupervisor> {
  const name = typeof sentBody.name === "string" ? sentBody.name : "body";
  const body = await readPut(supervisorSchema, sentBody, {
    name,
    place: `supervisors.${at}`,
    serverFields: ["version", "updatedAt", "createdAt", "author", "warnings"],
    current: async () => {
      const known = await services.resources.get(tenantId, "supervisors", name);
      return known && { open: known.body, shown: mapSecrets(known.body, shownSecret) };
    },
  });
  await checkResource(tenantId, "supervisors", name, body, services);
  const filled = await services.secrets.fill(tenantId, body, (whole) => supervisorSchema.parse(whole));
  return { name, body: filled };
}
