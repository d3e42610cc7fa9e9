/**
 * Discord: interactions signed with the application's key. Without a gateway connection a bot hears commands, buttons and forms, not
 * what is written besides: the first text option of a command is the message.
 * https://docs.discord.com/developers/interactions/receiving-and-responding
 */
import {
  ButtonStyleTypes,
  InteractionResponseFlags,
  InteractionResponseType,
  InteractionType,
  MessageComponentTypes,
  TextStyleTypes,
  verifyKey,
} from "discord-interactions";
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import {
  type Acknowledgement,
  type Button,
  type ChannelAdapter,
  type Form,
  type PlatformAnswer,
  type PlatformCall,
  type Post,
  type Received,
  replayWindowMs,
  type SendOutcome,
} from "../adapter.js";
import type { InboundEvent, Target } from "../inbound.js";
import { isEditButton } from "../questions.js";
import { readBody, unreadable } from "./body.js";

const api = "https://discord.com/api/v10";
/** The longest text that a form may begin with. */
const longestInput = 4_000;
const buttonsOfRow = 5;

/** The types of a command's options that are a text and a file. */
const textOptionType = 3;
const fileOptionType = 11;

const user = z.object({ id: z.string(), username: z.string().optional(), global_name: z.string().nullish() });
const shared = {
  id: z.string(),
  token: z.string().max(1_000),
  channel: z.object({ id: z.string(), type: z.int().optional() }).optional(),
  channel_id: z.string().optional(),
  guild_id: z.string().optional(),
  member: z.object({ user }).optional(),
  user: user.optional(),
};
const option: z.ZodType<{ type: number; value?: unknown; options?: unknown[] | undefined }> = z.object({
  type: z.int(),
  value: z.unknown(),
  options: z.array(z.unknown()).optional(),
});
const interaction = z.discriminatedUnion("type", [
  z.object({ type: z.literal(InteractionType.PING) }),
  z.object({
    ...shared,
    type: z.literal(InteractionType.APPLICATION_COMMAND),
    data: z.object({ name: z.string(), options: z.array(option).default([]) }),
  }),
  z.object({
    ...shared,
    type: z.literal(InteractionType.MESSAGE_COMPONENT),
    data: z.object({ custom_id: z.string() }),
  }),
  z.object({
    ...shared,
    type: z.literal(InteractionType.MODAL_SUBMIT),
    data: z.object({ custom_id: z.string(), components: z.array(z.unknown()).default([]) }),
  }),
]);
type Interaction = z.infer<typeof interaction>;
type Placed = Exclude<Interaction, { readonly type: InteractionType.PING }>;

const ignored: Received = { kind: "answered", answer: {} };

type Credentials = Readonly<{
  publicKey: string;
  applicationId: string;
  botToken: string;
  apiBaseUrl?: string | undefined;
}>;

export const discord: ChannelAdapter<Credentials> = {
  maxCharacters: 1_900,
  edits: true,
  forms: true,
  // For a few minutes it knows a nonce.
  repeatableMs: 120_000,

  async receive({ headers, body }, credentials, now): Promise<Received> {
    const { "x-signature-ed25519": signature = "", "x-signature-timestamp": timestamp = "" } = headers;
    const isNew = /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1_000) <= replayWindowMs;
    if (!isNew || !/^[0-9a-f]{128}$/i.test(signature)) return { kind: "unsigned" };
    if (!(await verifyKey(body, signature, timestamp, credentials.publicKey))) return { kind: "unsigned" };
    const read = readBody(interaction, body);
    return read.ok ? interactionReceived(read.value) : unreadable(read);
  },

  async openForm(form): Promise<Acknowledgement> {
    return answered({ type: InteractionResponseType.MODAL, data: modalOf(form) });
  },

  async send({ post, target, edits, key }, open, call) {
    // The interaction was answered with "is thinking", whose place the answer takes.
    if (post.kind === "working") return { kind: "delivered", messageId: original };
    const content = contentOf(post);
    const isAnswer = edits === original || post.kind === "word" || post.kind === "noted";
    if (isAnswer && target.handle !== undefined) {
      const changed = await ask(open, call, "PATCH", `${webhookOf(open, target)}/messages/@original`, content);
      // After a quarter of an hour nothing can be said there any more.
      if (changed.kind !== "refused" || post.kind === "noted")
        return changed.kind === "refused" ? { kind: "delivered" } : changed;
    } else if (edits !== undefined) {
      return ask(open, call, "PATCH", `/channels/${target.chat}/messages/${edits}`, content);
    }
    if (post.kind === "notice" && target.handle !== undefined) {
      const whispered = { ...content, flags: InteractionResponseFlags.EPHEMERAL };
      const said = await ask(open, call, "POST", webhookOf(open, target), whispered);
      if (said.kind !== "refused") return said;
    }
    // Discord knows a repetition by the nonce.
    const nonce = key.slice(-25);
    return ask(open, call, "POST", `/channels/${target.chat}/messages`, { ...content, nonce, enforce_nonce: true });
  },
};

/** Stands for the first answer of an interaction. */
const original = "@original";

