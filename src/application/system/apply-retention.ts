/**
 * What a tenant keeps for a time only goes when its time has come, the oldest first. The schedule has the queue look after each such tenant,
 * at some time of the half hour; a job is a page of each kind, and as long as pages are full the next job follows it: a tenant with many
 * objects keeps no other waiting. What fell due within the last day goes whatever there is of it; of what is overdue (somebody has just said
 * for how long it is kept) a share of the database a night, so that nobody else's turns wait for it.
 */
import type { RetentionJob } from "../../catalogues/queue-jobs.js";
import { describeError, log } from "../../platform/logging.js";
import type { RetentionStore } from "../../stores/retention-store.js";
import { removeDataset, removeRoot, removeSession } from "../removal.js";
import type { Services } from "../services.js";

const dayMs = 86_400_000;
/** Tenants that are read at once. */
const tenantsAtOnce = 100;
/** Of one tenant in one job, at most: objects, and rows. */
const objectsAtOnce = 100;
const rowsAtOnce = 2_000;
/** As so many rows of D1 an object counts that goes: its own, and those of its keys, asks and copies. */
const rowsOfObject = 20;
/** Over so much time jobs of one run of the schedule are spread; as long their pages go on, in milliseconds. */
const spreadMs = 20 * 60_000;
const nextPageMs = 1_000;

/** What replays answered is of sessions, and is kept as long. */
const objectKinds = ["sessions", "replays", "runs", "roundtables", "memories"] as const;
const rowKinds = ["asks", "audit", "usage", "deliveries"] as const;

/** @param at now, in milliseconds since the epoch */
export async function scheduleRetention(at: number, services: Services): Promise<void> {
  const store = await services.retention();
  for (let page = await store.tenants("", tenantsAtOnce); page.length > 0; ) {
    const jobs = page.map(({ tenantId }) => ({ tenantId, at, inMs: jitterOf(tenantId, at) }));
    await services.sendRetentionJobs(jobs);
    page = await store.tenants(page.at(-1)?.tenantId ?? "~", tenantsAtOnce);
  }
}

/** A job of the queue: a page, and the next job where there is more. What the half hour leaves is the next one's. */
export async function retain({ tenantId, at }: RetentionJob, services: Services): Promise<void> {
  const isLate = services.now() > at + spreadMs + spreadMs / 2;
  if (isLate || !(await applyRetention(tenantId, at, services))) return;
  await services.sendRetentionJobs([{ tenantId, at, inMs: nextPageMs }]);
}

/** @returns whether more may be left */
export async function applyRetention(tenantId: string, at: number, services: Services): Promise<boolean> {
  const store = await services.retention();
  const retention = await store.of(tenantId);
  if (retention === undefined) return false;
  const remove: Readonly<Record<(typeof objectKinds)[number], (id: string) => Promise<boolean>>> = {
    sessions: (id: string) => removeSession(tenantId, id, services),
    runs: (id: string) => removeRoot(tenantId, { kind: "runs", id }, services).then(() => true),
    roundtables: (id: string) => removeRoot(tenantId, { kind: "roundtables", id }, services).then(() => true),
    replays: (name: string) => removeDataset(tenantId, name, services).then(() => true),
    memories: async (id: string) => {
      const memory = await services.memory.memory(tenantId, id);
      if (memory.ok) await services.memory.deleteMemory(memory.value);
      return memory.ok;
    },
  };
  let left = await store.left(at);
  const before = left;
  let isMore = false;
  /** What of a kind goes now: once the night's share is taken, what is due since yesterday. */
  const dueOf = (days: number, limit: number, rowsEach: number): Due => {
    const until = at - days * dayMs;
    const isOver = left < rowsEach;
    return {
      ...{ tenantId, before: until, since: isOver ? until - dayMs : 0 },
      limit: isOver ? limit : Math.min(limit, Math.floor(left / rowsEach)),
    };
  };
  for (const kind of objectKinds) {
    const days = retention[kind === "replays" ? "sessions" : kind];
    if (days === null) continue;
    const due = dueOf(days, objectsAtOnce, rowsOfObject);
    const ids = await store[kind](due);
    const removed = await Promise.all(ids.map((id) => quietly(tenantId, () => remove[kind](id))));
    const gone = removed.filter((one) => one === true).length;
    if (due.since === 0) left -= gone * rowsOfObject;
    // Where none could go the next page would be the same.
    if (ids.length === due.limit && gone > 0) isMore = true;
  }
  for (const kind of rowKinds) {
    const days = retention[kind];
    if (days === null) continue;
    const due = dueOf(days, rowsAtOnce, 1);
    const gone = (await quietly(tenantId, () => forgetRows(kind, due, store, services))) ?? 0;
    if (due.since === 0) left -= gone;
    if (gone > 0) isMore = true;
  }
  if (left < before) await store.took(at, before - left);
  return isMore;
}

type RowKind = (typeof rowKinds)[number];
type Due = Parameters<RetentionStore["forgetAsks"]>[0];

/** @returns how many went */
async function forgetRows(kind: RowKind, due: Due, store: RetentionStore, services: Services): Promise<number> {
  switch (kind) {
    case "asks":
      return store.forgetAsks(due);
    case "usage":
      return store.forgetRows("usage", due);
    case "deliveries":
      return store.forgetDeliveries(due);
    case "audit": {
      if (await store.isHeld(due.tenantId)) return 0;
      const archived = await (await services.auditArchive()).retire(due.tenantId, due.before);
      return archived + (await store.forgetRows("audit", due));
    }
  }
}

/** The same of a tenant at a time, and of others another: not all at once. */
function jitterOf(tenantId: string, at: number): number {
  let hash = at % spreadMs;
  for (const character of tenantId) hash = (hash * 31 + character.charCodeAt(0)) % spreadMs;
  return hash;
}

/** One that can't go now doesn't keep the others. */
async function quietly<T>(tenantId: string, remove: () => Promise<T>): Promise<T | undefined> {
  try {
    return await remove();
  } catch (error) {
    log("warn", "retention.failed", { tenantId, ...describeError(error) });
    return undefined;
  }
}
