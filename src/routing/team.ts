/** Teams as a tenant stores them or sends them with a run: a routing supervisor, its workers, an aggregator, limits; and what they name. */
import { z } from "zod";
import { listWorkersRef } from "../agent/built-in/list-workers.js";
import { unknownBuiltIn } from "../agent/built-in-tools.js";
import { contextKeys } from "../agent/call-context.js";
import { modelChoice, urlTemplate } from "../agent/definition.js";
import { builtInServer, type ToolRef } from "../agent/tools.js";
import { questionPolicySchema } from "../asks/policy.js";
import { itemName, toolRefSchema } from "../conversation/names.js";
import { secretHeaders, signingSecret } from "../conversation/secret-text.js";
import { panelSchema } from "../roundtable/panel.js";
import { oneLine } from "../text/one-line.js";
import { withSupervisor } from "./router-name.js";
import type { RosterEntry } from "./routing-input.js";
import { routingRuleSchema } from "./strategies/routing-rule.js";
import { strategyNamed, strategyNames } from "./strategies/table.js";

/**
 * `ask_human`, another tool of the system by its bare name, or `server/tool`, which may be written {server, tool} as well; `*`
 * means all of a server.
 */
const toolName = z.union([
  z
    .string()
    .regex(
      /^([A-Za-z0-9_-]{1,100}\/)?(\*|[A-Za-z0-9_.-]{1,100})$/,
      "a tool is `ask_human`, another built-in by its name, or `server/tool`, or `server/*`",
    ),
  toolRefSchema.transform(({ server, tool }) => `${server}/${tool}`),
]);

export function toolRefOf(name: string): ToolRef {
  const slash = name.indexOf("/");
  return slash < 0
    ? { server: builtInServer, tool: name }
    : { server: name.slice(0, slash), tool: name.slice(slash + 1) };
}

export const routerSchema = z.strictObject({
  strategy: z.enum(strategyNames),
  /** Of the llm-based strategy. */
  model: modelChoice.default("default"),
  systemPrompt: z.string().max(50_000).optional(),
  tools: z.array(toolName).max(100).default([]),
  /** Rounds in which the supervisor may call tools, before the last one in which it has to decide. */
  maxToolRetries: z.int().min(0).max(50).default(3),
  /** Rounds of supervisor and workers: a re-route after a failure is one. */
  maxIterations: z.int().min(1).max(20).default(5),
  rules: z.array(routingRuleSchema).max(200).default([]),
  fallbackWorker: itemName.optional(),
  /** The supervisor's model may answer itself, with the tool `respond`. */
  mayAnswer: z.boolean().default(false),
  /** A decision that is less sure isn't taken; `then` says what happens. */
  minConfidence: z.number().min(0).max(1).optional(),
  /** The fallback worker, a person who is asked, or the supervisor's model. */
  then: z.enum(["fallback", "ask", "llm-based"]).default("fallback"),
  /**
   * In a session, the worker that answered last gets the next message at once, until it hands a task on or fails. A worker that stays
   * may hand on to any other.
   */
  sticky: z.boolean().default(false),
  /** Keeps briefs, arguments and outputs in the trace too. */
  verbose: z.boolean().default(false),
  /** Of a longer list only so many tools are offered in a round: those most like the input and the results so far. */
  maxToolsPerRound: z.int().min(1).max(100).optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** Whom the team asks (its supervisor and its workers), for how long, and what it assumes then. */
  questions: questionPolicySchema.optional(),
});

/** Which memories `memory_search` may search. */
const memories = z.array(z.string().min(1).max(100)).max(20).default([]);

const httpWorkerSchema = z.strictObject({
  /** There is one way to give a worker its task. */
  method: z.literal("POST").default("POST"),
  url: urlTemplate,
  headers: secretHeaders,
  /** Signs the calls, in place of the tenant's signing secret. */
  secret: signingSecret.optional(),
  /** What of the end user the signed context tells. */
  context: contextKeys,
  timeoutMs: z.int().min(100).max(600_000).default(60_000),
  /** A call may be repeated under the same Idempotency-Key: only then is one retried. */
  idempotent: z.boolean().default(false),
});
export type HttpWorker = z.infer<typeof httpWorkerSchema>;

