/** The tools that make an agent a router: they end its run with a decision. Their server's name is `routing`. */
import type { AgentTool, CallRefusal, ToolOutput } from "../agent/tools.js";
import { checkDecision } from "./decision-repair.js";
import type { RosterEntry } from "./routing-input.js";

/**
 * Tools of the system's own making: nobody's data comes from them, no supervisor judges them, and they check their arguments
 * themselves, more leniently than a schema could.
 */
export const routingServer = "routing";

/** What they are called: no other tool is shown to a model under one of these names. */
export const routingToolNames: ReadonlySet<string> = new Set(["route_to", "finish_routing", "respond", "hand_off_to"]);

/** Whether it is one of them: a tenant's tool may have such a server, or such a name, and never both as it is shown. */
export function isRoutingTool({ ref, name }: Pick<AgentTool, "ref" | "name">): boolean {
  return ref.server === routingServer && routingToolNames.has(name);
}

const ownTool = { timeoutMs: 10_000, execution: "idempotent", readOnly: true } as const;

/** The decision as a tool: its workers are those that can be chosen now, and no others. */
export function routeToTool(live: readonly RosterEntry[], known: readonly string[], mayReevaluate: boolean): AgentTool {
  const ids = live.map(({ id }) => id);
  const who = live.map(({ id, description }) => `${id}: ${description}`).join("; ");
  return {
    ...ownTool,
    ref: { server: routingServer, tool: "route_to" },
    name: "route_to",
    description: "Decide which worker handles this. Name one in targetAgent, or several at once in targetAgents.",
    parameters: {
      type: "object",
      properties: {
        targetAgent: { type: "string", enum: ids, description: `The worker. ${who}` },
        targetAgents: {
          type: "array",
          items: { type: "string", enum: ids },
          description: "In place of targetAgent: several workers that are to work at the same time",
        },
        reasoning: { type: "string", description: "Why, in a sentence" },
        confidence: { type: "number", description: "How sure you are, from 0 to 1" },
        task: { type: "string", description: "What the worker is to do, if the input alone doesn't say it" },
        ...(mayReevaluate
          ? { reevaluate: { type: "boolean", description: "True if you want to see the result and decide once more" } }
          : {}),
      },
      required: ["targetAgent", "reasoning", "confidence"],
    },
    run: async (args): Promise<ToolOutput> => {
      const read = checkDecision(args, ids, known);
      return read.ok
        ? { content: "Decided.", endsRun: true }
        : { content: `Not decided: ${read.problem}`, isError: true, refused: "arguments" };
    },
  };
}

/** Ends the team's work when the results so far are enough. */
export const finishTool: AgentTool = {
  ...ownTool,
  ref: { server: routingServer, tool: "finish_routing" },
  name: "finish_routing",
  description: "Say that the results so far answer the input, and no further worker is needed.",
  parameters: {
    type: "object",
    properties: { reasoning: { type: "string", description: "Why, in a sentence" } },
    required: ["reasoning"],
  },
  run: async () => ({ content: "Finished.", endsRun: true }),
};

/** Lets the supervisor answer itself, in a team whose `mayAnswer` says so. */
export const respondTool: AgentTool = {
  ...ownTool,
  ref: { server: routingServer, tool: "respond" },
  name: "respond",
  description:
    "Answer yourself, in place of a worker: a greeting, thanks, a question about what you can do, or what you already know for certain from the conversation or your tools. Everything else is a worker's.",
  parameters: {
    type: "object",
    properties: {
      response: { type: "string", description: "The whole answer, as the person is to read it" },
      reasoning: { type: "string", description: "Why no worker is needed, in a sentence" },
    },
    required: ["response"],
  },
  run: async ({ response }) =>
    typeof response === "string" && response.trim() !== ""
      ? { content: "Answered.", endsRun: true }
      : {
          content: "Not answered: `response` is the text of the answer, and can't be empty.",
          isError: true,
          refused: "arguments",
        },
};

/** Hands a worker's task on. A worker that had it before can't get it back: that would go in circles. */
export function handOffTool(
  from: string,
  targets: readonly RosterEntry[],
  chain: readonly string[],
  maxHandoffs: number,
): AgentTool {
  const ids = targets.map(({ id }) => id);
  return {
    ...ownTool,
    ref: { server: routingServer, tool: "hand_off_to" },
    name: "hand_off_to",
    description: `Hand this task on to another worker that fits better. ${targets
      .map(({ id, description }) => `${id}: ${description}`)
      .join("; ")}`,
    parameters: {
      type: "object",
      properties: {
        worker: { type: "string", enum: ids },
        reason: { type: "string", description: "Why that worker, and what it needs to know" },
        done: { type: "string", description: "What you did and found so far, so that it isn't done again" },
      },
      required: ["worker", "reason"],
    },
    run: async ({ worker }): Promise<ToolOutput> => {
      const to = String(worker);
      if (!ids.includes(to)) {
        return {
          content: `Not handed on: there is no worker "${to}" to hand on to; there are: ${ids.join(", ")}.`,
          isError: true,
          refused: "unknown_worker",
        };
      }
      if (to === from || chain.includes(to)) {
        const way = [...chain, from, to].join(" → ");
        return notHandedOn(`that goes in a circle (${way})`, "circle");
      }
      if (chain.length >= maxHandoffs) {
        const limit = `the task was handed on ${chain.length} times already, and the limit is ${maxHandoffs}`;
        return notHandedOn(limit, "limit");
      }
      return { content: `Handed on to ${to}.`, endsRun: true };
    },
  };
}

function notHandedOn(problem: string, refused: CallRefusal): ToolOutput {
  return { content: `Not handed on: ${problem}. Answer as well as you can.`, isError: true, refused };
}
