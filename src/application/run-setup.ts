/** Gathers what holds for a run: the team, the teams within it, tools and supervisors, at the versions pinned when it began. */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import type { LoadedTeam } from "../routing/ports.js";
import type { NewRun } from "../routing/run.js";
import type { HealthStore } from "../supervision/breaker.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { resourcePinSchema } from "../tenancy/resources.js";
import { type Settings, settingsSchema } from "../tenancy/tenant.js";
import { loadTeam, pinTeams, pinTools } from "./team-loader.js";
import { TurnResources } from "./turn-resources.js";
import type { SetupSources } from "./turn-setup.js";

export type LoadedRun =
  | {
      readonly ok: true;
      readonly team: LoadedTeam;
      /** The tenant's, the caller's and the team's. */
      readonly supervisors: readonly Supervisor[];
      readonly strict: boolean;
      readonly reviews: Settings["reviews"];
      readonly approvals: Settings["approvals"];
    }
  | { readonly ok: false; readonly detail: string };

const { reviews, approvals } = settingsSchema.shape;
const pinnedSchema = z.object({
  strict: z.boolean(),
  reviews,
  approvals,
  /** Of the whole run. */
  supervisors: z.array(z.string()),
  /** Also those of teams within the team. */
  allSupervisors: z.array(z.string()),
  pins: z.array(resourcePinSchema),
});

/** What a run begins with is journalled as versions: a replay sees the same, whatever was changed meanwhile. */
export async function loadRunSetup(
  run: { readonly tenantId: string; readonly definition: NewRun; readonly health: HealthStore },
  journal: Journal,
  sources: SetupSources,
): Promise<LoadedRun> {
  const { tenantId, definition } = run;
  const pinned = await journal.step({ id: "setup", kind: "load", schema: pinnedSchema, interrupted: "again" }, () =>
    pin(tenantId, definition, sources),
  );
  const found = new TurnResources(tenantId, journal, sources, definition.memory?.memoryId);
  await found.load(pinned.pins);
  const absent = pinned.allSupervisors.find((name) => !found.has("supervisors", name));
  // A supervisor that is gone must not be a supervisor that allows.
  if (absent !== undefined) return { ok: false, detail: `The supervisor "${absent}" doesn't exist any more.` };
  const supervisorsOf = (names: readonly string[]): Supervisor[] =>
    found
      .all("supervisors")
      .filter(({ name }) => names.includes(name))
      .map((version) => sources.supervisors.build(tenantId, version, run.health));
  const team = await loadTeam(definition.team, { found, supervisors: supervisorsOf });
  if (team === undefined) return { ok: false, detail: "The team doesn't exist any more." };
  const own = team.definition.supervisors;
  return {
    ok: true,
    team,
    supervisors: supervisorsOf([...pinned.supervisors, ...own]),
    strict: pinned.strict,
    reviews: pinned.reviews,
    approvals: pinned.approvals,
  };
}

async function pin(tenantId: string, definition: NewRun, sources: SetupSources): Promise<z.infer<typeof pinnedSchema>> {
  const [tenant, names] = await Promise.all([
    sources.tenants.get(tenantId),
    pinTeams(sources.resources, tenantId, definition.team),
  ]);
  const supervisors = [...new Set([...(tenant?.settings.supervisors ?? []), ...definition.supervisors])];
  const allSupervisors = [...new Set([...supervisors, ...names.supervisors])];
  const [rest, tools] = await Promise.all([
    sources.resources.pins(
      tenantId,
      allSupervisors.map((name) => ({ kind: "supervisors" as const, name })),
    ),
    pinTools(sources.resources, tenantId, names),
  ]);
  return {
    strict: tenant?.settings.strict ?? true,
    reviews: tenant?.settings.reviews ?? reviews.parse(undefined),
    approvals: tenant?.settings.approvals ?? approvals.parse(undefined),
    supervisors,
    allSupervisors,
    pins: [...names.pins, ...tools, ...rest.filter(({ kind }) => kind === "supervisors")],
  };
}
