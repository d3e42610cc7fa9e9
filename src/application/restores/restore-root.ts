/**
 * Putting a session, a run, a roundtable or a memory's thread back to how it was: by the platform's log of changes of its object, of the last 30 days. The
 * object is the truth: what D1 says of it follows, and what was erased since is erased again. What is interrupted goes on.
 */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { need, ProblemError, problem } from "../../conversation/problem.js";
import type { RootGateway, RootObject } from "../../gateways/root-gateway.js";
import { newId } from "../../platform/ids.js";
import { describeError, log } from "../../platform/logging.js";
import type { Restore } from "../../stores/restore-store.js";
import { tellFailing } from "../../stores/tenant-events.js";
import { type Actor, systemActor } from "../../tenancy/actor.js";
import type { RecordedAct } from "../../tenancy/audit.js";
import { type Erasure, erasuresSince } from "../../tenancy/erasures.js";
import { lazily } from "../../text/lazily.js";
import { claimId } from "../creation.js";
import { failureReasonOf } from "../job-failure.js";
import type { Services } from "../services.js";
import type { Restorable } from "./restorable.js";

export const restoreTarget = lazily(() =>
  z
    .strictObject({
      at: z.iso.datetime({ offset: true }).optional(),
      bookmark: z.string().min(1).max(200).optional(),
    })
    .refine(({ at, bookmark }) => (at === undefined) !== (bookmark === undefined), {
      message: "either `at` or `bookmark`",
      path: ["at"],
    }),
);

export const restoredSchema = lazily(() =>
  z.object({
    restoreId: z.string(),
    /** As a `bookmark` it puts everything back to how it was before this. */
    undo: z.string(),
    erasedAgain: z.int().describe("What was erased since, and has been erased again."),
  }),
);

/** The platform keeps its log of changes for so long, in milliseconds. */
const keptMs = 30 * 86_400_000;
/** Numbers that are left out, for what the object does while it is put back. */
const leftOut = 1_000;
/** After which time one that isn't finished counts as interrupted, in milliseconds; how many go on at once. */
const interruptedMs = 60_000;
const resumedAtOnce = 20;
/** How often the schedule goes on with one, once a minute, before it is given up. */
export const mostTries = 30;
const eventsAtOnce = 500;

type Root = Pick<Restore, "kind" | "rootId" | "threadId">;

export async function restoreRoot(
  actor: Actor,
  { kind, rootId, threadId, target }: Root & { readonly target: z.infer<ReturnType<typeof restoreTarget>> },
  services: Services,
): Promise<z.infer<ReturnType<typeof restoredSchema>>> {
  const { restores, now } = services;
  const { tenantId } = actor;
  const object = await objectOf({ tenantId, kind, rootId, threadId }, services);
  if (!(await object.isThere())) throw problem("not_found", `There is no such ${kind}.`);
  const since = target.at === undefined ? undefined : Date.parse(target.at);
  if (since !== undefined && (since > now() || since < now() - keptMs)) {
    const errors = [{ path: "at", message: "has to lie within the last 30 days" }];
    throw problem("invalid", "An object can be put back to a time of the last 30 days.", { errors });
  }
  const restoreId = await claimId(actor, newId("rst"), ["restore", rootId, threadId ?? "", target], services);
  let restore = await restores.find(tenantId, restoreId);
  if (restore === undefined) {
    // What was erased a moment ago may be on its way to the ledger, and is undone with the object.
    await restores.noteErasures(tenantId, await object.erased(since ?? 0));
    const { outbox, events } = await object.numbers();
    const numbers = { outbox: outbox + leftOut, events: events + leftOut };
    const begun = { tenantId, restoreId, kind, rootId, threadId, target, by: recordOf(actor), numbers };
    await restores.begin(begun);
    const fresh = { undo: undefined, isFinished: false, begunAt: now(), finishedAt: undefined };
    restore = { ...begun, ...fresh, tries: 0, failure: undefined };
  }
  const { isFinished, failure, tries } = restore;
  if (isFinished && failure !== undefined) {
    const detail = `It was given up after ${tries} tries: ${failure} Ask for it anew, under another Idempotency-Key.`;
    throw problem("conflict", detail);
  }
  return goOn(restore, services);
}

