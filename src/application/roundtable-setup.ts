/** Gathers what holds for a round of a roundtable: its seats, tools and supervisors, at the versions pinned when the round began. */
import type { CallOrigin } from "../agent/call-context.js";
import type { Journal } from "../agent/journal.js";
import type { Perspective } from "../roundtable/panel.js";
import type { LoadedPanel } from "../roundtable/ports.js";
import type { RoundtableDefinition } from "../roundtable/roundtable.js";
import type { HealthStore } from "../supervision/breaker.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { buildPanel, pinPanel } from "./panel-loader.js";
import {
  type Loaded,
  loadWork,
  named,
  type PinnedWork,
  pinnedWorkSchema,
  pinsOf,
  type SetupSources,
  tenantPolicies,
  type WorkPolicies,
} from "./work-setup.js";

export type LoadedRound = Loaded<{
  readonly panel: LoadedPanel;
  /** The tenant's, the caller's and the panel's. */
  readonly supervisors: readonly Supervisor[];
  readonly policies: WorkPolicies;
}>;

export async function loadRoundSetup(
  round: {
    readonly tenantId: string;
    readonly definition: RoundtableDefinition;
    readonly perspectives: readonly Perspective[] | undefined;
    readonly origin: CallOrigin;
    readonly health: HealthStore;
  },
  journal: Journal,
  sources: SetupSources,
): Promise<LoadedRound> {
  const { tenantId, definition, perspectives, origin, health } = round;
  const loaded = await loadWork<PinnedWork>(
    { tenantId, origin, health, memoryId: undefined },
    {
      schema: pinnedWorkSchema,
      pin: () => pin(tenantId, definition, sources),
      requiredSupervisors: ({ supervisors }) => supervisors,
    },
    journal,
    sources,
  );
  if (!loaded.ok) return loaded;
  const { pinned, policies, resources, supervisorsNamed } = loaded;
  const built = buildPanel(definition.panel, { resources, perspectives });
  if (!built.ok) return built;
  return { ok: true, panel: built.panel, supervisors: supervisorsNamed(pinned.supervisors), policies };
}

async function pin(
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
