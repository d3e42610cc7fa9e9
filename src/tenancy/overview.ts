/** A tenant's last day at a glance: how work ended, what waits, what it took, how near its limits are, and what was given up. */
import { z } from "zod";
import { lazily } from "../text/lazily.js";
import { limitStateSchema, measures } from "./limits/limit.js";
import type { RecentWork } from "./usage.js";

/** Lines of each of its lists, at most. */
export const mostLines = 10;

const takenSchema = lazily(() =>
  z.object({
    works: z.int(),
    modelCalls: z.int(),
    tokens: z.int(),
    money: z.number(),
    /** Calls that nobody had said the price of: they are missing in `money`. */
    unpriced: z.int(),
  }),
);
export const overviewLineSchema = lazily(() => takenSchema().extend({ name: z.string() }));

export const overviewSchema = lazily(() => {
  const ended = z.object({
    completed: z.int(),
    blocked: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    /** Of all of them: a supervisor's failure let something through. */
    degraded: z.int(),
  });
  const limit = z.object({
    limit: z.string(),
    measure: z.enum(measures),
    per: z.string(),
    /** The agent, user or key that it is counted apart for. */
    of: z.string().optional(),
    enforced: z.boolean(),
    ...limitStateSchema().pick({ used: true, reserved: true, max: true, resetsAt: true }).shape,
    /** Of `max`: 1 and more is used up. */
    share: z.number(),
  });
  const health = {
    name: z.string(),
    lastFailure: z.object({ at: z.iso.datetime(), detail: z.string().optional() }).optional(),
    /** Messages that were given up and wait for somebody to try again; at most 1,000 are counted. */
    parked: z.int(),
  };
  return z.object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    /** False where more ended in the day than is counted: `from` is then when the first of what is counted ended. */
    complete: z.boolean(),
    /** Turns, runs and rounds of roundtables that ended in that time. */
    ended,
    waiting: z.object({
      /** Asks that are open now. */
      staff: z.int(),
      user: z.int(),
      overdue: z.int(),
      /** What has waited longest for staff. */
      oldest: z.object({ askId: z.string(), openedAt: z.iso.datetime() }).optional(),
      /** Half of what was answered in that time waited no longer, in milliseconds; of the newest 1,000. */
      medianMs: z.number().optional(),
    }),
    /** For admins. */
    usage: z
      .object({
        currency: z.string().optional(),
        total: takenSchema(),
        /** The dearest, or those with most tokens where nothing has a price. */
        byAgent: z.array(overviewLineSchema()),
        bySubject: z.array(overviewLineSchema()),
      })
      .optional(),
    /** For admins: the fullest first. */
    limits: z.array(limit).optional(),
    channels: z.array(z.object({ ...health, kind: z.string(), lastEventAt: z.iso.datetime().optional() })),
    /** Sessions, runs and other works whose records could not be delivered: at most 1,000 are counted, those that wait longest are named. */
    records: z.object({
      parked: z.int(),
      works: z.array(z.object({ id: z.string(), parked: z.int(), since: z.iso.datetime() })),
    }),
    webhooks: z.array(
      z.object({ ...health, status: z.enum(["active", "disabled"]), lastSuccessAt: z.iso.datetime().optional() }),
    ),
  });
});
export type Overview = z.infer<ReturnType<typeof overviewSchema>>;
type Usage = NonNullable<Overview["usage"]>;
type Taken = Usage["total"];

const kinds: ReadonlySet<string> = new Set(["turn", "run", "round"]);

export function endedIn(parts: readonly RecentWork[]): Overview["ended"] {
  const works = parts.filter(({ kind }) => kinds.has(kind));
  const withStatus = (status: string): number => sum(works, (part) => (part.status === status ? part.works : 0));
  return {
    completed: withStatus("completed"),
    blocked: withStatus("blocked"),
    failed: withStatus("failed"),
    cancelled: withStatus("cancelled"),
    degraded: sum(works, ({ degraded }) => degraded),
  };
}

export function takenBy(parts: readonly RecentWork[]): Pick<Usage, "total" | "byAgent" | "bySubject"> {
  return {
    total: takenOf(parts),
    byAgent: linesOf(parts, ({ agent }) => agent),
    bySubject: linesOf(parts, ({ subject }) => subject),
  };
}

/** The ids of the keys that took most. */
export function busyKeys(parts: readonly RecentWork[]): readonly string[] {
  return linesOf(parts, ({ key }) => key).map(({ name }) => name);
}

/** What nobody is named for has no line. */
function linesOf(parts: readonly RecentWork[], nameOf: (part: RecentWork) => string): Usage["byAgent"] {
  return [...Map.groupBy(parts, nameOf)]
    .filter(([name]) => name !== "")
    .map(([name, own]) => ({ name, ...takenOf(own) }))
    .toSorted((a, b) => b.money - a.money || b.tokens - a.tokens || (a.name < b.name ? -1 : 1))
    .slice(0, mostLines);
}

function takenOf(parts: readonly RecentWork[]): Taken {
  return {
    works: sum(parts, ({ kind, works }) => (kinds.has(kind) ? works : 0)),
    modelCalls: sum(parts, ({ modelCalls }) => modelCalls),
    tokens: sum(parts, ({ tokens }) => tokens),
    money: sum(parts, ({ money }) => money),
    unpriced: sum(parts, ({ unpriced }) => unpriced),
  };
}

function sum(parts: readonly RecentWork[], of: (part: RecentWork) => number): number {
  return parts.reduce((total, part) => total + of(part), 0);
}
