/** Receive what a chat platform sends: handed over durably, and acknowledged at once. */
import type { Acknowledgement, BoundChannel, FormRequest, PlatformRequest, Received } from "../../channels/adapter.js";
import type { Connection, OpenConnection } from "../../channels/connection.js";
import { conversationOf, type InboundEvent } from "../../channels/inbound.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { ConversationIdentity } from "../../gateways/channel-gateway.js";
import { log } from "../../platform/logging.js";
import { type Actor, systemActor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
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
  { channels, channelOf, now }: Services,
): Promise<Result<SignedDelivery & { readonly actor: Actor }>> {
  const open = await channels.byAddress(kind, connectionId);
  if (open === undefined) return refuse("not_found", "There is no such connection.");
  const { tenantId, channelId } = open;
  const received = await (await channelOf(open)).receive(request, now());
  if (received.kind === "unsigned") {
    log("warn", "channel.unsigned", { tenantId, channelId, subject: kind });
    await channels.noteFailure(channelId, "a request was not signed as it should be, or was too old");
    return refuse("unauthorized", "The request isn't signed with the credentials of this connection, or is too old.");
  }
  return ok({ actor: systemActor(tenantId, channelId), open, received });
}

/** Its events are stored in the objects of their conversations when this returns; nothing of them is done yet. */
export async function receiveChannelEvents(
  actor: Actor,
  { open, received }: SignedDelivery,
  services: Services,
): Promise<Result<Acknowledgement>> {
  const allowed = authorize(actor, "receiveChannelEvents");
  if (!allowed.ok) return allowed;
  if (received.kind === "events") {
    for (const event of received.events) await handOver(open, event, services);
  }
  await services.channels.noteEvent(open.channelId);
  if (received.kind === "answered" || received.form === undefined) return ok(received.answer);
  const form = await openForm(open, await services.channelOf(open), received.form, services);
  return ok(form ?? received.answer);
}

async function handOver(open: OpenConnection, event: InboundEvent, { conversations }: Services): Promise<void> {
  await conversations.accept(identityOf(open, event), [{ kind: "event", event }], mayBegin(event, open.connection));
}

/** A thread that the bot is in goes on with any message. */
function mayBegin({ action, addressed, target }: InboundEvent, { listenTo, reviewers }: Connection): boolean {
  if (action.kind !== "message" || reviewers?.conversation === target.chat) return false;
  return addressed || listenTo === "all";
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
