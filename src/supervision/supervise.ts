/** Supervision as a durable step: the pass, and where it asks for a review, the wait for a person. */
import type { Journal } from "../agent/journal.js";
import { decisionOf } from "../asks/answer.js";
import type { Ask, AskRequest } from "../asks/ask.js";
import type { AskSource } from "../asks/origin.js";
import { nearest, type ReviewPolicy } from "../asks/policy.js";
import { defined } from "../conversation/defined.js";
import { wordDiff } from "../text/word-diff.js";
import { withMessage } from "./decider-message.js";
import type { PassPorts } from "./evaluation.js";
import { type OrdersInData, withDataGuard } from "./orders-in-data.js";
import { passStep, runPass } from "./pass.js";
import { restrictedTexts } from "./pass-record.js";
import type { PendingShadow } from "./shadows.js";
import { passForOperators, type SupervisionState, type SupervisionStep } from "./state.js";
import { applyChange, readableText, type Subject, type SubjectOf, saysTheSame } from "./subject.js";
import type { Supervisor } from "./supervisor.js";

export interface SupervisePorts extends Omit<PassPorts, "journal"> {
  /** Called for each pass once, in the same write as its result. */
  readonly decided: (state: SupervisionState, before: Subject, after: Subject) => void;
  /** A person, or a deadline, has decided on what a pass held: the same pass before and after. In the write that records it. */
  readonly reviewed?: (before: SupervisionState, after: SupervisionState) => void;
  /** Judges a shadow beside the work, in the same write as the pass that it belongs to; without it shadows are waited for. */
  readonly shadow?: ((pending: PendingShadow) => void) | undefined;
  /** Who answers reviews, how long they are waited for, and what counts then, where a supervisor doesn't say it. */
  readonly review: ReviewPolicy;
  /** Who works, for the asks that come of it. */
  readonly source: AskSource;
  /** What becomes of a tool's result that gives orders; left out: nothing. */
  readonly ordersInData?: OrdersInData | undefined;
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
 * subject is on record, supervised or not.
 * @throws {Parked} while a person's review is awaited.
 */
export async function supervise<S extends Subject>(
  subject: S,
  named: readonly Supervisor[],
  journal: Journal,
  ports: SupervisePorts,
): Promise<Supervised<S>> {
  const { hook } = subject;
  const supervisors = withDataGuard(subject, named, ports.ordersInData);
  if (hook === "hop" && !supervisors.some(({ hooks }) => hooks.has(hook))) {
    return { action: "allow", reasons: [], subject, degraded: [] };
  }
  const pass = await passStep(
    subject,
    supervisors,
    { ...ports, journal },
    { writtenWithNext: true, onDone: ({ state, subject: after }) => ports.decided(state, subject, after) },
    ports.shadow,
  );
  const { decision, reasons, degraded } = pass.state;
  const after = sameHook(subject, pass.subject);
  if (decision !== "review") return { action: decision, reasons, subject: after, degraded };

  const terms = reviewTerms(pass.state, supervisors, ports.review);
  // Staff decides on what the supervisors said; an end user reads what everybody may read.
  const fullReasons = terms.audience === "staff" ? { reasons: passForOperators(pass.state).reasons } : {};
  const ask = journal.ask("review", {
    ...terms,
    source: { ...ports.source, ...aboutSubject(subject), supervisors: reviewersOf(pass.state) },
    kind: "review",
    question: `May this ${hook.replace("_", " ")} pass?`,
    reason: reasons.join("; "),
    proposal: { ...proposalOf(subject, after), ...fullReasons },
  });
  const reviewing = pass.state.steps.filter(({ action, mode }) => asksForReview(action, mode));
  const heldBecause = [...new Set(reviewing.flatMap((step) => step.reasons))];
  const reviewed = { before: subject, proposed: after, reasons, heldBecause, degraded };
  const outcome = await afterReview(ask, reviewed, supervisors, journal, ports);
  const step = await reviewStep(ask, after, outcome, ports);
  const decided = { ...pass.state, decision: outcome.action, reasons: [...outcome.reasons] };
  const texts = pass.state.texts === undefined ? {} : restrictedTexts(subject, outcome.subject);
  const record = { ...decided, ...texts, steps: [...pass.state.steps, step] };
  await journal.commit("reviewed", () => ports.reviewed?.(pass.state, record));
  return outcome;
}

/** The review as a step of its pass. Its hashes differ where the reviewer wrote another text than was proposed. */
async function reviewStep(
  ask: Ask,
  proposed: Subject,
  { action, subject, reasons }: Supervised<Subject>,
  ports: SupervisePorts,
): Promise<SupervisionStep> {
  const { closedBy, openedAt, closedAt = openedAt } = ask;
  const { note, message } = decisionOf(ask) ?? {};
  const told = action === "block" || message !== undefined ? reasons.slice(-1) : [];
  return {
    ...defined({ actor: closedBy }),
    action,
    reasons: told,
    ...defined({ wholeReasons: note === undefined ? undefined : [...told, note] }),
    beforeHash: await ports.hash(proposed),
    afterHash: await ports.hash(subject),
    latencyMs: Date.parse(closedAt) - Date.parse(openedAt),
    mode: "enforce",
  };
}

async function afterReview<S extends Subject>(
  ask: Ask,
  reviewed: {
    readonly before: S;
    readonly proposed: S;
    readonly reasons: readonly string[];
    /** Those of the supervisors that want it reviewed. */
    readonly heldBecause: readonly string[];
    readonly degraded: readonly string[];
  },
  supervisors: readonly Supervisor[],
  journal: Journal,
  ports: SupervisePorts,
): Promise<Supervised<S>> {
  const { before, proposed, reasons, heldBecause, degraded } = reviewed;
  const decided = (action: Supervised<S>["action"], more: readonly string[], subject = proposed): Supervised<S> => {
    return { action, reasons: [...(action === "block" ? heldBecause : reasons), ...more], subject, degraded };
  };
  const answer = decisionOf(ask);
  const told = (sentence: string): Promise<string> =>
    withMessage(sentence, { message: answer?.message }, { hook: before.hook, supervisors, journal, ports });
  const message = answer?.message === undefined ? [] : [await told("A reviewer says.")];
  if (answer?.decision === "accept") return decided(saysTheSame(before, proposed) ? "allow" : "modify", message);
  if (answer?.decision === "edit" && "content" in answer && answer.content !== undefined) {
    // A person's words are final, but for the rules that nobody may pass.
    const edited = tryChange(proposed, answer.content);
    if (edited === undefined)
      return decided("block", [
        "The reviewer's text can't take its place: the arguments of a tool call must be a JSON object.",
      ]);
    const pure = supervisors.filter((supervisor) => supervisor.pure);
    const { state, subject } = await runPass(edited, pure, { ...ports, journal: journal.scope("edited") });
    const why = [...state.reasons, ...message];
    return decided(state.decision === "block" ? "block" : "modify", why, sameHook(proposed, subject));
  }
  const why = {
    answered: [await told("A reviewer rejected it.")],
    expired: ["Nobody reviewed it in time."],
    cancelled: ["Its review was cancelled."],
    open: [],
  };
  return decided("block", why[ask.status]);
}

/** The supervisors that want a person to look. */
function reviewersOf({ steps }: SupervisionState): string[] {
  return [
    ...new Set(steps.flatMap(({ action, mode, supervisor = [] }) => (asksForReview(action, mode) ? supervisor : []))),
  ];
}

function asksForReview(action: string, mode: string): boolean {
  return action === "review" && mode === "enforce";
}

/** Each supervisor says who reviews what it holds, or leaves it to the tenant. What one of them holds for staff, no end user lets pass. */
function reviewTerms(
  state: SupervisionState,
  supervisors: readonly Supervisor[],
  tenants: ReviewPolicy,
): Pick<AskRequest, "audience" | "timeoutMs" | "overdueAfterMs" | "defaultResponse"> {
  const policies = reviewersOf(state).map((name) =>
    nearest(supervisors.find((supervisor) => supervisor.name === name)?.review, tenants),
  );
  const policy = policies.find(({ audience }) => audience !== "user") ?? policies[0] ?? tenants;
  const { audience = "staff", timeoutMs, overdueAfterMs, default: decision } = policy;
  return { audience, timeoutMs, overdueAfterMs, ...(decision === undefined ? {} : { defaultResponse: { decision } }) };
}

/** What of the subject an ask's origin names. */
function aboutSubject(subject: Subject): AskSource {
  switch (subject.hook) {
    case "tool_call":
    case "tool_result": {
      const { server, tool, toolCallId } = subject.call;
      return { tool: `${server}/${tool}`, toolCallId };
    }
    case "hop":
      return { between: { from: subject.from, to: subject.to } };
    case "request":
    case "response":
      return {};
  }
}

/** What a reviewer decides on: the text as it was, what is proposed, and how they differ. */
function proposalOf(before: Subject, after: Subject): object {
  const [original, proposed] = [readableText(before), readableText(after)];
  const diff = wordDiff(original, proposed);
  return {
    hook: before.hook,
    ...(before.hook === "tool_call" ? aboutCall(before) : {}),
    ...(before.hook === "request" && before.beside !== undefined ? { beside: before.beside } : {}),
    original,
    proposed,
    ...defined({ diff }),
  };
}

function aboutCall({ call }: SubjectOf<"tool_call">): Record<string, string> {
  return { server: call.server, tool: call.tool, toolCallId: call.toolCallId };
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
