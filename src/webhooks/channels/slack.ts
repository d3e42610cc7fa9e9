/**
 * Slack: events and interactions signed by the app's signing secret, answered in the thread by the Web API.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack, https://docs.slack.dev/reference/events
 */
import { slackMrkdwnToMarkdown } from "@chat-adapter/slack/format";
import { SlackWebhookVerificationError, verifySlackSignature } from "@chat-adapter/slack/webhook";
import { z } from "zod";
import {
  type Acknowledgement,
  type Button,
  type ChannelAdapter,
  type Form,
  type FormRequest,
  type PlatformAnswer,
  type PlatformCall,
  type PlatformRequest,
  type Post,
  type Received,
  replayWindowMs,
  type SendOutcome,
} from "../../channels/adapter.js";
import type { OpenConnection } from "../../channels/connection.js";
import type { InboundEvent } from "../../channels/inbound.js";
import { dialects, translate } from "../../channels/markdown.js";
import { isEditButton } from "../../channels/questions.js";
import { readBody } from "./body.js";

const api = "https://slack.com/api";

/** What a section of a message may hold, in characters. */
const longestSection = 3_000;
const longestInput = 3_000;

const messageEvent = z.object({
  type: z.enum(["message", "app_mention"]),
  subtype: z.string().optional(),
  bot_id: z.string().optional(),
  user: z.string().optional(),
  text: z.string().default(""),
  channel: z.string(),
  channel_type: z.string().optional(),
  ts: z.string(),
  thread_ts: z.string().optional(),
});
const envelope = z.discriminatedUnion("type", [
  z.object({ type: z.literal("url_verification"), challenge: z.string().max(1_000) }),
  z.object({
    type: z.literal("event_callback"),
    event: z.union([messageEvent, z.object({ type: z.string() })]),
    authorizations: z.array(z.object({ user_id: z.string().nullish() })).default([]),
  }),
]);

const user = z.object({ id: z.string(), username: z.string().optional(), name: z.string().optional() });
const press = z.object({
  type: z.literal("block_actions"),
  user,
  trigger_id: z.string(),
  channel: z.object({ id: z.string() }),
  message: z.object({ ts: z.string(), thread_ts: z.string().optional() }),
  actions: z.array(z.object({ value: z.string().optional(), action_ts: z.string() })).min(1),
});
const submission = z.object({
  type: z.literal("view_submission"),
  user,
  view: z.object({
    id: z.string(),
    private_metadata: z.string(),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), z.object({ value: z.string().nullish() }))) }),
  }),
});
const interaction = z.union([press, submission, z.object({ type: z.string() })]);

/** Where a form was opened from, and for which question. */
const formMetadata = z.object({ value: z.string(), chat: z.string(), thread: z.string().optional() });

const ignored: Received = { kind: "answered", answer: {} };

export const slack: ChannelAdapter<"slack"> = {
  kind: "slack",
  maxCharacters: 2_800,
  edits: true,
  forms: true,

  async receive(request, { connection }, now): Promise<Received> {
    if (!(await isSigned(request, connection.credentials.signingSecret, now))) return { kind: "unsigned" };
    const payload = new URLSearchParams(request.body).get("payload");
    const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
    return isForm ? readInteraction(payload ?? "") : readEvent(request.body);
  },

  async openForm(form, request, { connection }, call): Promise<Acknowledgement> {
    const { apiBaseUrl = api, botToken } = connection.credentials;
    const body = JSON.stringify({ trigger_id: request.event.target.handle, view: viewOf(form, request) });
    await call({ url: `${apiBaseUrl}/views.open`, headers: { authorization: `Bearer ${botToken}` }, body });
    return {};
  },

  async send({ post, target, edits }, open, call) {
    const { chat: channel, thread, user: toUser } = target;
    const place = { channel, ...(thread === undefined ? {} : { thread_ts: thread }) };
    if (post.kind === "noted") return { kind: "sent" };
    const message = contentOf(post);
    if (post.kind === "notice" && toUser !== undefined) {
      return ask(open, call, "chat.postEphemeral", { ...place, ...message, user: toUser });
    }
    return edits === undefined
      ? ask(open, call, "chat.postMessage", { ...place, ...message, unfurl_links: false, unfurl_media: false })
      : ask(open, call, "chat.update", { channel, ...message, ts: edits });
  },
};

async function isSigned({ body, headers }: PlatformRequest, signingSecret: string, now: number): Promise<boolean> {
  try {
    const options = { signingSecret, maxSkewSeconds: replayWindowMs / 1_000, now: () => now };
    await verifySlackSignature(body, headers, options);
    return true;
  } catch (error) {
    if (error instanceof SlackWebhookVerificationError) return false;
    throw error;
  }
}

function readEvent(body: string): Received {
  const read = readBody(envelope, body);
  if (!read.ok) return ignored;
  if (read.value.type === "url_verification") return { kind: "answered", answer: { body: read.value.challenge } };
  const message = messageEvent.safeParse(read.value.event);
  if (!message.success) return ignored;
  const bot = read.value.authorizations[0]?.user_id ?? undefined;
  const event = eventOf(message.data, bot);
  return event === undefined ? ignored : { kind: "events", events: [event], answer: {} };
}

