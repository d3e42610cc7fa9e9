/** The tools that an agent of a team holds: what it names, bound to the run and the team that it works in. */
import { builtInServer } from "../agent/built-in-tools.js";
import { type ListedWorker, listingOwnTeam, listWorkersRef } from "../agent/look-up-tools.js";
import type { AgentTool } from "../agent/tools.js";
import { once } from "./once.js";
import type { ToolNames } from "./ports.js";
import { limitQuestions } from "./questions.js";
import { type Team, toolRefOf, tracksLoad } from "./team.js";
import { emit, rosterEntry, type TeamContext } from "./team-run.js";
import type { TeamState } from "./team-state.js";

export interface HeldTools {
  readonly all: readonly AgentTool[];
  /** Those that may be used at this moment. */
  readonly inForce: () => readonly AgentTool[];
}

export function heldTools({ team, permits, ports }: TeamContext, agent: ToolNames): HeldTools {
  const own = () => listWorkers(team.key, team.definition, ports.state);
  const all = limitQuestions(team.tools(agent), permits).map((tool) =>
    tool.ref.server === builtInServer && tool.ref.tool === listWorkersRef.tool ? listingOwnTeam(tool, own) : tool,
  );
  return { all, inForce: () => all.filter(({ ref }) => team.allows(ref)) };
}

/** A team's workers, with how busy they are where that is counted. */
export async function listWorkers(
  key: string,
  team: Team,
  state: Pick<TeamState, "loads">,
): Promise<readonly ListedWorker[]> {
  const loads = tracksLoad(team) ? await state.loads(key) : undefined;
  return team.workers.map((worker) => ({
    ...rosterEntry(worker),
    available: worker.capabilities.available,
    ...(loads === undefined ? {} : { load: loads[worker.id] ?? 0 }),
  }));
}

/** Tools that the team names and that aren't there now (deleted since, or of a server that is down) are told of: nobody may wonder. */
export async function reportMissingTools(run: TeamContext): Promise<void> {
  const { supervisor, workers } = run.team.definition;
  const agents = [
    { agent: "supervisor", tools: supervisor.tools },
    ...workers.map(({ id, tools }) => ({ agent: id, tools })),
  ];
  for (const [index, { agent, tools }] of agents.entries()) {
    const missing = tools.filter((name) => run.team.tools({ tools: [name] }).length === 0);
    if (missing.length === 0) continue;
    await once(run, `missing/${index}`, undefined, () =>
      emit(run, {
        type: "tools.missing",
        agent,
        tools: missing.map((name) => `${toolRefOf(name).server}/${toolRefOf(name).tool}`),
      }),
    );
  }
}
