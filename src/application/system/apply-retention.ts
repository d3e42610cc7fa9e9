/** What tenants keep for a time only goes when its time has come: some of it in each run, the oldest first. */
import { describeError, log } from "../../platform/logging.js";
import type { RetentionStore } from "../../stores/retention-store.js";
import { removeRoot, removeSession } from "../removal.js";
import type { Services } from "../services.js";

const dayMs = 86_400_000;
/** Tenants that are read at once. */
const tenantsAtOnce = 100;
/** Of one tenant in one run, at most: objects, and rows. The next run goes on. */
const objectsAtOnce = 100;
const rowsAtOnce = 2_000;

type Step = (store: RetentionStore, due: { tenantId: string; before: number; limit: number }) => Promise<unknown>;

export async function applyRetention(at: number, services: Services): Promise<void> {
  const store = await services.retention();
  const objects = {
    sessions: (tenantId: string, id: string) => removeSession(tenantId, id, services),
    runs: (tenantId: string, id: string) => removeRoot(tenantId, { kind: "runs", id }, services),
    roundtables: (tenantId: string, id: string) => removeRoot(tenantId, { kind: "roundtables", id }, services),
    memories: async (tenantId: string, id: string) => {
      const memory = await services.memory.memory(tenantId, id);
      if (memory.ok) await services.memory.deleteMemory(memory.value);
    },
  };
  const steps: Readonly<Record<"asks" | "audit" | "usage", Step>> = {
    asks: (rows, due) => rows.forgetAsks(due),
    audit: (rows, due) => rows.forgetRows("audit", due),
    usage: (rows, due) => rows.forgetRows("usage", due),
  };
  for (let page = await store.tenants("", tenantsAtOnce); page.length > 0; ) {
    for (const { tenantId, retention } of page) {
      for (const kind of ["sessions", "runs", "roundtables", "memories"] as const) {
        const days = retention[kind];
        if (days === null) continue;
        const due = { tenantId, before: at - days * dayMs, limit: objectsAtOnce };
        for (const id of await store[kind](due)) await quietly(tenantId, () => objects[kind](tenantId, id));
      }
      for (const kind of ["asks", "audit", "usage"] as const) {
        const days = retention[kind];
        const due = { tenantId, before: at - (days ?? 0) * dayMs, limit: rowsAtOnce };
        if (days !== null) await quietly(tenantId, () => steps[kind](store, due));
      }
    }
    page = await store.tenants(page.at(-1)?.tenantId ?? "~", tenantsAtOnce);
  }
}

/** One that can't go now doesn't keep the others. */
async function quietly(tenantId: string, remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    log("warn", "retention.failed", { tenantId, ...describeError(error) });
  }
}
