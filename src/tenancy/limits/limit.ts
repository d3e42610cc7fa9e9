/** What a limit is: so much of one measure, for each tenant, key, subject …, in a window of time. */
import { z } from "zod";
import { issuesSchema } from "../../conversation/issues.js";
import { lazily } from "../../text/lazily.js";

const scopes = ["tenant", "key", "subject", "agent", "session", "conversation"] as const;

export const measures = [
  "requests",
  "messages",
  "turns",
  "tokens",
  "money",
  "openAsks",
  "concurrentTurns",
  "sessions",
  "sockets",
] as const;
export type Measure = (typeof measures)[number];

export const windows = ["minute", "hour", "day", "month", "total"] as const;
export type LimitWindow = (typeof windows)[number];

/** Measures of what there is at one time: it is given back, and no window begins it anew. */
const concurrentMeasures: ReadonlySet<Measure> = new Set(["openAsks", "concurrentTurns", "sockets"]);
export function isConcurrent(measure: Measure): boolean {
  return concurrentMeasures.has(measure);
}

/** Measures that are reserved before a model is called and settled by what it took. */
export function isReserved(measure: Measure): boolean {
  return measure === "tokens" || measure === "money";
}

/** The window of a counted measure where nothing is said. */
export const defaultWindow: LimitWindow = "day";

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

const schemas = lazily(() => {
  const name = z.string().min(1).max(200);
  const own = z.strictObject({
    per: z.enum(scopes).describe("For each of these it is counted apart."),
    match: z
      .strictObject({ keyId: name.optional(), subject: name.optional(), agent: name.optional() })
      .optional()
      .describe("It holds for these alone."),
    measure: z.enum(measures),
    max: z.number().min(0).max(1e12).describe("Of money in units of the price table's currency."),
    window: z.enum(windows).optional().describe("A day, if nothing is said. What is held, such as sockets, has none."),
    timeZone: z
      .string()
      .max(60)
      .refine(isTimeZone, "it has to be a time zone's name, such as Europe/Berlin")
      .default("UTC")
      .describe("Where days and months begin."),
    warnAt: z.array(z.int().min(1).max(99)).max(5).default([80]).describe("Percents of `max`: `limit.warned`."),
    mode: z.enum(["enforce", "observe"]).default("enforce"),
    userMessage: z.string().min(1).max(500).optional().describe("What an end user reads who has reached it."),
  });
  const noWindow = { message: "what is held at one time has no window; leave it out", path: ["window"] };
  const asked = { message: "open asks are counted for the tenant, each subject or each session", path: ["per"] };
  const whole = { message: "it has to be a whole number, but for money", path: ["max"] };
  const checked = <T extends z.ZodType<Pick<z.infer<typeof own>, "per" | "measure" | "window" | "max">>>(schema: T) =>
    schema
      .refine(({ measure, window }) => window === undefined || !isConcurrent(measure), noWindow)
      .refine(({ measure, per }) => measure !== "openAsks" || ["tenant", "subject", "session"].includes(per), asked)
      .refine(({ measure, max }) => measure === "money" || Number.isInteger(max), whole);
  const ofDeployment = own.extend({
    match: own.shape.match.unwrap().extend({ tenantId: name.optional() }).optional(),
  });
  const raise = z.object({ by: z.number(), until: z.iso.datetime(), reason: z.string(), author: z.string() });
  const view = {
    name: z.string(),
    version: z.int(),
    updatedAt: z.iso.datetime(),
    raises: z.array(raise).describe("Those that hold now."),
    warnings: issuesSchema.optional(),
  };
  return {
    limit: checked(own),
    deploymentLimit: checked(ofDeployment),
    limitView: own.extend(view),
    deploymentLimitView: ofDeployment.extend(view),
    raise: z.strictObject({
      by: z.number().gt(0).max(1e12).describe("What is added to `max`."),
      until: z.iso.datetime(),
      reason: z.string().min(1).max(500).describe("For the audit."),
    }),
    state: z.object({
      used: z.number(),
      reserved: z.number().describe("Held for work that goes on."),
      max: z.number().describe("With what it was raised by."),
      remaining: z.number(),
      unsettled: z
        .number()
        .describe("Of `used`: reserved, and counted as spent because nobody has said what it came to."),
      resetsAt: z.iso.datetime().optional(),
    }),
  };
});

export const limitSchema = () => schemas().limit;
export const deploymentLimitSchema = () => schemas().deploymentLimit;
export const limitViewSchema = () => schemas().limitView;
export const deploymentLimitViewSchema = () => schemas().deploymentLimitView;
export const raiseSchema = () => schemas().raise;
export const limitStateSchema = () => schemas().state;

export type NewLimit = z.infer<ReturnType<typeof deploymentLimitSchema>>;
export type LimitView = z.infer<ReturnType<typeof deploymentLimitViewSchema>>;
export type NewRaise = z.infer<ReturnType<typeof raiseSchema>>;
export type LimitState = z.infer<ReturnType<typeof limitStateSchema>>;

/** More of a limit for a while. */
export interface Raise {
  readonly by: number;
  /** ISO 8601 UTC. */
  readonly until: string;
  readonly reason: string;
  readonly author: string;
}

/** As it is stored. */
export interface StoredLimit extends NewLimit {
  readonly name: string;
  /** Set by who runs the deployment: the tenant's own of the same name is another one. */
  readonly ofDeployment: boolean;
  readonly raises: readonly Raise[];
}

/** What every new tenant has, by name. */
export const defaultLimits: Readonly<Record<string, NewLimit>> = {
  "messages-a-minute": {
    ...{ per: "subject", measure: "messages", max: 60, window: "minute" },
    ...{ timeZone: "UTC", warnAt: [80], mode: "enforce" },
  },
  "messages-a-day": {
    ...{ per: "subject", measure: "messages", max: 2_000, window: "day" },
    ...{ timeZone: "UTC", warnAt: [80], mode: "enforce" },
  },
};
