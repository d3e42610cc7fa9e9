/** Workers that are stored agents: what the agent says takes the worker's place, and what the worker names comes in addition. */
import type { AgentDefinition } from "../agent/definition.js";
import type { Team, Worker } from "../routing/team.js";

/** @param agentNamed the stored agent; a worker whose agent isn't there stays as it is, and fails when it is chosen. */
export function withAgents(team: Team, agentNamed: (name: string) => AgentDefinition | undefined): Team {
  if (team.workers.every(({ agent }) => agent === undefined)) return team;
  return { ...team, workers: team.workers.map((worker) => withAgent(worker, agentNamed)) };
}

function withAgent(worker: Worker, agentNamed: (name: string) => AgentDefinition | undefined): Worker {
  const { agent: name, ...rest } = worker;
  const agent = name === undefined ? undefined : agentNamed(name);
  if (agent === undefined) return worker;
  const both = {
    ...rest,
    rules: [...agent.rules, ...worker.rules],
    references: [...agent.references, ...worker.references],
  };
  switch (agent.kind) {
    case "model":
      return {
        ...both,
        model: agent.model,
        systemPrompt: agent.instructions,
        tools: [...agent.tools.map(({ server, tool }) => `${server}/${tool}`), ...worker.tools],
        memories: [...agent.memories, ...worker.memories],
        context: [...(agent.context ?? []), ...(worker.context ?? [])],
        temperature: agent.temperature,
        maxToolRounds: agent.maxToolRounds,
        maxOutputTokens: agent.maxOutputTokens,
      };
    case "team":
      return { ...both, team: agent.team };
    case "panel":
      return { ...both, panel: agent.panel };
  }
}
