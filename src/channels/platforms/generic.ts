/**
 * A channel of our own, for whatever has none: JSON signed by Standard Webhooks, both ways. Comes in:
 * `{conversation, messageId, user: {id, name?}, text, direct?, askId?}`; goes out to `replyUrl`:
 * `{conversation, inReplyTo?, text, ask?: {askId, question, suggestions?, status}}`.
 */

import { defined } from "../../conversation/defined.js";
import { now as clock } from "../../platform/clock.js";
import { signWebhook, verifyWebhook } from "../../platform/webhook-signature.js";
import type { ChannelAdapter, Post, Received } from "../adapter.js";
import { genericMessageSchema } from "../generic-message.js";
import type { Target } from "../inbound.js";
import { readBody } from "./body.js";

type Credentials = Readonly<{ secret: string; replyUrl: string }>;

export const generic: ChannelAdapter<Credentials> = {
  maxCharacters: 100_000,
  edits: false,
  forms: false,
  // By its `webhook-id` the receiver knows what it has.
  repeatableMs: Number.POSITIVE_INFINITY,

  async receive({ headers, body }, credentials, now): Promise<Received> {
    if (!(await verifyWebhook(headers, body, [credentials.secret], now))) return { kind: "unsigned" };
    const message = readBody(genericMessageSchema, body);
    if (!message.ok) return { kind: "answered", answer: { status: 422, body: message.detail } };
    const { conversation, messageId, user, text, direct, askId } = message.value;
    const event = {
      // Each conversation numbers its messages itself.
      eventId: messageId,
      direct,
      addressed: true,
      user: { id: user.id, ...defined({ name: user.name }) },
      target: { chat: conversation, message: messageId },
      action: { kind: "message" as const, text, ...defined({ askId }) },
    };
    return { kind: "events", events: [event], answer: { status: 202 } };
  },

  async send({ post, target, key }, credentials, call) {
    // It shows by itself that it waits.
    if (post.kind === "working" || post.kind === "noted") return { kind: "delivered" };
    const { replyUrl, secret } = credentials;
    const body = JSON.stringify(replyOf(post, target));
    const headers = await signWebhook({ id: key, at: clock(), body }, [secret]);
    const answer = await call({ url: replyUrl, headers: { ...headers }, body });
    if (answer.status >= 200 && answer.status < 300) return { kind: "delivered" };
    const failure = answer.status === 0 ? answer.text : `replyUrl answered ${answer.status}`;
    const isFinal = [400, 401, 403, 404, 405, 410, 413, 422].includes(answer.status);
    return isFinal ? { kind: "refused", failure } : { kind: "failed", failure, afterMs: answer.retryAfterMs };
  },
};

function replyOf({ text, ask }: Post, { chat, message }: Target): object {
  return { conversation: chat, ...defined({ inReplyTo: message }), text, ...defined({ ask }) };
}
