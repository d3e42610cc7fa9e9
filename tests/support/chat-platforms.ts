/** Chat platforms as tests play them: events that are signed as theirs, and what was sent to their APIs. Runs in workerd. */
import { env, exports } from "cloudflare:workers";
import { z } from "zod";
import type { ChannelKind } from "../../src/channels/connection.js";
import { defined } from "../../src/conversation/defined.js";
import { hmacSha256Hex } from "../../src/platform/digest.js";
import { signWebhook } from "../../src/platform/webhook-signature.js";
import { origin, type TestTenant } from "./conclave.js";
import { type SeenRequest, type UpstreamModel, upstreamFor } from "./upstream-client.js";

/** A request of a platform, ready to be sent as often as it likes. */
export interface PlatformEvent {
  readonly method?: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Sent {
  readonly id: number;
  readonly text: string;
  readonly user?: number;
  /** Whether it is written where staff is asked. */
  readonly isStaff?: boolean;
  /** The message that it replies to. */
  readonly repliesTo?: string;
}

interface Signing {
  /** Milliseconds since the epoch; now, if nothing is said. */
  readonly at?: number;
  /** Signed with something else than the connection's credentials. */
  readonly forged?: boolean;
}

/** How a platform speaks: messages and buttons, and what is read of what was sent to it. */
export interface Platform {
  readonly kind: "slack" | "telegram" | "discord" | "whatsapp" | "generic";
  readonly credentials: Readonly<Record<string, string>>;
  /** Whether the time is signed, so that an old request is refused. */
  readonly signsTime: boolean;
  /** The conversation of {@link message}, as its object is named. */
  readonly conversation: string;
  /** Where staff is asked. */
  readonly reviewers: string;
  message(sent: Sent, signing?: Signing): Promise<PlatformEvent>;
  /** A picture; of platforms that have none, a message that says nothing. */
  picture(id: number, caption?: string): Promise<PlatformEvent>;
  /** Anything else that the platform sends, signed. */
  raw(payload: object): Promise<PlatformEvent>;
  press(value: string, by: { readonly id: number; readonly isStaff?: boolean }): Promise<PlatformEvent>;
  /** The conversation that a call is about. */
  chatOf(call: SeenRequest): string | undefined;
  /** The text of a call that posts or changes a message; nothing of others. */
  textOf(call: SeenRequest): string | undefined;
}

const any = z.record(z.string(), z.unknown());
const textAt = (body: unknown, ...path: string[]): string | undefined => {
  let value = body;
  for (const name of path) value = any.safeParse(value).data?.[name];
  return typeof value === "string" ? value : undefined;
};

const slackSecret = "8f742231b10e8888abcd99yyyzzz85a5";

async function slackRequest(body: string, type: string, { at = Date.now(), forged }: Signing): Promise<PlatformEvent> {
  const timestamp = String(Math.floor(at / 1_000));
  const signature = await hmacSha256Hex(forged ? "another" : slackSecret, `v0:${timestamp}:${body}`);
  const headers = {
    "x-slack-request-timestamp": timestamp,
    "x-slack-signature": `v0=${signature}`,
    "content-type": type,
  };
  return { body, headers };
}

const slack: Platform = {
  kind: "slack",
  credentials: { signingSecret: slackSecret, botToken: "xoxb-1" },
  signsTime: true,
  conversation: "D100",
  reviewers: "C900",
  message: ({ id, text, user = 1, isStaff, repliesTo }, signing = {}) => {
    const event = {
      type: "message",
      text,
      user: `U${user}`,
      ts: `1700000001.${id}`,
      ...(isStaff ? { channel: "C900", channel_type: "channel" } : { channel: "D100", channel_type: "im" }),
      ...defined({ thread_ts: repliesTo }),
    };
    const authorizations = [{ user_id: "UBOT" }];
    const body = JSON.stringify({ type: "event_callback", event_id: `Ev${id}`, event, authorizations });
    return slackRequest(body, "application/json", signing);
  },
  picture(id, caption = "") {
    const files = [{ id: "F1", mimetype: "image/png" }];
    const ofMessage = { type: "message", subtype: "file_share", channel: "D100", channel_type: "im", user: "U1" };
    const event = { ...ofMessage, text: caption, files, ts: `1700000001.${id}` };
    return this.raw({ type: "event_callback", event, authorizations: [{ user_id: "UBOT" }] });
  },
  raw: (payload) => slackRequest(JSON.stringify(payload), "application/json", {}),
  press: (value, { id, isStaff }) => {
    const payload = {
      type: "block_actions",
      user: { id: `U${id}`, username: `user-${id}` },
      trigger_id: `trigger-${id}`,
      channel: { id: isStaff ? "C900" : "D100" },
      message: { ts: "1700000000.1" },
      actions: [{ value, action_ts: `1700000002.${id}` }],
    };
    return slackInteraction(payload);
  },
  chatOf: ({ body }) => textAt(body, "channel"),
  textOf: ({ body }) => textAt(body, "text"),
};

/** Something that was pressed or sent off in Slack. */
export function slackInteraction(payload: object): Promise<PlatformEvent> {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  return slackRequest(body, "application/x-www-form-urlencoded", {});
}

/** What somebody sent with a command that the app has in Slack. */
export function slackCommand(fields: Readonly<Record<string, string>>): Promise<PlatformEvent> {
  return slackRequest(new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded", {});
}

const telegram: Platform = {
  kind: "telegram",
  credentials: { botToken: "123:abc", secretToken: "the-secret-of-the-webhook" },
  signsTime: false,
  conversation: "100",
  reviewers: "-900",
  message: async ({ id, text, user = 1, isStaff, repliesTo }, { forged } = {}) => {
    const message = {
      message_id: id,
      from: { id: user, first_name: `User ${user}` },
      text,
      chat: isStaff ? { id: -900, type: "supergroup" } : { id: 100, type: "private" },
      ...(repliesTo === undefined
        ? {}
        : { reply_to_message: { message_id: Number(repliesTo), from: { id: 123, is_bot: true } } }),
    };
    const headers = { "x-telegram-bot-api-secret-token": forged ? "another" : "the-secret-of-the-webhook" };
    return { body: JSON.stringify({ update_id: id, message }), headers };
  },
  picture(id, caption) {
    const place = { message_id: id, from: { id: 1, first_name: "User 1" }, chat: { id: 100, type: "private" } };
    const photo = [{ file_id: "photo", width: 90, height: 90 }];
    return this.raw({ update_id: id, message: { ...place, photo, ...defined({ caption }) } });
  },
  raw: async (payload) => ({
    body: JSON.stringify(payload),
    headers: { "x-telegram-bot-api-secret-token": "the-secret-of-the-webhook" },
  }),
  press: async (value, { id, isStaff }) => {
    const chat = isStaff ? { id: -900, type: "supergroup" } : { id: 100, type: "private" };
    const callback_query = {
      id: `query-${id}`,
      from: { id, first_name: `User ${id}` },
      data: value,
      message: { message_id: 1, chat },
    };
    const headers = { "x-telegram-bot-api-secret-token": "the-secret-of-the-webhook" };
    return { body: JSON.stringify({ update_id: 50_000 + id, callback_query }), headers };
  },
  chatOf: ({ body }) => textAt(body, "chat_id"),
  textOf: ({ body }) => textAt(body, "text"),
};

const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const pairSchema = z.object({ privateKey: z.instanceof(CryptoKey), publicKey: z.instanceof(CryptoKey) });
const pair = pairSchema.parse(await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]));
const rawKey = z.instanceof(ArrayBuffer).parse(await crypto.subtle.exportKey("raw", pair.publicKey));

