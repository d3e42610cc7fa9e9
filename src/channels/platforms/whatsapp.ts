/**
 * WhatsApp: webhooks of the Cloud API signed with the app's secret, answered by its messages endpoint. Nothing that was sent can be
 * changed. No time is signed, so a message that comes again is known by its id. A writer is a phone number, or the id that Meta gives
 * to those who hide theirs behind a username: https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 * https://developers.facebook.com/docs/whatsapp/cloud-api
 */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { equalInConstantTime, hmacSha256Hex } from "../../platform/digest.js";
import type {
  Button,
  ChannelAdapter,
  PlatformAnswer,
  PlatformCall,
  PlatformRequest,
  Received,
  SendOutcome,
} from "../adapter.js";
import type { InboundEvent } from "../inbound.js";
import { dialects, translate } from "../markdown.js";
import { scoreOfReaction } from "../reactions.js";
import { readBody, readValue, unreadable, unreadableBecause } from "./body.js";

const api = "https://graph.facebook.com/v23.0";

const id = z.string().max(150).optional();
/** What holds a file, and maybe a caption. */
const media = z.object({ caption: z.string().optional() }).optional();

/** Without `from` the writer has a username and keeps the phone number: another id names them. */
const message = z.object({
  from: id,
  from_user_id: id,
  user_id: id,
  id: z.string().min(1).max(200),
  type: z.string(),
  text: z.object({ body: z.string() }).optional(),
  image: media,
  video: media,
  document: media,
  button: z.object({ text: z.string() }).optional(),
  interactive: z
    .object({
      button_reply: z.object({ id: z.string() }).optional(),
      list_reply: z.object({ id: z.string() }).optional(),
    })
    .optional(),
  context: z.object({ id: z.string().optional() }).optional(),
  /** Without an emoji it was taken back. */
  reaction: z.object({ message_id: z.string().max(200), emoji: z.string().max(64).optional() }).optional(),
});
const contact = z.object({ wa_id: id, user_id: id, profile: z.object({ name: z.string().optional() }).optional() });
const change = z.object({
  field: z.string(),
  value: z.object({
    metadata: z.object({ phone_number_id: z.string() }).optional(),
    contacts: z.array(contact.catch({})).default([]),
    messages: z.array(z.unknown()).default([]),
  }),
});
const notification = z.object({ entry: z.array(z.object({ changes: z.array(z.unknown()) })) });

/** What nobody wrote to be answered. */
const noMessages = new Set(["system", "request_welcome"]);

const longestBody = 1_024;
const longestTitle = 20;
const longestRow = 24;

type Credentials = Readonly<{
  appSecret: string;
  verifyToken: string;
  accessToken: string;
  phoneNumberId: string;
  apiBaseUrl?: string | undefined;
}>;

export const whatsapp: ChannelAdapter<Credentials> = {
  maxCharacters: 3_500,
  edits: false,
  forms: false,
  repeatableMs: 0,
  typingLapsesMs: 20_000,

  async receive(request, credentials): Promise<Received> {
    const { verifyToken, appSecret, phoneNumberId } = credentials;
    if (request.method === "GET") return subscription(request, verifyToken);
    const presented = request.headers["x-hub-signature-256"] ?? "";
    const expected = `sha256=${await hmacSha256Hex(appSecret, request.body)}`;
    if (!(await equalInConstantTime(presented, expected))) return { kind: "unsigned" };
    const read = readBody(notification, request.body);
    if (!read.ok) return unreadable(read);
    const found = read.value.entry.flatMap(({ changes }) => changes.flatMap((one) => eventsOf(one, phoneNumberId)));
    const failed = found.find((one) => typeof one === "string");
    return {
      kind: "events",
      events: found.filter((one) => typeof one !== "string"),
      answer: {},
      unreadable: failed && unreadableBecause(failed),
    };
  },

  async send({ post, target }, open, call) {
    const { chat, message: messageId } = target;
    if (post.kind === "noted") return { kind: "delivered" };
    if (post.kind === "working") {
      if (messageId === undefined) return { kind: "delivered" };
      // Marks the message as read too; WhatsApp ends it after 25 seconds, or with the answer.
      const shown = await ask(open, call, {
        status: "read",
        message_id: messageId,
        typing_indicator: { type: "text" },
      });
      return shown.kind === "failed" ? shown : { kind: "delivered" };
    }
    const { text, buttons = [] } = post;
    const written = translate(text, dialects.whatsapp);
    const to = { recipient_type: "individual", ...(isUserId(chat) ? { recipient: chat } : { to: chat }) };
    if (buttons.length === 0) return ask(open, call, { ...to, type: "text", text: { body: written } });
    // A long question goes ahead of its buttons.
    if (written.length > longestBody) {
      const ahead = await ask(open, call, { ...to, type: "text", text: { body: written } });
      if (ahead.kind !== "delivered") return ahead;
    }
    const body = written.length > longestBody ? "Your answer:" : written;
    return ask(open, call, { ...to, type: "interactive", interactive: interactiveOf(body, buttons) });
  },
};