const workerFields = {
  id: itemName,
  description: z.string().min(1).max(2_000),
  /** What end users read in place of its id, where they read of it at all; without one its description. */
  title: z.string().min(1).max(200).optional(),
  capabilities: z
    .strictObject({
      skills: z.array(z.string().min(1).max(200)).max(100).default([]),
      tools: z.array(z.string().min(1).max(200)).max(100).default([]),
      /** What people ask that is for this worker, in their words; for the example-based strategy. */
      examples: z.array(z.string().min(1).max(1_000)).max(100).default([]),
      available: z.boolean().default(true),
    })
    .prefault({}),
  /** A stored agent, by its name: what it says holds, its supervisors included; tools, rules, references and memories are added to its own. */
  agent: itemName.optional(),
  model: modelChoice.optional(),
  systemPrompt: z.string().max(50_000).optional(),
  tools: z.array(toolName).max(100).default([]),
  /** Beside those of the team. */
  memories,
  temperature: z.number().min(0).max(2).optional(),
  maxToolRounds: z.int().min(0).max(50).optional(),
  /** Of each of its replies. */
  maxOutputTokens: z.int().min(1).max(200_000).optional(),
  rules: z.array(itemName).max(200).default([]),
  references: z.array(itemName).max(200).default([]),
  /** What of the end user its model is shown as data, beside what the team shows to all of its agents. */
  context: contextKeys,
  maxToolsPerRound: z.int().min(1).max(100).optional(),
  /** Workers that this one may hand its task on to. */
  handoffs: z.array(itemName).max(50).default([]),
  http: httpWorkerSchema.optional(),
  /** A stored panel by its name, or a panel: it debates the task, and its synthesis is the result. */
  panel: z.union([itemName, panelSchema]).optional(),
};

const aggregatorSchema = z.strictObject({
  mode: z.enum(["concatenate", "model", "first", "last"]).default("last"),
  model: modelChoice.default("default"),
  systemPrompt: z.string().max(50_000).optional(),
});

export const teamLimitsSchema = z.strictObject({
  /** Of a worker, unless it says otherwise itself. */
  maxToolRounds: z.int().min(0).max(50).default(8),
  maxModelCalls: z.int().min(1).max(1_000).default(100),
  maxQuestions: z.int().min(0).max(100).default(10),
  maxTokens: z.int().min(1).max(10_000_000).default(500_000),
  /** Milliseconds of work, not of waiting. */
  maxActiveMs: z.int().min(1).max(86_400_000).default(900_000),
  maxHandoffs: z.int().min(0).max(20).default(3),
  /** Further attempts at a worker that failed. */
  maxWorkerRetries: z.int().min(0).max(5).default(1),
  /** Workers at once. */
  parallelWorkers: z.int().min(1).max(20).default(5),
  parallelTools: z.int().min(1).max(20).default(5),
  modelTimeoutMs: z.int().min(100).max(600_000).default(60_000),
});
export type TeamLimits = z.infer<typeof teamLimitsSchema>;

const teamFields = {
  description: z.string().max(1_000).optional(),
  supervisor: routerSchema,
  aggregator: aggregatorSchema.prefault({}),
  limits: teamLimitsSchema.prefault({}),
  /** What of the end user the models of all of its agents are shown, as data. */
  context: contextKeys,
  /** For all of its agents, beside the one of the session or run. */
  memories,
  /** Supervisors (in the sense of supervision) of this team, in addition to the tenant's and the caller's. */
  supervisors: z.array(itemName).max(50).default([]),
};

const fieldsOfWorker = z.strictObject(workerFields);
const fieldsOfTeam = z.strictObject(teamFields);

/** A worker is a model with tools unless it says `team`, `panel` or `http`. */
export interface Worker extends z.infer<typeof fieldsOfWorker> {
  readonly team?: string | Team | undefined;
}
export interface Team extends z.infer<typeof fieldsOfTeam> {
  readonly workers: readonly Worker[];
}

/** How deep teams may be nested. */
export const maxTeamDepth = 4;

export const teamSchema: z.ZodType<Team> = z.lazy(() =>
  z.preprocess(
    withSupervisor,
    z
      .strictObject({
        ...teamFields,
        workers: z
          .array(z.strictObject({ ...workerFields, team: z.union([itemName, teamSchema]).optional() }))
          .min(1)
          .max(200),
      })
      .superRefine((team, context) => {
        for (const { path, message } of teamProblems(team)) context.addIssue({ code: "custom", path, message });
      }),
  ),
);

const fieldsOfAgents = ["systemPrompt", "temperature", "maxToolRounds", "maxOutputTokens"] as const;

