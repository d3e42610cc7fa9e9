/** Calls of conversations of chat channels. Their names carry the tenant and the connection. */
import { z } from "zod";
import { inboundEventSchema } from "../channels/inbound.js";
import type { CommandKey } from "../conversation/command-key.js";
import { lazily } from "../text/lazily.js";
import type { ObjectPath, PlacedObjects } from "./placement.js";
import { toWire, type Wire } from "./wire.js";

export const conversationIdentitySchema = z.object({
  tenantId: z.string(),
  channelId: z.string(),
  /** As `conversationOf` makes it of an event. */
  conversation: z.string(),
});
export type ConversationIdentity = z.infer<typeof conversationIdentitySchema>;

/** Something a conversation has to deal with; each is known by its id and dealt with once. */
export const conversationSignalSchema = lazily(() =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("event"), event: inboundEventSchema() }),
    /** A turn of its session has ended. */
    z.object({ kind: z.literal("turn"), turnId: z.string() }),
    /** An ask of its session was opened or closed; `relayed`: it was sent on to the reviewers' conversation, which this is. */
    z.object({ kind: z.literal("ask"), askId: z.string(), status: z.string(), relayed: z.boolean().default(false) }),
    /** A user of another conversation wants a person. */
    z.object({ kind: z.literal("handover"), conversation: z.string(), text: z.string(), at: z.number() }),
    /** Somebody of staff gives a conversation back to the bot, which this is. */
    z.object({ kind: z.literal("resume"), at: z.number() }),
  ]),
);
export type ConversationSignal = z.infer<ReturnType<typeof conversationSignalSchema>>;

/** Under which a signal that comes again is known. */
export function signalId(signal: ConversationSignal): string {
  switch (signal.kind) {
    case "event":
      return `event:${signal.event.eventId}`;
    case "turn":
      return `turn:${signal.turnId}`;
    case "ask":
      return `ask:${signal.askId}:${signal.status}`;
    case "handover":
      return `handover:${signal.conversation}:${signal.at}`;
    case "resume":
      return `resume:${signal.at}`;
  }
}

const formSchema = z.object({ title: z.string(), text: z.string() }).nullable();
/** What a form of a button shows; nothing when there is no such question, or it is closed. */
export type FormText = z.infer<typeof formSchema>;

export interface ConversationObject {
  /** Stored when this returns. @param mayBegin whether this may be its first */
  accept(
    identity: ConversationIdentity,
    signals: Wire<readonly ConversationSignal[]>,
    mayBegin: boolean,
  ): Promise<void>;
  formText(value: string): Promise<Wire<FormText>>;
  /** @returns whether it was parked, and goes out again */
  retry(deliveryId: string, command?: CommandKey): Promise<boolean>;
  remove(): Promise<boolean>;
}

/** Every command can be repeated: what comes twice is known by its id. */
export class ChannelGateway {
  constructor(private readonly objects: PlacedObjects<ConversationObject>) {}

  accept(identity: ConversationIdentity, signals: readonly ConversationSignal[], mayBegin: boolean): Promise<void> {
    return this.objects.call(pathOf(identity), (object) => object.accept(identity, toWire(signals), mayBegin));
  }

  formText(identity: ConversationIdentity, value: string): Promise<FormText> {
    return this.objects.read(pathOf(identity), formSchema, (object) => object.formText(value));
  }

  retry(identity: ConversationIdentity, deliveryId: string, command?: CommandKey): Promise<boolean> {
    return this.objects.call(pathOf(identity), (object) => object.retry(deliveryId, command));
  }

  remove(identity: ConversationIdentity): Promise<boolean> {
    return this.objects.call(pathOf(identity), (object) => object.remove());
  }
}

function pathOf({ tenantId, channelId, conversation }: ConversationIdentity): ObjectPath {
  return [tenantId, channelId, conversation];
}
