/** Try supervisors on a text: what each would say of it and what all of them would, without any effect. */
import { z } from "zod";
import type { ModelUsage } from "../../agent/work.js";
import { callerOf, recordOf } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import { ProblemError, problem } from "../../conversation/problem.js";
import { DeadlineError } from "../../model/deadline.js";
import { withCancelSignal } from "../../platform/clock.js";
import { newId } from "../../platform/ids.js";
import { changesOf } from "../../supervision/state.js";
import type { Supervisor } from "../../supervision/supervisor.js";
import { type TrialVerdict, trySupervisors } from "../../supervision/trial.js";
import type { Hook } from "../../supervision/verdict.js";
import { act } from "../act.js";
import { requestBudget } from "../limits/request-budget.js";
import { saltedHash } from "../salted-hash.js";
import type { SupervisorBuilder } from "../supervisor-builder.js";
import { addModelUsage, recordUsage } from "../usage/record-usage.js";
import { tenantPolicies } from "../work-setup.js";
import { trialContext } from "./trial-context.js";
import { newTrialSchema, newTrialShape, type ShownTrial, trialSchema } from "./trial-schemas.js";
import { type TriedSupervisor, triedSupervisors } from "./tried-supervisors.js";
import { triedText } from "./tried-text.js";

/** All of it may take so long, in milliseconds. */
const longestTrialMs = 60_000;

/** What leaves the system of a trial says so. */
export const trialOrigin = { metadata: {}, trial: true } as const;

export const trySupervision = act("trySupervision", {
  role: "operator",
  reviewers: true,
  route: {
    method: "post",
    path: "/v1/try",
    tag: "Supervisors",
    summary: "Try supervisors on a text, without any effect (operators)",
    description:
      "Up to eight supervisors, stored ones by name or version and others as a body, judge a text, the last message of a conversation, or a text of a turn as it was sent. What would be held for a review is shown and not opened; no pass, event, ask or change of a context is made, and no failure counts. Tokens count as the tenant's usage. What the tenant's setting `ordersInData` does to tool results isn't tried.",
    body: "trial",
    operationId: "trySupervision",
    bodyShape: newTrialShape,
    answer: "What each says alone, and what all say together",
  },
  input: () => z.object({ trial: newTrialSchema() }),
  output: () => trialSchema(),
  run: async (actor, { trial }, services): Promise<ShownTrial> => {
    const { tenantId } = actor;
    const tried = await triedSupervisors(trial.supervisors, actor, services);
    const usage = new Map<string, ModelUsage>();
    const builder = services.supervisors.counting((model, taken) => addModelUsage(usage, model, taken));
    const supervisors = tried.map((one) => builtForTrial(tenantId, one, builder));
    const { subject, transcript } = await triedText(trial.on, hookOf(supervisors), actor, services);
    const { strict } = await tenantPolicies(tenantId, services);
    const isLeftOut = ({ kind }: Supervisor): boolean => kind === "http" && !trial.callHttp;
    const leftOut = new Map(supervisors.filter(isLeftOut).map(({ name }) => [name, notCalled]));
    const id = newId("try");
    const budget = await requestBudget({ tenantId, ...callerOf(recordOf(actor)) }, services);
    try {
      const { together, alone } = await withCancelSignal(longestTrialMs, () =>
        trySupervisors(subject, supervisors, leftOut, {
          now: services.now,
          withDeadline: withCancelSignal,
          hash: (text) => saltedHash(id, text),
          strict,
          journal: budget.journal,
          environment: { transcript: () => transcript, context: trialContext(tenantId, trialOrigin, services) },
        }),
      );
      const refusal = budget.refusal();
      if (refusal !== undefined) throw new ProblemError(refusal);
      return {
        together: { ...together, reasons: [...together.reasons] },
        alone: alone.map((verdict, at) => shown(verdict, tried[at])),
      };
    } catch (error) {
      if (error instanceof DeadlineError)
        throw problem("unavailable", "The supervisors didn't all answer within a minute. Try fewer of them at once.");
      throw error;
    } finally {
      const origin = { tenantId, work: id, kind: "trial", ...callerOf(recordOf(actor)) } as const;
      await Promise.all([budget.end(), recordUsage(origin, usage, services)]);
    }
  },
});

const notCalled = "its endpoint is only called where the trial says callHttp";

/** Built as a shadow, so that it holds nothing that has an effect; asked as what it is. */
export function builtForTrial(
  tenantId: string,
  { name, version, body }: TriedSupervisor,
  builder: SupervisorBuilder,
): Supervisor {
  const unstored = { kind: "supervisors", name, version: version ?? 0, body: { ...body, mode: "shadow" } } as const;
  return { ...builder.build(tenantId, unstored, { origin: trialOrigin }), mode: body.mode };
}

/** Where a text stands that doesn't say it. */
function hookOf(supervisors: readonly Supervisor[]): Hook {
  const hooks = supervisors.flatMap((supervisor) => [...supervisor.hooks]);
  return hooks.includes("request") ? "request" : (hooks[0] ?? "request");
}

function shown({ evaluation, text, skipped, ...verdict }: TrialVerdict, tried?: TriedSupervisor) {
  const changes = evaluation?.contextChanges ?? [];
  return {
    supervisor: verdict.supervisor,
    action: verdict.action,
    reasons: [...verdict.reasons],
    mode: tried?.body.mode ?? "enforce",
    latencyMs: evaluation?.latencyMs ?? 0,
    ...defined({
      version: tried?.version,
      text,
      skipped,
      matched: evaluation?.verdict.rules && [...evaluation.verdict.rules],
      contextChanges: changes.length === 0 ? undefined : changesOf(changes),
      model: evaluation?.model,
      usage: evaluation?.verdict.usage,
      failed: evaluation?.failed,
      inDoubt: evaluation?.inDoubt,
    }),
  };
}
