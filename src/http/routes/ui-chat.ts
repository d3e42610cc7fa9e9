/** The chat that `useChat` of the AI SDK talks to with its default transport. */
import { z } from "zod";
import { loadChat, resumeChat, sendToChat, unfinishedTurn } from "../../application/sessions/use-chat.js";
import { defined } from "../../conversation/defined.js";
import { externalIdSchema, itemName } from "../../conversation/names.js";
import { problem } from "../../conversation/problem.js";
import { sha256Hex } from "../../platform/digest.js";
import { actorOf } from "../context.js";
import { followQuery } from "../events.js";
import { json, jsonBody, newRouter, route } from "../routing.js";
import { uiChunkSchema, uiMessageSchema } from "../ui-chat/chunks.js";
import { loadedChat } from "../ui-chat/loaded-chat.js";
import { uiMessageStream, uiStreamHeaders } from "../ui-chat/stream.js";

const tags = ["UI chat"];
const maxContent = 100_000;

const sentMessageSchema = z.looseObject({
  id: z.string().max(500).optional(),
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(z.looseObject({ type: z.string().max(200), text: z.string().optional() })).max(10_000),
});

export const uiChatSchema = z.strictObject({
  id: externalIdSchema.describe("The chat's id: the session's `externalId`."),
  messages: z
    .array(sentMessageSchema)
    .min(1)
    .max(10_000)
    .describe("The chat as the page has it. Only its last user message is taken: the session knows what came before."),
  trigger: z
    .enum(["submit-message", "regenerate-message"])
    .optional()
    .describe("`regenerate-message` sends the last user message once more."),
  messageId: z.string().max(500).optional(),
  follow: z
    .boolean()
    .default(false)
    .describe(
      "Goes on while staff or an earlier message is waited for, until the turn has ended or its user is asked.",
    ),
  agent: itemName.optional().describe("Whom the first message is for; a token for one agent needs none."),
});

const chunks = { "text/event-stream": { schema: uiChunkSchema } } as const;

export const uiChat = newRouter();

uiChat.openapi(
  route({
    "x-act": "sendMessage",
    method: "post",
    path: "/v1/ui-chat",
    operationId: "sendUiChatMessage",
    tags,
    summary: "Send a message as `useChat` does, and get the reply as a UI message stream",
    request: { body: jsonBody(uiChatSchema) },
    responses: { 200: { description: "The chunks of one message, up to `data: [DONE]`", content: chunks } },
  }),
  async (c) => {
    const { id, messages, trigger, agent, follow } = c.req.valid("json");
    const message = messages.findLast(({ role }) => role === "user");
    const content = textOf(message);
    const idempotencyKey = await keyOf(message?.id, content, trigger === "regenerate-message");
    const sent = await sendToChat(
      actorOf(c),
      { chatId: id, agent, content, idempotencyKey, follow },
      c.get("services"),
    );
    return new Response(uiMessageStream(sent), { headers: uiStreamHeaders });
  },
);

uiChat.openapi(
  route({
    "x-act": "readTranscript",
    method: "get",
    path: "/v1/ui-chat/{id}/messages",
    operationId: "listUiChatMessages",
    tags,
    summary: "What was said in the chat, as the messages that `useChat` begins with",
    request: {
      params: z.object({ id: externalIdSchema }),
      query: z.object({
        before: z.coerce
          .number<string>()
          .int()
          .min(1)
          .optional()
          .describe("A number that an answer gave as `earlier`."),
        limit: z.coerce.number<string>().int().min(1).max(100).default(50),
      }),
    },
    responses: {
      200: json(
        "Messages, the oldest first",
        z.object({
          items: z.array(uiMessageSchema()),
          resume: z.boolean().describe("Whether something is being written: `GET /v1/ui-chat/{id}/stream` brings it."),
          earlier: z
            .int()
            .nullable()
            .describe("What `before` has to be for those before these; null where there are none."),
        }),
      ),
    },
  }),
  async (c) => {
    const page = await loadChat(
      actorOf(c),
      { chatId: c.req.valid("param").id, ...c.req.valid("query") },
      c.get("services"),
    );
    return c.json({ ...loadedChat(page), earlier: page.earlier }, 200);
  },
);

uiChat.openapi(
  route({
    "x-act": "followEvents",
    method: "get",
    path: "/v1/ui-chat/{id}/stream",
    operationId: "resumeUiChatStream",
    tags,
    summary: "The reply that is being written, from its start; or the question that is open",
    request: { params: z.object({ id: externalIdSchema }), query: z.object({ follow: followQuery }) },
    responses: {
      200: { description: "The chunks of one message, up to `data: [DONE]`", content: chunks },
      204: { description: "Nothing runs in the chat, there is no such chat, or it is another user's" },
    },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    if (c.req.method === "HEAD") {
      const found = await unfinishedTurn(actorOf(c), id, c.get("services"));
      return found === undefined ? c.body(null, 204) : new Response(null, { headers: uiStreamHeaders });
    }
    const turn = await resumeChat(actorOf(c), { chatId: id, ...c.req.valid("query") }, c.get("services"));
    if (turn === undefined) return c.body(null, 204);
    return new Response(uiMessageStream(turn), { headers: uiStreamHeaders });
  },
);

/** What its user wrote. */
function textOf(message: z.infer<typeof sentMessageSchema> | undefined): string {
  const parts = message?.parts ?? [];
  if (parts.some(({ type }) => type === "file")) {
    const userMessage = "Files and images can't be sent here. Please write what you would like to say.";
    throw invalid("A message here is text: files and images aren't taken.", "it has a part of type file", userMessage);
  }
  const content = parts.flatMap(({ type, text = "" }) => (type === "text" && text !== "" ? [text] : [])).join("\n");
  if (content.trim() === "") throw invalid("There is no user message with text in it.", "no text of a user");
  if (content.length > maxContent) throw invalid("The message is too long.", `at most ${maxContent} characters`);
  return content;
}

function invalid(detail: string, message: string, userMessage?: string) {
  return problem("invalid", detail, { errors: [{ path: "messages", message }], ...defined({ userMessage }) });
}

/** A page that sends a message again, because it saw no answer, sends it with the same id: it is one message then. */
async function keyOf(id: string | undefined, content: string, isNew: boolean): Promise<string | undefined> {
  return id === undefined || isNew ? undefined : `ui ${await sha256Hex(`${id}\n${content}`)}`;
}
