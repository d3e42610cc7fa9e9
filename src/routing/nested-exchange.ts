/** Work that has supervisors of its own, inside a team: they see what it is given and what it gives, and supervise what it does. */
import { activeAtHop } from "../supervision/as-hop.js";
import { runExchange } from "../supervision/exchange.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { draftThroughHop } from "./draft.js";
import { failedOutcome, type Task, type WorkerOutcome } from "./task.js";
import { reasonsOf, type TeamContext } from "./team-context.js";

/** @param named the work's own supervisors; those around the team that are the same aren't asked twice. */
export async function superviseNested(
  run: TeamContext,
  task: Task,
  named: readonly Supervisor[],
  work: (run: TeamContext, content: string) => Promise<WorkerOutcome>,
): Promise<WorkerOutcome> {
  const around = run.ports.supervisors;
  const own = named.filter(({ name }) => !around.some((supervisor) => supervisor.name === name));
  const supervisors = { request: activeAtHop(own, ["request"]), response: activeAtHop(own, ["response"]) };
  const name = [...run.command.path, task.worker.id].join("/");
  const outcome = await runExchange<"hop", "hop", WorkerOutcome>(
    {
      request: { hook: "hop", from: "around", to: name, content: task.content },
      supervisors,
      work: async ({ content }, noteDegraded) => {
        const ports = { ...run.ports, supervisors: [...around, ...own], noteDegraded };
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
