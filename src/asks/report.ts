/** What is read of how asks were decided: how long it took, and what became of what was proposed. */
import { z } from "zod";
import { lazily } from "../text/lazily.js";
import { askKinds } from "./policy.js";

/** An ask that is closed, as far as the report goes by it. */
export interface ClosedAsk {
  readonly kind: string;
  readonly status: string;
  /** {@link decisionWord} */
  readonly decision?: string | undefined;
  /** From opening to closing. */
  readonly tookMs: number;
  readonly supervisors: readonly string[];
  /** The id of who did it. */
  readonly closedBy?: string | undefined;
}

const timesSchema = lazily(() =>
  z.object({
    /** Asks that a person or a program answered. */
    answered: z.int(),
    /** Half of them took no longer, in milliseconds. */
    medianMs: z.number().optional(),
    /** Nine of ten took no longer. */
    p90Ms: z.number().optional(),
  }),
);
const sharesSchema = lazily(() =>
  timesSchema().extend({
    /** As it was proposed. */
    accepted: z.int(),
    /** With another text, or other arguments. */
    edited: z.int(),
    rejected: z.int(),
  }),
);

export const askReportSchema = lazily(() =>
  z.object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    /** False where there were more than are counted: then it says what holds of the newest. */
    complete: z.boolean(),
    /** Of what was closed in that time. */
    closed: sharesSchema().extend({ expired: z.int(), cancelled: z.int() }),
    byKind: z.array(sharesSchema().extend({ kind: z.enum(askKinds) })),
    bySupervisor: z.array(sharesSchema().extend({ supervisor: z.string() })),
    /** What each person answered, by their id: for operators. */
    byPerson: z.array(sharesSchema().extend({ personId: z.string() })).optional(),
    /** How many are open now, by how long they have waited. */
    openByAge: z.object({
      underFiveMinutes: z.int(),
      underAnHour: z.int(),
      underADay: z.int(),
      longer: z.int(),
    }),
  }),
);
export type AskReport = z.infer<ReturnType<typeof askReportSchema>>;
type Shares = z.infer<ReturnType<typeof sharesSchema>>;

/**
 * The value that the share `of` of them doesn't exceed: nearest rank.
 * @example quantile([10, 20, 30], 0.5) // 20
 */
export function quantile(values: readonly number[], of: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(of * sorted.length) - 1)];
}

const outcomes: ReadonlyMap<string, "accepted" | "edited" | "rejected"> = new Map([
  ["accept", "accepted"],
  ["once", "accepted"],
  ["session", "accepted"],
  ["edit", "edited"],
  ["reject", "rejected"],
  ["deny", "rejected"],
]);

/** What became of those among them that somebody answered. */
function sharesOf(asks: readonly ClosedAsk[]): Shares {
  const answered = asks.filter(({ status }) => status === "answered");
  const times = answered.map(({ tookMs }) => tookMs);
  const count = (outcome: string): number =>
    answered.filter(({ decision = "" }) => outcomes.get(decision) === outcome).length;
  return {
    answered: answered.length,
    medianMs: quantile(times, 0.5),
    p90Ms: quantile(times, 0.9),
    accepted: count("accepted"),
    edited: count("edited"),
    rejected: count("rejected"),
  };
}

const fiveMinutes = 300_000;
const hour = 3_600_000;
const day = 86_400_000;

/** @param openAges how long each open one has waited, in milliseconds */
export function reportOf(
  asks: readonly ClosedAsk[],
  openAges: readonly number[],
): Pick<AskReport, "closed" | "byKind" | "bySupervisor" | "byPerson" | "openByAge"> {
  const withStatus = (status: string): number => asks.filter((ask) => ask.status === status).length;
  const between = (from: number, to: number): number => openAges.filter((age) => age >= from && age < to).length;
  const people = Map.groupBy(
    asks.filter(({ closedBy = "", status }) => status === "answered" && closedBy.startsWith("per_")),
    ({ closedBy = "" }) => closedBy,
  );
  const supervisors = [...new Set(asks.flatMap((ask) => ask.supervisors))].toSorted();
  return {
    closed: { ...sharesOf(asks), expired: withStatus("expired"), cancelled: withStatus("cancelled") },
    byKind: askKinds.map((kind) => ({ kind, ...sharesOf(asks.filter((ask) => ask.kind === kind)) })),
    bySupervisor: supervisors.map((supervisor) => ({
      supervisor,
      ...sharesOf(asks.filter((ask) => ask.supervisors.includes(supervisor))),
    })),
    byPerson: [...people].map(([personId, of]) => ({ personId, ...sharesOf(of) })),
    openByAge: {
      underFiveMinutes: between(Number.NEGATIVE_INFINITY, fiveMinutes),
      underAnHour: between(fiveMinutes, hour),
      underADay: between(hour, day),
      longer: between(day, Number.POSITIVE_INFINITY),
    },
  };
}
