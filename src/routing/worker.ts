/** One attempt at one worker: a model with tools, a team, or an address. */
import { z } from "zod";
import { modelList } from "../agent/definition.js";
import { type AgentOutcome, runAgent } from "../agent/loop.js";
import { buildPrompt } from "../agent/prompt.js";
import { isRequested } from "../agent/tool-call.js";
import type { AgentTool } from "../agent/tools.js";
import { runHttpWorker } from "./http-worker.js";
import { runPanelWorker } from "./panel-worker.js";
import { clarificationsOf } from "./questions.js";
import { dataNotice } from "./routing-input.js";
import { handOffTool } from "./routing-tools.js";
import type { Task, WorkerOutcome } from "./task.js";
import { heldTools, mostRelevant, teamAgentPorts } from "./team-agent.js";
import { rosterOf, type TeamContext } from "./team-context.js";

export type RunNested = (run: TeamContext, task: Task) => Promise<WorkerOutcome>;

/** @throws {Parked} while the worker waits for a person. */
export async function attemptWorker(run: TeamContext, task: Task, runNested: RunNested): Promise<WorkerOutcome> {
  const exhausted = run.budget.exhausted();
  if (exhausted !== undefined) return { kind: "failed", error: exhausted, again: false, clarifications: [] };
  if (task.worker.http !== undefined) return runHttpWorker(run, task, task.worker.http);
  if (task.worker.panel !== undefined) return runPanelWorker(run, task);
  return task.worker.team === undefined ? runModelWorker(run, task) : runNested(run, task);
}

async function runModelWorker(run: TeamContext, task: Task): Promise<WorkerOutcome> {
  const { worker, chain } = task;
  const { definition } = run.team;
  const colleagues = definition.workers.filter(
    ({ id, capabilities }) => worker.handoffs.includes(id) && capabilities.available,
  );
  const held = heldTools(run, worker);
  const handOff =
    colleagues.length === 0 ? [] : [handOffTool(worker.id, rosterOf(colleagues), chain, definition.limits.maxHandoffs)];
  const tools = (): readonly AgentTool[] => [
    ...handOff,
    ...mostRelevant(held.inForce(), task.content, worker.maxToolsPerRound),
  ];
  const outcome = await runAgent(
    {
      models: modelList(worker.model ?? "default"),
      prompt: () =>
        buildPrompt({
          instructions: [worker.systemPrompt ?? `You are ${worker.id}: ${worker.description}`, dataNotice].join("\n\n"),
          ...run.command.promptContext(),
          message: task.content,
        }),
      tools,
      removedTool: (requested) => held.all.find((tool) => isRequested(tool, requested)),
      ...(worker.temperature === undefined ? {} : { temperature: worker.temperature }),
      limits: run.budget.agentLimits(worker.maxToolRounds ?? definition.limits.maxToolRounds),
      replyId: task.id,
    },
    teamAgentPorts(run, "agent", {
      name: worker.id,
      tools: () => [...handOff, ...held.inForce()],
      draft: run.draft,
    }),
  );
  run.budget.spend(outcome);
  return { ...resultOf(outcome), clarifications: clarificationsOf(outcome) };
}

type Bare = WorkerOutcome extends infer Outcome
  ? Outcome extends unknown
    ? Omit<Outcome, "clarifications">
    : never
  : never;

function resultOf(outcome: AgentOutcome): Bare {
  switch (outcome.kind) {
    // A budget that is used up allows no other attempt anyway.
    case "failed":
      return { kind: "failed", error: outcome.detail, again: true };
    case "ended": {
      const { worker, reason } = handOffArguments.parse(outcome.by.args);
      return { kind: "handedOn", to: worker, reason };
    }
    case "answered": {
      // A worker may answer beside its last tool call, and say nothing more.
      const last = outcome.turns.findLast(({ message }) => message)?.message;
      const output = outcome.text.trim() === "" ? last : outcome.text;
      return output === undefined || output.trim() === ""
        ? { kind: "failed", error: "it gave an empty answer", again: true }
        : { kind: "done", output };
    }
  }
}

const handOffArguments = z.object({ worker: z.string(), reason: z.string().default("") });
