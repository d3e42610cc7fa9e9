/** A run's trace as a story that a person can read, in Markdown. */
import { z } from "zod";
import { askSchema } from "../asks/ask.js";
import type { Run } from "./run.js";
import { type TraceEntry, targetsOf, traceEntrySchema } from "./trace.js";

export interface LoggedEvent {
  readonly at: string;
  readonly type: string;
  readonly data: unknown;
}

const toolEvent = z.object({
  server: z.string(),
  tool: z.string(),
  isError: z.boolean().optional(),
  elapsedMs: z.number().optional(),
});
const decidedEvent = z.object({ hook: z.string(), decision: z.string(), reasons: z.array(z.string()) });

export function renderTrace(run: Run, events: readonly LoggedEvent[]): string {
  const lines = events.flatMap((event) => {
    const text = sentence(event);
    return text === undefined ? [] : [`- ${event.at.slice(11, 19)} ${text}`];
  });
  return [
    `# Run ${run.runId}: ${run.status}`,
    `Team ${run.team}, begun ${run.createdAt}${run.endedAt === undefined ? "" : `, ended ${run.endedAt}`}.`,
    ...(run.input === undefined ? [] : [`> ${run.input.replaceAll("\n", "\n> ")}`]),
    lines.join("\n"),
    ...(run.response === undefined ? [] : [`**Response:** ${run.response}`]),
    ...(run.error === undefined ? [] : [`**Failed:** ${run.error.detail}`]),
    `${run.usage.modelCalls} model calls, ${run.usage.inputTokens} tokens read and ${run.usage.outputTokens} written.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function sentence({ type, data }: LoggedEvent): string | undefined {
  const entry = traceEntrySchema.safeParse(data);
  if (entry.success) return entrySentence(entry.data);
  if (type === "ask.opened" || type === "ask.closed") return askSentence(type, data);
  if (type === "tool.called" || type === "tool.returned") {
    const tool = toolEvent.safeParse(data);
    if (!tool.success) return undefined;
    const name = `${tool.data.server}/${tool.data.tool}`;
    if (type === "tool.called") return `Called the tool ${name}.`;
    return `The tool ${name} ${tool.data.isError ? "failed" : "returned"} after ${tool.data.elapsedMs ?? 0} ms.`;
  }
  if (type === "supervision.decided") {
    const pass = decidedEvent.safeParse(data);
    if (!pass.success || pass.data.decision === "allow") return undefined;
    return `Supervision of the ${pass.data.hook.replace("_", " ")}: ${pass.data.decision} (${pass.data.reasons.join("; ")}).`;
  }
  if (type === "run.waiting") return "Nothing more could be done without an answer: the run waited.";
  return undefined;
}

function entrySentence(entry: TraceEntry): string {
  const where = entry.path.length === 0 ? "" : `[${entry.path.join(" / ")}] `;
  switch (entry.type) {
    case "routing.decided": {
      const { decision } = entry;
      const sure = `${Math.round(decision.confidence * 100)} % sure`;
      return `${where}Routed to ${targetsOf(decision).join(" and ")} (${decision.strategy}, ${sure}): ${decision.reasoning}`;
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
    case "worker.handedOn":
      return `${where}${entry.from} handed the task on to ${entry.to}: ${entry.reason}`;
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

function askSentence(type: string, data: unknown): string | undefined {
  const ask = askSchema.safeParse(data);
  if (!ask.success) return undefined;
  const { kind, question, status, answer } = ask.data;
  if (type === "ask.opened") return `Asked ${kind === "human" ? "a person" : `for ${articled(kind)}`}: “${question}”`;
  const response =
    answer === undefined ? "" : `: ${oneLine("response" in answer ? answer.response : JSON.stringify(answer))}`;
  if (status === "answered") return `A person answered “${question}”${response}`;
  return status === "expired"
    ? `Nobody answered “${question}” in time${response === "" ? "." : `; assumed${response}`}`
    : `The question “${question}” was cancelled.`;
}

function articled(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}

function oneLine(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length <= 300 ? flat : `${flat.slice(0, 300)}…`;
}
