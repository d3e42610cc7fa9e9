/** Makes one response of the workers' results, and names what is missing. */
import { modelList } from "../agent/definition.js";
import { runAgent } from "../agent/loop.js";
import { buildPrompt } from "../agent/prompt.js";
import { openGuard } from "../agent/tools.js";
import type { Clarification } from "./clarifications.js";
import { writingDraft } from "./draft.js";
import { briefText, dataNotice, type WorkerResult } from "./routing-input.js";
import { emit, promptContextOf, type TeamContext } from "./team-context.js";

/** @param results at least one of them completed. */
export async function aggregate(
  run: TeamContext,
  results: readonly WorkerResult[],
  clarifications: readonly Clarification[],
): Promise<string> {
  const { mode } = run.team.definition.aggregator;
  // A worker that failed in an earlier round isn't missing: another did its work.
  const last = lastRound(results);
  const completed = results.filter(({ status }) => status === "completed");
  const missing = last.filter(({ status }) => status === "failed");
  const respond = async (): Promise<string> => {
    switch (mode) {
      case "first":
        return completed[0]?.output ?? "";
      case "last":
        return completed.at(-1)?.output ?? "";
      case "model":
        return (await byModel(run, results, clarifications)) ?? concatenate(completed, missing);
      case "concatenate":
        return concatenate(completed, missing);
    }
  };
  const response = await respond();
  await run.ports.journal.commit("aggregated", () =>
    emit(run, { type: "results.aggregated", mode, completed: completed.length, failed: missing.length }),
  );
  return response;
}

function lastRound(results: readonly WorkerResult[]): readonly WorkerResult[] {
  const iteration = results.findLast(({ status }) => status === "completed")?.iteration;
  return results.filter((result) => result.iteration === iteration);
}

/** A single result is the response; several are labelled by worker, and missing ones are named. */
function concatenate(completed: readonly WorkerResult[], missing: readonly WorkerResult[]): string {
  const [only] = completed;
  if (completed.length === 1 && missing.length === 0 && only !== undefined) return only.output ?? "";
  return [
    ...completed.map(({ worker, output }) => `${worker}:\n${output ?? ""}`),
    ...missing.map(({ worker, error }) => `${worker} gave no result: ${error ?? "it failed"}`),
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
  const outcome = await runAgent(
    {
      models: modelList(aggregator.model),
      prompt: () =>
        buildPrompt({
          instructions: [
            aggregator.systemPrompt ??
              "Make one answer to the request out of the workers' results. Say what is missing.",
            dataNotice,
          ].join("\n\n"),
          ...promptContextOf(run),
          message: briefText({ input: command.input, clarifications, results }),
        }),
      tools: () => [],
      limits: run.budget.agentLimits(0),
      replyId: `${command.id}.a`,
    },
    {
      ...ports,
      journal: ports.journal.scope("aggregate"),
      guard: openGuard,
      observer: { ...ports.observer, ...writingDraft(run.draft) },
    },
  );
  run.budget.spend(outcome);
  return outcome.kind === "answered" && outcome.text.trim() !== "" ? outcome.text : undefined;
}
