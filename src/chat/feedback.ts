/** What somebody says of a turn or of a message: up, down or neither, with a word and, for who reads the session, a comment. */
import { z } from "zod";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { lazily } from "../text/lazily.js";

/** A turn, or one message: of both what the session calls them. */
const feedbackAboutSchema = lazily(() =>
  z
    .strictObject({ turnId: z.string().max(100).optional(), messageId: z.string().max(100).optional() })
    .refine(({ turnId, messageId }) => (turnId === undefined) !== (messageId === undefined), {
      message: "name either turnId or messageId",
    }),
);

const score = lazily(() => z.union([z.literal(-1), z.literal(0), z.literal(1)]));
const label = lazily(() =>
  z.string().regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, "1 to 50 small letters, digits, hyphens and underscores"),
);

export const newFeedbackSchema = lazily(() =>
  z.strictObject({
    about: feedbackAboutSchema(),
    score: score(),
    /** In a word of the application's own: `too-long`. It is counted by, so it holds nothing of anybody's. */
    label: label().optional(),
    comment: z.string().trim().min(1).max(2_000).optional(),
  }),
);
export type NewFeedback = z.infer<ReturnType<typeof newFeedbackSchema>>;

/** As it is listed: without the comment, which lies in the session. */
export const listedFeedbackSchema = lazily(() =>
  z.object({
    sessionId: z.string(),
    turnId: z.string(),
    /** Of one message of the turn. */
    messageId: z.string().optional(),
    score: score(),
    label: z.string().optional(),
    by: actorRecordSchema,
    agent: z.string(),
    subject: z.string().optional(),
    at: z.iso.datetime(),
  }),
);
export type ListedFeedback = z.infer<ReturnType<typeof listedFeedbackSchema>>;

export const feedbackSchema = lazily(() =>
  listedFeedbackSchema().extend({
    /** As the rules left it. */
    comment: z.string().optional(),
  }),
);
export type Feedback = z.infer<ReturnType<typeof feedbackSchema>>;