/** How Meta asks whether the address is ours. */
async function subscription({ query }: PlatformRequest, verifyToken: string): Promise<Received> {
  const { "hub.mode": mode, "hub.verify_token": token = "", "hub.challenge": challenge = "" } = query;
  const isOurs = mode === "subscribe" && (await equalInConstantTime(token, verifyToken));
  return isOurs ? { kind: "answered", answer: { body: challenge.slice(0, 1_000) } } : { kind: "unsigned" };
}

/** Each message by itself: of one that can't be read, why not. */
function eventsOf(received: unknown, phoneNumberId: string): (InboundEvent | string)[] {
  const read = readValue(change, received);
  if (!read.ok) return [read.detail];
  const { field, value } = read.value;
  // Several numbers of an app share its address.
  if (field !== "messages" || value.metadata?.phone_number_id !== phoneNumberId) return [];
  return value.messages.flatMap((one) => {
    const sent = readValue(message, one);
    if (!sent.ok) return [`a message: ${sent.detail}`];
    const event = noMessages.has(sent.value.type) ? undefined : eventOf(sent.value, value.contacts);
    return event === undefined ? [] : [event];
  });
}

function eventOf(
  sent: z.infer<typeof message>,
  contacts: readonly z.infer<typeof contact>[],
): InboundEvent | string | undefined {
  const { from, from_user_id, user_id } = sent;
  const ids = [from, from_user_id, user_id].filter(isGiven);
  const [only, another] = contacts;
  const writer =
    contacts.find(({ wa_id, user_id: known }) => [wa_id, known].filter(isGiven).some((id) => ids.includes(id))) ??
    (another === undefined ? only : undefined);
  const chat = [...ids, writer?.wa_id, writer?.user_id].find(isGiven);
  if (chat === undefined) return "a message: it names nobody who wrote it";
  const action = actionOf(sent);
  if (action === undefined) return undefined;
  return {
    eventId: sent.id,
    user: { id: chat, ...defined({ name: writer?.profile?.name }) },
    direct: true,
    addressed: true,
    target: { chat, message: sent.id },
    action,
  };
}

function isGiven(id: string | undefined): id is string {
  return id !== undefined && id !== "";
}

/** An id of Meta's, such as `US.1349120865`, in place of a phone number. */
function isUserId(chat: string): boolean {
  return chat.includes(".");
}

/** Without a text where only media came; nothing of a reaction that judges nothing. */
function actionOf(sent: z.infer<typeof message>): InboundEvent["action"] | undefined {
  const { type, text, button, image, video, document, interactive, context, reaction } = sent;
  if (type === "reaction") {
    const score = reaction?.emoji ? scoreOfReaction(reaction.emoji) : 0;
    return reaction && score !== undefined ? { kind: "reaction", to: reaction.message_id, score } : undefined;
  }
  const value = interactive?.button_reply?.id ?? interactive?.list_reply?.id;
  if (value !== undefined) return { kind: "press", value };
  const said = text?.body ?? button?.text ?? (image ?? video ?? document)?.caption ?? "";
  return { kind: "message", text: said, ...defined({ repliesTo: context?.id }) };
}

/** Up to three buttons, or a list. */
function interactiveOf(text: string, buttons: readonly Button[]): object {
  const body = { text };
  if (buttons.length <= 3) {
    const shown = buttons.map(({ value, label }) => ({
      type: "reply",
      reply: { id: value, title: label.slice(0, longestTitle) },
    }));
    return { type: "button", body, action: { buttons: shown } };
  }
  const rows = buttons.map(({ value, label }) => ({
    id: value,
    title: label.slice(0, longestRow),
    ...(label.length > longestRow ? { description: label } : {}),
  }));
  return { type: "list", body, action: { button: "Choose", sections: [{ title: "Answers", rows }] } };
}

const sentSchema = z.object({ messages: z.array(z.object({ id: z.string() })).default([]) });
const refusalSchema = z.object({ error: z.object({ code: z.int(), message: z.string().default("") }) });
/** Rate limits, of the app, the account and the pair of numbers; and what Meta calls temporary. */
const passing = new Set([1, 2, 4, 80_007, 130_429, 131_000, 131_016, 131_056, 133_004]);

async function ask(credentials: Credentials, call: PlatformCall, body: object): Promise<SendOutcome> {
  const { apiBaseUrl = api, accessToken, phoneNumberId } = credentials;
  const headers = { authorization: `Bearer ${accessToken}` };
  const text = JSON.stringify({ messaging_product: "whatsapp", ...body });
  return outcomeOf(await call({ url: `${apiBaseUrl}/${phoneNumberId}/messages`, headers, body: text }));
}

function outcomeOf({ status, text, retryAfterMs }: PlatformAnswer): SendOutcome {
  if (status === 0) return { kind: "failed", failure: "WhatsApp could not be reached" };
  if (status >= 200 && status < 300) {
    const sent = readBody(sentSchema, text);
    const id = sent.ok ? sent.value.messages[0]?.id : undefined;
    return { kind: "delivered", ...defined({ messageId: id }) };
  }
  const answer = readBody(refusalSchema, text);
  const { code, message: words } = answer.ok ? answer.value.error : { code: 0, message: "" };
  const failure = `WhatsApp: ${words.slice(0, 200)} (${code === 0 ? status : code})`;
  const isPassing = status === 429 || status >= 500 || passing.has(code);
  return isPassing ? { kind: "failed", failure, afterMs: retryAfterMs } : { kind: "refused", failure };
}
