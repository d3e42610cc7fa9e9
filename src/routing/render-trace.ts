/** What happened in a run or a turn as a story that a person can read who was not there, in Markdown. */
import { z } from "zod";
import { type CallRefusal, callRefusals } from "../agent/tools.js";
import type { Usage } from "../agent/work.js";
import type { Ask } from "../asks/ask.js";
import { actorInWords, askClosed, askOpened } from "../asks/ask-sentence.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { SupervisionState } from "../supervision/state.js";
import { oneLine } from "../text/one-line.js";
import { type TraceEntry, targetsOf, tracedEntries, traceEntrySchema } from "./trace.js";

export interface LoggedEvent {
  readonly at: string;
  readonly type: string;
  readonly data: unknown;
}

/** Everything that a story is made of. */
export interface StoryParts {
  /** `Run run_…`, `Turn trn_…`. */
  readonly title: string;
  readonly status: string;
  /** Whose work it is: `Team support`, `Session ses_…, agent desk`. */
  readonly who: string;
  readonly createdAt: string;
  readonly endedAt?: string | undefined;
  /** The effective texts. */
  readonly input?: string | undefined;
  readonly response?: string | undefined;
  /** Why it failed or was blocked, for operators. */
  readonly failure?: string | undefined;
  readonly cancelledBy?: ActorRecord | undefined;
  readonly events: readonly LoggedEvent[];
  /** As those who may answer see them. */
  readonly asks: readonly Ask[];
  /** In the order of their events. */
  readonly passes: readonly SupervisionState[];
  readonly usage: Usage;
}

export function renderTrace(story: StoryParts): string {
  const { title, status, who, createdAt, endedAt, input, response, failure, cancelledBy, usage } = story;
  const passes = story.passes.values();
  const lines = story.events.flatMap((event) => {
    const pass = event.type === "supervision.decided" ? passes.next().value : undefined;
    const text = sentence(event, story.asks, pass);
    return text === undefined ? [] : [`- ${event.at.slice(11, 19)} ${text}`];
  });
  return [
    `# ${title}: ${status}`,
    `${who}, begun ${createdAt}${endedAt === undefined ? "" : `, ended ${endedAt}`}.`,
    ...(input === undefined ? [] : [`> ${input.replaceAll("\n", "\n> ")}`]),
    lines.join("\n"),
    ...(response === undefined ? [] : [`**Response:** ${response}`]),
    ...(failure === undefined ? [] : [`**Failed:** ${failure}`]),
    ...(status === "cancelled" ? [`**Cancelled** by ${actorInWords(cancelledBy)}.`] : []),
    `${usage.modelCalls} model ${usage.modelCalls === 1 ? "call" : "calls"}, ${usage.inputTokens} tokens read and ${usage.outputTokens} written.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const toolEvent = z.object({
  server: z.string(),
  tool: z.string(),
  agent: z.string().optional(),
  isError: z.boolean().optional(),
  elapsedMs: z.number().optional(),
});
const refusedCall = toolEvent.extend({ why: z.enum(callRefusals) });
const inVain: Readonly<Record<CallRefusal, string>> = {
  unknown_tool: "there is no such tool",
  arguments: "its arguments were wrong",
  too_many: "there were too many calls in one round",
  repeated: "it was made before, with the same arguments",
  with_others: "other calls came with it, and their results come first",
  supervision: "supervision stopped it",
  excluded: "the tool is excluded from this conversation",
  declined: "it was not approved",
  limit: "a limit was reached",
  circle: "it would go in a circle",
  unknown_worker: "there is no such worker to hand on to",
};
const decidedEvent = z.object({ hook: z.string(), decision: z.string(), reasons: z.array(z.string()) });
const askEvent = z.object({ askId: z.string() });

function sentence(
  { type, data }: LoggedEvent,
  asks: readonly Ask[],
  pass: SupervisionState | undefined,
): string | undefined {
  const entry = traceEntrySchema.safeParse(data);
  if (entry.success) return entrySentence(entry.data);
  switch (type) {
    case "ask.opened":
    case "ask.closed": {
      const { data: event } = askEvent.safeParse(data);
      const ask = asks.find(({ askId }) => askId === event?.askId);
      return ask === undefined ? undefined : type === "ask.opened" ? askOpened(ask) : askClosed(ask);
    }
    case "tool.called":
    case "tool.returned":
      return toolSentence(type, data);
    case "tool.rejected": {
      const { data: call } = refusedCall.safeParse(data);
      if (call === undefined) return undefined;
      const named = call.server === "" ? "a tool" : `${call.server}/${call.tool}`;
      return `${call.agent ?? "The agent"} called ${named} in vain: ${inVain[call.why]}.`;
    }
    case "supervision.decided":
      return passSentence(data, pass);
    case "run.waiting":
    case "turn.waiting":
      return `Nothing more could be done without an answer: the ${type === "run.waiting" ? "run" : "turn"} waited.`;
  }
  return withoutTexts(type);
}

function toolSentence(type: "tool.called" | "tool.returned", data: unknown): string | undefined {
  const { data: call } = toolEvent.safeParse(data);
  if (call === undefined) return undefined;
  const name = `${call.server}/${call.tool}`;
  if (type === "tool.called") return `${call.agent ?? "The agent"} called the tool ${name}.`;
  return `The tool ${name} ${call.isError ? "failed" : "returned"} after ${call.elapsedMs ?? 0} ms.`;
}

/** A pass that changed, held or stopped something, and one whose supervisors failed: a plain allow is no news. */
function passSentence(data: unknown, pass: SupervisionState | undefined): string | undefined {
  const { data: event } = decidedEvent.safeParse(data);
  if (event === undefined) return undefined;
  const { hook, reasons } = pass ?? event;
  // What came of a review is told when it is answered.
  const isHeld = event.decision === "review";
  const decision = isHeld ? event.decision : (pass ?? event).decision;
  const steps = (pass?.steps ?? []).filter(({ mode }) => mode === "enforce");
  const failed = steps.filter((step) => step.failed !== undefined);
  if (event.decision === "allow" && decision === "allow" && failed.length === 0) return undefined;
  const by = steps
    .filter(({ action, actor }) => (actor === undefined ? action !== "allow" : !isHeld))
    .map(({ supervisor, actor, action }) => {
      const name = supervisor ?? actorInWords(actor);
      return action === decision ? name : `${name} (${action})`;
    });
  const who = by.length === 0 ? "" : ` by ${by.join(", ")}`;
  const about =
    pass?.subject?.tool === undefined ? hook.replace("_", " ") : `${hook.replace("_", " ")} ${pass.subject.tool}`;
  const why = reasons.length === 0 ? "" : ` (${oneLine(reasons.join("; "))})`;
  const broken = failed.length === 0 ? "" : ` Failed: ${failed.map(({ supervisor }) => supervisor ?? "?").join(", ")}.`;
  return `Supervision of the ${about}: ${decision}${who}${why}.${broken}`;
}

/** An entry whose texts were erased: that it happened. */
function withoutTexts(type: string): string | undefined {
  return Object.hasOwn(tracedEntries, type) ? `${type} (its texts were erased, or never kept).` : undefined;
}

/** An entry as a sentence. @param entry of a session after an erasure: the same without its texts. */
function entrySentence(entry: TraceEntry): string {
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
