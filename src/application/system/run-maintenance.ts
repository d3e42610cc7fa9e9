/**
 * What the schedule does. Each minute: webhooks are told of what waits for people too long, what they are owed is looked for, and the exchange of the deployment's secret, interrupted restores and deletions of channels go on, guards of experiments look at what was counted, shadows judge what was written to memories, and what was archived is sealed. Twice an hour besides: kept answers that nobody repeats any more go and sessions of one turn that has ended, the lists of
 * remote tools are compared, and memories are looked after.
 */

import { describeError, log } from "../../platform/logging.js";
import { addUpUsage } from "../../stores/usage-hours.js";
import { act } from "../act.js";
import { resumeRemovals } from "../channels/resume-removals.js";
import { guardExperiments } from "../evidence/guard-experiments.js";
import { maintainMemories } from "../memory/maintenance.js";
import { judgeMemoryShadows } from "../memory/memory-shadows.js";
import { forgetStateless } from "../openai/forget-stateless.js";
import { resumeRestores } from "../restores/restore-root.js";
import type { Services } from "../services.js";
import { scheduleRetention } from "./apply-retention.js";
import { archiveAudit, sealAudits } from "./archive-audit.js";
import { copyLimits, copyPrices } from "./copy-to-databases.js";
import { resealSlices } from "./reseal-secrets.js";

/** A stream that was found owed is found again after this time, in milliseconds, if nobody looked; how many are found at once, and how often. */
const owedAgainMs = 60_000;
const owedPage = 100;
const owedPages = 10;
/** How far behind its time a delivery is that nobody knows is owed, in milliseconds. */
const overdueMs = 600_000;

type Step = (at: number, services: Services) => Promise<unknown>;

/** By the names under which the log has those that fail. */
const eachMinute: Readonly<Record<string, Step>> = {
  reminders: async (at, { askReminders }) => (await askReminders()).tell(at),
  owed: resumeOwed,
  reseal: async (_at, services) => services.sealingSecrets.length > 1 && resealSlices(services),
  restores: resumeRestores,
  channels: resumeRemovals,
  copies: async (_at, services) => services.database === 0 && Promise.all([copyLimits(services), copyPrices(services)]),
  experiments: guardExperiments,
  seals: sealAudits,
};
const twiceAnHour: Readonly<Record<string, Step>> = {
  overdue: (at, { webhookDeliveries }) => webhookDeliveries.oweOverdue(at - overdueMs),
  archive: archiveAudit,
  ...eachMinute,
  answers: (at, { answers }) => answers.purgeExpired(at),
  tools: (_at, { remoteTools, resources }) =>
    remoteTools.checkDue(async (tenantId, name, version) => {
      const [found] = await resources.versions(tenantId, [{ kind: "tools", name, version }]);
      return found !== undefined && "mcp" in found.body ? found.body : undefined;
    }),
  stateless: forgetStateless,
  claims: (at, { claims }) => claims.purgeExpired(at),
  runs: (at, { runIndex }) => runIndex.purgeExpired(at),
  tenants: (at, { tenants }) => tenants.purgeExpired(at),
  readers: (at, { readers }) => readers.purgeExpired(at),
  people: async (at, { people }) => (await people()).purgeExpired(at),
  consoles: async (at, { consoles }) => (await consoles()).purgeExpired(at),
  grants: async (at, { grants }) => (await grants()).purgeExpired(at),
  limits: (at, { limits }) => limits.forgetOld(at),
  deliveries: async (at, { retention }) => (await retention()).forgetAllDeliveries(at),
  results: async (at, { retention }) => (await retention()).forgetResults(at),
  memories: (at, { memory }) => maintainMemories(memory, at),
  retention: scheduleRetention,
  usage: (at, { db, now }) => addUpUsage(db, at, now),
};
/** What may take long, behind all that others wait for. */
const atTheEnd: Readonly<Record<string, Step>> = {
  shadows: async (_at, services) => judgeMemoryShadows(services),
};

/** Each step is done whatever became of those before it. @throws what failed first */
export const runMaintenance = act("runMaintenance", {
  role: "deployment",
  run: async (_actor, { at, owedAlone = false }: Schedule, services) => {
    const failures: unknown[] = [];
    for (const [subject, step] of Object.entries({ ...(owedAlone ? eachMinute : twiceAnHour), ...atTheEnd })) {
      try {
        await step(at, services);
      } catch (error) {
        log("error", "schedule.failed", { subject, ...describeError(error) });
        failures.push(error);
      }
    }
    for (const error of failures) throw error;
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
