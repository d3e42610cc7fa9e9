/**
 * Telegram: updates that bring the secret token of the webhook, answered by the Bot API. https://core.telegram.org/bots/api
 * No time is signed, so an update that comes again is known by its id.
 */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { equalInConstantTime } from "../../platform/digest.js";
import type { Button, ChannelAdapter, PlatformAnswer, PlatformCall, Post, Received, SendOutcome } from "../adapter.js";
import type { InboundEvent } from "../inbound.js";
import { dialects, translate } from "../markdown.js";
import { scoreOfReaction } from "../reactions.js";
import { readBody, unreadable } from "./body.js";
import { type Entity, mediaFields, type message, personOf, targetOf, update, type user } from "./telegram-update.js";

const api = "https://api.telegram.org";

const ignored: Received = { kind: "answered", answer: {} };

type Credentials = Readonly<{ botToken: string; secretToken: string; apiBaseUrl?: string | undefined }>;

export const telegram: ChannelAdapter<Credentials> = {
  // What the Bot API counts is what is left when tags are parsed: less than this.
  maxCharacters: 3_900,
  edits: true,
  forms: false,
  repeatableMs: 0,
  typingLapsesMs: 4_000,

  async receive({ headers, body }, credentials, _now, call): Promise<Received> {
    const presented = headers["x-telegram-bot-api-secret-token"] ?? "";
    if (!(await equalInConstantTime(presented, credentials.secretToken))) return { kind: "unsigned" };
    const read = readBody(update, body);
    if (!read.ok) return unreadable(read);
    const { update_id, message: sent, callback_query: pressed, message_reaction: reacted } = read.value;
    if (reacted?.user !== undefined) return reactionReceived(`${update_id}`, reacted, reacted.user);
    if (sent !== undefined) return messageReceived(`${update_id}`, sent, credentials, call);
    if (pressed?.data === undefined || pressed.message === undefined) return ignored;
    const event: InboundEvent = {
      eventId: `${update_id}`,
      user: personOf(pressed.from),
      addressed: true,
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
    if (post.kind === "noted") return { kind: "delivered" };
    if (post.kind === "working") {
      // Telegram ends it after five seconds, or with the answer.
      const shown = await ask(open, call, "sendChatAction", { chat_id: chat, action: "typing", ...topic });
      return shown.kind === "failed" ? shown : { kind: "delivered" };
    }
    const content = contentOf(post);
    return edits === undefined
      ? ask(open, call, "sendMessage", { chat_id: chat, ...topic, ...content, ...replyTo(post, target.message) })
      : ask(open, call, "editMessageText", { chat_id: chat, message_id: Number(edits), ...content });
  },
};

/** The newest that judges anything; where none is left, what was said is taken back. */
function reactionReceived(
  eventId: string,
  { chat, message_id, new_reaction }: NonNullable<z.infer<typeof update>["message_reaction"]>,
  from: z.infer<typeof user>,
): Received {
  const scores = new_reaction.flatMap(({ emoji = "" }) => scoreOfReaction(emoji) ?? []);
  const score = new_reaction.length === 0 ? 0 : scores.at(-1);
  if (score === undefined || from.is_bot === true) return ignored;
  const event: InboundEvent = {
    eventId,
    user: personOf(from),
    addressed: true,
    direct: chat.type === "private",
    target: { chat: String(chat.id), message: String(message_id) },
    action: { kind: "reaction", to: String(message_id), score },
  };
  return { kind: "events", events: [event], answer: {} };
}

async function messageReceived(
  eventId: string,
  sent: z.infer<typeof message>,
  credentials: Credentials,
  call: PlatformCall,
): Promise<Received> {
  const { from, chat, reply_to_message: replied } = sent;
  const { text = "", entities: named } =
    sent.text === undefined ? { text: sent.caption, entities: sent.caption_entities } : sent;
  const isWritten = text !== "" || mediaFields.some((name) => name in sent);
  if (from === undefined || from.is_bot === true || !isWritten) return ignored;
  const direct = chat.type === "private";
  const handles = named.flatMap((one) => handlesOf(text, one));
  // In a direct chat a name counts only where the message begins with it.
  const isAsked = handles.length > 0 && (!direct || named.some(({ offset }) => offset === 0));
  const own: OwnName = isAsked ? await ownName(credentials, call) : { name: "" };
  if (own.failure?.isPassing) return { kind: "answered", answer: { status: 503 }, unreadable: own.failure.detail };
  const addressee = direct ? "bot" : addresseeOf(sent, { text, named, id: botId(credentials), name: own.name });
  return {
    kind: "events",
    answer: {},
    ...defined({ unreadable: own.failure?.detail }),
    events: [
      {
        // Of an album what has no text is one event: its pictures come one by one.
        eventId: sent.media_group_id !== undefined && text === "" ? `album:${sent.media_group_id}` : eventId,
        user: personOf(from),
        direct,
        addressed: addressee === "bot",
        ...(addressee === "others" ? { toOthers: true } : {}),
        target: targetOf(sent),
        action: {
          kind: "message",
          text: plainText(text, named, own.name),
          ...defined({ repliesTo: replied && String(replied.message_id) }),
        },
      },
    ],
  };
}

/** The bot's id stands in its token. */
function botId({ botToken }: Credentials): number {
  return Number(botToken.split(":", 1)[0]);
}

interface OwnName {
  /** Empty where nobody needs to know, or Telegram doesn't say: the bot is known by its id, then. */
  readonly name: string;
  readonly failure?: { readonly detail: string; readonly isPassing: boolean };
}

/** Its name may be changed at any time: who needs it asks, which is for messages that name somebody. */
async function ownName(credentials: Credentials, call: PlatformCall): Promise<OwnName> {
  const { apiBaseUrl = api, botToken } = credentials;
  const { status, text } = await call({ url: `${apiBaseUrl}/bot${botToken}/getMe`, body: "{}" });
  const read = readBody(z.object({ result: z.object({ username: z.string() }) }), text);
  // An address holds the token: what went wrong is said without it.
  if (read.ok) return { name: read.value.result.username.toLowerCase() };
  const detail = `Telegram didn't say who the bot is (getMe: ${status})`;
  // A revoked token would be sent again for as long as Telegram does that, and other messages with it.
  return { name: "", failure: { detail, isPassing: status < 400 || status === 429 || status >= 500 } };
}

/** The names in a mention or a command: `bob` of `@bob`, `music_bot` of `/play@music_bot`. */
function handlesOf(text: string, { type, offset, length }: Entity): string[] {
  if (type !== "mention" && type !== "bot_command") return [];
  const [, name] = text.slice(offset, offset + length).split("@");
  return name === undefined ? [] : [name.toLowerCase()];
}

/** Whom a message of a group is for, as far as it says so. */
function addresseeOf(
  { reply_to_message: replied, message_thread_id, is_topic_message }: z.infer<typeof message>,
  { text, named, id, name }: Readonly<{ text: string; named: readonly Entity[]; id: number; name: string }>,
): "bot" | "others" | "nobody" {
  // In a topic every message replies to the one that opened it.
  const isReply = replied !== undefined && !(is_topic_message === true && replied.message_id === message_thread_id);
  const isOurs = (one: Entity) =>
    one.type === "text_mention"
      ? one.user?.id === id
      : handlesOf(text, one).includes(name) || (one.type === "bot_command" && handlesOf(text, one).length === 0);
  if ((isReply && replied.from?.id === id) || named.some(isOurs)) return "bot";
  const isCalled = ({ type, offset }: Entity) =>
    type === "bot_command" || (offset === 0 && (type === "mention" || type === "text_mention"));
  return (isReply && replied.from?.is_bot === true) || named.some(isCalled) ? "others" : "nobody";
}

/** Without the name of the bot behind a command, and without its mention at the beginning. */
function plainText(text: string, named: readonly Entity[], name: string): string {
  const [first] = named;
  if (first?.offset !== 0 || !handlesOf(text, first).includes(name)) return text;
  const rest = text.slice(first.length);
  return first.type === "mention" ? rest.trim() : (text.split("@", 1)[0] ?? "") + rest;
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

async function ask(credentials: Credentials, call: PlatformCall, method: string, body: object): Promise<SendOutcome> {
  const { apiBaseUrl = api, botToken } = credentials;
  return outcomeOf(await call({ url: `${apiBaseUrl}/bot${botToken}/${method}`, body: JSON.stringify(body) }));
}

function outcomeOf({ status, text, retryAfterMs }: PlatformAnswer): SendOutcome {
  // An address holds the token: what went wrong is said without it.
  if (status === 0) return { kind: "failed", failure: "Telegram could not be reached" };
  const answer = readBody(answerSchema, text);
  if (!answer.ok) return { kind: "failed", failure: `Telegram answered ${status}`, afterMs: retryAfterMs };
  const { ok, description = "", result, parameters } = answer.value;
  if (ok) {
    const sent = sentMessage.safeParse(result);
    return { kind: "delivered", ...(sent.success ? { messageId: String(sent.data.message_id) } : {}) };
  }
  // What was changed already, before a crash.
  if (description.includes("message is not modified")) return { kind: "delivered" };
  const failure = `Telegram: ${description.slice(0, 200)}`;
  const afterMs = parameters?.retry_after === undefined ? retryAfterMs : parameters.retry_after * 1_000;
  return status === 429 || status >= 500 ? { kind: "failed", failure, afterMs } : { kind: "refused", failure };
}
