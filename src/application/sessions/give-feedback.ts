/** Say what one thinks of a turn or a message, and read what was said. */
import { z } from "zod";
import { feedbackSchema, listedFeedbackSchema, newFeedbackSchema } from "../../chat/feedback.js";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName, subjectSchema } from "../../conversation/names.js";
import { need } from "../../conversation/problem.js";
import { FeedbackStore, feedbackPositionSchema, positionOf } from "../../stores/feedback-store.js";
import { readJson } from "../../text/json.js";
import { act } from "../act.js";
import { listOf, notACursor, pageInput, readPage } from "../page.js";
import { rangeInput } from "../supervision/list-decisions.js";
import { ownSession, sessionInput } from "./own-session.js";

export const giveFeedback = act("giveFeedback", {
  role: "client",
  ofSubject: true,
  reviewers: true,
  route: {
    method: "put",
    path: "/v1/sessions/{sessionId}/feedback",
    tag: "Feedback",
    summary: "Say whether a turn or a message was good",
    description:
      "score is 1, -1, or 0 where it was taken back; label is a word of yours to count by. Everybody has one for each thing, the newest counts. A comment passes the rules of the session, and stays in it; an end user's token says it under its subject.",
    operationId: "giveFeedback",
    body: "feedback",
    answer: "What was said, as it is kept",
  },
  input: () => z.object({ ...sessionInput(), feedback: newFeedbackSchema() }),
  output: () => feedbackSchema(),
  run: async (actor, { sessionId, feedback }, services) => {
    need(await ownSession(actor, sessionId, services));
    return need(await services.sessions.giveFeedback(actor.tenantId, sessionId, feedback, recordOf(actor)));
  },
});

export const listFeedback = act("listFeedback", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/feedback",
    tag: "Feedback",
    summary: "What was said of turns and messages, newest first (operators)",
    description:
      "A copy of what the sessions hold, a moment behind them, without comments: those stand in the conversation (`GET /v1/sessions/{sessionId}/conversation`).",
    operationId: "listFeedback",
    answer: "A page of feedback",
  },
  input: () =>
    z.object({
      ...pageInput(),
      agent: itemName.optional(),
      subject: subjectSchema.optional(),
      sessionId: z.string().max(100).optional(),
      label: z.string().max(50).optional(),
      score: z
        .enum(["-1", "0", "1"])
        .transform((score) => (score === "1" ? 1 : score === "0" ? 0 : -1))
        .optional(),
      ...rangeInput(),
    }),
  output: () => listOf(listedFeedbackSchema()),
  run: async (actor, { limit: most, cursor, ...filter }, { near }) => {
    const store = new FeedbackStore(near.db);
    const read = (before: string | undefined, limit: number) =>
      store.list(actor.tenantId, filter, before === undefined ? undefined : readPosition(before), limit);
    return readPage({ limit: most, cursor }, read, (item) => JSON.stringify(positionOf(item)));
  },
});

function readPosition(cursor: string) {
  const { data } = feedbackPositionSchema.safeParse(readJson(cursor).value);
  if (data === undefined) throw notACursor();
  return data;
}
