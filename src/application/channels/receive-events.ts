/** Receive what a chat platform sends: handed over durably, and acknowledged at once. */
import type { Acknowledgement, BoundChannel, FormRequest, PlatformRequest, Received } from "../../channels/adapter.js";
import type { OpenConnection } from "../../channels/connection.js";
import { conversationOf, hearingOf, type InboundEvent } from "../../channels/inbound.js";
import { problem } from "../../conversation/problem.js";
import type { ConversationIdentity } from "../../gateways/channel-gateway.js";
import { log } from "../../platform/logging.js";
import { type Actor, systemActor } from "../../tenancy/actor.js";
import { databaseOfAddress } from "../../tenancy/home.js";
import { act } from "../act.js";
import { findFrom } from "../home.js";
import type { Services } from "../services.js";
import { platformCall } from "./platform-call.js";

export interface PlatformDelivery {
  readonly kind: string;
  /** The part of the address that nobody can guess. */
  readonly connectionId: string;
  readonly request: PlatformRequest;
}

/** What was sent to a connection, and signed as its platform signs. */
export interface SignedDelivery {
  readonly open: OpenConnection;
  readonly received: Exclude<Received, { readonly kind: "unsigned" }>;
}

/** Whose connection is called, by its address and the platform's signature. Not an act: the act begins with the actor that this gives. */
export async function authenticatePlatform(
  { kind, connectionId, request }: PlatformDelivery,
  anywhere: Services,
): Promise<SignedDelivery & { readonly actor: Actor }> {
  const database = databaseOfAddress(connectionId);
  const known = await findFrom([database, connectionId], anywhere, ({ channels }) =>
    channels.byAddress(kind, connectionId),
  );
  if (known === undefined) throw problem("not_found", "There is no such connection.");
  const { found: open, services } = known;
  const { channels, channelOf, policy, now } = services;
  const { tenantId, channelId } = open;
  const received = await (await channelOf(open)).receive(request, now(), platformCall(policy, now));
  if (received.kind === "unsigned") {
    log("warn", "channel.unsigned", { tenantId, channelId, subject: kind });
    await channels.noteFailure(channelId, "a request was not signed as it should be, or was too old");
    throw problem("unauthorized", "The request isn't signed with the credentials of this connection, or is too old.");
  }
  return { actor: systemActor(tenantId, channelId), open, received };
}

/** Its events are stored in the objects of their conversations when this returns; nothing of them is done yet. */
export const receiveChannelEvents = act("receiveChannelEvents", {
  role: "system",
  run: async (_actor, { open, received }: SignedDelivery, services): Promise<Acknowledgement> => {
    // Before what it leads to: a question to staff names where the console is.
    await services.channels.noteEvent(open.channelId, services.origin);
    if (received.kind === "events") {
      for (const event of received.events) await handOver(open, event, services);
    }
    const { unreadable } = received;
    if (unreadable !== undefined) await services.channels.noteFailure(open.channelId, unreadable);
    if (received.kind === "answered" || received.form === undefined) return received.answer;
    return (await openForm(open, await services.channelOf(open), received.form, services)) ?? received.answer;
  },
});

async function handOver(open: OpenConnection, event: InboundEvent, { conversations }: Services): Promise<void> {
  const hearing = hearingOf(event, open.connection);
  if (hearing === "ignored") return;
  await conversations.accept(identityOf(open, event), [{ kind: "event", event }], hearing === "begins");
}

async function openForm(
  open: OpenConnection,
  channel: BoundChannel,
  request: FormRequest,
  { conversations, policy, now }: Services,
): Promise<Acknowledgement | undefined> {
  const text = await conversations.formText(identityOf(open, request.event), request.value);
  if (text === null) return undefined;
  return channel.openForm({ value: request.value, ...text }, request, platformCall(policy, now));
}

function identityOf({ tenantId, channelId, connection }: OpenConnection, event: InboundEvent): ConversationIdentity {
  return { tenantId, channelId, conversation: conversationOf(event, connection) };
}
