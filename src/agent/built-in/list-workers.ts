/** `list_workers`: who there is in a team, what they can do, and how busy they are. */
import { z } from "zod";
import { dataBlock } from "../../conversation/data-block.js";
import { type AgentTool, builtInServer } from "../tools.js";

export interface ListedWorker {
  readonly id: string;
  readonly description: string;
  readonly skills: readonly string[];
  readonly tools: readonly string[];
  readonly available: boolean;
  /** How many tasks it has now; absent of a team that doesn't count them. */
  readonly load?: number;
}

export interface ListWorkersPort {
  /** Nothing where there is no such team. */
  listWorkers(team: string): Promise<readonly ListedWorker[] | undefined>;
}

export const listWorkersRef = { server: builtInServer, tool: "list_workers" } as const;

const listArguments = z.object({ team: z.string().min(1).max(100).optional().describe("The name of a stored team") });

/** Who there is in a team, what they can do, and how busy they are. */
export function listWorkersTool(ports: ListWorkersPort): AgentTool {
  return {
    timeoutMs: 30_000,
    execution: "idempotent",
    readOnly: true,
    ref: listWorkersRef,
    name: listWorkersRef.tool,
    description:
      "The workers of a team: what each is good at, whether it can be chosen, and how many tasks it has now. Within a team, without arguments: that team's.",
    parameters: z.toJSONSchema(listArguments, { io: "input" }),
    async run(args) {
      const { team } = listArguments.parse(args);
      if (team === undefined) return { content: "Say which team: the argument `team` is missing.", isError: true };
      const workers = await ports.listWorkers(team);
      return workers === undefined
        ? { content: `There is no team "${team}".`, isError: true }
        : { content: workersText(workers) };
    },
  };
}

/** `list_workers` of an agent within a team: without arguments it lists that team. */
export function listingOwnTeam(tool: AgentTool, own: () => Promise<readonly ListedWorker[]>): AgentTool {
  return {
    ...tool,
    run: async (args, context) =>
      args.team === undefined ? { content: workersText(await own()) } : tool.run(args, context),
  };
}

function workersText(workers: readonly ListedWorker[]): string {
  return dataBlock("workers", {}, JSON.stringify(workers));
}
