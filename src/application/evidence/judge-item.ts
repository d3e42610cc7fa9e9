/** How candidates judge or answer an item, without any effect: supervisors as a pass does, agents, teams and panels as a turn does. */
import type { CallBudget } from "../../agent/call-budget.js";
import { transientJournalWithin } from "../../agent/transient-journal.js";
import { defined } from "../../conversation/defined.js";
import { problem } from "../../conversation/problem.js";
import { type Answerer, type Result, resourceOf, type Supervising } from "../../evidence/evaluation.js";
import type { Item } from "../../evidence/item.js";
import type { CancelSignal, TokenUsage } from "../../model/port.js";
import { withCancelSignal } from "../../platform/clock.js";
import { readableText } from "../../supervision/subject.js";
import type { Supervisor } from "../../supervision/supervisor.js";
import { trySupervisors } from "../../supervision/trial.js";
import { systemActor } from "../../tenancy/actor.js";
import { noResource } from "../resources/read-resource.js";
import type { RootPlatform } from "../root-platform.js";
import { saltedHash } from "../salted-hash.js";
import type { Services } from "../services.js";
import { trialContext } from "../supervision/trial-context.js";
import { loadTried } from "../supervision/tried-supervisors.js";
import { originalOfTurn, subjectAt, type TriedText, triedText } from "../supervision/tried-text.js";
import { builtForTrial, trialOrigin } from "../supervision/try-supervisors.js";
import type { Answering } from "../turn-setup.js";
import { tenantPolicies } from "../work-setup.js";
import { RecordedAnswers } from "./recorded-answers.js";
import { storedTurn } from "./stored-turn.js";
import { answeringOf, type TrialPorts, type TriedTurn, tryTurn } from "./try-turn.js";

/** How long supervisors may take over one item, in milliseconds. */
const longestUnitMs = 120_000;

export interface Calls {
  /** Aborted where nobody waits for the unit any more. */
  readonly signal: CancelSignal;
  readonly budget: CallBudget;
  /** Hears what each call of a model has taken. */
  readonly taken: (model: string, usage: TokenUsage) => void;
}

/** What a candidate makes of an item, and the text that it judged, if it did; what it throws is a failure. */
export type Judge = (
  item: Item,
  calls: Calls,
) => Promise<{ readonly before: string | undefined; readonly result: Omit<Result, "latencyMs" | "usage"> }>;

export interface JudgedOf {
  readonly tenantId: string;
  readonly evalId: string;
  readonly callHttp: boolean;
}

export async function judgeBySupervisors(
  { supervisors }: Supervising,
  { tenantId, evalId, callHttp }: JudgedOf,
  services: Services,
): Promise<Judge> {
  const tried = await loadTried(supervisors, { tenantId }, services);
  const { strict } = await tenantPolicies(tenantId, services);
  return async (item, { signal, budget, taken }) => {
    const withDeadline: typeof withCancelSignal = (timeoutMs, work) => withCancelSignal(timeoutMs, work, signal);
    const text = await textOf(tenantId, item, services);
    const builder = services.supervisors.counting(taken);
    // What is stored as a shadow is held against texts as if it were enforced: it is to be known before it is.
    const built = tried.map((one): Supervisor => ({ ...builtForTrial(tenantId, one, builder), mode: "enforce" }));
    const leftOut = built.filter(({ kind }) => kind === "http" && !callHttp);
    const { together, alone } = await withDeadline(longestUnitMs, () =>
      trySupervisors(text.subject, built, new Map(leftOut.map(({ name }) => [name, "not called"])), {
        now: services.now,
        withDeadline,
        hash: (subject) => saltedHash(evalId, subject),
        strict,
        environment: {
          transcript: () => text.transcript,
          context: trialContext(tenantId, trialOrigin, services),
          // A sample takes an item or leaves it, each time.
          workId: item.itemId,
        },
        journal: transientJournalWithin(budget),
      }),
    );
    const failed = alone.flatMap(({ supervisor, evaluation }) =>
      evaluation?.failed === undefined ? [] : [`${supervisor}: ${evaluation.failed}`],
    );
    const matched = alone.flatMap(({ supervisor, evaluation }) =>
      (evaluation?.verdict.rules ?? []).map((rule) => `${supervisor}: ${rule}`),
    );
    const before = readableText(text.subject);
    return {
      before,
      result: {
        action: together.action,
        ...defined({
          text: together.text === before ? undefined : together.text,
          matched: matched.length === 0 ? undefined : matched,
          failed: failed.length === 0 ? undefined : failed.join("; "),
        }),
      },
    };
  };
}

export async function judgeByAnswer(
  candidate: Answerer,
  of: JudgedOf,
  services: Services,
  work: RootPlatform["at"],
): Promise<Judge> {
  const answerer = await answererFor(candidate, of, services, work);
  return async (item, calls) => {
    const { answering, ports } = answerer(item, calls);
    if (item.hook !== "request")
      throw problem("invalid", `Agents, teams and panels answer requests: the item stands at the hook ${item.hook}.`);
    const tried = await turnOf(of.tenantId, item, services);
    return { before: undefined, result: await tryTurn(of.tenantId, answering, tried, ports) };
  };
}

/** Who answers, and with what: loaded once for a slice. */
export async function answererFor(
  candidate: Answerer,
  { tenantId, evalId, callHttp }: JudgedOf,
  services: Services,
  work: RootPlatform["at"],
): Promise<(item: Item, calls: Calls) => { readonly answering: Answering; readonly ports: TrialPorts }> {
  const { kind, name } = resourceOf(candidate);
  const { version = 0 } = candidate;
  const [stored] = await services.resources.versions(tenantId, [{ kind, name, version }]);
  const platform = await work(tenantId, undefined);
  return ({ itemId }, calls) => {
    if (stored === undefined) throw noResource(kind, name);
    return {
      answering: answeringOf(candidate, stored.body),
      ports: { platform, callHttp, id: `${evalId} ${itemId}`, ...calls },
    };
  };
}

/** A stored turn from what is on record of it, any other item from its text alone. */
export async function turnOf(tenantId: string, item: Item, services: Services): Promise<TriedTurn> {
  const { input, tools = [] } = item;
  if (typeof input === "object" && "turnId" in input) return storedTurn(tenantId, input, tools, services);
  const { subject, transcript } = await textOf(tenantId, item, services);
  return { message: readableText(subject), history: transcript, record: new RecordedAnswers(tools) };
}

async function textOf(tenantId: string, { hook, input }: Item, services: Services): Promise<TriedText> {
  if (typeof input === "string") return { subject: subjectAt(hook, input, services.now()), transcript: [] };
  if ("messages" in input) return triedText(input, hook, systemActor(tenantId, "eval"), services);
  if (hook !== "request" && hook !== "response") throw new TypeError("items of turns stand at request or response");
  return originalOfTurn(tenantId, { ...input, hook }, services);
}
