/**
 * Teams built in TypeScript: for those who fork the Worker or call it. What comes out is what `PUT /v1/teams/{name}` and
 * `POST /v1/runs` take, checked here as it is checked there, with the tools that it needs as resources of their own.
 */
import type { z } from "zod";
import { storedToolSchema } from "../agent/definition.js";
import { type RoutingFn, registerRoutingFn } from "./strategies/routing-functions.js";
import { type Team, teamSchema, unknownTools } from "./team.js";
import { settingsIssues } from "./team-settings.js";

/** A tool: a built-in by its name, `server/tool` that is stored already, or one that is stored with the team. */
export type ToolConfig = string | ({ readonly name: string } & z.input<typeof storedToolSchema>);

/** Asks a person, and waits durably for the answer. */
export const askHuman = "ask_human";

export interface SupervisorConfig {
  readonly strategy: Team["supervisor"]["strategy"];
  readonly model?: string | readonly string[];
  readonly systemPrompt?: string;
  readonly tools?: readonly ToolConfig[];
  /** Rounds in which tools may be called, before the one in which the decision is demanded; 3 by default. */
  readonly maxToolRetries?: number;
  readonly maxIterations?: number;
  readonly rules?: readonly object[];
  /** Code in place of rules: registered under a name of the team's own, in the Worker that this runs in. */
  readonly routingFn?: string | RoutingFn;
  readonly fallbackWorker?: string;
  /** The supervisor's model may answer itself. */
  readonly mayAnswer?: boolean;
  /** In a session, the worker that answered last gets the next message. */
  readonly sticky?: boolean;
  /** A decision that is less sure isn't taken: the fallback worker is, a person is asked, or the supervisor's model. */
  readonly minConfidence?: number;
  readonly then?: Team["supervisor"]["then"];
  readonly verbose?: boolean;
  readonly maxToolsPerRound?: number;
}

export interface WorkerConfig {
  readonly id: string;
  readonly description: string;
  readonly capabilities?: {
    readonly skills?: readonly string[];
    readonly tools?: readonly string[];
    /** What people ask that is for this worker: up to 100 sentences, for the example-based strategy. */
    readonly examples?: readonly string[];
    readonly available?: boolean;
  };
  readonly model?: string | readonly string[];
  readonly systemPrompt?: string;
  readonly tools?: readonly ToolConfig[];
  /** Memories that its `memory_search` may search, beside the team's. */
  readonly memories?: readonly string[];
  /** A stored team's name, or a system that was built. */
  readonly team?: string | MultiAgentSystem;
  readonly http?: object;
  readonly handoffs?: readonly string[];
  readonly maxToolRounds?: number;
  readonly maxToolsPerRound?: number;
  readonly maxOutputTokens?: number;
  /** A stored agent, by its name, in place of a model. */
  readonly agent?: string;
  readonly rules?: readonly string[];
  readonly references?: readonly string[];
  /** What of the end user its model is shown: `subject`, `metadata.<key>`. */
  readonly context?: readonly string[];
}

export interface MultiAgentConfig {
  readonly name: string;
  readonly description?: string;
  readonly supervisor: SupervisorConfig;
  readonly workers: readonly WorkerConfig[];
  readonly aggregator?: object;
  readonly limits?: object;
  readonly supervisors?: readonly string[];
  /** What of the end user the models of all of its agents are shown. */
  readonly context?: readonly string[];
  /** Memories that any of its agents may search. */
  readonly memories?: readonly string[];
}

export interface MultiAgentSystem {
  readonly name: string;
  /** The body of `PUT /v1/teams/{name}`. */
  readonly team: Team;
  /** Bodies of `PUT /v1/tools/{name}`, by name: what the team's tools need stored. */
  readonly tools: Readonly<Record<string, z.infer<typeof storedToolSchema>>>;
}

export class InvalidTeamError extends Error {
  override readonly name = "InvalidTeamError";
}

/**
 * Checks a configuration and builds the team.
 * @throws {InvalidTeamError} that names each thing that is wrong.
 * @example
 * const { team } = createMultiAgentSystem({
 *   name: "support",
 *   supervisor: { strategy: "skill-based" },
 *   workers: [{ id: "billing", description: "Invoices", capabilities: { skills: ["invoice"] } }],
 * });
 */
export function createMultiAgentSystem(config: MultiAgentConfig): MultiAgentSystem {
  const { name, supervisor, workers, ...rest } = config;
  const tools = new Map<string, z.infer<typeof storedToolSchema>>();
  const named = (list: readonly ToolConfig[]): string[] =>
    list.map((tool) => {
      if (typeof tool === "string") return tool;
      const { name: toolName, ...body } = tool;
      const stored = storedToolSchema.parse(body);
      tools.set(toolName, stored);
      return `${stored.server}/${toolName}`;
    });
  const { routingFn, tools: supervisorTools = [], ...supervisorRest } = supervisor;
  if (typeof routingFn === "function") registerRoutingFn(name, routingFn);
  const fnName = typeof routingFn === "function" ? name : routingFn;

  const parsed = teamSchema.safeParse({
    ...rest,
    supervisor: {
      ...supervisorRest,
      tools: named(supervisorTools),
      ...(fnName === undefined ? {} : { routingFn: fnName }),
    },
    workers: workers.map(({ team, tools: workerTools = [], ...worker }) => {
      if (typeof team === "object") for (const [tool, body] of Object.entries(team.tools)) tools.set(tool, body);
      return {
        ...worker,
        tools: named(workerTools),
        ...(team === undefined ? {} : { team: typeof team === "string" ? team : team.team }),
      };
    }),
  });
  const issues = parsed.success ? [...unknownTools(parsed.data), ...settingsIssues(parsed.data)] : parsed.error.issues;
  if (!parsed.success || issues.length > 0) {
    const faults = issues.map(({ path, message }) => `${path.join(".") || "it"}: ${message}`);
    const cause = parsed.error;
    throw new InvalidTeamError(`The team "${name}" can't be built. ${faults.join("; ")}`, { cause });
  }
  return { name, team: parsed.data, tools: Object.fromEntries(tools) };
}
