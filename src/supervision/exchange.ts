/**
 * A supervised exchange: request pass, commit of the effective request, work, response pass, outcome. A turn, a run and a team
 * within a team are exchanges; they differ in the work, and in what they make of the outcome.
 */
import type { Journal } from "../agent/journal.js";
import type { Subject, SubjectOf } from "./subject.js";
import type { HookSummary } from "./summary.js";
import { type Supervised, type SupervisePorts, supervise } from "./supervise.js";
import type { Supervisor } from "./supervisor.js";

/** What comes in and what goes out. A hop is either: what enters or leaves a team within a team. */
type RequestHook = "request" | "hop";
type ResponseHook = "response" | "hop";

/** Records supervisors whose failure let something through. */
export type NoteDegraded = (supervisors: readonly string[]) => void;

/** What came of the work. `report` is what the caller wants to know of it, however the exchange ends. */
export type Worked<Out extends ResponseHook, Report> = { readonly report: Report } & (
  | { readonly kind: "responded"; readonly response: SubjectOf<Out> }
  | { readonly kind: "failed"; readonly detail: string }
);

export interface Exchange<In extends RequestHook, Out extends ResponseHook, Report> {
  readonly request: SubjectOf<In>;
  /** Who judges the request and the response, in one list or in two. */
  readonly supervisors:
    | readonly Supervisor[]
    | { readonly request: readonly Supervisor[]; readonly response: readonly Supervisor[] };
  /** Stores the effective request: once, in the same write as the step `id`, which may be the one that begins the work. */
  readonly commit?: { readonly id: string; readonly onDone: (request: SubjectOf<In>, verdict: HookSummary) => void };
  /** Makes the response. What it journals needs a scope of its own beside `request` and `response`. May park. */
  readonly work: (request: SubjectOf<In>, noteDegraded: NoteDegraded) => Promise<Worked<Out, Report>>;
}

export type ExchangeOutcome<Out extends ResponseHook, Report> = {
  readonly request: HookSummary;
  /** Supervisors whose failure let something through, each once. */
  readonly degraded: string[];
} & (
  | {
      readonly status: "completed";
      readonly result: SubjectOf<Out>;
      readonly response: HookSummary;
      readonly report: Report;
    }
  | { readonly status: "failed"; readonly detail: string; readonly report: Report }
  | { readonly status: "blocked"; readonly hook: "request" }
  | { readonly status: "blocked"; readonly hook: "response"; readonly response: HookSummary; readonly report: Report }
);

/**
 * Runs an exchange as a durable function: entered again, it goes on at the first step without a result.
 * @throws {Parked} while a supervisor's review or the work waits for an ask.
 * @example
 * const outcome = await runExchange(
 *   {
 *     request: { hook: "request", message: { messageId: "msg_1", role: "user", content: "Where is my parcel?" } },
 *     supervisors,
 *     commit: { id: "message", onDone: ({ message }, { action }) => store.add(message, action) },
 *     work: async ({ message }) => ({ kind: "responded", response: await answerTo(message), report: undefined }),
 *   },
 *   { journal, supervise },
 * );
 * if (outcome.status === "blocked") show(outcome.hook, outcome.request.reasons);
 */
export async function runExchange<In extends RequestHook, Out extends ResponseHook, Report>(
  { request, supervisors, commit, work }: Exchange<In, Out, Report>,
  { journal, supervise: ports }: { readonly journal: Journal; readonly supervise: SupervisePorts },
): Promise<ExchangeOutcome<Out, Report>> {
  const by = "request" in supervisors ? supervisors : { request: supervisors, response: supervisors };
  const degraded = new Set<string>();
  const noteDegraded: NoteDegraded = (names) => {
    for (const name of names) degraded.add(name);
  };

  const before = await supervise(request, by.request, journal.scope("request"), ports);
  noteDegraded(before.degraded);
  const verdict = summaryOf(before);
  const effective = before.subject;
  if (commit !== undefined) {
    const onDone = (): void => commit.onDone(effective, verdict);
    // Whatever the work calls is begun by a write, and this goes with it; before the work loads anything it is written.
    await journal.commit(commit.id, onDone, { writtenWithNext: true });
  }
  if (before.action === "block") {
    return { status: "blocked", hook: "request", request: verdict, degraded: [...degraded] };
  }

  const worked = await work(effective, noteDegraded);
  const { report } = worked;
  if (worked.kind === "failed") {
    return { status: "failed", detail: worked.detail, request: verdict, degraded: [...degraded], report };
  }

  const after = await supervise(worked.response, by.response, journal.scope("response"), ports);
  noteDegraded(after.degraded);
  const verdicts = { request: verdict, response: summaryOf(after), degraded: [...degraded] };
  return after.action === "block"
    ? { status: "blocked", hook: "response", ...verdicts, report }
    : { status: "completed", result: after.subject, ...verdicts, report };
}

function summaryOf({ action, reasons }: Supervised<Subject>): HookSummary {
  return { action, reasons: [...reasons] };
}
