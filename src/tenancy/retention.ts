/** For how long a tenant keeps what; null for ever. */
import { z } from "zod";
import { lazily } from "../text/lazily.js";

/** What logs of high-risk systems are kept for at least, in days (AI Act, article 19 and 26(6): six months). */
const recordDays = 183;

/** Settled deliveries are listed for so many days, unless a tenant says otherwise. */
export const keptDeliveryDays = 30;

export const retentionSchema = lazily(() => {
  const days = z.int().min(1).max(36_500).nullable().default(null);
  return z
    .strictObject({
      /** Sessions in which nothing has happened for so many days. */
      sessions: days,
      /** Runs and roundtables that were begun so many days ago, and have ended. */
      runs: days,
      roundtables: days,
      /** Memories that have got no entry for so many days. */
      memories: days,
      /** Closed asks in the inbox; the session keeps its own. */
      asks: days,
      audit: days,
      usage: days,
      /** Settled deliveries of webhooks and to chat platforms. */
      deliveries: z.int().min(1).max(365).default(keptDeliveryDays),
      /** Has to be true where the audit is kept for less than 183 days. */
      shortAudit: z.literal(true).optional(),
    })
    .refine(({ audit, shortAudit }) => audit === null || audit >= recordDays || shortAudit === true, {
      message: `fewer than ${recordDays} days have to be chosen on purpose: add \`shortAudit: true\``,
      path: ["audit"],
    });
});
export type Retention = z.infer<ReturnType<typeof retentionSchema>>;
