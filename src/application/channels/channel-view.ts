/** A connection as operators read it: its secrets hidden, with its address and its health. */
import { type Channel, channelSchema, mapCredentials } from "../../channels/connection.js";
import { defined } from "../../conversation/defined.js";
import { problem } from "../../conversation/problem.js";
import { shownSecret } from "../../conversation/secret-text.js";
import type { StoredChannel } from "../../stores/channel-rows.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";

export const channelTag = "Channels";

/** Where a platform sends its events, as a path of this deployment. */
function addressOf({ connection, connectionId }: Pick<StoredChannel, "connection" | "connectionId">): string {
  return `/webhooks/${connection.kind}/${connectionId}`;
}

export async function channelView(stored: StoredChannel): Promise<Channel> {
  const { name, channelId, connection, createdAt, updatedAt, lastEventAt, lastFailure, parked } = stored;
  return channelSchema().parse({
    ...(await mapCredentials(connection, shownSecret)),
    name,
    channelId,
    address: addressOf(stored),
    health: {
      ...(lastEventAt === undefined ? {} : { lastEventAt: isoTime(lastEventAt) }),
      ...defined({ lastFailure: lastFailure && { at: isoTime(lastFailure.at), detail: lastFailure.detail } }),
      parked,
    },
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  });
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export async function findChannel(
  { tenantId }: Actor,
  name: string,
  { channels }: Pick<Services, "channels">,
): Promise<StoredChannel> {
  const stored = await channels.find(tenantId, name);
  if (stored !== undefined) return stored;
  throw problem("not_found", `There is no channel "${name}". GET /v1/channels lists those there are.`);
}
