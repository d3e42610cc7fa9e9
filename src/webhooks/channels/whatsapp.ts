/**
 * WhatsApp: webhooks of the Cloud API signed with the app's secret, answered by its messages endpoint. Nothing that was sent can be
 * changed. No time is signed, so a message that comes again is known by its id.
 * https://developers.facebook.com/docs/whatsapp/cloud-api
 */
import { z } from "zod";
import type {
  Button,
  ChannelAdapter,
  PlatformAnswer,
  PlatformCall,
  PlatformRequest,
  Received,
  SendOutcome,
} from "../../channels/adapter.js";
import type { OpenConnection } from "../../channels/connection.js";
import type { InboundEvent, Target } from "../../channels/inbound.js";
import { dialects, translate } from "../../channels/markdown.js";
import { equalInConstantTime, hmacSha256Hex } from "../../platform/digest.js";
import { readBody } from "./body.js";

const api = "https://graph.facebook.com/v23.0";

const message = z.object({
  from: z.string(),
  id: z.string(),
  type: z.string(),
  text: z.object({ body: z.string() }).optional(),
  button: z.object({ text: z.string() }).optional(),
  interactive: z
    .object({
      button_reply: z.object({ id: z.string() }).optional(),
      list_reply: z.object({ id: z.string() }).optional(),
    })
    .optional(),
  context: z.object({ id: z.string().optional() }).optional(),
});
const change = z.object({
  field: z.string(),
  value: z.object({
    metadata: z.object({ phone_number_id: z.string() }).optional(),
    contacts: z
      .array(z.object({ wa_id: z.string(), profile: z.object({ name: z.string().optional() }).optional() }))
      .default([]),
    messages: z.array(z.unknown()).default([]),
  }),
});
const notification = z.object({ entry: z.array(z.object({ changes: z.array(z.unknown()) })) });

const longestBody = 1_024;
const longestTitle = 20;
const longestRow = 24;

export const whatsapp: ChannelAdapter<"whatsapp"> = {
  kind: "whatsapp",
  maxCharacters: 3_500,
  edits: false,
  forms: false,

  async receive(request, { connection }): Promise<Received> {
    const { verifyToken, appSecret, phoneNumberId } = connection.credentials;
    if (request.method === "GET") return subscription(request, verifyToken);
    const presented = request.headers["x-hub-signature-256"] ?? "";
    const expected = `sha256=${await hmacSha256Hex(appSecret, request.body)}`;
    if (!(await equalInConstantTime(presented, expected))) return { kind: "unsigned" };
    const read = readBody(notification, request.body);
    const changes = read.ok ? read.value.entry.flatMap((entry) => entry.changes) : [];
    const events = changes.flatMap((one) => eventsOf(one, phoneNumberId));
    return { kind: "events", events, answer: {} };
  },

  async send({ post, target }, open, call) {
    const { chat, message: messageId } = target;
    if (post.kind === "noted") return { kind: "sent" };
    if (post.kind === "working") {
      if (messageId === undefined) return { kind: "sent" };
      // Marks the message as read too; over after 25 seconds, or with the answer.
      await ask(open, call, { status: "read", message_id: messageId, typing_indicator: { type: "text" } });
      return { kind: "sent" };
    }
    const { text, buttons = [] } = post;
    const written = translate(text, dialects.whatsapp);
    const to = { recipient_type: "individual", to: chat };
    if (buttons.length === 0) return ask(open, call, { ...to, type: "text", text: { body: written } });
    // A long question goes ahead of its buttons.
    if (written.length > longestBody) {
      const ahead = await ask(open, call, { ...to, type: "text", text: { body: written } });
      if (ahead.kind !== "sent") return ahead;
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

function eventsOf(received: unknown, phoneNumberId: string): InboundEvent[] {
  const read = change.safeParse(received);
  if (!read.success || read.data.field !== "messages") return [];
  const { metadata, contacts, messages } = read.data.value;
  // Several numbers of an app share its address.
  if (metadata?.phone_number_id !== phoneNumberId) return [];
  return messages.flatMap((one) => {
    const sent = message.safeParse(one);
    const action = sent.success ? actionOf(sent.data) : undefined;
    if (!sent.success || action === undefined) return [];
    const { from, id } = sent.data;
    const name = contacts.find(({ wa_id }) => wa_id === from)?.profile?.name;
    const target: Target = { chat: from, message: id };
    const person = { id: from, ...(name === undefined ? {} : { name }) };
    return [{ eventId: id, user: person, direct: true, addressed: true, target, action }];
  });
}

function actionOf({ text, button, interactive, context }: z.infer<typeof message>): InboundEvent["action"] | undefined {
  const value = interactive?.button_reply?.id ?? interactive?.list_reply?.id;
  if (value !== undefined) return { kind: "press", value };
  const said = text?.body ?? button?.text ?? "";
  if (said.trim() === "") return undefined;
  return { kind: "message", text: said, ...(context?.id === undefined ? {} : { repliesTo: context.id }) };
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

async function ask({ connection }: OpenConnection<"whatsapp">, call: PlatformCall, body: object): Promise<SendOutcome> {
  const { apiBaseUrl = api, accessToken, phoneNumberId } = connection.credentials;
  const headers = { authorization: `Bearer ${accessToken}` };
  const text = JSON.stringify({ messaging_product: "whatsapp", ...body });
  return outcomeOf(await call({ url: `${apiBaseUrl}/${phoneNumberId}/messages`, headers, body: text }));
}

function outcomeOf({ status, text, retryAfterMs }: PlatformAnswer): SendOutcome {
  if (status === 0) return { kind: "later", detail: "WhatsApp could not be reached" };
  if (status >= 200 && status < 300) {
    const sent = readBody(sentSchema, text);
    const id = sent.ok ? sent.value.messages[0]?.id : undefined;
    return { kind: "sent", ...(id === undefined ? {} : { messageId: id }) };
  }
  const answer = readBody(refusalSchema, text);
  const { code, message: words } = answer.ok ? answer.value.error : { code: 0, message: "" };
  const detail = `WhatsApp: ${words.slice(0, 200)} (${code === 0 ? status : code})`;
  const isPassing = status === 429 || status >= 500 || passing.has(code);
  return isPassing ? { kind: "later", detail, afterMs: retryAfterMs } : { kind: "refused", detail };
}