async function discordRequest(payload: object, { at = Date.now(), forged }: Signing): Promise<PlatformEvent> {
  const timestamp = String(Math.floor(at / 1_000));
  const body = JSON.stringify(payload);
  const signed = new TextEncoder().encode(timestamp + body + (forged ? " " : ""));
  const signature = hex(await crypto.subtle.sign("Ed25519", pair.privateKey, signed));
  return { body, headers: { "x-signature-ed25519": signature, "x-signature-timestamp": timestamp } };
}

const discordPlace = (isStaff: boolean | undefined) => ({ channel_id: isStaff ? "900" : "100" });

const discord: Platform = {
  kind: "discord",
  credentials: { publicKey: hex(rawKey), applicationId: "4242", botToken: "bot-token" },
  signsTime: true,
  conversation: "100",
  reviewers: "900",
  message: ({ id, text, user = 1, isStaff }, signing = {}) =>
    discordRequest(
      {
        type: 2,
        id: String(id),
        token: `token-${id}`,
        ...discordPlace(isStaff),
        user: { id: String(user), username: `user-${user}` },
        data: { name: "ask", options: [{ name: "question", type: 3, value: text }] },
      },
      signing,
    ),
  picture(id, caption) {
    const file = { name: "picture", type: 11, value: "77" };
    const options = caption === undefined ? [file] : [file, { name: "question", type: 3, value: caption }];
    const by = { ...discordPlace(false), user: { id: "1", username: "user-1" } };
    return this.raw({ type: 2, id: String(id), token: `token-${id}`, ...by, data: { name: "ask", options } });
  },
  raw: (payload) => discordRequest(payload, {}),
  press: (value, { id, isStaff }) =>
    discordRequest(
      {
        type: 3,
        id: String(60_000 + id),
        token: `token-${60_000 + id}`,
        ...discordPlace(isStaff),
        user: { id: String(id), username: `user-${id}` },
        data: { custom_id: value, component_type: 2 },
      },
      {},
    ),
  // The answer to a command names no channel; staff sends none in these tests.
  chatOf: ({ path }) => /^\/channels\/(\d+)/.exec(path)?.[1] ?? "100",
  textOf: ({ body }) => textAt(body, "content"),
};

