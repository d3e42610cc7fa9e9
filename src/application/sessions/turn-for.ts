/** Turns and messages as an actor sees them: why a turn failed is for operators, asks show what their answerers may see. */
import { z } from "zod";
import type { MessageVersion } from "../../chat/message-version.js";
import type { Turn } from "../../chat/session.js";
import { messageShownTo, replyShownTo } from "../../chat/shown-reply.js";
import type { ChatMessage } from "../../conversation/message.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { lazily } from "../../text/lazily.js";
import { permission } from "../act.js";
import { questionReader, withAsksFor } from "../asks/ask-view.js";
import { sessionInput } from "./own-session.js";

export const turnInput = lazily(() => ({ ...sessionInput(), turnId: z.string().max(100) }));

/** What messages said before their supervision, and before each change. */
export const readOriginals = permission("readOriginals", { role: "operator", reviewers: true });

export function turnFor(actor: Actor, turn: Turn): Turn {
  const { failure, reply, ...rest } = withAsksFor(actor, turn);
  const shown = reply === undefined ? rest : { ...rest, reply: replyShownTo(questionReader(actor), reply) };
  return failure === undefined || !authorize(actor, readOriginals).ok ? shown : { ...shown, failure };
}

export function messageFor(actor: Actor, message: ChatMessage): ChatMessage {
  return messageShownTo(questionReader(actor), message);
}

/** As somebody sees the newest version, who may have made it: what is different from the one before is for those who may read that one. */
export function versionFor(actor: Actor, version: MessageVersion): MessageVersion {
  if (authorize(actor, readOriginals).ok) return version;
  const { message, diff: _, ...kept } = version;
  return message === undefined ? kept : { ...kept, message: messageFor(actor, message) };
}
