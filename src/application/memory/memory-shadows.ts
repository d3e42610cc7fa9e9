/**
 * Supervisors in shadow mode over what is written to memories: no write waits for them. What they are to judge is stored with the pass that
 * it belongs to, the schedule has them judge it, and their verdict is a pass of its own.
 */
import { z } from "zod";
import { settleInOrder } from "../../agent/concurrency.js";
import type { ModelUsage } from "../../agent/work.js";
import { type ActorRecord, actorRecordSchema, callerOf } from "../../conversation/actor-record.js";
import { withCancelSignal } from "../../platform/clock.js";
import { sha256Hex } from "../../platform/digest.js";
import { describeError, log } from "../../platform/logging.js";
import { type DueShadow, endShadow, insertShadow, takeShadows } from "../../stores/memory/shadow-store.js";
import { judgeShadow, type PendingShadow, shadowedSchema } from "../../supervision/shadows.js";
import { isOfKind } from "../../tenancy/resources.js";
import { lazily, loaded } from "../../text/lazily.js";
import type { RequestBudgetPorts } from "../limits/request-budget.js";
import type { SupervisorBuilder } from "../supervisor-builder.js";
import { addModelUsage, recordUsage, type UsagePorts } from "../usage/record-usage.js";
import type { SetupSources } from "../work-setup.js";

/** How many are taken at once, how many of them judge at the same time, and for how long one run of the schedule takes more, in milliseconds. */
const pageSize = 32;
const atOnce = 8;
const runMs = 40_000;
/** When one is taken up again whose Worker died over it, in milliseconds; how often it is tried. */
const againMs = 300_000;
const mostTries = 4;

const budgeting = loaded(() => import("../limits/request-budget.js"));

const bodySchema = lazily(() =>
  shadowedSchema().extend({ name: z.string(), version: z.int(), actor: actorRecordSchema }),
);

/** For the batch of the pass. */
export function storedShadow(
  memory: { readonly tenantId: string; readonly memoryId: string },
  { supervisor: { name, version = 0 }, shadowed }: PendingShadow,
  actor: ActorRecord,
  at: number,
): ReturnType<typeof insertShadow> {
  const body: z.input<ReturnType<typeof bodySchema>> = { ...shadowed, name, version, actor };
  return insertShadow({ ...memory, shadowId: crypto.randomUUID() }, body, at);
}

interface Sources extends Pick<SetupSources, "resources">, UsagePorts, RequestBudgetPorts {
  readonly supervisors: Pick<SupervisorBuilder, "counting">;
}

/** Those that are due, the oldest first, as many as there is time for. */
export async function judgeMemoryShadows(sources: Sources): Promise<void> {
  const began = sources.now();
  for (let taken = pageSize; taken === pageSize && sources.now() - began < runMs; ) {
    const due = await takeShadows(sources.db, sources.now(), sources.now() + againMs, pageSize);
    await settleInOrder(
      due.map((one) => () => judge(one, sources)),
      atOnce,
    );
    taken = due.length;
  }
}

/** One that fails is tried again with the next that are due, in the end it is given up. */
async function judge(due: DueShadow, sources: Sources): Promise<void> {
  const { tenantId, memoryId, tries } = due;
  const { db, resources, supervisors, now } = sources;
  try {
    if (tries > mostTries) {
      log("error", "shadow.dropped", { tenantId, memoryId, attempts: tries });
      return await endShadow(db, due);
    }
    const { name, version, actor, ...shadowed } = bodySchema().parse(due.body);
    const [found] = await resources.versions(tenantId, [{ kind: "supervisors", name, version }]);
    if (found === undefined || !isOfKind("supervisors", found)) return await endShadow(db, due);
    const usage = new Map<string, ModelUsage>();
    const counting = supervisors.counting((model, taken) => addModelUsage(usage, model, taken));
    const pending = { supervisor: counting.build(tenantId, found), rules: [], shadowed };
    const by = callerOf(actor);
    const { journal, end } = await (await budgeting()).requestBudget({ tenantId, ...by }, sources);
    const ports = { now, withDeadline: withCancelSignal, digest: sha256Hex, journal };
    const work = `${due.shadowId}/${tries}`;
    const state = await judgeShadow(pending, ports).finally(() =>
      Promise.all([end(), recordUsage({ tenantId, work, kind: "memory_shadow", ...by }, usage, sources)]),
    );
    await endShadow(db, due, { state: { ...state, subject: {} }, actor, at: now() });
  } catch (error) {
    log("warn", "shadow.failed", { tenantId, memoryId, attempts: tries, ...describeError(error) });
  }
}