/** Those that were interrupted go on; for the schedule. */
export async function resumeRestores(at: number, services: Services): Promise<void> {
  for (const restore of await services.restores.unfinished(at - interruptedMs, resumedAtOnce)) {
    const { tenantId, rootId } = restore;
    await goOn(restore, services).catch(async (error: unknown) => {
      const failure =
        error instanceof ProblemError ? error.problem.detail : "Something went wrong here; the log says what.";
      const isGivenUp = await services.restores.failed(restore, failure, mostTries);
      const outcome = isGivenUp ? "given_up" : "failed";
      const job = { job: "restore", jobId: restore.restoreId, reason: failureReasonOf(error) } as const;
      if (isGivenUp) await tellFailing(services.db, tenantId, job, at);
      log("error", "restore.failed", { tenantId, objectId: rootId, outcome, ...describeError(error) });
    });
  }
}

async function goOn(restore: Restore, services: Services): Promise<z.infer<ReturnType<typeof restoredSchema>>> {
  const { restores, now } = services;
  const { tenantId, restoreId, kind, rootId, threadId, target, by, numbers } = restore;
  const object = await objectOf(restore, services);
  let { undo } = restore;
  if (undo === undefined) {
    const prepared = await object.prepareRestore(target);
    if (!prepared.ok) await restores.forget(restore);
    undo = need(prepared);
    const subject = { kind: `${kind}s`, name: threadId ?? rootId };
    const to = target.at ?? "a bookmark";
    const act: RecordedAct = {
      type: "history.restored",
      decision: "restored",
      actor: by,
      subject,
      reasons: [to],
      at: now(),
    };
    await restores.prepared(restore, undo, act);
  }
  if (!restore.isFinished) {
    // Once more where it was interrupted: an object that is at that state already only begins anew.
    await object.restart();
    await restores.forgetCopies(restore);
    if (!(await object.restored(numbers, target.at ?? ""))) {
      // It wasn't there yet: it is put to where it was.
      need(await object.prepareRestore({ bookmark: undo }));
      await object.restart();
      await object.restored(numbers, "");
      // Nothing was done: the same request again is another.
      await restores.forget(restore);
      throw problem("conflict", `There was no such ${kind} at that time. It is as it was before this request.`);
    }
  }
  const since = target.at === undefined ? undefined : Date.parse(target.at);
  const again = erasuresSince(await restores.erasuresOf(tenantId, rootId), since);
  let erasedAgain = 0;
  for (const erasure of again) if (await object.eraseAgain(erasure)) erasedAgain += 1;
  await object.follow?.(restore);
  await restores.finish(restore);
  return { restoreId, undo, erasedAgain };
}

/** A message of a session, erased anew: what the state of then lacks is no refusal. */
export async function eraseAgain(
  tenantId: string,
  { kind, rootId, itemId }: Erasure,
  services: Services,
): Promise<void> {
  if (kind !== "message") return;
  const by = recordOf(systemActor(tenantId, "restore"));
  const done = await services.sessions.eraseMessage(tenantId, rootId, itemId, by);
  if (!done.ok && done.problem.code !== "not_found") need(done);
  await services.answers.forget(tenantId, rootId);
}

/** Messages that the object's own log says were erased since. */
async function erasedIn(objects: Objects, tenantId: string, rootId: string, since: number): Promise<Erasure[]> {
  const found: Erasure[] = [];
  const read = (after?: number) => objects.events(tenantId, rootId, { after, since, limit: eventsAtOnce });
  for (let page = await read(); page.length > 0; page = await read(page.at(-1)?.seq)) {
    for (const { type, at, data } of page) {
      const { messageId } = data;
      if (type !== "message.erased" || typeof messageId !== "string") continue;
      found.push({ kind: "message", rootId, itemId: messageId, at: Date.parse(at) });
    }
  }
  return found;
}

type Objects = Pick<
  RootGateway<RootObject>,
  "isThere" | "events" | "numbers" | "prepareRestore" | "restart" | "restored"
>;

async function objectOf(restore: Root & Pick<Restore, "tenantId">, services: Services): Promise<Restorable> {
  const { tenantId, kind, rootId } = restore;
  if (kind === "thread") return (await import("./restore-thread.js")).threadToRestore(restore, services);
  const objects: Objects = services[`${kind}s`];
  return {
    isThere: () => objects.isThere(tenantId, rootId),
    erased: (since) => erasedIn(objects, tenantId, rootId, since),
    numbers: () => objects.numbers(tenantId, rootId),
    prepareRestore: (target) => objects.prepareRestore(tenantId, rootId, target),
    restart: () => objects.restart(tenantId, rootId),
    restored: (numbers, at) => objects.restored(tenantId, rootId, numbers, at),
    eraseAgain: async (erasure) => {
      await eraseAgain(tenantId, erasure, services);
      return true;
    },
  };
}
