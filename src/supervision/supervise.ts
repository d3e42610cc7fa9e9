/** Supervision as a durable step: the pass, and where it asks for a review, the wait for a person. */
import type { Journal } from "../agent/journal.js";
import type { Ask, AskRequest } from "../asks/ask.js";
import { wordDiff } from "../text/word-diff.js";
import { type PassPorts, type PassResult, runPass } from "./pass.js";
import { passResultSchema, type SupervisionState } from "./state.js";
import { applyChange, canonicalText, type Subject, type SubjectOf, spokenText } from "./subject.js";
import type { Supervisor } from "./supervisor.js";

export interface SupervisePorts extends Omit<PassPorts, "journal"> {
  /** Hears of each pass once, in the same write as its result. */
  readonly decided: (state: SupervisionState, before: Subject, after: Subject) => void;
  /** Who answers reviews, and for how long they are waited for. */
  readonly review: Pick<AskRequest, "answerableBy" | "timeoutMs" | "defaultResponse" | "raisedBy">;
}

export interface Supervised<S extends Subject> {
  /** `review` is settled by now: it became one of these. */
  readonly action: "allow" | "modify" | "block";
  readonly reasons: readonly string[];
  readonly subject: S;
  readonly degraded: readonly string[];
}

/**
 * Supervises a subject within a journal scope of its own. A hop that nobody supervises passes without a trace; every other
 * subject is on record, whoever supervises it.
 * @throws {Parked} while a person's review is awaited.
 */
export async function supervise<S extends Subject>(
  subject: S,
  supervisors: readonly Supervisor[],
  journal: Journal,
  ports: SupervisePorts,
): Promise<Supervised<S>> {
  const { hook } = subject;
  if (hook === "hop" && !supervisors.some(({ hooks }) => hooks.has(hook))) {
    return { action: "allow", reasons: [], subject, degraded: [] };
  }
  const pass = await journal.step<PassResult>(
    {
      id: "pass",
      kind: "supervision",
      schema: passResultSchema,
      interrupted: "again",
      onDone: ({ state, subject: after }) => ports.decided(state, subject, after),
    },
    () => runPass(subject, supervisors, { ...ports, journal }),
  );
  const { decision, reasons, degraded } = pass.state;
  const after = sameHook(subject, pass.subject);
  if (decision !== "review") return { action: decision, reasons, subject: after, degraded };

  const ask = journal.ask("review", {
    ...ports.review,
    kind: "review",
    question: `May this ${hook.replace("_", " ")} pass?`,
    reason: reasons.join("; "),
    proposal: proposalOf(subject, after),
  });
  return afterReview(ask, { before: subject, proposed: after, reasons, degraded }, supervisors, journal, ports);
}

async function afterReview<S extends Subject>(
  ask: Ask,
  reviewed: {
    readonly before: S;
    readonly proposed: S;
    readonly reasons: readonly string[];
    readonly degraded: readonly string[];
  },
  supervisors: readonly Supervisor[],
  journal: Journal,
  ports: SupervisePorts,
): Promise<Supervised<S>> {
  const { before, proposed, reasons, degraded } = reviewed;
  const answer = ask.answer !== undefined && "decision" in ask.answer ? ask.answer : undefined;
  if (answer?.decision === "accept") {
    return {
      action: canonicalText(before) === canonicalText(proposed) ? "allow" : "modify",
      reasons,
      subject: proposed,
      degraded,
    };
  }
  if (answer?.decision === "edit" && "content" in answer && answer.content !== undefined) {
    // A person's words are final, but for the rules that nobody may pass.
    const edited = tryChange(proposed, answer.content);
    if (edited === undefined) {
      const reason = "The reviewer's text can't take its place: the arguments of a tool call must be a JSON object.";
      return { action: "block", reasons: [...reasons, reason], subject: proposed, degraded };
    }
    const pure = supervisors.filter((supervisor) => supervisor.pure);
    const again = await runPass(edited, pure, { ...ports, journal: journal.scope("edited") });
    const action = again.state.decision === "block" ? "block" : "modify";
    return {
      action,
      reasons: [...reasons, ...again.state.reasons],
      subject: sameHook(proposed, again.subject),
      degraded,
    };
  }
  const why = {
    answered: "A reviewer rejected it.",
    expired: "Nobody reviewed it in time.",
    cancelled: "Its review was cancelled.",
  };
  return {
    action: "block",
    reasons: [...reasons, ask.status === "open" ? "" : why[ask.status]].filter((reason) => reason !== ""),
    subject: proposed,
    degraded,
  };
}

/** What a reviewer decides on: the text as it was, what is proposed, and how they differ. */
function proposalOf(before: Subject, after: Subject): unknown {
  const [original, proposed] = [reviewText(before), reviewText(after)];
  const diff = wordDiff(original, proposed);
  return {
    hook: before.hook,
    ...(before.hook === "tool_call" ? aboutCall(before) : {}),
    original,
    proposed,
    ...(diff === undefined ? {} : { diff }),
  };
}

function aboutCall({ call }: SubjectOf<"tool_call">): Record<string, string> {
  return { server: call.server, tool: call.tool, toolCallId: call.toolCallId };
}

/** Arguments as the JSON that a reviewer would edit; everything else as it reads. */
function reviewText(subject: Subject): string {
  return subject.hook === "tool_call" ? JSON.stringify(subject.call.args, undefined, 2) : spokenText(subject);
}

function tryChange<S extends Subject>(subject: S, content: string): S | undefined {
  try {
    return applyChange(subject, { kind: "content", content });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sameHook<S extends Subject>(before: S, subject: Subject): S {
  if (!isLike(before, subject)) throw new TypeError(`a pass over a ${before.hook} gave a ${subject.hook}`);
  return subject;
}

function isLike<S extends Subject>(before: S, subject: Subject): subject is S {
  return subject.hook === before.hook;
}
