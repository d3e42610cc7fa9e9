/** One attempt at one worker: a model with tools, a team, or an address. */

import { z } from "zod";
import type { AgentOutcome } from "../agent/agent-spec.js";
import { modelList } from "../agent/definition.js";
import { effectsOf } from "../agent/effects.js";
import { limitRefusalOf } from "../agent/limit-refusal.js";
import { runAgent } from "../agent/loop.js";
import { isRequested } from "../agent/tool-call.js";
import type { AgentTool } from "../agent/tools.js";
import { defined } from "../conversation/defined.js";
import { handOffReport } from "./agent-reports.js";
import { clarificationsOf } from "./clarifications.js";
import { runHttpWorker } from "./http-worker.js";
import { runPanelWorker, superviseNested } from "./nested.js";
import { agentPrompt } from "./prompt-context.js";
import { handOffTool } from "./routing-tools.js";
import { failedOutcome, type Task, type WorkerOutcome } from "./task.js";
import { rosterOf } from "./team.js";
import { heldTools, mostRelevant, teamAgentPorts } from "./team-agent.js";
import type { TeamContext } from "./team-context.js";

export type RunNested = (run: TeamContext, task: Task) => Promise<WorkerOutcome>;

/** @throws {Parked} while the worker waits for a person. */
export async function attemptWorker(run: TeamContext, task: Task, runNested: RunNested): Promise<WorkerOutcome> {
  const exhausted = run.budget.exhausted();
  if (exhausted !== undefined) return failedOutcome(exhausted);
  const { agent } = task.worker;
  if (agent !== undefined) return failedOutcome(`its agent ${agent} doesn't exist any more`);
  if (task.worker.http !== undefined) return runHttpWorker(run, task, task.worker.http);
  if (task.worker.panel !== undefined) return runPanelWorker(run, task);
  if (task.worker.team !== undefined) return runNested(run, task);
  const ownSupervisors = run.team.supervisorsOf?.(task.worker.id) ?? [];
  return ownSupervisors.length === 0
    ? runModelWorker(run, task)
    : superviseNested(run, task, ownSupervisors, (inner, content) => runModelWorker(inner, { ...task, content }));
}

async function runModelWorker(run: TeamContext, task: Task): Promise<WorkerOutcome> {
  const { worker, chain } = task;
  const { definition } = run.team;
  const colleagues = definition.workers.filter(
    ({ id, capabilities }) => worker.handoffs.includes(id) && capabilities.available && !run.failed.has(id),
  );
  const held = heldTools(run, worker);
  const handOff =
    colleagues.length === 0 ? [] : [handOffTool(worker.id, rosterOf(colleagues), chain, definition.limits.maxHandoffs)];
  const tools = (): readonly AgentTool[] => [
    ...handOff,
    ...mostRelevant(held.inForce(), task.content, worker.maxToolsPerRound),
  ];
  const instructions = worker.systemPrompt ?? `You are ${worker.id}: ${worker.description}`;
  const prompt = () => agentPrompt(run, [instructions], task.content, worker);
  const ports = teamAgentPorts(run, "agent", {
    name: worker.id,
    tools: () => [...handOff, ...held.inForce()],
    draft: run.draft,
  });
  const outcome = await runAgent(
    {
      models: modelList(worker.model ?? "default"),
      prompt,
      tools,
      removedTool: (requested) => held.all.find((tool) => isRequested(tool, requested)),
      ...defined({ temperature: worker.temperature }),
      limits: {
        ...run.budget.agentLimits(worker.maxToolRounds ?? definition.limits.maxToolRounds),
        ...defined({ maxOutputTokens: worker.maxOutputTokens }),
      },
      retry: (error) => task.retries.next(error),
      replyId: task.id,
    },
    ports,
  );
  run.budget.spend(outcome, limitRefusalOf(outcome));
  const effects = effectsOf(outcome.effects, run.command.path, worker.id);
  return { ...resultOf(outcome), clarifications: clarificationsOf(outcome, (id) => run.permits.askOf(id)), effects };
}

type Bare = WorkerOutcome extends infer Outcome
  ? Outcome extends unknown
    ? Omit<Outcome, "clarifications" | "effects">
    : never
  : never;

function resultOf(outcome: AgentOutcome): Bare {
  switch (outcome.kind) {
    // Its model was called again, with the exchange as it was, as often as is allowed.
    case "failed":
      return { kind: "failed", error: outcome.detail, again: false };
    case "ended": {
      const { worker, reason, done } = handOffArguments.parse(outcome.by.args);
      return { kind: "handedOn", to: worker, reason, found: handOffReport(done, outcome.turns) };
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

const handOffArguments = z.object({ worker: z.string(), reason: z.string().default(""), done: z.string().default("") });
