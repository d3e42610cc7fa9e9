/** A worker that is a panel: its own supervisors see the task and the synthesis, those around it everything that passes in it. */

import { nothingSpent, type Spent } from "../roundtable/limits.js";
import { runPanel } from "../roundtable/nested.js";
import { activeAtHop } from "../supervision/as-hop.js";
import { runExchange } from "../supervision/exchange.js";
import type { Task, WorkerOutcome } from "./task.js";
import { askingOf, reasonsOf, type TeamContext } from "./team-context.js";

/** @throws {Parked} while something that a seat requires is open */
export async function runPanelWorker(run: TeamContext, task: Task): Promise<WorkerOutcome> {
  const failed = (error: string): WorkerOutcome => ({
    kind: "failed",
    error,
    again: false,
    clarifications: [],
    effects: [],
  });
  const loaded = run.team.panel(task.worker.id);
  if (!loaded.ok) return failed(loaded.detail);
  const around = run.ports.supervisors;
  const own = loaded.supervisors.filter(({ name }) => !around.some((supervisor) => supervisor.name === name));
  const place = [...run.command.path, task.worker.id].join("/");
  const { maxTokens, maxActiveMs } = run.budget.agentLimits(0);
  const { limits } = loaded.panel.panel;
  const bounded = {
    ...limits,
    maxTokens: Math.min(limits.maxTokens, maxTokens),
    maxActiveMs: Math.min(limits.maxActiveMs, maxActiveMs),
  };
  const nested = { ...loaded.panel, panel: { ...loaded.panel.panel, limits: bounded } };
  const outcome = await runExchange<"hop", "hop", Spent>(
    {
      request: { hook: "hop", from: "around", to: place, content: task.content },
      supervisors: { request: activeAtHop(own, ["request"]), response: activeAtHop(own, ["response"]) },
      work: async ({ content }, noteDegraded) => {
        const { ports } = run;
        const asking = askingOf(run, task.worker.id);
        const debated = await runPanel(`${task.id}.p`, content, nested, {
          ...ports,
          supervisors: [...around, ...own],
          journal: ports.journal.scope("panel"),
          supervise: { ...ports.supervise, source: asking.source },
          asking,
          noteDegraded,
          observer: { ...ports.observer, recorded: ports.observer.debated },
        });
        return debated.kind === "failed"
          ? { kind: "failed", detail: debated.detail, report: debated.spent }
          : {
              kind: "responded",
              response: { hook: "hop", from: place, to: "around", content: debated.response },
              report: debated.spent,
            };
      },
    },
    run.ports,
  );
  run.ports.noteDegraded(outcome.degraded);
  run.budget.spend("report" in outcome ? outcome.report : nothingSpent);
  switch (outcome.status) {
    case "completed":
      return { kind: "done", output: outcome.result.content, clarifications: [], effects: [] };
    case "failed":
      return failed(outcome.detail);
    case "blocked":
      return outcome.hook === "request"
        ? failed(`its task was blocked: ${reasonsOf(outcome.request)}`)
        : failed(`its synthesis was blocked: ${reasonsOf(outcome.response)}`);
  }
}
