/**
 * One pass: all supervisors of a hook over one subject. First those that may modify, in order, each on what the ones before it
 * made; then those that only judge, all at once, on the final text, with the pure ones looking at it again. The strictest wins,
 * and a block ends the pass with all reasons so far.
 */
import { isControlFlow, type Journal } from "../agent/journal.js";
import { DeadlineError, type WithDeadline } from "../model/deadline.js";
import type { CancelSignal } from "../model/port.js";
import type { ContextChange, Environment } from "./environment.js";
import { notInDoubt, withVerdictsKept } from "./in-doubt.js";
import { type Consulted, passSubject, restrictedTexts, sampledId, stepOf } from "./pass-record.js";
import { reasonRules, sanitizeReason } from "./reasons.js";
import { changesOf, type SupervisionState, type SupervisorCall } from "./state.js";
import { applyChange, canonicalText, type Subject } from "./subject.js";
import {
  countedWish,
  type JudgeContext,
  modifiesAt,
  NoDecisionError,
  RefusedCallError,
  type Supervisor,
} from "./supervisor.js";
import { type Action, isStricter, strictest, type Verdict } from "./verdict.js";

export interface PassResult {
  readonly state: SupervisionState;
  readonly subject: Subject;
}

export interface PassPorts {
  readonly now: () => number;
  /** A digest: equal for subjects that say the same, and it reveals nothing of what they say. */
  readonly hash: (subject: Subject) => Promise<string>;
  readonly withDeadline: WithDeadline;
  /** The tenant demands that every failure blocks. */
  readonly strict: boolean;
  /** Whether the work was cancelled: then a failure is nobody's fault. */
  readonly cancelled?: (() => boolean) | undefined;
  readonly journal: Journal;
  /** What supervisors may know and change around the text. */
  readonly surroundings?: Environment | undefined;
}

/** How often the pure supervisors look again at what later ones made of the text, before that counts as a quarrel. */
const maxSecondLooks = 3;

export async function runPass(
  subject: Subject,
  supervisors: readonly Supervisor[],
  ports: PassPorts,
): Promise<PassResult> {
  const active = withVerdictsKept(supervisors.filter(({ hooks }) => hooks.has(subject.hook)).sort(inOrder));
  const enforcing = active.filter((supervisor) => supervisor.mode === "enforce");
  const shadows = active.filter((supervisor) => supervisor.mode === "shadow");
  const rules = reasonRules(supervisors, subject.hook);
  const all = { active, rules };
  const shadowed = Promise.all(shadows.map((shadow) => callSupervisor(shadow, subject, all, ports)));

  const consulted: Consulted[] = [];
  let current = subject;
  const evaluate = async (supervisor: Supervisor): Promise<boolean> => {
    const said = await callSupervisor(supervisor, current, all, ports);
    consulted.push(said);
    current = said.after;
    return said.verdict.action !== "block";
  };

  const modifiers = enforcing.filter((supervisor) => modifiesAt(supervisor, subject.hook));
  const blocked =
    !(await everyInTurn(modifiers, evaluate)) || !(await reevaluate(modifiers, evaluate, () => current, consulted));
  if (!blocked) {
    const judges = enforcing.filter((supervisor) => !modifiesAt(supervisor, subject.hook));
    consulted.push(...(await Promise.all(judges.map((judge) => callSupervisor(judge, current, all, ports)))));
  }

  // Where nobody changes it, it is one subject for all: one digest does.
  const digests = new Map<Subject, Promise<string>>();
  const hash = (said: Subject): Promise<string> => {
    const digest = digests.get(said) ?? ports.hash(said);
    digests.set(said, digest);
    return digest;
  };
  const decision = strictest(...consulted.map(({ verdict }) => verdict.action));
  return {
    subject: current,
    state: {
      hook: subject.hook,
      decision,
      reasons: [...new Set(consulted.flatMap(({ verdict }) => verdict.reasons))],
      contextChanges: changesOf(consulted.flatMap((said) => said.contextChanges)),
      steps: await Promise.all([...consulted, ...(await shadowed)].map((said) => stepOf(said, { hash }))),
      degraded: consulted
        .filter(({ failed, verdict }) => failed !== undefined && !isStricter(verdict.action, "modify"))
        .map((said) => said.name),
      subject: passSubject(subject),
      ...(decision === "allow" ? {} : restrictedTexts(subject, current)),
    },
  };
}

