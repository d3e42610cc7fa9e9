/** Rows of the audit leave their table: what has settled becomes segments of the archive, and what is old goes to R2. */
import { describeError, log } from "../../platform/logging.js";
import { BrokenArchiveError } from "../../stores/archive/archive-error.js";
import { tellFailing } from "../../stores/tenant-events.js";
import { limitEventsRoot } from "../../tenancy/limits/events.js";
import type { Services } from "../services.js";

/** How old rows are that go to R2, in milliseconds. */
const archivedAfterMs = 30 * 86_400_000;
/** Beyond this many bytes of the database what is younger goes, too; without a bucket, `/health` warns beyond the other. */
const crowdedBytes = 4_000_000_000;
export const fullSoonBytes = 6_000_000_000;

/** Tenants that are looked after at once, and segments of each: the others have their turn the next time. */
const tenantsAtOnce = 200;
const segmentsEach = 600;

/** Subtrees of 4,096 rows that are hashed and tenants whose audit is sealed at once: some seconds of work. */
const slicesAtOnce = 40;

/** How large the database is, by its own account. */
async function databaseBytes({ db }: Pick<Services, "db">): Promise<number> {
  return (await db.prepare("SELECT 1 FROM tenants LIMIT 1").all()).meta.size_after;
}

type Ports = Pick<Services, "db" | "auditArchive">;

/** @param at now, in milliseconds since the epoch */
export async function archiveAudit(at: number, services: Ports): Promise<void> {
  const archive = await services.auditArchive();
  for (const tenantId of await archive.due(at, tenantsAtOnce)) {
    await each(tenantId, "audit.pack_failed", () => archive.pack(tenantId, at));
  }
  if (!archive.canMove) return;
  const isCrowded = (await databaseBytes(services)) > crowdedBytes;
  const before = isCrowded ? at : at - archivedAfterMs;
  for (const tenantId of await archive.toMove(before, tenantsAtOnce)) {
    // What came so late that nobody looked for it any more goes along.
    await each(tenantId, "audit.pack_failed", () =>
      archive.pack(tenantId, at, { since: 0, before: at - archivedAfterMs }),
    );
    await each(tenantId, "audit.move_failed", () => archive.move(tenantId, before));
  }
}

/** Seals what no seal covers yet: what isn't done now is when this is called again, and whoever is interrupted has done nothing twice. */
export async function sealAudits(
  at: number,
  services: Pick<Services, "db" | "auditSeals" | "sendWebhookJobs">,
): Promise<void> {
  const seals = await services.auditSeals();
  let slices = 0;
  for (const tenantId of await seals.due(slicesAtOnce, at)) {
    let isSealed = false;
    await each(tenantId, "audit.seal_failed", async () => {
      if (slices++ >= slicesAtOnce) return false;
      try {
        if (await seals.seal(tenantId, at)) return true;
        isSealed = true;
      } catch (error) {
        if (!(error instanceof BrokenArchiveError)) throw error;
        log("error", "audit.seal_failed", { tenantId, ...describeError(error) });
        await tellFailing(services.db, tenantId, { job: "seal", jobId: tenantId, reason: "unforeseen" }, at);
      }
      await services.sendWebhookJobs([{ tenantId, rootId: limitEventsRoot, inMs: 0 }]);
      return false;
    });
    if (!isSealed) await seals.waitAgain(tenantId, at);
  }
}

/** Does it until nothing is left, or enough for now. What fails has its turn the next time, and keeps back no other tenant. */
async function each(tenantId: string, event: string, step: () => Promise<boolean>): Promise<void> {
  try {
    for (let done = 0; done < segmentsEach; done++) if (!(await step())) return;
  } catch (error) {
    log("error", event, { tenantId, ...describeError(error) });
  }
}
