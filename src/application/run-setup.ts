/** Gathers what holds for a run: the team, the teams within it, tools and supervisors, at the versions pinned when it began. */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import type { LoadedTeam } from "../routing/ports.js";
import type { NewRun } from "../routing/run.js";
import type { HealthStore } from "../supervision/breaker.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { loadTeam, pinTeams, pinTools } from "./team-loader.js";
import {
  type Loaded,
  loadWork,
  named,
  pinnedWorkSchema,
  pinsOf,
  type SetupSources,
  tenantPolicies,
  type WorkPolicies,
} from "./work-setup.js";

export type LoadedRun = Loaded<{
  readonly team: LoadedTeam;
  /** The tenant's, the caller's and the team's. */
  readonly supervisors: readonly Supervisor[];
  readonly policies: WorkPolicies;
}>;

const pinnedRunSchema = pinnedWorkSchema.extend({
  /** Also those of the team and of teams within the team. */
  allSupervisors: z.array(z.string()),
});
type PinnedRun = z.infer<typeof pinnedRunSchema>;

export async function loadRunSetup(
  run: { readonly tenantId: string; readonly definition: NewRun; readonly health: HealthStore },
  journal: Journal,
  sources: SetupSources,
): Promise<LoadedRun> {
  const { tenantId, definition, health } = run;
  const loaded = await loadWork<PinnedRun>(
    { tenantId, health, memoryId: definition.memory?.memoryId },
    {
      schema: pinnedRunSchema,
      pin: () => pin(tenantId, definition, sources),
      requiredSupervisors: ({ allSupervisors }) => allSupervisors,
    },
    journal,
    sources,
  );
  if (!loaded.ok) return loaded;
  const { pinned, policies, resources, supervisorsNamed } = loaded;
  const team = await loadTeam(definition.team, { resources, supervisors: supervisorsNamed });
  if (team === undefined) return { ok: false, detail: "The team doesn't exist any more." };
  const supervisors = supervisorsNamed([...pinned.supervisors, ...team.definition.supervisors]);
  return { ok: true, team, supervisors, policies };
}

async function pin(tenantId: string, definition: NewRun, sources: SetupSources): Promise<PinnedRun> {
  const { resources } = sources;
  const [tenant, teams] = await Promise.all([
    tenantPolicies(tenantId, sources),
    pinTeams(resources, tenantId, definition.team),
  ]);
  const supervisors = [...new Set([...tenant.supervisors, ...definition.supervisors])];
  const allSupervisors = [...new Set([...supervisors, ...teams.supervisors])];
  const [rest, tools] = await Promise.all([
    resources.pins(tenantId, named("supervisors", allSupervisors)),
    pinTools(resources, tenantId, teams),
  ]);
  const pins = [...teams.pins, ...tools, ...pinsOf("supervisors", rest)];
  return { ...tenant, supervisors, allSupervisors, pins };
}