/** Whether the pass may go on after the second looks; a text the pure supervisors keep changing is blocked. */
async function reevaluate(
  modifiers: readonly Supervisor[],
  evaluate: (supervisor: Supervisor) => Promise<boolean>,
  current: () => Subject,
  consulted: Consulted[],
): Promise<boolean> {
  const lastSeen = (supervisor: Supervisor): Subject | undefined =>
    consulted.findLast((said) => said.name === supervisor.name)?.after;
  const stale = (): Supervisor[] =>
    modifiers.filter((supervisor) => supervisor.pure && !sameText(lastSeen(supervisor), current()));
  for (let look = 0; look < maxSecondLooks; look++) {
    const again = stale();
    if (again.length === 0) return true;
    if (!(await everyInTurn(again, evaluate))) return false;
  }
  const oscillation = stale()[0];
  if (oscillation === undefined) return true;
  const reason = `Supervisor "${oscillation.name}" and others keep changing each other's text; the setting to look at is their order.`;
  consulted.push({
    name: oscillation.name,
    mode: "enforce",
    before: current(),
    after: current(),
    verdict: { action: "block", reasons: [reason] },
    contextChanges: [],
    calls: [],
    failed: reason,
    latencyMs: 0,
  });
  return false;
}

async function callSupervisor(
  supervisor: Supervisor,
  subject: Subject,
  { active, rules }: { readonly active: readonly Supervisor[]; readonly rules: readonly Supervisor[] },
  ports: PassPorts,
): Promise<Consulted> {
  const started = ports.now();
  const contextChanges: ContextChange[] = [];
  const calls: SupervisorCall[] = [];
  const wishes: Action[] = [];
  const { name, mode, condition } = supervisor;
  const about = { name, mode, before: subject, contextChanges, calls, inDoubt: condition?.inDoubt };
  const judging = judgingOf(supervisor, subject, rules, ports, {
    contextChanged: (change) => contextChanges.push(change),
    called: (call) => calls.push(call),
    refused: (wish) => wishes.push(wish),
  });
  const skipped =
    condition?.unmet(subject, sampledId(subject, ports.surroundings)) ??
    (await notInDoubt(supervisor, active, (doubter) => doubter.judge(subject, judging)));
  if (skipped !== undefined) {
    const verdict = { action: "allow" as const, reasons: [] };
    return { ...about, inDoubt: undefined, after: subject, verdict, skipped, latencyMs: 0 };
  }
  const refusal = supervisor.health?.refusal();
  /** What a verdict makes of the subject, with reasons for everybody. */
  const accept = async (verdict: Verdict) => {
    const changed = changedBy(verdict, subject, supervisor);
    const same = sameText(changed, subject);
    const action = verdict.action === "modify" && same ? "allow" : verdict.action;
    const after = same ? subject : changed;
    const texts = { before: subject, after: same ? undefined : after };
    const cleared = await readable(verdict.reasons, supervisor, texts, rules, judging);
    return { after, verdict: { ...verdict, action, reasons: forEverybody(supervisor, action, cleared) } };
  };
  try {
    if (refusal !== undefined) throw new Error(refusal);
    const given = await judge(supervisor, subject, judging, ports);
    const accepted = await accept(given);
    supervisor.health?.succeeded();
    const latencyMs = ports.now() - started;
    const doubt = given.inDoubt === true ? { inDoubt: supervisor.name } : {};
    return { ...about, ...doubt, ...accepted, ...whole(forOperators(given), accepted.verdict.reasons), latencyMs };
  } catch (error) {
    if (isControlFlow(error)) throw error;
    // Neither a text nor a cancelled turn can bring it about that a supervisor isn't asked any more.
    const isItsOwn = refusal === undefined && !(error instanceof NoDecisionError) && ports.cancelled?.() !== true;
    if (isItsOwn) supervisor.health?.failed();
    const said = detailOf(error);
    // What it answered, and not as it has to, may stand in the message.
    const detail =
      error instanceof NoDecisionError
        ? (await sanitizeReason([said], { before: subject }, rules, judging)).join("")
        : said;
    const wanted = error instanceof RefusedCallError && error.wish !== undefined ? [error.wish] : wishes;
    const wish = strictest("allow", ...wanted.map(countedWish));
    const ofFailure = ports.strict ? "block" : supervisor.onFailure;
    const policy = strictest(ofFailure, wish);
    const who = `Supervisor "${supervisor.name}" (${supervisor.kind}) failed`;
    const setting = isStricter(wish, ofFailure)
      ? `What it wanted counts: ${wish}.`
      : `${ports.strict ? "The tenant's setting strict" : `Its setting onFailure "${policy}"`} decided.`;
    const failed = `${who}: ${detail}. ${setting}`;
    // What a provider or an endpoint said of its failure is for operators.
    const reasons = policy === "allow" ? [] : forEverybody(supervisor, policy, [`${who}. ${setting}`]);
    // What it had decided besides holds: its failure never makes it milder.
    const decided = error instanceof RefusedCallError ? error.decided : undefined;
    const before = decided === undefined ? undefined : await accept(decided);
    const latencyMs = ports.now() - started;
    return {
      ...about,
      after: before?.after ?? subject,
      verdict: {
        ...before?.verdict,
        action: strictest(policy, before?.verdict.action ?? "allow"),
        reasons: [...new Set([...(before?.verdict.reasons ?? []), ...reasons])],
      },
      ...(policy === "allow" && decided === undefined ? {} : whole([...(decided?.reasons ?? []), failed], reasons)),
      failed,
      latencyMs,
    };
  }
}

