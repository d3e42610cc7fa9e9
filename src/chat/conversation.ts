/** What was said in a session, for who reads along: each message with what supervision decided of it, and who was asked about it. */
import { z } from "zod";
import { askSchema } from "../asks/ask.js";
import { chatMessageSchema } from "../conversation/message.js";
import { shownPassSchema, supervisionStateSchema } from "../supervision/state.js";
import { lazily } from "../text/lazily.js";
import { feedbackSchema } from "./feedback.js";

const said = lazily(() => ({
  turnId: z.string(),
  message: chatMessageSchema,
  asks: z.array(askSchema),
  feedback: z.array(feedbackSchema()),
}));

/** What to give as `before` for what was said before these; null where there is nothing. */
const earlier = lazily(() => z.int().nullable());

/** As the session's object gives it. */
export const recordedConversationSchema = lazily(() =>
  z.object({
    items: z.array(z.object({ ...said(), passes: z.array(supervisionStateSchema) })),
    earlier: earlier(),
  }),
);
export type RecordedConversation = z.infer<ReturnType<typeof recordedConversationSchema>>;

/** As it is shown: the newest last. */
export const conversationSchema = lazily(() =>
  z.object({
    items: z.array(
      z.object({
        ...said(),
        /** Of a user's message the passes before the agent read it; of a reply those of its calls, results and text. */
        passes: z.array(shownPassSchema),
      }),
    ),
    earlier: earlier(),
  }),
);
