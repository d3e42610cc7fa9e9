/** One attempt at one worker: a model with tools, a team, or an address. */
import { z } from "zod";
import type { AgentOutcome } from "../agent/agent-spec.js";
import { modelList } from "../agent/definition.js";
import { effectsOf } from "../agent/effects.js";
import { runAgent } from "../agent/loop.js";
import { buildPrompt } from "../agent/prompt.js";
import { isRequested } from "../agent/tool-call.js";
import type { AgentTool } from "../agent/tools.js";
import { clarificationsOf } from "./clarifications.js";
import { handOffReport } from "./hand-off-report.js";
import { runHttpWorker } from "./http-worker.js";
import { superviseNested } from "./nested-exchange.js";
import { runPanelWorker } from "./panel-worker.js";
import type { Retries } from "./retries.js";
import { dataNotice } from "./routing-input.js";
import { handOffTool } from "./routing-tools.js";
import { failedOutcome, type Task, type WorkerOutcome } from "./task.js";
import { heldTools, mostRelevant, teamAgentPorts } from "./team-agent.js";
import { promptContextOf, rosterOf, type TeamContext } from "./team-context.js";

export type RunNested = (run: TeamContext, task: Task) => Promise<WorkerOutcome>;

/**
 * @param retries what failed is done again within it, with what was learned until then.
 * @throws {Parked} while the worker waits for a person.
 */
export async function attemptWorker(
  run: TeamContext,
  task: Task,
  retries: Retries,
  runNested: RunNested,
): Promise<WorkerOutcome> {
  const exhausted = run.budget.exhausted();
  if (exhausted !== undefined) return failedOutcome(exhausted);
  const { agent } = task.worker;
  if (agent !== undefined) return failedOutcome(`its agent ${agent} doesn't exist any more`);
  if (task.worker.http !== undefined) return runHttpWorker(run, task, task.worker.http, retries);
  if (task.worker.panel !== undefined) return runPanelWorker(run, task);
  if (task.worker.team !== undefined) return runNested(run, task);
  const own = run.team.supervisorsOf?.(task.worker.id) ?? [];
  return own.length === 0
    ? runModelWorker(run, task, retries)
    : superviseNested(run, task, own, (inner, content) => runModelWorker(inner, { ...task, content }, retries));
}

async function runModelWorker(run: TeamContext, task: Task, retries: Retries): Promise<WorkerOutcome> {
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
          ...promptContextOf(run, worker),
          message: task.content,
        }),
      tools,
      removedTool: (requested) => held.all.find((tool) => isRequested(tool, requested)),
      ...(worker.temperature === undefined ? {} : { temperature: worker.temperature }),
      limits: {
        ...run.budget.agentLimits(worker.maxToolRounds ?? definition.limits.maxToolRounds),
        ...(worker.maxOutputTokens === undefined ? {} : { maxOutputTokens: worker.maxOutputTokens }),
      },
      retry: (error) => retries.next(error),
      replyId: task.id,
    },
    teamAgentPorts(run, "agent", {
      name: worker.id,
      tools: () => [...handOff, ...held.inForce()],
      draft: run.draft,
    }),
  );
  run.budget.spend(outcome);
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
