/** Turns and messages as an actor sees them: why a turn failed is for operators, asks show what their answerers may see. */
import type { MessageVersion } from "../../chat/message-version.js";
import type { Turn } from "../../chat/session.js";
import { messageShownTo, replyShownTo } from "../../chat/shown-reply.js";
import type { ChatMessage } from "../../conversation/message.js";
import type { Actor } from "../../tenancy/actor.js";
import { hasRole } from "../../tenancy/authority.js";
import { questionReader, withAsksFor } from "../asks/ask-view.js";

export function turnFor(actor: Actor, turn: Turn): Turn {
  const { failure, reply, ...rest } = withAsksFor(actor, turn);
  const shown = reply === undefined ? rest : { ...rest, reply: replyShownTo(questionReader(actor), reply) };
  return failure === undefined || !hasRole(actor, "operator") ? shown : { ...shown, failure };
}

export function messageFor(actor: Actor, message: ChatMessage): ChatMessage {
  return messageShownTo(questionReader(actor), message);
}

/** Where something of its message is hidden, so is what is different from the version before. */
export function versionFor(actor: Actor, version: MessageVersion): MessageVersion {
  const { message, diff: _, ...kept } = version;
  if (message === undefined) return version;
  const shown = messageFor(actor, message);
  return shown === message ? version : { ...kept, message: shown };
}
