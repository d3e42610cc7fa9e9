/** Work that has supervisors of its own, inside a team: they see what it is given and what it gives, and supervise what it does. A panel is such work. */
import { runPanel } from "../roundtable/nested.js";
import { activeAtHop } from "../supervision/as-hop.js";
import { runExchange } from "../supervision/exchange.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { draftThroughHop } from "./draft.js";
import { promptContextOf } from "./prompt-context.js";
import { reasonsOf } from "./supervised-texts.js";
import { failedOutcome, type Task, type WorkerOutcome } from "./task.js";
import { askingOf, type TeamContext } from "./team-context.js";

/** @param named the work's own supervisors; those around the team that are the same aren't asked twice. */
export async function superviseNested(
  run: TeamContext,
  task: Task,
  named: readonly Supervisor[],
  work: (run: TeamContext, content: string) => Promise<WorkerOutcome>,
): Promise<WorkerOutcome> {
  const around = run.ports.supervisors;
  const added = named.filter(({ name }) => !around.some((supervisor) => supervisor.name === name));
  const supervisors = { request: activeAtHop(added, ["request"]), response: activeAtHop(added, ["response"]) };
  const name = [...run.command.path, task.worker.id].join("/");
  const outcome = await runExchange<"hop", "hop", WorkerOutcome>(
    {
      request: { hook: "hop", from: "around", to: name, content: task.content },
      supervisors,
      work: async ({ content }, noteDegraded) => {
        const ports = { ...run.ports, supervisors: [...around, ...added], noteDegraded };
        const worked = await work({ ...run, ports, draft: draftThroughHop(run.draft, supervisors.response) }, content);
        return worked.kind === "done"
          ? {
              kind: "responded",
              response: { hook: "hop", from: name, to: "around", content: worked.output },
              report: worked,
            }
          : { kind: "failed", detail: worked.kind === "failed" ? worked.error : worked.reason, report: worked };
      },
    },
    run.ports,
  );
  run.ports.noteDegraded(outcome.degraded);
  switch (outcome.status) {
    case "completed":
      return {
        kind: "done",
        output: outcome.result.content,
        clarifications: outcome.report.clarifications,
        effects: outcome.report.effects,
      };
    case "failed":
      return outcome.report;
    case "blocked":
      return outcome.hook === "request"
        ? failedOutcome(`its input was blocked: ${reasonsOf(outcome.request)}`)
        : failedOutcome(`its response was blocked: ${reasonsOf(outcome.response)}`, outcome.report);
  }
}

/**
 * A panel as a worker: what holds around the team holds in its debate, and what its seats did is part of the outcome.
 * @throws {Parked} while something that a seat requires is open
 */
export async function runPanelWorker(run: TeamContext, task: Task): Promise<WorkerOutcome> {
  const loaded = run.team.panel(task.worker.id);
  if (!loaded.ok) return failedOutcome(loaded.detail);
  const { maxTokens, maxActiveMs } = run.budget.agentLimits(0);
  const { limits } = loaded.panel;
  const bounded = {
    ...limits,
    maxTokens: Math.min(limits.maxTokens, maxTokens),
    maxActiveMs: Math.min(limits.maxActiveMs, maxActiveMs),
  };
  const panel = { ...loaded.panel, limits: bounded };
  const supervisors = [...loaded.supervisors, ...(run.team.supervisorsOf?.(task.worker.id) ?? [])];
  return superviseNested(run, task, supervisors, async ({ ports }, content) => {
    const asking = askingOf(run, task.worker.id);
    const debated = await runPanel(
      `${task.id}.p`,
      { ...promptContextOf(run, task.worker), message: content },
      panel,
      {
        ...ports,
        journal: run.ports.journal.scope("panel"),
        supervise: { ...ports.supervise, source: asking.source },
        asking,
        observer: { ...ports.observer, recorded: ports.observer.debated },
      },
      run.effects,
    );
    run.budget.spend(debated.spent, debated.kind === "failed" ? debated.limit : undefined);
    const place = [...run.command.path, task.worker.id];
    const effects = debated.effects.map((effect) => ({ ...effect, by: [...place, effect.by].join("/") }));
    return debated.kind === "failed"
      ? failedOutcome(debated.detail, { effects })
      : { kind: "done", output: debated.response, clarifications: [], effects };
  });
}
