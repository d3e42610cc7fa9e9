/** A message of the channel of our own, as an application sends it. */
import { z } from "zod";

const visible = z
  .string()
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, "visible ASCII characters, spaces only between them");

export const genericMessageSchema = z.strictObject({
  conversation: visible.max(100),
  /** The same over all tries of one message; unique within its conversation. */
  messageId: visible.max(150),
  user: z.strictObject({ id: visible.max(100), name: z.string().max(200).optional() }),
  text: z.string().min(1).max(100_000),
  /** Whether nobody else is in the conversation: its session is the user's own then. */
  direct: z.boolean().default(true),
  /** The question that this answers; without it, it is a message. */
  askId: z.string().max(200).optional(),
});
