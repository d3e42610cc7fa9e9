/** Which limits an act has to have room in, and how much it takes of each. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { lazily } from "../../text/lazily.js";
import { defaultWindow, isConcurrent, type Measure, measures, type StoredLimit, windows } from "./limit.js";

/** Whose act it is, and what it is about; as far as it is known. */
export interface LimitFacts {
  readonly tenantId: string;
  readonly keyId?: string | undefined;
  readonly subject?: string | undefined;
  readonly agent?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Of a chat channel. */
  readonly conversation?: string | undefined;
}

/** How much is taken, by measure: of money millionths of a unit of the currency. */
export type Amounts = Readonly<Partial<Record<Measure, number>>>;

/** How many parts of a unit money is counted in. */
export const moneyParts = 1_000_000;

/** Reads what crosses to the object that counts. */
export const demandSchema = lazily(() =>
  z.object({
    /** The limit's name; a deployment's begins with `admin/`. */
    limit: z.string(),
    /** What it is counted for: `subject ana`. */
    scope: z.string(),
    measure: z.enum(measures),
    /** With what it was raised by; of money in millionths. */
    max: z.number(),
    window: z.enum(windows),
    timeZone: z.string(),
    warnAt: z.array(z.number()),
    isEnforced: z.boolean(),
    userMessage: z.string().optional(),
    amount: z.number(),
  }),
);
export type Demand = Readonly<z.infer<ReturnType<typeof demandSchema>>>;

/** A limit's name over those of its tenant and of the deployment. */
function fullName({ name, ofDeployment }: Pick<StoredLimit, "name" | "ofDeployment">): string {
  return ofDeployment ? `admin/${name}` : name;
}

/** The most that a limit lets through now. */
function maxAt({ max, raises, measure }: Pick<StoredLimit, "max" | "raises" | "measure">, now: number): number {
  const raised = raises.reduce((sum, { by, until }) => (Date.parse(until) > now ? sum + by : sum), max);
  return measure === "money" ? Math.round(raised * moneyParts) : raised;
}

/** What a limit is counted for, of those it is counted apart for; nothing where it doesn't hold for them. */
export function scopeOf(limit: Pick<StoredLimit, "per" | "match">, facts: LimitFacts): string | undefined {
  const { per, match = {} } = limit;
  const { tenantId, keyId, subject, agent, sessionId, conversation } = facts;
  const isMeant =
    (match.tenantId === undefined || match.tenantId === tenantId) &&
    (match.keyId === undefined || match.keyId === keyId) &&
    (match.subject === undefined || match.subject === subject) &&
    (match.agent === undefined || match.agent === agent);
  if (!isMeant) return undefined;
  const values = { tenant: "", key: keyId, subject, agent, session: sessionId, conversation };
  const value = values[per];
  return value === undefined ? undefined : `${per} ${value}`.trimEnd();
}

/**
 * What an act demands of its tenant's limits: all of these have to have room.
 * @example
 * demandsOf(limits, { tenantId, subject: "ana" }, { messages: 1 }, now)
 */
export function demandsOf(limits: readonly StoredLimit[], facts: LimitFacts, amounts: Amounts, now: number): Demand[] {
  return limits.flatMap((limit) => {
    const amount = amounts[limit.measure];
    const scope = amount === undefined ? undefined : scopeOf(limit, facts);
    return amount === undefined || scope === undefined ? [] : [demandOf(limit, scope, amount, now)];
  });
}

export function demandOf(limit: StoredLimit, scope: string, amount: number, now: number): Demand {
  const { measure, window, timeZone, warnAt, mode, userMessage } = limit;
  return {
    limit: fullName(limit),
    scope,
    measure,
    max: maxAt(limit, now),
    window: isConcurrent(measure) ? "total" : (window ?? defaultWindow),
    timeZone,
    warnAt,
    isEnforced: mode === "enforce",
    amount,
    ...defined({ userMessage }),
  };
}