/** One delivery of several messages. */
export async function whatsappRequest(
  messages: readonly object[],
  { forged }: Signing = {},
  contacts: readonly object[] = [{ wa_id: "4911", profile: { name: "Ada" } }],
): Promise<PlatformEvent> {
  const metadata = { phone_number_id: "777" };
  const value = { messaging_product: "whatsapp", metadata, contacts, messages };
  const body = JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ changes: [{ field: "messages", value }] }],
  });
  const signature = await hmacSha256Hex(forged ? "another" : "app-secret", body);
  return { body, headers: { "x-hub-signature-256": `sha256=${signature}` } };
}

const whatsapp: Platform = {
  kind: "whatsapp",
  credentials: { appSecret: "app-secret", verifyToken: "verify-me", accessToken: "token", phoneNumberId: "777" },
  signsTime: false,
  conversation: "4911",
  reviewers: "4999",
  message: ({ id, text, isStaff, repliesTo }, signing = {}) =>
    whatsappRequest(
      [
        {
          from: isStaff ? "4999" : "4911",
          id: `wamid.in${id}`,
          type: "text",
          text: { body: text },
          ...(repliesTo === undefined ? {} : { context: { id: repliesTo } }),
        },
      ],
      signing,
    ),
  picture(id, caption) {
    const image = { id: "picture", mime_type: "image/png", ...defined({ caption }) };
    return this.raw({ from: "4911", id: `wamid.in${id}`, type: "image", image });
  },
  raw: (payload) => whatsappRequest([payload]),
  press: (value, { id, isStaff }) =>
    whatsappRequest([
      {
        from: isStaff ? "4999" : "4911",
        id: `wamid.press${id}`,
        type: "interactive",
        interactive: { type: "button_reply", button_reply: { id: value, title: "x" } },
      },
    ]),
  chatOf: ({ body }) => textAt(body, "to") ?? textAt(body, "recipient"),
  textOf: ({ body }) => textAt(body, "text", "body") ?? textAt(body, "interactive", "body", "text"),
};

const genericSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** A message of the channel of our own. */
export async function genericMessage(
  message: Readonly<Record<string, unknown>>,
  { at = Date.now(), forged, secret: other }: Signing & { readonly secret?: string } = {},
): Promise<PlatformEvent> {
  const body = JSON.stringify({ conversation: "room-1", user: { id: "ada", name: "Ada" }, ...message });
  const secret = forged ? "whsec_Zm9yZ2Vk" : (other ?? genericSecret);
  return { body, headers: { ...(await signWebhook({ id: `evt-${message.messageId}`, at, body }, [secret])) } };
}

