/** Read connections to chat platforms and their health, and the messages that could not be delivered there. */
import type { Channel, ChannelDelivery } from "../../channels/connection.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { channelView, noChannel } from "./channel-view.js";

export async function readChannel(actor: Actor, name: string, services: Services): Promise<Result<Channel>> {
  const allowed = authorize(actor, "readChannel");
  if (!allowed.ok) return allowed;
  const stored = await services.channels.find(actor.tenantId, name);
  return stored === undefined ? noChannel(name) : ok(await channelView(stored));
}

/** By name. */
export async function listChannels(
  actor: Actor,
  page: PageRequest,
  services: Services,
): Promise<Result<Page<Channel>>> {
  const allowed = authorize(actor, "listChannels");
  if (!allowed.ok) return allowed;
  const read = async (after = "", limit: number) => {
    const stored = await services.channels.list(actor.tenantId, after, limit);
    return Promise.all(stored.map(channelView));
  };
  return readPage(page, read, ({ name }) => name);
}

/** Newest first. */
export async function listChannelDeliveries(
  actor: Actor,
  { name, status, ...page }: PageRequest & { readonly name: string; readonly status?: string | undefined },
  services: Services,
): Promise<Result<Page<ChannelDelivery>>> {
  const allowed = authorize(actor, "listChannelDeliveries");
  if (!allowed.ok) return allowed;
  const stored = await services.channels.find(actor.tenantId, name);
  if (stored === undefined) return noChannel(name);
  const read = (before: string | undefined, limit: number) =>
    services.channels.deliveries(actor.tenantId, stored.channelId, status, before, limit);
  return readPage(page, read, ({ deliveryId }) => deliveryId);
}