function interactionReceived(received: Interaction): Received {
  if (received.type === InteractionType.PING) {
    return { kind: "answered", answer: answered({ type: InteractionResponseType.PONG }) };
  }
  const { type } = received;
  switch (type) {
    case InteractionType.APPLICATION_COMMAND: {
      const text = firstText(received.data.options);
      // A command without a text is one of ours: /new, /person, /bot.
      const isFile = received.data.options.some((option) => option.type === fileOptionType);
      const event = eventOf(received, { kind: "message", text: text ?? (isFile ? "" : `/${received.data.name}`) });
      const answer = answered({ type: InteractionResponseType.DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE });
      return event === undefined ? ignored : { kind: "events", events: [event], answer };
    }
    case InteractionType.MESSAGE_COMPONENT: {
      const { custom_id: value } = received.data;
      const event = eventOf(received, { kind: "press", value });
      if (event === undefined) return ignored;
      const answer = answered({ type: InteractionResponseType.DEFERRED_UPDATE_MESSAGE });
      return isEditButton(value)
        ? { kind: "events", events: [], answer, form: { event, value } }
        : { kind: "events", events: [event], answer };
    }
    case InteractionType.MODAL_SUBMIT: {
      const text = submittedText(received.data.components);
      const event = eventOf(received, { kind: "form", value: received.data.custom_id, text: text ?? "" });
      const answer = answered({ type: InteractionResponseType.DEFERRED_UPDATE_MESSAGE });
      return event === undefined || text === undefined ? ignored : { kind: "events", events: [event], answer };
    }
  }
}

function eventOf(received: Placed, action: InboundEvent["action"]): InboundEvent | undefined {
  const { id, token, channel, channel_id = channel?.id, guild_id, member, user: own = member?.user } = received;
  if (channel_id === undefined || own === undefined) return undefined;
  const name = own.global_name ?? own.username;
  return {
    eventId: id,
    direct: guild_id === undefined,
    addressed: true,
    action,
    user: { id: own.id, ...defined({ name }) },
    target: { chat: channel_id, handle: token },
  };
}

const textOption = z.object({ type: z.literal(textOptionType), value: z.string().min(1) });
const withOptions = z.object({ options: z.array(z.unknown()) });

/** The first text option, within a subcommand too. */
function firstText(options: readonly unknown[]): string | undefined {
  for (const one of options) {
    const text = textOption.safeParse(one);
    if (text.success) return text.data.value;
    const inner = withOptions.safeParse(one);
    const found = inner.success ? firstText(inner.data.options) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const textInput = z.object({ value: z.string().min(1) });
const withComponents = z.union([
  z.object({ components: z.array(z.unknown()) }),
  z.object({ component: z.unknown() }).transform(({ component }) => ({ components: [component] })),
]);

function submittedText(components: readonly unknown[]): string | undefined {
  for (const one of components) {
    const input = textInput.safeParse(one);
    if (input.success) return input.data.value;
    const inner = withComponents.safeParse(one);
    const found = inner.success ? submittedText(inner.data.components) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function answered(body: object): Acknowledgement {
  return { type: "application/json", body: JSON.stringify(body) };
}

function modalOf({ value, title, text }: Form): object {
  const input = {
    type: MessageComponentTypes.INPUT_TEXT,
    custom_id: "text",
    label: "Text",
    style: TextStyleTypes.PARAGRAPH,
    required: true,
    value: text.slice(0, longestInput),
  };
  return { custom_id: value, title, components: [{ type: MessageComponentTypes.ACTION_ROW, components: [input] }] };
}

/** Discord shows Markdown as it is. Nobody is called by what a model writes. */
function contentOf({ text, buttons = [] }: Post): object {
  const rows: object[] = [];
  for (let at = 0; at < buttons.length; at += buttonsOfRow) {
    const components = buttons.slice(at, at + buttonsOfRow).map(buttonOf);
    rows.push({ type: MessageComponentTypes.ACTION_ROW, components });
  }
  return { content: text, components: rows, allowed_mentions: { parse: [] } };
}

function buttonOf({ label, value, style }: Button): object {
  const styles = { primary: ButtonStyleTypes.PRIMARY, danger: ButtonStyleTypes.DANGER };
  return {
    type: MessageComponentTypes.BUTTON,
    label,
    custom_id: value,
    style: style === undefined ? ButtonStyleTypes.SECONDARY : styles[style],
  };
}

function webhookOf(credentials: Credentials, { handle = "" }: Target): string {
  return `/webhooks/${credentials.applicationId}/${encodeURIComponent(handle)}`;
}

const sentMessage = z.object({ id: z.string() });
const refusal = z.object({ message: z.string().default(""), retry_after: z.number().optional() });

async function ask(
  credentials: Credentials,
  call: PlatformCall,
  method: "POST" | "PATCH",
  path: string,
  body: object,
): Promise<SendOutcome> {
  const { apiBaseUrl = api, botToken } = credentials;
  const headers = { authorization: `Bot ${botToken}`, "user-agent": "DiscordBot (https://conclave.dev, 1)" };
  return outcomeOf(await call({ url: `${apiBaseUrl}${path}`, method, headers, body: JSON.stringify(body) }));
}

function outcomeOf({ status, text, retryAfterMs }: PlatformAnswer): SendOutcome {
  if (status === 0) return { kind: "failed", failure: "Discord could not be reached" };
  if (status >= 200 && status < 300) {
    const sent = readBody(sentMessage, text);
    return { kind: "delivered", ...(sent.ok ? { messageId: sent.value.id } : {}) };
  }
  const answer = readBody(refusal, text);
  const failure = `Discord: ${answer.ok ? answer.value.message.slice(0, 200) : ""} (${status})`;
  // In seconds, with a fraction; the header has whole ones.
  const seconds = answer.ok ? answer.value.retry_after : undefined;
  const afterMs = seconds === undefined ? retryAfterMs : Math.ceil(seconds * 1_000);
  return status === 429 || status >= 500 ? { kind: "failed", failure, afterMs } : { kind: "refused", failure };
}
