/** An entry of a team's trace as a sentence. */
import { oneLine } from "../text/one-line.js";
import { type TraceEntry, targetsOf } from "./trace.js";

/** @param entry of a session after an erasure: the same without its texts. */
export function entrySentence(entry: TraceEntry): string {
  const where = entry.path.length === 0 ? "" : `[${entry.path.join(" / ")}] `;
  switch (entry.type) {
    case "routing.decided": {
      const { decision } = entry;
      const sure = `${Math.round(decision.confidence * 100)} % sure`;
      const task = decision.task === undefined ? "" : ` The task: ${oneLine(decision.task)}`;
      return `${where}Routed to ${targetsOf(decision).join(" and ")} (${decision.strategy}, ${sure}): ${oneLine(decision.reasoning)}${task}`;
    }
    case "routing.finished":
      return `${where}No further worker was needed: ${entry.reasoning}`;
    case "routing.answered":
      return `${where}The supervisor answered itself: ${entry.reasoning}`;
    case "routing.refused":
      return `${where}A decision could not be used: ${entry.problem}`;
    case "worker.started":
      return `${where}${entry.worker} began.${entry.brief === undefined ? "" : ` It was given: ${oneLine(entry.brief)}`}`;
    case "tools.missing":
      return `${where}${entry.agent} worked without ${entry.tools.join(", ")}: not there, or its server could not be reached.`;
    case "tools.refused":
      return `${where}The model of ${entry.agent} takes no tool calls: it was shown its tools as text, and calls them in JSON.`;
    case "tool.used":
      return `${where}${entry.agent} called ${entry.server}/${entry.tool} with ${oneLine(entry.arguments)} and got: ${oneLine(entry.output)}`;
    case "worker.retried":
      return `${where}${entry.worker} failed and was tried again: ${entry.error}`;
    case "worker.handedOn": {
      const found = entry.found === undefined ? "" : ` It had found: ${oneLine(entry.found)}`;
      return `${where}${entry.from} handed the task on to ${entry.to}: ${oneLine(entry.reason)}${found}`;
    }
    case "worker.returned": {
      const { worker, status, output, error } = entry.result;
      return `${where}${worker} ${status}: ${oneLine(output ?? error ?? "")}`;
    }
    case "results.aggregated": {
      const missing = entry.failed === 0 ? "" : `, ${entry.failed} missing`;
      return `${where}The response was made of ${entry.completed} result${entry.completed === 1 ? "" : "s"}${missing} (${entry.mode}).`;
    }
  }
}
