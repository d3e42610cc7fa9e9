/**
 * Slack: events and interactions signed by the app's signing secret, answered in the thread by the Web API.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack, https://docs.slack.dev/reference/events
 */
import { slackMrkdwnToMarkdown } from "@chat-adapter/slack/format";
import { SlackWebhookVerificationError, verifySlackSignature } from "@chat-adapter/slack/webhook";
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import {
  type Acknowledgement,
  type ChannelAdapter,
  type PlatformAnswer,
  type PlatformCall,
  type PlatformRequest,
  type Received,
  replayWindowMs,
  type SendOutcome,
} from "../adapter.js";
import type { InboundEvent } from "../inbound.js";
import { isEditButton } from "../questions.js";
import { scoreOfReaction } from "../reactions.js";
import { readBody, readValue, unreadable } from "./body.js";
import { contentOf, viewOf } from "./slack-blocks.js";

const api = "https://slack.com/api";

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
/** In a direct chat; in a channel it doesn't say in which thread its message stands. */
const reactionEvent = z.object({
  type: z.enum(["reaction_added", "reaction_removed"]),
  user: z.string(),
  reaction: z.string().max(100),
  item: z.object({ type: z.literal("message"), channel: z.string(), ts: z.string() }),
  event_ts: z.string(),
});
const envelope = z.discriminatedUnion("type", [
  z.object({ type: z.literal("url_verification"), challenge: z.string().max(1_000) }),
  z.object({
    type: z.literal("event_callback"),
    event: z.union([messageEvent, reactionEvent, z.object({ type: z.string() })]),
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
const slashCommand = z.object({
  command: z.string().min(1).max(100),
  text: z.string().default(""),
  user_id: z.string().max(150),
  user_name: z.string().optional(),
  channel_id: z.string().max(150),
  trigger_id: z.string().max(200),
  response_url: z.url({ protocol: /^https?$/ }).max(2_000),
});
const interaction = z.union([press, submission, z.object({ type: z.string() })]);

/** Where a form was opened from, and for which question. */
const formMetadata = z.object({ value: z.string(), chat: z.string(), thread: z.string().optional() });

const ignored: Received = { kind: "answered", answer: {} };

type Credentials = Readonly<{ signingSecret: string; botToken: string; apiBaseUrl?: string | undefined }>;

export const slack: ChannelAdapter<Credentials> = {
  maxCharacters: 2_800,
  edits: true,
  forms: true,
  repeatableMs: 0,

  async receive(request, credentials, now): Promise<Received> {
    if (!(await isSigned(request, credentials.signingSecret, now))) return { kind: "unsigned" };
    const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
    if (!isForm) return readEvent(request.body);
    const fields = new URLSearchParams(request.body);
    const payload = fields.get("payload");
    return payload === null ? readCommand(Object.fromEntries(fields)) : readInteraction(payload);
  },

  async openForm(form, request, credentials, call): Promise<Acknowledgement> {
    const { apiBaseUrl = api, botToken } = credentials;
    const body = JSON.stringify({ trigger_id: request.event.target.handle, view: viewOf(form, request) });
    await call({ url: `${apiBaseUrl}/views.open`, headers: { authorization: `Bearer ${botToken}` }, body });
    return {};
  },

  async send({ post, target, edits }, open, call) {
    const { chat: channel, thread, user: toUser } = target;
    const place = { channel, ...defined({ thread_ts: thread }) };
    if (post.kind === "noted") return { kind: "delivered" };
    const message = contentOf(post);
    if (post.kind === "notice" && toUser !== undefined) {
      return ask(open, call, "chat.postEphemeral", { ...place, ...message, user: toUser });
    }
    if (edits !== undefined) return ask(open, call, "chat.update", { channel, ...message, ts: edits });
    const posted = { ...place, ...message, unfurl_links: false, unfurl_media: false };
    const said = await ask(open, call, "chat.postMessage", posted);
    const isCommands = post.kind !== "working" && target.handle?.startsWith("http");
    if (said.kind !== "refused" || !isCommands || target.handle === undefined) return said;
    // A command is answered where the bot is no member, too.
    const body = JSON.stringify({ response_type: "in_channel", ...message });
    const answer = await call({ url: target.handle, body });
    return answer.status >= 200 && answer.status < 300 ? { kind: "delivered" } : said;
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
  if (!read.ok) return unreadable(read);
  if (read.value.type === "url_verification") return { kind: "answered", answer: { body: read.value.challenge } };
  const reaction = reactionEvent.safeParse(read.value.event);
  if (reaction.success) return reactionReceived(reaction.data);
  const message = messageEvent.safeParse(read.value.event);
  if (!message.success) return ignored;
  const bot = read.value.authorizations[0]?.user_id ?? undefined;
  const event = eventOf(message.data, bot);
  return event === undefined ? ignored : { kind: "events", events: [event], answer: {} };
}

function reactionReceived({ type, user: from, reaction, item, event_ts }: z.infer<typeof reactionEvent>): Received {
  const score = scoreOfReaction(reaction);
  if (score === undefined) return ignored;
  const event: InboundEvent = {
    eventId: `${item.channel}:${item.ts}:${event_ts}`,
    user: { id: from },
    direct: item.channel.startsWith("D"),
    addressed: true,
    target: { chat: item.channel, message: item.ts },
    action: { kind: "reaction", to: item.ts, score: type === "reaction_added" ? score : 0 },
  };
  return { kind: "events", events: [event], answer: {} };
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
    inThread: thread_ts !== undefined,
    // In a channel the answer begins a thread; a direct chat is one conversation.
    target: { chat: channel, message: ts, ...threadOf(thread_ts ?? (direct ? undefined : ts)) },
    action: { kind: "message", text: slackMrkdwnToMarkdown(said).trim(), ...defined({ repliesTo: thread_ts }) },
  };
}

function threadOf(thread: string | undefined): { thread?: string } {
  return thread === undefined ? {} : { thread };
}

/** A slash command is a message; without a text it is one of ours: `/new`, `/person`, `/bot`. */
function readCommand(fields: Readonly<Record<string, string>>): Received {
  // Slack asks now and then whether our certificate is in order.
  if (fields.ssl_check === "1") return ignored;
  const read = readValue(slashCommand, fields);
  if (!read.ok) return unreadable(read);
  const { command, text, user_id, user_name, channel_id, trigger_id, response_url } = read.value;
  const said = slackMrkdwnToMarkdown(text).trim();
  const event: InboundEvent = {
    eventId: `command:${trigger_id}`,
    user: personOf({ id: user_id, username: user_name }),
    addressed: true,
    direct: channel_id.startsWith("D"),
    target: { chat: channel_id, handle: response_url },
    action: { kind: "message", text: said === "" ? command : said },
  };
  // Everybody of the channel sees what was asked.
  const answer = { type: "application/json", body: JSON.stringify({ response_type: "in_channel" }) };
  return { kind: "events", events: [event], answer };
}

function readInteraction(payload: string): Received {
  const read = readBody(interaction, payload);
  if (!read.ok) return unreadable(read);
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
    eventId: `press:${action_ts}:${by.id}`,
    user: personOf(by),
    addressed: true,
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
    eventId: `form:${view.id}`,
    user: personOf(by),
    direct: chat.startsWith("D"),
    addressed: true,
    target: { chat, ...threadOf(thread) },
    action: { kind: "form", value, text },
  };
  return { kind: "events", events: [event], answer: {} };
}

function personOf({ id, username, name = username }: z.infer<typeof user>): InboundEvent["user"] {
  return name === undefined ? { id } : { id, name };
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

async function ask(credentials: Credentials, call: PlatformCall, method: string, body: object): Promise<SendOutcome> {
  const { apiBaseUrl = api, botToken } = credentials;
  const headers = { authorization: `Bearer ${botToken}`, "content-type": "application/json; charset=utf-8" };
  return outcomeOf(await call({ url: `${apiBaseUrl}/${method}`, headers, body: JSON.stringify(body) }));
}

function outcomeOf({ status, text, retryAfterMs }: PlatformAnswer): SendOutcome {
  if (status === 0 || status === 429 || status >= 500) {
    const failure = status === 0 ? text : `Slack answered ${status}`;
    return { kind: "failed", failure, afterMs: retryAfterMs };
  }
  const answer = readBody(answerSchema, text);
  if (!answer.ok) return { kind: "failed", failure: `Slack answered ${status} without a result` };
  const { ok, error = "", ts } = answer.value;
  if (ok) return { kind: "delivered", ...defined({ messageId: ts }) };
  const failure = `Slack: ${error.slice(0, 100)}`;
  return passing.has(error) ? { kind: "failed", failure, afterMs: retryAfterMs } : { kind: "refused", failure };
}
