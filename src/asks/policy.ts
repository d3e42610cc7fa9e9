/** Policies of asks: who may answer, how long an answer is waited for, and what counts when nobody gave one. */
import { z } from "zod";

export const askKinds = ["human", "context", "approval", "review", "handover"] as const;
export type AskKind = (typeof askKinds)[number];

/** What is answered where a person is wanted in a conversation: somebody takes it over, or its agent goes on. */
export const handoverDecisions = ["take", "return"] as const;

/** `user`: the end user, or the application in their name; `staff`: operators. */
export const audiences = ["user", "staff"] as const;
export type Audience = (typeof audiences)[number];

/** A year; an ask may also wait for ever. */
const maxAskMs = 366 * 86_400_000;

const audience = z.enum(audiences);
/** How long an answer is waited for; 0: for ever. */
const timeoutMs = z.int().min(0).max(maxAskMs);
/** After how long it counts as overdue, in milliseconds; 0: never. */
const overdueAfterMs = timeoutMs.optional();

/** What a supervisor, a tool, a team or an agent says of its asks. What it leaves out, the tenant's settings say. */
export const reviewPolicySchema = z.strictObject({
  audience: audience.optional(),
  timeoutMs: timeoutMs.optional(),
  overdueAfterMs,
  default: z.enum(["accept", "reject"]).optional(),
});
export const approvalPolicySchema = z.strictObject({
  audience: audience.optional(),
  timeoutMs: timeoutMs.optional(),
  overdueAfterMs,
  default: z.enum(["once", "deny"]).optional(),
});
export const questionPolicySchema = z.strictObject({
  audience: audience.optional(),
  timeoutMs: timeoutMs.optional(),
  overdueAfterMs,
  defaultResponse: z.string().min(1).max(4_000).optional(),
});
export type ReviewPolicy = Readonly<z.infer<typeof reviewPolicySchema>>;
export type ApprovalPolicy = Readonly<z.infer<typeof approvalPolicySchema>>;
export type QuestionPolicy = Readonly<z.infer<typeof questionPolicySchema>>;

/** What the tenant's settings say, where nothing nearer does. Without a default it isn't let through. */
export const reviewSettingsSchema = reviewPolicySchema.extend({
  audience: audience.default("staff"),
  timeoutMs: timeoutMs.default(0),
});
export const approvalSettingsSchema = approvalPolicySchema.extend({
  audience: audience.default("staff"),
  timeoutMs: timeoutMs.default(0),
});

/**
 * The nearest policy that says something of a field decides it.
 * @param policies nearest first
 * @example nearest({ audience: "user" }, { audience: "staff", timeoutMs: 60_000 }) // { audience: "user", timeoutMs: 60000 }
 */
export function nearest<P extends object>(...policies: readonly (P | undefined)[]): Partial<P> {
  const merged: Partial<P> = {};
  for (const policy of policies.toReversed()) Object.assign(merged, policy);
  return merged;
}

/** Where nothing is said of it, staff has an hour. */
const staffOverdueMs = 3_600_000;

/**
 * After how long an ask is overdue: as its policy says; otherwise what staff is asked after an hour, or after half its time if that is sooner.
 * @returns milliseconds, or nothing where it never is
 */
export function overdueAfter(terms: {
  readonly audience: Audience;
  readonly timeoutMs?: number | undefined;
  readonly overdueAfterMs?: number | undefined;
}): number | undefined {
  const { audience, timeoutMs: time = 0, overdueAfterMs: said } = terms;
  if (said !== undefined) return said === 0 ? undefined : said;
  if (audience !== "staff") return undefined;
  return time === 0 ? staffOverdueMs : Math.min(staffOverdueMs, Math.round(time / 2));
}

/** As the version before stored them too, with a least role (`answerableBy`) in place of an audience. */
export const storedReviewSettingsSchema = z.union([reviewSettingsSchema, former(reviewPolicySchema.shape.default)]);
export const storedApprovalSettingsSchema = z.union([
  approvalSettingsSchema,
  former(approvalPolicySchema.shape.default),
]);

function former<D extends z.ZodType>(decision: D) {
  return z
    .object({ answerableBy: z.string(), timeoutMs: timeoutMs.default(0), default: decision })
    .transform((policy) => {
      const { answerableBy: _, ...rest } = policy;
      return { ...rest, audience: audienceOf(policy.answerableBy) };
    });
}

/** Whom the least role of versions before stands for. */
export function audienceOf(leastRole: string): Audience {
  return leastRole === "client" ? "user" : "staff";
}
