/**
 * What the schedule does. Each minute: webhooks are told of what waits for people too long, what they are owed is looked for, and the exchange of the deployment's secret and interrupted restores go on, guards of experiments look at what was counted, and shadows judge what was written to memories. Twice an hour besides: kept answers that nobody repeats any more go and sessions of one turn that has ended, the lists of
 * remote tools are compared, and memories are looked after.
 */
import { act } from "../act.js";
import { guardExperiments } from "../evidence/guard-experiments.js";
import { maintainMemories } from "../memory/maintenance.js";
import { judgeMemoryShadows } from "../memory/memory-shadows.js";
import { forgetStateless } from "../openai/forget-stateless.js";
import { resumeRestores } from "../restores/restore-root.js";
import type { Services } from "../services.js";
import { applyRetention } from "./apply-retention.js";
import { archiveAudit } from "./archive-audit.js";
import { copyLimits, copyPrices } from "./copy-to-databases.js";
import { resealSlices } from "./reseal-secrets.js";

/** How long settled deliveries of webhooks are listed, in milliseconds. */
const keptDeliveriesMs = 30 * 86_400_000;
/** A stream that was found owed is found again after this time, in milliseconds, if nobody looked; how many are found at once, and how often. */
const owedAgainMs = 60_000;
const owedPage = 100;
const owedPages = 10;
/** How far behind its time a delivery is that nobody knows is owed, in milliseconds. */
const overdueMs = 600_000;

export const runMaintenance = act("runMaintenance", {
  role: "deployment",
  run: async (_actor, { at, owedAlone = false }: Schedule, services) => {
    if (!owedAlone) await services.webhookDeliveries.oweOverdue(at - overdueMs);
    await (await services.askReminders()).tell(at);
    await resumeOwed(at, services);
    if (services.sealingSecrets.length > 1) await resealSlices(services);
    await resumeRestores(at, services);
    if (services.database === 0) await Promise.all([copyLimits(services), copyPrices(services)]);
    await guardExperiments(at, services);
    await judgeMemoryShadows(services);
    if (owedAlone) return;
    await archiveAudit(at, services);
    await services.answers.purgeExpired(at);
    await services.remoteTools.checkDue(async (tenantId, name, version) => {
      const [found] = await services.resources.versions(tenantId, [{ kind: "tools", name, version }]);
      return found !== undefined && "mcp" in found.body ? found.body : undefined;
    });
    await forgetStateless(at, services);
    await services.claims.purgeExpired(at);
    await services.tenants.purgeExpired(at);
    await services.readers.purgeExpired(at);
    await (await services.people()).purgeExpired(at);
    await (await services.consoles()).purgeExpired(at);
    await (await services.grants()).purgeExpired(at);
    await services.limits.forgetOld(at);
    await services.webhookDeliveries.purge(at - keptDeliveriesMs);
    await maintainMemories(services.memory, at);
    await applyRetention(at, services);
  },
});

interface Schedule {
  /** When it fired, in milliseconds since the epoch. */
  readonly at: number;
  /** Only what is done each minute. */
  readonly owedAlone?: boolean;
}

/** Has webhooks go on whose job was lost, with the sessions, runs and roundtables of which something is owed. */
async function resumeOwed(at: number, { webhookDeliveries, sendWebhookJobs }: Services): Promise<void> {
  for (let page = 0; page < owedPages; page++) {
    const owed = await webhookDeliveries.takeOwed(at, owedAgainMs, owedPage);
    await sendWebhookJobs(owed.map((stream) => ({ ...stream, inMs: 0 })));
    if (owed.length < owedPage) return;
  }
}
