/** What Telegram sends: updates of the Bot API, as far as they are read. https://core.telegram.org/bots/api#update */
import { z } from "zod";
import type { InboundEvent } from "../inbound.js";

export const user = z.object({
  id: z.number(),
  is_bot: z.boolean().optional(),
  first_name: z.string().default(""),
  last_name: z.string().optional(),
});
const entity = z.object({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  user: z.object({ id: z.number() }).optional(),
});
export type Entity = z.infer<typeof entity>;
const entities = z.array(entity).default([]);
export const message = z.looseObject({
  message_id: z.number(),
  message_thread_id: z.number().optional(),
  is_topic_message: z.boolean().optional(),
  from: user.optional(),
  chat: z.object({ id: z.number(), type: z.string() }),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities,
  caption_entities: entities,
  media_group_id: z.string().optional(),
  reply_to_message: z
    .object({ message_id: z.number(), from: z.object({ id: z.number(), is_bot: z.boolean().optional() }).optional() })
    .optional(),
});
/** What a message without a text may bring; anything else that has none says that somebody came, that a title changed, and so on. */
export const mediaFields = [
  "animation",
  "audio",
  "checklist",
  "contact",
  "dice",
  "document",
  "game",
  "location",
  "paid_media",
  "photo",
  "poll",
  "sticker",
  "story",
  "venue",
  "video",
  "video_note",
  "voice",
] as const;
const reactions = z.array(z.object({ type: z.string(), emoji: z.string().max(64).optional() }));
export const update = z.object({
  update_id: z.number(),
  message: message.optional(),
  /** Comes where `allowed_updates` of the webhook name it. */
  message_reaction: z
    .object({
      chat: z.object({ id: z.number(), type: z.string() }),
      message_id: z.number(),
      user: user.optional(),
      new_reaction: reactions,
    })
    .optional(),
  callback_query: z
    .object({ id: z.string(), from: user, message: message.optional(), data: z.string().optional() })
    .optional(),
});

export function targetOf({
  chat,
  message_id,
  message_thread_id,
  is_topic_message,
}: z.infer<typeof message>): InboundEvent["target"] {
  return {
    chat: String(chat.id),
    message: String(message_id),
    ...(is_topic_message === true && message_thread_id !== undefined ? { thread: String(message_thread_id) } : {}),
  };
}

export function personOf({ id, first_name, last_name = "" }: z.infer<typeof user>): InboundEvent["user"] {
  const name = `${first_name} ${last_name}`.trim();
  return { id: String(id), ...(name === "" ? {} : { name }) };
}