/** What people write; not what bots write, and not that a message was changed or somebody came. */
function eventOf(
  { type, subtype, bot_id, user: from, text, channel, channel_type, ts, thread_ts }: z.infer<typeof messageEvent>,
  bot: string | undefined,
): InboundEvent | undefined {
  const isWritten = subtype === undefined || subtype === "file_share" || subtype === "thread_broadcast";
  if (!isWritten || bot_id !== undefined || from === undefined || from === bot) return undefined;
  const direct = channel_type === "im";
  const mention = bot === undefined ? undefined : `<@${bot}>`;
  const isMentioned = type === "app_mention" || (mention !== undefined && text.includes(mention));
  const said = mention === undefined ? text.replace(/^\s*<@[A-Z0-9]+>/, "") : text.replaceAll(mention, "");
  return {
    // A mention comes as two events, of one message.
    eventId: `${channel}:${ts}`,
    user: { id: from },
    direct,
    addressed: direct || isMentioned,
    // In a channel the answer begins a thread; a direct chat is one conversation.
    target: { chat: channel, message: ts, ...threadOf(thread_ts ?? (direct ? undefined : ts)) },
    action: {
      kind: "message",
      text: slackMrkdwnToMarkdown(said).trim(),
      ...(thread_ts === undefined ? {} : { repliesTo: thread_ts }),
    },
  };
}

function threadOf(thread: string | undefined): { thread?: string } {
  return thread === undefined ? {} : { thread };
}

function readInteraction(payload: string): Received {
  const read = readBody(interaction, payload);
  if (!read.ok) return ignored;
  const pressed = press.safeParse(read.value);
  if (pressed.success) return pressReceived(pressed.data);
  const submitted = submission.safeParse(read.value);
  return submitted.success ? formReceived(submitted.data) : ignored;
}

function pressReceived({ user: by, trigger_id, channel, message, actions }: z.infer<typeof press>): Received {
  const [action] = actions;
  if (action?.value === undefined) return ignored;
  const { value, action_ts } = action;
  const event: InboundEvent = {
    ...{ eventId: `press:${action_ts}:${by.id}`, user: personOf(by), addressed: true },
    direct: channel.id.startsWith("D"),
    target: { chat: channel.id, handle: trigger_id, ...threadOf(message.thread_ts) },
    action: { kind: "press", value },
  };
  return isEditButton(value)
    ? { kind: "events", events: [], answer: {}, form: { event, value } }
    : { kind: "events", events: [event], answer: {} };
}

function formReceived({ user: by, view }: z.infer<typeof submission>): Received {
  const metadata = readBody(formMetadata, view.private_metadata);
  const text = view.state.values.text?.text?.value ?? "";
  if (!metadata.ok || text === "") return ignored;
  const { value, chat, thread } = metadata.value;
  const event: InboundEvent = {
    ...{ eventId: `form:${view.id}`, user: personOf(by), direct: chat.startsWith("D"), addressed: true },
    target: { chat, ...threadOf(thread) },
    action: { kind: "form", value, text },
  };
  return { kind: "events", events: [event], answer: {} };
}

function personOf({ id, username, name = username }: z.infer<typeof user>): InboundEvent["user"] {
  return name === undefined ? { id } : { id, name };
}

/** Sections are shown as they are written; `text` is what notifications say. */
function contentOf({ text, buttons = [] }: Post): { readonly text: string; readonly blocks?: readonly object[] } {
  const written = translate(text, dialects.slack);
  if (buttons.length === 0) return { text: written, blocks: [] };
  const shown = written.length <= longestSection ? written : `${written.slice(0, longestSection - 2)} …`;
  return {
    text: shown,
    blocks: [
      { type: "section", text: { type: "mrkdwn", text: shown } },
      { type: "actions", elements: buttons.map(buttonOf) },
    ],
  };
}

function buttonOf({ value, label, style }: Button, at: number): object {
  const text = { type: "plain_text", text: label };
  return { type: "button", action_id: `choice-${at}`, text, value, ...(style === undefined ? {} : { style }) };
}

function viewOf({ value, title, text }: Form, { event: { target } }: FormRequest): object {
  return {
    type: "modal",
    private_metadata: JSON.stringify({ value, chat: target.chat, ...threadOf(target.thread) }),
    title: { type: "plain_text", text: title },
    submit: { type: "plain_text", text: "Send" },
    blocks: [
      {
        type: "input",
        block_id: "text",
        label: { type: "plain_text", text: "Text" },
        element: {
          ...{ type: "plain_text_input", action_id: "text", multiline: true },
          initial_value: text.slice(0, longestInput),
        },
      },
    ],
  };
}

const answerSchema = z.object({ ok: z.boolean(), error: z.string().optional(), ts: z.string().optional() });
/** Errors that another try may not meet. */
const passing = new Set([
  "ratelimited",
  "rate_limited",
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org",
]);

async function ask(
  { connection }: OpenConnection<"slack">,
  call: PlatformCall,
  method: string,
  body: object,
): Promise<SendOutcome> {
  const { apiBaseUrl = api, botToken } = connection.credentials;
  const headers = { authorization: `Bearer ${botToken}`, "content-type": "application/json; charset=utf-8" };
  return outcomeOf(await call({ url: `${apiBaseUrl}/${method}`, headers, body: JSON.stringify(body) }));
}

function outcomeOf({ status, text, retryAfterMs }: PlatformAnswer): SendOutcome {
  if (status === 0 || status === 429 || status >= 500) {
    const detail = status === 0 ? text : `Slack answered ${status}`;
    return { kind: "later", detail, afterMs: retryAfterMs };
  }
  const answer = readBody(answerSchema, text);
  if (!answer.ok) return { kind: "later", detail: `Slack answered ${status} without a result` };
  const { ok, error = "", ts } = answer.value;
  if (ok) return { kind: "sent", ...(ts === undefined ? {} : { messageId: ts }) };
  const detail = `Slack: ${error.slice(0, 100)}`;
  return passing.has(error) ? { kind: "later", detail, afterMs: retryAfterMs } : { kind: "refused", detail };
}
