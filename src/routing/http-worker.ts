/** A worker behind an address: it is posted the brief, and answers with its result or with a question for a person. */

import { z } from "zod";
import { nothingSpent } from "../agent/budget.js";
import { askRequestOf, questionProblem, questionSchema } from "../agent/built-in/ask-human.js";
import type { Effect } from "../agent/effects.js";
import { isControlFlow } from "../agent/journal.js";
import { responseOf } from "../asks/answer.js";
import { superviseQuestion } from "../supervision/question-guard.js";
import { readJson } from "../text/json.js";
import { addClarifications, type Clarification, clarificationOf } from "./clarifications.js";
import { hop } from "./supervised-texts.js";
import type { Task, WorkerOutcome } from "./task.js";
import type { HttpWorker } from "./team.js";
import { askingOf, type TeamContext } from "./team-context.js";

const callSchema = z.object({ status: z.int(), text: z.string(), error: z.string().optional(), elapsedMs: z.number() });
type CallResult = z.infer<typeof callSchema>;

/** What it may answer as JSON; any other text of a 2xx is taken as the result itself. */
const answerSchema = z.union([z.object({ response: z.string() }), z.object({ ask: questionSchema })]);

/** How often it may ask before it has to answer. */
const maxQuestions = 10;

/** A call that failed is made again under the same key, with the answers that it had. */
export async function runHttpWorker(run: TeamContext, task: Task, http: HttpWorker): Promise<WorkerOutcome> {
  const clarifications: Clarification[] = [];
  const ended = (outcome: Ended, effects: readonly Effect[] = []): WorkerOutcome => ({
    ...outcome,
    clarifications,
    effects,
  });
  const failed = (error: string): Ended => ({ kind: "failed", error, again: false });
  for (let call = 0; call <= maxQuestions; call++) {
    const answered = await callUntilAnswered(run, task, http, call, clarifications);
    if (answered.kind === "failed") {
      const unknown = answered.unknown && !http.idempotent ? [unknownEffect(run, task)] : [];
      return ended(failed(answered.error), unknown);
    }
    if (answered.kind === "done") return ended({ kind: "done", output: answered.output });
    const question = await putQuestion(run, task, answered.ask, call);
    if (question.kind === "refused") return ended(failed(question.why));
    addClarifications(clarifications, [question.clarification]);
  }
  return ended(failed(`it asked more than ${maxQuestions} questions`));
}

type Ended =
  | { readonly kind: "done"; readonly output: string }
  | { readonly kind: "failed"; readonly error: string; readonly again: false };

type Answered =
  | { readonly kind: "done"; readonly output: string }
  | { readonly kind: "ask"; readonly ask: z.infer<typeof questionSchema> }
  /** `unknown`: it may have done its work all the same. */
  | { readonly kind: "failed"; readonly error: string; readonly unknown: boolean };

async function callUntilAnswered(
  run: TeamContext,
  task: Task,
  http: HttpWorker,
  call: number,
  clarifications: readonly Clarification[],
): Promise<Answered> {
  for (let attempt = 0; ; attempt++) {
    const result = await post(run, task, http, { call, attempt }, clarifications);
    run.budget.spend({ ...nothingSpent, activeMs: result.elapsedMs });
    const { text, error = result.status < 300 ? undefined : `HTTP ${result.status}: ${text.slice(0, 500)}` } = result;
    run.ports.answered?.({
      ...workerCall(task.worker.id, { content: task.content, answers: [...clarifications] }),
      toolCallId: `${task.id}.${call}`,
      elapsedMs: result.elapsedMs,
      ...(error === undefined ? { output: text } : { error }),
    });
    const answer = answerOf(result, http);
    if (answer.kind !== "failed") return answer;
    if (!answer.again || !(await task.retries.next(answer.error))) return answer;
  }
}

/** How a call of a worker at an address stands in records: without what tells the call from others of the same. */
export function workerCall(worker: string, { content, answers }: Readonly<Record<string, unknown>>) {
  return { server: "worker", tool: worker, args: { content, answers } };
}

function answerOf(result: CallResult, http: HttpWorker) {
  const failure = failureOf(result, http);
  if (failure !== undefined) return failure;
  const answer = answerSchema.safeParse(readJson(result.text).value);
  const unreadable = answer.success ? undefined : unreadableQuestion(result.text);
  if (unreadable !== undefined) return { kind: "failed" as const, error: unreadable, again: false, unknown: true };
  const reply = answer.success ? answer.data : { response: result.text };
  if ("ask" in reply) return { kind: "ask" as const, ask: reply.ask };
  const output = reply.response;
  return output.trim() === ""
    ? { kind: "failed" as const, error: "it gave an empty answer", again: http.idempotent, unknown: true }
    : { kind: "done" as const, output };
}

