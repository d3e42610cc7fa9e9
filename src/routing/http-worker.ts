/** A worker behind an address: it is posted the brief, and answers with its result or with a question for a person. */

import { z } from "zod";
import { askRequestOf, questionProblem, questionSchema } from "../agent/built-in/ask-human.js";
import { isControlFlow } from "../agent/journal.js";
import { superviseQuestion } from "../supervision/question-guard.js";
import { readJson } from "../text/json.js";
import type { Clarification } from "./routing-input.js";
import type { Task, WorkerOutcome } from "./task.js";
import type { HttpWorker } from "./team.js";
import { askingOf, hop, type TeamContext } from "./team-context.js";

const callSchema = z.object({ status: z.int(), text: z.string(), error: z.string().optional(), elapsedMs: z.number() });
type CallResult = z.infer<typeof callSchema>;

/** What it may answer as JSON; any other text of a 2xx is taken as the result itself. */
const answerSchema = z.union([z.object({ response: z.string() }), z.object({ ask: questionSchema })]);

/** How often it may ask before it has to answer. */
const maxQuestions = 10;

export async function runHttpWorker(run: TeamContext, task: Task, http: HttpWorker): Promise<WorkerOutcome> {
  const clarifications: Clarification[] = [];
  for (let call = 0; call <= maxQuestions; call++) {
    const result = await post(run, task, http, call, clarifications);
    run.budget.spend({ modelCalls: 0, inputTokens: 0, outputTokens: 0, activeMs: result.elapsedMs });
    const failed = failureOf(result, http);
    if (failed !== undefined) return { ...failed, clarifications };
    const answer = answerSchema.safeParse(readJson(result.text).value);
    const unreadable = answer.success ? undefined : unreadableQuestion(result.text);
    if (unreadable !== undefined) return { kind: "failed", error: unreadable, again: false, clarifications };
    if (!answer.success || "response" in answer.data) {
      const output = answer.success && "response" in answer.data ? answer.data.response : result.text;
      return output.trim() === ""
        ? { kind: "failed", error: "it gave an empty answer", again: http.idempotent, clarifications }
        : { kind: "done", output, clarifications };
    }
    const question = await putQuestion(run, task, answer.data.ask, call);
    if (question.kind === "refused") return { kind: "failed", error: question.why, again: false, clarifications };
    clarifications.push(question.clarification);
  }
  return { kind: "failed", error: `it asked more than ${maxQuestions} questions`, again: false, clarifications };
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
  call: number,
  answers: readonly Clarification[],
): Promise<CallResult> {
  const { ports } = run;
  const unknown = "its outcome is unknown: the call was begun and the work was interrupted";
  return ports.journal.step(
    {
      id: `http/${call}`,
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
  if (error !== undefined) return { kind: "failed" as const, error, again: idempotent };
  if (status >= 200 && status < 300) return undefined;
  const isTemporary = status === 429 || status >= 500;
  return {
    kind: "failed" as const,
    error: `HTTP ${status}: ${text.slice(0, 500)}`,
    // The answer says that it was refused for now: nothing was done, or it may be done again.
    again: isTemporary && (idempotent || status === 429 || status === 503),
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
  if (!(await run.permits.permit(id, journal))) {
    return { kind: "refused", why: `it asked a person, which this run may do ${run.permits.limit} times at most` };
  }
  const wrong = questionProblem(question);
  if (wrong !== undefined) return { kind: "refused", why: `it asked what can't be asked: ${wrong}` };
  const { supervisors, supervise, noteDegraded } = run.ports;
  const passed = await superviseQuestion(task.worker.id, question, supervisors, journal.scope("hop"), supervise);
  noteDegraded(passed.degraded);
  if (!passed.ok) return { kind: "refused", why: `its question was blocked: ${passed.reasons.join("; ")}` };
  const { priority, timeout, timeoutMs = timeout, accepts } = question;
  const { source, policy } = askingOf(run, task.worker.id);
  const closed = journal.ask(
    "ask",
    // The id of this very question: by it the run counts what it has asked.
    askRequestOf({ priority, timeoutMs, accepts, ...passed.texts }, { source: { ...source, toolCallId: id }, policy }),
  );
  const answer = closed.answer !== undefined && "response" in closed.answer ? closed.answer.response : undefined;
  const content = answer ?? `No answer (${closed.status}).`;
  const arrived = await hop(run, "person", task.worker.id, content, `answer/${call}`);
  return arrived.ok
    ? { kind: "answered", clarification: { question: passed.texts.question, answer: arrived.content } }
    : { kind: "refused", why: `the answer to its question was blocked: ${arrived.reasons}` };
}