/** What fields alone don't show: names that name nothing, and what contradicts itself. */
function teamProblems(team: Team): { path: (string | number)[]; message: string }[] {
  const problems: { path: (string | number)[]; message: string }[] = [];
  const ids = team.workers.map((worker) => worker.id);
  const demandWorker = (id: string, path: (string | number)[]): void => {
    if (!ids.includes(id)) problems.push({ path, message: `there is no worker "${id}"; there are: ${ids.join(", ")}` });
  };

  for (const [index, worker] of team.workers.entries()) {
    const at = ["workers", index];
    if (ids.indexOf(worker.id) !== index) {
      const message = `"${worker.id}" is there twice; every worker needs an id of its own`;
      problems.push({ path: [...at, "id"], message });
    }
    const kinds = [worker.agent, worker.team, worker.panel, worker.http, worker.model].filter(
      (kind) => kind !== undefined,
    );
    if (kinds.length > 1) {
      problems.push({ path: at, message: "a worker is one of agent, model, team, panel and http, not several" });
    }
    for (const field of worker.agent === undefined ? [] : fieldsOfAgents) {
      if (worker[field] === undefined) continue;
      const message = "a stored agent brings its own; change it there, or name a model in place of the agent";
      problems.push({ path: [...at, field], message });
    }
    for (const [place, id] of worker.handoffs.entries()) demandWorker(id, [...at, "handoffs", place]);
  }
  const { strategy, rules, fallbackWorker } = team.supervisor;
  if (fallbackWorker !== undefined) demandWorker(fallbackWorker, ["supervisor", "fallbackWorker"]);
  for (const [index, rule] of rules.entries()) {
    for (const id of [rule.to].flat()) demandWorker(id, ["supervisor", "rules", index, "to"]);
  }
  const unfit = strategyNamed(strategy).settingsProblem?.({ rules, fallbackWorker });
  if (unfit !== undefined) problems.push({ path: ["supervisor", unfit.setting], message: unfit.message });
  return problems;
}

/** What a run says which team it wants: by name, or the team itself. */
export const teamChoiceSchema = z.union([itemName, teamSchema]);
export type TeamChoice = z.infer<typeof teamChoiceSchema>;

/** Whether it is counted how busy the workers are: somebody goes by it, or may ask. */
export function tracksLoad({ supervisor, workers }: Team): boolean {
  const asks = (tools: readonly string[]): boolean =>
    tools
      .map(toolRefOf)
      .some(({ server, tool }) => server === builtInServer && (tool === "*" || tool === listWorkersRef.tool));
  const counts = strategyNamed(supervisor.strategy).tracksLoad === true;
  return counts || [supervisor, ...workers].some(({ tools }) => asks(tools));
}

type Path = readonly (string | number)[];

export interface PlacedTeam {
  readonly team: Team;
  /** Its place in the outermost one. */
  readonly path: Path;
}

/** The team, and the teams that are written out within it, outermost first. Those that are only named aren't among them. */
export function teamsWithin(team: Team, path: Path = []): PlacedTeam[] {
  const inner = team.workers.flatMap((worker, index) =>
    typeof worker.team === "object" ? teamsWithin(worker.team, [...path, "workers", index, "team"]) : [],
  );
  return [{ team, path }, ...inner];
}

/** The tools that its agents name and the system doesn't have, with where they are named. */
export function unknownTools(team: Team): { path: Path; message: string }[] {
  return teamsWithin(team).flatMap(({ team: { supervisor, workers }, path }) =>
    [supervisor, ...workers].flatMap(({ tools }, agent) =>
      tools.flatMap((name, index) => {
        const message = unknownBuiltIn(toolRefOf(name));
        const at = agent === 0 ? ["supervisor"] : ["workers", agent - 1];
        return message === undefined ? [] : [{ path: [...path, ...at, "tools", index], message }];
      }),
    ),
  );
}

/** The memories that its agents may search, with where they are named. */
export function memoriesOf(team: Team): { path: Path; memoryId: string }[] {
  return teamsWithin(team).flatMap(({ team: { memories, workers }, path }) =>
    [memories, ...workers.map((worker) => worker.memories)].flatMap((ids, holder) =>
      ids.map((memoryId, index) => {
        const at = holder === 0 ? [] : ["workers", holder - 1];
        return { path: [...path, ...at, "memories", index], memoryId };
      }),
    ),
  );
}

/** A worker as end users read of it: never its id. */
export function plainName({ title, description }: Pick<Worker, "title" | "description">): string {
  return oneLine(title ?? description, 200);
}

/** Workers as those who choose among them read them. */
export function rosterEntry({ id, description, capabilities }: Worker): RosterEntry {
  return { id, description, skills: capabilities.skills, tools: capabilities.tools };
}

export function rosterOf(workers: readonly Worker[]): RosterEntry[] {
  return workers.map(rosterEntry);
}