/** The subject as a verdict makes it. @throws {RefusedCallError} where that can't be done: what was wanted counts then. */
function changedBy({ change, ...verdict }: Verdict, subject: Subject, supervisor: Supervisor): Subject {
  if (change === undefined) return subject;
  const refused = (detail: string): RefusedCallError => {
    const decided = { ...verdict, action: countedWish(verdict.action) };
    return new RefusedCallError(detail, decided, verdict.action);
  };
  if (!modifiesAt(supervisor, subject.hook)) {
    throw refused(`it changed the text, which its setting "permissions" doesn't allow`);
  }
  try {
    return applyChange(subject, change);
  } catch (error) {
    throw error instanceof RangeError ? refused(error.message) : error;
  }
}

/** What everybody reads: the supervisor's own message for them, if it has one. */
function forEverybody({ clientMessage }: Supervisor, action: string, reasons: readonly string[]): readonly string[] {
  return clientMessage === undefined || action === "allow" ? reasons : [clientMessage];
}

function forOperators({ reasons, explanation = [] }: Verdict): readonly string[] {
  return [...reasons, ...explanation];
}

function whole(given: readonly string[], shown: readonly string[]): { wholeReasons?: readonly string[] } {
  const same = given.length === shown.length && given.every((reason, at) => reason === shown[at]);
  return same ? {} : { wholeReasons: given };
}

function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return error instanceof DeadlineError ? `${error.message} (setting timeoutMs)` : error.message;
}

/** Reasons as everybody may read them: a tenant's own words, those of rules among them, need no look. */
async function readable(
  words: readonly string[],
  { pure, reasons }: Supervisor,
  about: { readonly before: Subject; readonly after: Subject | undefined },
  rules: readonly Supervisor[],
  judging: JudgeContext,
): Promise<readonly string[]> {
  const own = words.every((one) => pure || reasons?.has(one) === true);
  return own ? words : sanitizeReason(words, about, rules, judging);
}

const never: CancelSignal = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };

function judgingOf(
  supervisor: Supervisor,
  subject: Subject,
  rules: readonly Supervisor[],
  ports: PassPorts,
  record: Pick<JudgeContext, "contextChanged" | "called" | "refused">,
): JudgeContext {
  const { context, ...seen } = ports.surroundings ?? {};
  const judging: JudgeContext = {
    journal: ports.journal.scope(supervisor.name),
    signal: never,
    hash: ports.hash,
    // A shadow judges without effect: it has nothing to change the context with.
    surroundings: supervisor.mode === "shadow" || context === undefined ? seen : { ...seen, context },
    sanitizeReason: async (words) =>
      (await readable([words], supervisor, { before: subject, after: undefined }, rules, judging)).join(""),
    ...record,
  };
  return judging;
}

function judge(supervisor: Supervisor, subject: Subject, judging: JudgeContext, ports: PassPorts): Promise<Verdict> {
  return supervisor.pure
    ? supervisor.judge(subject, judging)
    : ports.withDeadline(supervisor.timeoutMs, (signal) => supervisor.judge(subject, { ...judging, signal }));
}

function inOrder(a: Supervisor, b: Supervisor): number {
  return a.order - b.order || (a.name < b.name ? -1 : 1);
}

async function everyInTurn<T>(items: readonly T[], check: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (!(await check(item))) return false;
  return true;
}

/** Whether two subjects say the same: by their texts, never by identity. */
function sameText(a: Subject | undefined, b: Subject): boolean {
  return a !== undefined && (a === b || canonicalText(a) === canonicalText(b));
}
