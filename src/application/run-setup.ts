/**
 * Gathers what holds for a run, and for a round of a roundtable: the team or the panel, what is within it, tools and supervisors, at the
 * versions pinned when it began.
 */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import { boundIds } from "../conversation/memory-binding.js";
import type { Perspective } from "../roundtable/panel.js";
import type { LoadedPanel } from "../roundtable/ports.js";
import type { RoundtableDefinition } from "../roundtable/roundtable.js";
import type { LoadedTeam } from "../routing/ports.js";
import type { RunDefinition } from "../routing/run.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { buildPanel, pinPanel, pinTools } from "./panel-loader.js";
import { loadTeam, pinTeams } from "./team-loader.js";
import {
  type Loaded,
  loadWork,
  named,
  type PinnedWork,
  pinnedWorkSchema,
  pinsOf,
  type SetupSources,
  tenantPolicies,
  type WorkFacts,
  type WorkPolicies,
} from "./work-setup.js";

type Begun<Definition> = Omit<WorkFacts, "memoryIds"> & { readonly definition: Definition };

interface LoadedSupervision {
  /** The tenant's, the caller's and the team's or the panel's. */
  readonly supervisors: readonly Supervisor[];
  readonly policies: WorkPolicies;
}

const pinnedRunSchema = pinnedWorkSchema.extend({
  /** Also those of the team and of teams within the team. */
  allSupervisors: z.array(z.string()),
});
type PinnedRun = z.infer<typeof pinnedRunSchema>;

export async function loadRunSetup(
  { definition, ...facts }: Begun<RunDefinition>,
  journal: Journal,
  sources: SetupSources,
): Promise<Loaded<LoadedSupervision & { readonly team: LoadedTeam }>> {
  const loaded = await loadWork<PinnedRun>(
    { ...facts, memoryIds: boundIds(definition.memory) },
    {
      schema: pinnedRunSchema,
      pin: () => pinRun(facts.tenantId, definition, sources),
      requiredSupervisors: ({ allSupervisors }) => allSupervisors,
    },
    journal,
    sources,
  );
  if (!loaded.ok) return loaded;
  const { pinned, policies, supervisorsNamed } = loaded;
  const team = await loadTeam(definition.team, loaded);
  if (team === undefined) return { ok: false, detail: "The team doesn't exist any more." };
  const supervisors = supervisorsNamed([...pinned.supervisors, ...team.definition.supervisors]);
  return { ok: true, team, supervisors, policies };
}

async function pinRun(tenantId: string, definition: RunDefinition, sources: SetupSources): Promise<PinnedRun> {
  const { resources } = sources;
  const [tenant, teams] = await Promise.all([
    tenantPolicies(tenantId, sources),
    pinTeams(resources, tenantId, definition.team),
  ]);
  const supervisors = [...new Set([...tenant.supervisors, ...definition.supervisors])];
  const allSupervisors = [...new Set([...supervisors, ...teams.supervisors])];
  const [rest, tools] = await Promise.all([
    resources.pins(tenantId, named("supervisors", allSupervisors)),
    pinTools(resources, tenantId, teams.tools),
  ]);
  const pins = [...teams.pins, ...tools, ...pinsOf("supervisors", rest)];
  return { ...tenant, supervisors, allSupervisors, pins };
}

export async function loadRoundSetup(
  {
    definition,
    perspectives,
    ...facts
  }: Begun<RoundtableDefinition> & { readonly perspectives: readonly Perspective[] | undefined },
  journal: Journal,
  sources: SetupSources,
): Promise<Loaded<LoadedSupervision & { readonly panel: LoadedPanel }>> {
  const loaded = await loadWork<PinnedWork>(
    { ...facts, memoryIds: boundIds(definition.memory) },
    {
      schema: pinnedWorkSchema,
      pin: () => pinRound(facts.tenantId, definition, sources),
      requiredSupervisors: ({ supervisors }) => supervisors,
    },
    journal,
    sources,
  );
  if (!loaded.ok) return loaded;
  const { pinned, policies, resources, supervisorsNamed } = loaded;
  const built = buildPanel(definition.panelName, definition.panel, { resources, perspectives });
  return built.ok ? { ...built, supervisors: supervisorsNamed(pinned.supervisors), policies } : built;
}

async function pinRound(
  tenantId: string,
  { panel, supervisors: sent }: RoundtableDefinition,
  sources: SetupSources,
): Promise<PinnedWork> {
  const { resources } = sources;
  const [tenant, panelPins] = await Promise.all([
    tenantPolicies(tenantId, sources),
    pinPanel(resources, tenantId, panel),
  ]);
  const supervisors = [...new Set([...tenant.supervisors, ...sent, ...panel.supervisors])];
  const rest = await resources.pins(tenantId, named("supervisors", supervisors));
  return { ...tenant, supervisors, pins: [...panelPins, ...pinsOf("supervisors", rest)] };
}
