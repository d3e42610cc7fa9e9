/** A worker that is a panel: what holds around the team holds in its debate, and what its seats did is told on. */
import { runPanel } from "../roundtable/nested.js";
import { debateTopic } from "../roundtable/topic.js";
import { superviseNested } from "./nested-exchange.js";
import { failedOutcome, type Task, type WorkerOutcome } from "./task.js";
import { askingOf, promptContextOf, type TeamContext } from "./team-context.js";

/** @throws {Parked} while something that a seat requires is open */
export async function runPanelWorker(run: TeamContext, task: Task): Promise<WorkerOutcome> {
  const loaded = run.team.panel(task.worker.id);
  if (!loaded.ok) return failedOutcome(loaded.detail);
  const { maxTokens, maxActiveMs } = run.budget.agentLimits(0);
  const { limits } = loaded.panel.panel;
  const bounded = {
    ...limits,
    maxTokens: Math.min(limits.maxTokens, maxTokens),
    maxActiveMs: Math.min(limits.maxActiveMs, maxActiveMs),
  };
  const nested = { ...loaded.panel, panel: { ...loaded.panel.panel, limits: bounded } };
  const own = [...loaded.supervisors, ...(run.team.supervisorsOf?.(task.worker.id) ?? [])];
  return superviseNested(run, task, own, async ({ ports }, content) => {
    const asking = askingOf(run, task.worker.id);
    const debated = await runPanel(
      `${task.id}.p`,
      { asked: content, topic: debateTopic({ ...promptContextOf(run, task.worker), message: content }) },
      nested,
      {
        ...ports,
        journal: run.ports.journal.scope("panel"),
        supervise: { ...ports.supervise, source: asking.source },
        asking,
        observer: { ...ports.observer, recorded: ports.observer.debated },
      },
      run.effects,
    );
    run.budget.spend(debated.spent);
    const place = [...run.command.path, task.worker.id];
    const effects = debated.effects.map((effect) => ({ ...effect, by: [...place, effect.by].join("/") }));
    return debated.kind === "failed"
      ? failedOutcome(debated.detail, { effects })
      : { kind: "done", output: debated.response, clarifications: [], effects };
  });
}
