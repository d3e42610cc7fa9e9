/** Supervised chats: begin one, talk, read what was said. */
import { z } from "zod";
import { beginSession } from "../../application/sessions/begin-session.js";
import { readTranscript } from "../../application/sessions/read-transcript.js";
import { readTurn } from "../../application/sessions/read-turn.js";
import { sendMessage } from "../../application/sessions/send-message.js";
import { newSessionSchema, type Turn, turnStatuses } from "../../chat/session.js";
import { defined } from "../../conversation/defined.js";
import { messageText, replyText } from "../../conversation/message.js";
import { need } from "../../conversation/problem.js";
import type { Call } from "../call.js";
import { cursor, idempotencyKey, limit, waitMs, warningsField } from "../inputs.js";
import { questionSchema, questionsOf, questionsText, resumed } from "../questions.js";
import { type McpTool, mcpTool } from "../tool.js";
import { awaitEnd } from "../waiting.js";

const turnResultSchema = z.object({
  status: z.enum(["needs_input", ...turnStatuses]),
  sessionId: z.string(),
  turnId: z.string(),
  reply: z.string().optional().describe("What the agent answered, as supervision let it pass."),
  error: z.string().optional().describe("Why there is no reply: what was blocked, or what failed."),
  supervision: z.enum(["ok", "degraded"]),
  asks: z.array(questionSchema).describe("What is waited for."),
  held: z.string().optional().describe("A person has the conversation: what its user may be told."),
});
type TurnResult = z.input<typeof turnResultSchema>;

function turnResult(sessionId: string, turn: Turn, call: Call): TurnResult {
  const asks = questionsOf(turn.asks, call);
  return {
    status: asks.length > 0 && turn.status === "waiting" ? "needs_input" : turn.status,
    sessionId,
    turnId: turn.turnId,
    asks,
    supervision: turn.supervision.status,
    ...defined({ reply: turn.reply && replyText(turn.reply.modelReply), error: turn.error?.content }),
    ...defined({ held: turn.waitsFor?.held && turn.userMessage }),
  };
}

function turnText({ status, reply, error, asks, turnId, held }: TurnResult): string {
  if (status === "needs_input") return questionsText(asks);
  if (held !== undefined) return `${held} get_turn waits for what they write.`;
  const then = status === "queued" ? "it begins when the turns before it are over" : "get_turn waits for its end";
  return reply ?? error ?? `The turn ${turnId} is ${status}; ${then}.`;
}

const asking = ({ status, sessionId, turnId, asks }: TurnResult) =>
  status === "needs_input" ? { work: { sessionId, turnId }, asks } : undefined;

/** The turn once it has ended or waits, or after this time. */
function turnEnd(place: { readonly sessionId: string; readonly turnId: string }, time: number, call: Call) {
  const { actor, services } = call;
  const work = { root: { kind: "session", id: place.sessionId }, turnId: place.turnId } as const;
  return awaitEnd(call, work, time, (wait) => readTurn(actor, { ...place, waitMs: wait }, services));
}

const messageSchema = z.object({
  messageId: z.string(),
  role: z.enum(["user", "system", "assistant", "error"]),
  content: z.string(),
  speaker: z.string().optional(),
  createdAt: z.string().optional(),
});

export const sessionTools: readonly McpTool[] = [
  mcpTool({
    name: "create_session",
    title: "Begin a supervised chat",
    description: "Begins a session with a stored agent. Returns its sessionId; send_message talks to it.",
    act: beginSession,
    effect: "adds",
    input: z.strictObject({
      ...newSessionSchema.pick({
        agent: true,
        subject: true,
        externalId: true,
        supervisors: true,
        metadata: true,
        memory: true,
      }).shape,
      idempotencyKey,
    }),
    output: z.object({ sessionId: z.string(), agent: z.string(), subject: z.string().optional(), ...warningsField }),
    run: ({ idempotencyKey: _, ...fields }, { actor, services }) => {
      const definition = newSessionSchema.parse({ ...fields, whileWaiting: "answer" });
      return beginSession(actor, { definition }, services);
    },
  }),
  mcpTool({
    name: "send_message",
    title: "Send a message to a chat",
    description:
      "Sends a message to a session and waits for the supervised answer. When the system has to ask somebody first, the status is needs_input with the questions.",
    act: sendMessage,
    effect: "adds",
    input: z.strictObject({
      sessionId: z.string().max(100),
      content: z.string().min(1).max(100_000),
      speaker: z.string().min(1).max(100).optional(),
      waitMs,
      idempotencyKey,
    }),
    output: turnResultSchema,
    text: turnText,
    asking,
    run: async ({ waitMs: time, idempotencyKey: _, ...message }, call): Promise<TurnResult> => {
      const { actor, services } = call;
      const state = await resumed(call);
      const work = state && need(state).work;
      let place = work !== undefined && "turnId" in work ? work : undefined;
      if (place === undefined) {
        const sent = await sendMessage(actor, { ...message, waitMs: 0 }, services);
        place = { sessionId: message.sessionId, turnId: sent.turnId };
      }
      const { sessionId, turnId } = place;
      return turnResult(sessionId, await turnEnd({ sessionId, turnId }, time, call), call);
    },
  }),
  mcpTool({
    name: "get_turn",
    title: "Read a turn of a chat",
    description: "Reads a turn as it is now, or waits for its end: after an answer to a question, for instance.",
    act: readTurn,
    effect: "reads",
    input: z.strictObject({ sessionId: z.string().max(100), turnId: z.string().max(100), waitMs }),
    output: turnResultSchema,
    text: turnText,
    run: async ({ sessionId, turnId, waitMs: time }, call) =>
      turnResult(sessionId, await turnEnd({ sessionId, turnId }, time, call), call),
  }),
  mcpTool({
    name: "get_transcript",
    title: "Read what was said in a chat",
    description: "A page of a session's messages, oldest first, as supervision let them pass.",
    act: readTranscript,
    effect: "reads",
    input: z.strictObject({ sessionId: z.string().max(100), limit, cursor }),
    output: z.object({ items: z.array(messageSchema), nextCursor: z.string().nullable() }),
    text: ({ items, nextCursor }) =>
      [
        ...items.map(({ role, speaker, content }) => `${speaker ?? role}: ${content}`),
        ...(nextCursor === null ? [] : [`There is more: cursor ${nextCursor}`]),
      ].join("\n"),
    run: async (query, { actor, services }) => {
      const page = await readTranscript(actor, query, services);
      const items = page.items.map((message) => ({
        ...message,
        content: messageText(message),
        ...(message.role === "assistant" && message.author !== undefined ? { speaker: "staff" } : {}),
      }));
      return { ...page, items };
    },
  }),
];
