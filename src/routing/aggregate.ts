/** Makes one response of the workers' results, and names what is missing. */

import { modelList } from "../agent/definition.js";
import { limitRefusalOf } from "../agent/limit-refusal.js";
import { runAgent } from "../agent/loop.js";
import { openGuard } from "../agent/tools.js";
import type { Clarification } from "./clarifications.js";
import { writingDraft } from "./draft.js";
import { agentPrompt } from "./prompt-context.js";
import { briefText, type WorkerResult } from "./routing-input.js";
import { plainName } from "./team.js";
import { emit, type TeamContext } from "./team-context.js";

/** @param results at least one of them completed. */
export async function aggregate(
  run: TeamContext,
  results: readonly WorkerResult[],
  clarifications: readonly Clarification[],
): Promise<string> {
  const { mode } = run.team.definition.aggregator;
  // A worker that failed in an earlier round isn't missing: another did its work.
  const last = lastRound(results);
  const completed = answersOf(results);
  const missing = last.filter(({ status }) => status === "failed");
  const respond = async (): Promise<string> => {
    switch (mode) {
      case "first":
        return completed[0]?.output ?? "";
      case "last":
        return join(run, answersOf(last), missing);
      case "model":
        return (await byModel(run, results, clarifications)) ?? join(run, completed, missing);
      case "concatenate":
        return join(run, completed, missing);
    }
  };
  const response = await respond();
  await run.ports.journal.commit("aggregated", () =>
    emit(run, { type: "results.aggregated", mode, completed: completed.length, failed: missing.length }),
  );
  return response;
}

function answersOf(results: readonly WorkerResult[]): readonly WorkerResult[] {
  return results.filter(({ status }) => status === "completed");
}

function lastRound(results: readonly WorkerResult[]): readonly WorkerResult[] {
  const iteration = results.findLast(({ status }) => status === "completed")?.iteration;
  return results.filter((result) => result.iteration === iteration);
}

/** One answer after another, as it was written: who reads them knows nothing of workers. What is missing is named by what it is about. */
function join({ team }: TeamContext, completed: readonly WorkerResult[], missing: readonly WorkerResult[]): string {
  const { workers } = team.definition;
  const about = missing.flatMap(({ worker }) => workers.filter(({ id }) => id === worker).map(plainName));
  return [
    ...completed.map(({ output = "" }) => output),
    ...(about.length === 0 ? [] : [`No answer came on: ${about.join("; ")}.`]),
  ].join("\n\n");
}

async function byModel(
  run: TeamContext,
  results: readonly WorkerResult[],
  clarifications: readonly Clarification[],
): Promise<string | undefined> {
  if (run.budget.exhausted() !== undefined) return undefined;
  const { aggregator } = run.team.definition;
  const { command, ports } = run;
  const instructions =
    aggregator.systemPrompt ??
    "Make one answer to the request out of the workers' results. Say what is missing. Whoever reads it knows nothing of workers: name none.";
  const message = briefText({ input: command.input, clarifications, results });
  const prompt = () => agentPrompt(run, [instructions], message);
  const observer = { ...ports.observer, ...writingDraft(run.draft) };
  const outcome = await runAgent(
    {
      models: modelList(aggregator.model),
      prompt,
      tools: () => [],
      limits: run.budget.agentLimits(0),
      replyId: `${command.id}.a`,
    },
    {
      ...ports,
      journal: ports.journal.scope("aggregate"),
      guard: openGuard,
      observer,
    },
  );
  run.budget.spend(outcome, limitRefusalOf(outcome));
  return outcome.kind === "answered" && outcome.text.trim() !== "" ? outcome.text : undefined;
}