const generic: Platform = {
  kind: "generic",
  credentials: { secret: genericSecret },
  signsTime: true,
  conversation: "room-1",
  reviewers: "staff-room",
  message: ({ id, text, user = 1, isStaff }, signing) =>
    genericMessage(
      { messageId: `m${id}`, text, user: { id: `u${user}` }, conversation: isStaff ? "staff-room" : "room-1" },
      signing,
    ),
  picture: (id, caption = " ") => genericMessage({ messageId: `m${id}`, text: caption, user: { id: "u1" } }),
  raw: (payload) => genericMessage({ ...payload }),
  press: () => Promise.reject(new Error("our own channel has no buttons: an answer names its ask")),
  chatOf: ({ body }) => textAt(body, "conversation"),
  textOf: ({ body }) => textAt(body, "text"),
};

export const platforms = { slack, telegram, discord, whatsapp, generic } as const satisfies Record<
  ChannelKind,
  Platform
>;

/** A connection that a test has stored, and the platform behind it. */
export class TestChannel {
  constructor(
    readonly tenant: TestTenant,
    readonly name: string,
    readonly address: string,
    readonly channelId: string,
    readonly platform: Platform,
    /** What the platform was asked. */
    readonly api: UpstreamModel,
  ) {}

  async deliver(event: PlatformEvent): Promise<Response> {
    const { method = "POST", query = "", headers, body } = event;
    const init = { method, headers, ...(method === "GET" ? {} : { body }) };
    return exports.default.fetch(`${origin}${this.address}${query}`, init);
  }

  async say(id: number, text: string, more: Partial<Sent> = {}): Promise<Response> {
    return this.deliver(await this.platform.message({ id, text, ...more }));
  }

  /** The object of a conversation; of the one that messages come from, if nothing is said. */
  conversation(conversation = this.platform.conversation) {
    return env.CHANNEL_CONVERSATION.getByName(`${this.tenant.tenantId}/${this.channelId}/${conversation}`);
  }

  calls(): Promise<readonly SeenRequest[]> {
    return this.api.requests();
  }

  /** Every text that was posted or put in the place of another, in order; not that an answer is on its way. */
  async texts(): Promise<string[]> {
    const texts = (await this.calls()).map((call) => this.platform.textOf(call));
    return texts.filter((text) => text !== undefined && text !== "…" && text !== "Noted.").map(String);
  }

  /** The values of the buttons of the last message that has any, by their labels. */
  async buttons(): Promise<Readonly<Record<string, string>>> {
    const found =
      (await this.calls()).map(({ body }) => buttonsIn(body)).findLast((buttons) => buttons.length > 0) ?? [];
    return Object.fromEntries(found);
  }
}

/** Labels and values of buttons, however a platform nests them. */
function buttonsIn(body: unknown): [string, string][] {
  if (Array.isArray(body)) return body.flatMap(buttonsIn);
  const fields = any.safeParse(body).data;
  if (fields === undefined) return [];
  const label =
    textAt(fields, "text", "text") ?? textAt(fields, "label") ?? textAt(fields, "title") ?? textAt(fields, "text");
  const value = fields.value ?? fields.callback_data ?? fields.custom_id ?? fields.id;
  if (label !== undefined && typeof value === "string" && /^[a-z0-9]{8,40}:/.test(value)) return [[label, value]];
  return Object.values(fields).flatMap(buttonsIn);
}

export async function connect(
  tenant: TestTenant,
  platform: Platform,
  more: Readonly<Record<string, unknown>> = {},
): Promise<TestChannel> {
  const { kind } = platform;
  const api = upstreamFor(env.TEST_UPSTREAM);
  const base = `${env.TEST_UPSTREAM}/platform/${kind}/${api.model}`;
  const own = kind === "generic" ? { replyUrl: `${base}/replies` } : { apiBaseUrl: base };
  const body = { kind, agent: "assistant", credentials: { ...own, ...platform.credentials }, ...more };
  const { address, channelId } = (await tenant.put("channels", kind, body)).body;
  return new TestChannel(tenant, kind, address, channelId, platform, api);
}
