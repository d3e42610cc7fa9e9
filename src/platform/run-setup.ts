/** Gathers what holds for a run: the team, the teams within it, tools and supervisors, at the versions pinned when it began. */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import type { LoadedTeam } from "../routing/ports.js";
import type { NewRun } from "../routing/routed-run.js";
import { buildSupervisor } from "../supervision/definition.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { resourcePinSchema } from "../tenancy/resources.js";
import { loadTeam, pinTeams, usedResources } from "./team-loader.js";
import type { SetupSources } from "./turn-setup.js";
import { Versions } from "./versions.js";

export type LoadedRun =
  | {
      readonly ok: true;
      readonly team: LoadedTeam;
      /** The tenant's, the caller's and the team's. */
      readonly supervisors: readonly Supervisor[];
      readonly strict: boolean;
    }
  | { readonly ok: false; readonly detail: string };

const pinnedSchema = z.object({
  strict: z.boolean(),
  /** Of the whole run. */
  supervisors: z.array(z.string()),
  /** Also those of teams within the team. */
  allSupervisors: z.array(z.string()),
  pins: z.array(resourcePinSchema),
});

/** What a run begins with is journalled as versions: a replay sees the same, whatever was changed meanwhile. */
export async function loadRunSetup(
  run: { readonly tenantId: string; readonly definition: NewRun },
  journal: Journal,
  sources: SetupSources,
): Promise<LoadedRun> {
  const { tenantId, definition } = run;
  const pinned = await journal.step({ id: "setup", kind: "load", schema: pinnedSchema, interrupted: "again" }, () =>
    pin(tenantId, definition, sources),
  );
  const found = new Versions(await sources.resources.versions(tenantId, pinned.pins));
  const absent = pinned.allSupervisors.find((name) => found.get("supervisors", name) === undefined);
  // A supervisor that is gone must not be a supervisor that allows.
  if (absent !== undefined) return { ok: false, detail: `The supervisor "${absent}" doesn't exist any more.` };
  const supervisorsOf = (names: readonly string[]): Supervisor[] =>
    names.flatMap((name) => {
      const body = found.get("supervisors", name);
      return body === undefined ? [] : [buildSupervisor(name, body)];
    });
  const team = await loadTeam(definition.team, {
    found,
    tools: (refs) => sources.tools.build(tenantId, refs, found.all("tools")),
    supervisors: supervisorsOf,
  });
  if (team === undefined) return { ok: false, detail: "The team doesn't exist any more." };
  const own = team.definition.supervisors;
  return {
    ok: true,
    team,
    supervisors: supervisorsOf([...new Set([...pinned.supervisors, ...own])]),
    strict: pinned.strict,
  };
}

async function pin(tenantId: string, definition: NewRun, sources: SetupSources): Promise<z.infer<typeof pinnedSchema>> {
  const [tenant, names] = await Promise.all([
    sources.tenants.get(tenantId),
    pinTeams(sources.resources, tenantId, definition.team),
  ]);
  const supervisors = [...new Set([...(tenant?.settings.supervisors ?? []), ...definition.supervisors])];
  const allSupervisors = [...new Set([...supervisors, ...names.supervisors])];
  const rest = await sources.resources.pins(tenantId, [
    ...allSupervisors.map((name) => ({ kind: "supervisors" as const, name })),
    ...usedResources(names),
  ]);
  return {
    strict: tenant?.settings.strict ?? true,
    supervisors,
    allSupervisors,
    pins: [...names.pins, ...rest.filter(({ kind }) => kind === "supervisors" || kind === "tools")],
  };
}
