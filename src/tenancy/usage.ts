/** What a tenant's turns and runs have taken, as its admin reads it; of all tenants, as who runs the deployment does. */
import { z } from "zod";
import { endedStatuses } from "../agent/work.js";
import { lazily } from "../text/lazily.js";

export const usageGroups = ["agent", "model", "hour", "day", "subject", "key", "status"] as const;
export const deploymentUsageGroups = [...usageGroups, "tenant"] as const;
export type UsageGroup = (typeof deploymentUsageGroups)[number];

/** A time, of whatever offset, or the beginning of a day (UTC). */
const moment = () => z.union([z.iso.datetime({ offset: true }), z.iso.date()]).optional();

const usageFilter = lazily(() => ({
  /** From this time on; a day before `to`, if nothing is said … */
  from: moment(),
  /** … and up to this one, which is left out. Now, if nothing is said. */
  to: moment(),
  /** What is counted alone: this agent's, this model's … */
  agent: z.string().max(200).optional(),
  model: z.string().max(200).optional(),
  subject: z.string().max(200).optional(),
  key: z.string().max(100).optional(),
  status: z.enum(endedStatuses).optional(),
}));

export const usageQuerySchema = lazily(() =>
  z.strictObject({ ...usageFilter(), groupBy: z.enum(usageGroups).default("day") }),
);
export const deploymentUsageQuerySchema = lazily(() =>
  z.strictObject({
    ...usageFilter(),
    tenant: z.string().max(100).optional(),
    groupBy: z.enum(deploymentUsageGroups).default("tenant"),
  }),
);
export type UsageQuery = Omit<z.infer<ReturnType<typeof deploymentUsageQuerySchema>>, "groupBy">;

export const usageSumSchema = lazily(() =>
  z.object({
    turns: z.int(),
    runs: z.int(),
    /** Those that failed included. */
    modelCalls: z.int(),
    inputTokens: z.int(),
    /** Of `inputTokens`. */
    cachedInputTokens: z.int(),
    outputTokens: z.int(),
    /** Of `outputTokens`. */
    reasoningTokens: z.int(),
    /** What the calls cost when they were counted, in units of `currency`. */
    money: z.number(),
    /** Calls that answered and that nobody had said the price of: they are missing in `money`. */
    unpriced: z.int(),
  }),
);
export type UsageSum = z.infer<ReturnType<typeof usageSumSchema>>;

/** A line: `group` is a name, an id, a status, a day or the beginning of an hour (UTC); empty for what has none. */
export const usageLineSchema = lazily(() => z.object({ group: z.string(), ...usageSumSchema().shape }));
export type UsageLine = z.infer<ReturnType<typeof usageLineSchema>>;

export const usageReportSchema = <G extends readonly [string, ...string[]]>(groups: G) =>
  z.object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    groupBy: z.enum(groups),
    /** Of `money`; absent where no prices were ever stored. */
    currency: z.string().optional(),
    /** Of all lines, those included that found no room. */
    total: usageSumSchema(),
    items: z.array(usageLineSchema()),
  });

/** What one database says of usage. */
export interface UsageReport {
  readonly items: readonly UsageLine[];
  readonly total: UsageSum;
  /** Of the deployment, which its first database knows. */
  readonly currency: string | undefined;
}

/** Lines that an answer holds at most. */
export const maxUsageLines = 1_000;

/** What several databases say of usage, as one: hours and days in their order, everything else by what it cost. */
export function mergeUsage(
  reports: readonly UsageReport[],
  groupBy: UsageGroup,
): UsageReport & { readonly items: UsageLine[] } {
  const [only, ...others] = reports;
  if (only !== undefined && others.length === 0) return { ...only, items: [...only.items] };
  const lines = new Map<string, UsageLine>();
  for (const line of reports.flatMap(({ items }) => items)) {
    const known = lines.get(line.group);
    lines.set(line.group, known === undefined ? line : { group: line.group, ...sumOf([known, line]) });
  }
  const byGroup = (a: UsageLine, b: UsageLine): number => (a.group < b.group ? -1 : 1);
  const isTime = groupBy === "hour" || groupBy === "day";
  const items = [...lines.values()].toSorted((a, b) => (isTime ? 0 : b.money - a.money) || byGroup(a, b));
  const currency = reports.find((one) => one.currency !== undefined)?.currency;
  return { items: items.slice(0, maxUsageLines), total: sumOf(reports.map(({ total }) => total)), currency };
}

function sumOf(sums: readonly UsageSum[]): UsageSum {
  const add = (pick: (sum: UsageSum) => number): number => sums.reduce((sum, one) => sum + pick(one), 0);
  return {
    turns: add(({ turns }) => turns),
    runs: add(({ runs }) => runs),
    modelCalls: add(({ modelCalls }) => modelCalls),
    inputTokens: add(({ inputTokens }) => inputTokens),
    cachedInputTokens: add(({ cachedInputTokens }) => cachedInputTokens),
    outputTokens: add(({ outputTokens }) => outputTokens),
    reasoningTokens: add(({ reasoningTokens }) => reasoningTokens),
    money: add(({ money }) => money),
    unpriced: add(({ unpriced }) => unpriced),
  };
}

/** Rows of usage that an overview is made of, at most. */
export const mostRecent = 5_000;

/** What ended, of one kind, agent, user and status. */
export interface RecentWork {
  /** `turn`, `run` or `round`; what else takes tokens is no work of its own. */
  readonly kind: string;
  readonly agent: string;
  readonly subject: string;
  /** The id of the key that it began with, or whose token did. */
  readonly key: string;
  readonly status: string;
  /** When the first of it ended, in milliseconds since the epoch. */
  readonly since: number;
  readonly works: number;
  readonly degraded: number;
  readonly rows: number;
  readonly modelCalls: number;
  readonly tokens: number;
  readonly money: number;
  readonly unpriced: number;
}
