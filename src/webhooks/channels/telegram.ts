/**
 * Telegram: updates that bring the secret token of the webhook, answered by the Bot API. https://core.telegram.org/bots/api
 * No time is signed, so an update that comes again is known by its id.
 */
import { z } from "zod";
import type {
  Button,
  ChannelAdapter,
  PlatformAnswer,
  PlatformCall,
  Post,
  Received,
  SendOutcome,
} from "../../channels/adapter.js";
import type { OpenConnection } from "../../channels/connection.js";
import type { InboundEvent } from "../../channels/inbound.js";
import { dialects, translate } from "../../channels/markdown.js";
import { equalInConstantTime } from "../../platform/digest.js";
import { readBody } from "./body.js";

const api = "https://api.telegram.org";

const user = z.object({
  id: z.number(),
  is_bot: z.boolean().optional(),
  first_name: z.string().default(""),
  last_name: z.string().optional(),
});
const message = z.object({
  message_id: z.number(),
  message_thread_id: z.number().optional(),
  is_topic_message: z.boolean().optional(),
  from: user.optional(),
  chat: z.object({ id: z.number(), type: z.string() }),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(z.object({ type: z.string(), offset: z.int(), length: z.int() })).default([]),
  reply_to_message: z
    .object({ message_id: z.number(), from: z.object({ is_bot: z.boolean().optional() }).optional() })
    .optional(),
});
const update = z.object({
  update_id: z.number(),
  message: message.optional(),
  callback_query: z
    .object({ id: z.string(), from: user, message: message.optional(), data: z.string().optional() })
    .optional(),
});

const ignored: Received = { kind: "answered", answer: {} };

export const telegram: ChannelAdapter<"telegram"> = {
  kind: "telegram",
  // What the Bot API counts is what is left when tags are parsed: less than this.
  maxCharacters: 3_900,
  edits: true,
  forms: false,

  async receive({ headers, body }, { connection }): Promise<Received> {
    const presented = headers["x-telegram-bot-api-secret-token"] ?? "";
    if (!(await equalInConstantTime(presented, connection.credentials.secretToken))) return { kind: "unsigned" };
    const read = readBody(update, body);
    if (!read.ok) return ignored;
    const { update_id, message: sent, callback_query: pressed } = read.value;
    if (sent !== undefined) return messageReceived(`${update_id}`, sent);
    if (pressed?.data === undefined || pressed.message === undefined) return ignored;
    const event: InboundEvent = {
      ...{ eventId: `${update_id}`, user: personOf(pressed.from), addressed: true },
      direct: pressed.message.chat.type === "private",
      target: targetOf(pressed.message),
      action: { kind: "press", value: pressed.data },
    };
    // Until it is answered the button shows that it was pressed.
    const answer = JSON.stringify({ method: "answerCallbackQuery", callback_query_id: pressed.id });
    return { kind: "events", events: [event], answer: { type: "application/json", body: answer } };
  },

  async send({ post, target, edits }, open, call) {
    const { chat, thread } = target;
    const topic = thread === undefined ? {} : { message_thread_id: Number(thread) };
    if (post.kind === "noted") return { kind: "sent" };
    if (post.kind === "working") {
      // It is over by itself after five seconds, or with the answer.
      await ask(open, call, "sendChatAction", { chat_id: chat, action: "typing", ...topic });
      return { kind: "sent" };
    }
    const content = contentOf(post);
    return edits === undefined
      ? ask(open, call, "sendMessage", { chat_id: chat, ...topic, ...content, ...replyTo(post, target.message) })
      : ask(open, call, "editMessageText", { chat_id: chat, message_id: Number(edits), ...content });
  },
};

function messageReceived(eventId: string, sent: z.infer<typeof message>): Received {
  const { from, chat, text = sent.caption, entities, reply_to_message: replied } = sent;
  if (from === undefined || from.is_bot === true || text === undefined || text === "") return ignored;
  const direct = chat.type === "private";
  const isMentioned = entities.some(({ type }) => type === "mention" || type === "bot_command");
  return {
    kind: "events",
    answer: {},
    events: [
      {
        ...{ eventId, user: personOf(from), direct },
        addressed: direct || isMentioned || replied?.from?.is_bot === true,
        target: targetOf(sent),
        action: {
          kind: "message",
          text: plainText(text, entities),
          ...(replied === undefined ? {} : { repliesTo: String(replied.message_id) }),
        },
      },
    ],
  };
}

/** Without the name of the bot behind a command, and without a mention at the beginning. */
function plainText(text: string, entities: readonly { type: string; offset: number; length: number }[]): string {
  const [first] = entities;
  if (first?.offset !== 0) return text;
  const head = text.slice(0, first.length);
  if (first.type === "bot_command") return head.replace(/@\w+$/, "") + text.slice(first.length);
  return first.type === "mention" ? text.slice(first.length).trim() : text;
}

function targetOf({
  chat,
  message_id,
  message_thread_id,
  is_topic_message,
}: z.infer<typeof message>): InboundEvent["target"] {
  return {
    ...{ chat: String(chat.id), message: String(message_id) },
    ...(is_topic_message === true && message_thread_id !== undefined ? { thread: String(message_thread_id) } : {}),
  };
}

function personOf({ id, first_name, last_name = "" }: z.infer<typeof user>): InboundEvent["user"] {
  const name = `${first_name} ${last_name}`.trim();
  return { id: String(id), ...(name === "" ? {} : { name }) };
}

/** In a group an answer says which message it answers. */
function replyTo({ kind }: Post, messageId: string | undefined): object {
  if ((kind !== "reply" && kind !== "word") || messageId === undefined) return {};
  return { reply_parameters: { message_id: Number(messageId), allow_sending_without_reply: true } };
}

function contentOf({ text, buttons = [] }: Post): object {
  return {
    text: translate(text, dialects.telegram),
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
    ...(buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: buttons.map((button) => [keyOf(button)]) } }),
  };
}

function keyOf({ label, value }: Button): object {
  return { text: label, callback_data: value };
}

const answerSchema = z.object({
  ok: z.boolean(),
  description: z.string().optional(),
  result: z.union([z.object({ message_id: z.number() }), z.unknown()]).optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
});
const sentMessage = z.object({ message_id: z.number() });

async function ask(
  { connection }: OpenConnection<"telegram">,
  call: PlatformCall,
  method: string,
  body: object,
): Promise<SendOutcome> {
  const { apiBaseUrl = api, botToken } = connection.credentials;
  return outcomeOf(await call({ url: `${apiBaseUrl}/bot${botToken}/${method}`, body: JSON.stringify(body) }));
}

function outcomeOf({ status, text, retryAfterMs }: PlatformAnswer): SendOutcome {
  // An address holds the token: what went wrong is said without it.
  if (status === 0) return { kind: "later", detail: "Telegram could not be reached" };
  const answer = readBody(answerSchema, text);
  if (!answer.ok) return { kind: "later", detail: `Telegram answered ${status}`, afterMs: retryAfterMs };
  const { ok, description = "", result, parameters } = answer.value;
  if (ok) {
    const sent = sentMessage.safeParse(result);
    return { kind: "sent", ...(sent.success ? { messageId: String(sent.data.message_id) } : {}) };
  }
  // What was changed already, before a crash.
  if (description.includes("message is not modified")) return { kind: "sent" };
  const detail = `Telegram: ${description.slice(0, 200)}`;
  const afterMs = parameters?.retry_after === undefined ? retryAfterMs : parameters.retry_after * 1_000;
  return status === 429 || status >= 500 ? { kind: "later", detail, afterMs } : { kind: "refused", detail };
}
