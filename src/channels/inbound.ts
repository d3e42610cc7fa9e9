/** What comes in from a chat platform, in our own words: who wrote or pressed what, and where. */
import { z } from "zod";
import { lazily } from "../text/lazily.js";

/** Where a message goes on its platform. Only the adapter of the channel knows what its fields mean. */
export const targetSchema = z.object({
  /** The outermost container: a channel, a chat, a phone number. */
  chat: z.string().min(1).max(150),
  thread: z.string().max(100).optional(),
  /** The message that is answered. */
  message: z.string().max(200).optional(),
  /** What a platform wants back to show something to one user alone, or as the answer of a command. */
  handle: z.string().max(2_000).optional(),
  user: z.string().max(150).optional(),
});
export type Target = z.infer<typeof targetSchema>;

const actionSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("message"),
    text: z.string(),
    /** The platform's id of our message that this one replies to. */
    repliesTo: z.string().optional(),
    /** The ask that it answers, where the sender says so itself. */
    askId: z.string().optional(),
  }),
  /** A button of one of our messages. */
  z.object({ kind: z.literal("press"), value: z.string() }),
  /** What somebody thinks of one of our messages; 0: they took it back. */
  z.object({
    kind: z.literal("reaction"),
    to: z.string(),
    score: z.union([z.literal(-1), z.literal(0), z.literal(1)]),
  }),
  /** A form that was opened by a button. */
  z.object({ kind: z.literal("form"), value: z.string(), text: z.string() }),
]);

export const inboundEventSchema = lazily(() =>
  z.object({
    /** The same over all tries of the platform: an event that comes twice is handled once. */
    eventId: z.string().min(1).max(300),
    user: z.object({ id: z.string().min(1).max(150), name: z.string().optional() }),
    /** Nobody else is in the chat. */
    direct: z.boolean(),
    /** The bot is meant: a mention, a command, a reply to it, a direct chat. */
    addressed: z.boolean(),
    /** Written in a thread, which goes on with any message once the bot is in it. */
    inThread: z.boolean().optional(),
    /** Another is meant, whatever the channel listens to. */
    toOthers: z.boolean().optional(),
    target: targetSchema,
    action: actionSchema,
  }),
);
export type InboundEvent = z.infer<ReturnType<typeof inboundEventSchema>>;

/** The most of a message that is taken, in characters: what a session takes. */
export const longestInbound = 100_000;

/**
 * Whether an event may begin a conversation, goes on with the one that is there, or is none of ours.
 * @example hearingOf({ action, addressed: false, target }, { listenTo: "mentions" }) // "ignored"
 */
export function hearingOf(
  {
    action,
    addressed,
    inThread,
    toOthers,
    target,
  }: Pick<InboundEvent, "action" | "addressed" | "inThread" | "toOthers" | "target">,
  { listenTo, reviewers }: Pick<ConversationSettings, "reviewers"> & { readonly listenTo: "mentions" | "all" },
): "begins" | "continues" | "ignored" {
  if (action.kind !== "message" || reviewers?.conversation === target.chat) return "continues";
  if (addressed || (listenTo === "all" && toOthers !== true)) return "begins";
  return inThread === true ? "continues" : "ignored";
}

interface ConversationSettings {
  readonly sessionPer: "thread" | "chat" | "user";
  readonly reviewers?: { readonly conversation: string } | undefined;
}

/**
 * The conversation that an event belongs to: what is handled in order, and has one session at a time.
 * @example conversationOf({ target: { chat: "C1", thread: "17.4" }, ... }, { sessionPer: "thread" }) // "C1:17.4"
 */
export function conversationOf(
  { target, user }: Pick<InboundEvent, "target" | "user">,
  { sessionPer, reviewers }: ConversationSettings,
): string {
  if (reviewers?.conversation === target.chat) return target.chat;
  switch (sessionPer) {
    case "thread":
      return target.thread === undefined ? target.chat : `${target.chat}:${target.thread}`;
    case "chat":
      return target.chat;
    case "user":
      return `${target.chat}:user:${user.id}`;
  }
}

/** A speaker as sessions take it: one line of at most 100 characters. */
export function speakerOf({ id, name }: InboundEvent["user"]): string {
  const line = (name ?? "").replace(/\p{Cc}+/gu, " ").trim();
  return [...(line === "" ? id : line)].slice(0, 90).join("");
}

/** The end user's name in the tenant: the platform's id behind the kind of the channel. It may be longer than a subject. */
export function personOf(kind: string, userId: string): string {
  return `${kind}:${visibleAscii(userId)}`;
}

/** The caller's own id of a session, from which it is found again. It may be longer than an externalId. */
export function externalIdOf(channelId: string, conversation: string, generation: number): string {
  return `${channelId}:${visibleAscii(conversation)}${generation === 1 ? "" : `#${generation}`}`;
}

/** As ids are spelled here: what else there is stands in them by its code. */
function visibleAscii(text: string): string {
  return text.replace(/[^\x21-\x24\x26-\x7e]/gu, (character) => `%${(character.codePointAt(0) ?? 0).toString(16)}`);
}