/** A worker that may have done its work, though nobody knows. */
function unknownEffect({ command }: TeamContext, { worker, id }: Task): Effect {
  return {
    server: "worker",
    tool: worker.id,
    toolCallId: id,
    requested: {},
    args: {},
    outcome: "unknown",
    content: "It was given the task, and didn't say what became of it.",
    by: [...command.path, worker.id].join("/"),
  };
}

/** What is wrong with an answer that is meant to be a question: as a result it would be nonsense. */
function unreadableQuestion(text: string): string | undefined {
  const asking = z.object({ ask: z.looseObject({}) }).safeParse(readJson(text).value);
  const read = asking.success ? questionSchema.safeParse(asking.data.ask) : undefined;
  if (read === undefined || read.success) return undefined;
  const faults = read.error.issues.map(({ path, message }) => `${path.join(".") || "ask"}: ${message}`);
  return `its question can't be read: ${faults.join("; ")}`;
}

function post(
  run: TeamContext,
  task: Task,
  http: HttpWorker,
  { call, attempt }: { readonly call: number; readonly attempt: number },
  answers: readonly Clarification[],
): Promise<CallResult> {
  const { ports } = run;
  const unknown = "its outcome is unknown: the call was begun and the work was interrupted";
  return ports.journal.step(
    {
      id: attempt === 0 ? `http/${call}` : `http/${call}/again${attempt}`,
      kind: "tool",
      schema: callSchema,
      interrupted: http.idempotent ? "again" : () => ({ status: 0, text: "", error: unknown, elapsedMs: 0 }),
    },
    async () => {
      const started = ports.now();
      try {
        const body = { runId: ports.work, worker: task.worker.id, content: task.content, answers };
        const { status, text } = await ports.withDeadline(Math.min(http.timeoutMs, run.budget.timeLeftMs), (signal) =>
          ports.callWorker({ http, worker: task.worker.id, key: `${task.id}.${call}`, body }, signal),
        );
        return { status, text, elapsedMs: ports.now() - started };
      } catch (error) {
        if (isControlFlow(error) || ports.signal.aborted) throw error;
        const detail = error instanceof Error ? error.message : "it failed";
        return { status: 0, text: "", error: detail, elapsedMs: ports.now() - started };
      }
    },
  );
}

function failureOf({ status, error, text }: CallResult, { idempotent }: HttpWorker) {
  if (error !== undefined) return { kind: "failed" as const, error, again: idempotent, unknown: true };
  if (status >= 200 && status < 300) return undefined;
  const isTemporary = status === 429 || status >= 500;
  return {
    kind: "failed" as const,
    error: `HTTP ${status}: ${text.slice(0, 500)}`,
    // The answer says that it was refused for now: nothing was done, or it may be done again.
    again: isTemporary && (idempotent || status === 429 || status === 503),
    unknown: status >= 500 && status !== 503,
  };
}

type QuestionOutcome =
  | { readonly kind: "answered"; readonly clarification: Clarification }
  | { readonly kind: "refused"; readonly why: string };

async function putQuestion(
  run: TeamContext,
  task: Task,
  question: z.infer<typeof questionSchema>,
  call: number,
): Promise<QuestionOutcome> {
  const journal = run.ports.journal.scope(`question/${call}`);
  const id = `${task.id}.${call}`;
  const wrong = questionProblem(question);
  if (wrong !== undefined) return { kind: "refused", why: `it asked what can't be asked: ${wrong}` };
  const { supervisors, supervise, noteDegraded } = run.ports;
  const passed = await superviseQuestion(task.worker.id, question, supervisors, journal.scope("hop"), supervise);
  noteDegraded(passed.degraded);
  if (!passed.ok) return { kind: "refused", why: `its question was blocked: ${passed.reasons.join("; ")}` };
  const { priority, timeout, timeoutMs = timeout, accepts } = question;
  const { source, policy } = askingOf(run, task.worker.id);
  // The id of this very question: by it the run knows what it has asked.
  const asking = { source: { ...source, toolCallId: id }, policy };
  const request = askRequestOf({ priority, timeoutMs, accepts, ...passed.texts }, asking);
  const decision = await run.permits.decide(id, request, journal);
  if (decision.kind === "refused") {
    return { kind: "refused", why: `it asked a person, which this run may do ${run.permits.limit} times at most` };
  }
  const closed = decision.kind === "asked" ? run.permits.closedAsk(id) : journal.ask("ask", request);
  const content = responseOf(closed) ?? `No answer (${closed.status}).`;
  const arrived = await hop(run, "person", task.worker.id, content, `answer/${call}`);
  return arrived.ok
    ? { kind: "answered", clarification: clarificationOf(closed, passed.texts.question, arrived.content) }
    : { kind: "refused", why: `the answer to its question was blocked: ${arrived.reasons}` };
}
