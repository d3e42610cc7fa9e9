/** The inbox: what is waited for, and how it is answered. */
import { z } from "zod";
import { answerAsk } from "../../application/asks/answer-ask.js";
import { cancelAsk } from "../../application/asks/cancel-ask.js";
import { listAsks } from "../../application/asks/list-asks.js";
import { readAsk } from "../../application/asks/read-ask.js";
import { answerSchema } from "../../asks/answer.js";
import { askKinds, askPriorities, askSchema } from "../../asks/ask.js";
import { askSorts } from "../../asks/listing.js";
import { audiences } from "../../asks/policy.js";
import { cursor, limit, pageOf } from "../inputs.js";
import { actTool, type McpTool } from "../tool.js";

const askText = ({ askId, status, question, answer }: z.input<typeof askSchema>): string =>
  `[${askId}] ${status}: ${question}${answer === undefined ? "" : `\nAnswer: ${JSON.stringify(answer)}`}`;

export const askTools: readonly McpTool[] = [
  actTool(listAsks, {
    name: "list_asks",
    title: "List what is waited for",
    description: "Questions, context requests, approvals and reviews that work is waiting on.",
    effect: "reads",
    input: z.strictObject({
      status: askSchema.shape.status.default("open"),
      kind: z.enum(askKinds).optional(),
      audience: z.enum(audiences).optional(),
      subject: z.string().max(200).optional(),
      sessionId: z.string().max(100).optional(),
      runId: z.string().max(100).optional(),
      priority: z.enum(askPriorities).optional(),
      sort: z.enum(askSorts).default("openedAt"),
      limit,
      cursor,
    }),
    output: pageOf(askSchema),
    text: ({ items }) => (items.length === 0 ? "Nothing is waited for." : items.map(askText).join("\n")),
  }),
  actTool(readAsk, {
    name: "get_ask",
    title: "Read a question",
    description: "One ask with all that is known of it: what it is about, who may answer, until when.",
    effect: "reads",
    input: z.strictObject({ askId: z.string().max(200) }),
    output: askSchema,
    text: askText,
  }),
  actTool(answerAsk, {
    name: "answer_ask",
    title: "Answer a question",
    description:
      'Answers an ask; the first answer wins, and what waits goes on. By its kind: human {"response"}, context {"result" or "error", "source"?}, approval {"decision": "once" | "session" | "deny"}, review {"decision": "accept" | "edit" | "reject", "content"?}; with a decision "note" (kept for staff) and "message" (told to the user or the model; of approvals with deny alone).',
    effect: "changes",
    idempotent: true,
    input: z.strictObject({ askId: z.string().max(200), answer: answerSchema }),
    output: askSchema,
    text: askText,
  }),
  actTool(cancelAsk, {
    name: "cancel_ask",
    title: "Withdraw a question",
    description: "Closes an ask without an answer; what waits goes on without one.",
    effect: "changes",
    idempotent: true,
    input: z.strictObject({ askId: z.string().max(200) }),
    output: askSchema,
    text: askText,
  }),
];
