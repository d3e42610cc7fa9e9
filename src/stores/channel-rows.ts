/** How connections to chat platforms and their deliveries lie in D1, and how rows of them are read. Times are milliseconds since the epoch. */
import { z } from "zod";
import { type ChannelDelivery, type Connection, channelKinds } from "../channels/connection.js";
import { defined } from "../conversation/defined.js";
import { deliveryStatuses } from "../conversation/delivery.js";
import { lazily } from "../text/lazily.js";
import { integer, number, numberOrNull, text, textOrNull } from "./columns.js";

const row = lazily(() =>
  z.object({
    channel_id: text,
    tenant_id: text,
    name: text,
    kind: z.enum(channelKinds),
    connection_id: text,
    body: text,
    created_at: number,
    updated_at: number,
    last_event_at: numberOrNull,
    last_failure_at: numberOrNull,
    last_failure: textOrNull,
    parked: z.number().default(0),
    origin: textOrNull,
    removed_at: numberOrNull,
  }),
);

/** A connection as it lies there: its credentials sealed. */
export interface StoredChannel {
  readonly channelId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly connectionId: string;
  /** Credentials are sealed texts. */
  readonly connection: Connection;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastEventAt?: number | undefined;
  readonly lastFailure?: { readonly at: number; readonly detail: string } | undefined;
  readonly parked: number;
  /** Where the platform reached the deployment last, as `https://host`. */
  readonly origin?: string | undefined;
}

/** What a change of a connection is made on: its body as the text that it is. */
export const storedRow = lazily(() => row().pick({ channel_id: true, kind: true, body: true, removed_at: true }));
export const goingRow = lazily(() => row().pick({ tenant_id: true, channel_id: true }));
/** JSON; its credentials are sealed. */
export const sealedBody = lazily(() => z.looseObject({ credentials: z.record(z.string(), z.unknown()) }));

/** What was written by us: looked into again only once it is opened. */
const sealedConnectionSchema = lazily(() => z.custom<Connection>((body) => sealedBody().safeParse(body).success));
function sealedConnection(body: unknown): Connection {
  return sealedConnectionSchema().parse(body);
}

export const channelRow = lazily(() =>
  row().transform((stored): StoredChannel => {
    const body = sealedBody().parse(JSON.parse(stored.body));
    return {
      channelId: stored.channel_id,
      tenantId: stored.tenant_id,
      name: stored.name,
      connectionId: stored.connection_id,
      connection: sealedConnection(body),
      createdAt: stored.created_at,
      updatedAt: stored.updated_at,
      lastEventAt: stored.last_event_at ?? undefined,
      lastFailure:
        stored.last_failure === null || stored.last_failure_at === null
          ? undefined
          : { at: stored.last_failure_at, detail: stored.last_failure },
      parked: stored.parked,
      origin: stored.origin ?? undefined,
    };
  }),
);

export const deliveryRow = lazily(() =>
  z
    .object({
      delivery_id: text,
      conversation: text,
      status: z.enum(deliveryStatuses),
      attempts: integer,
      failure: textOrNull,
      created_at: number,
      updated_at: number,
    })
    .transform(
      ({ delivery_id, conversation, status, attempts, failure, created_at, updated_at }): ChannelDelivery => ({
        deliveryId: delivery_id,
        conversation,
        status,
        attempts,
        ...defined({ failure: failure ?? undefined }),
        createdAt: new Date(created_at).toISOString(),
        updatedAt: new Date(updated_at).toISOString(),
      }),
    ),
);

export const conversationRow = lazily(() =>
  z
    .object({ channel_id: z.string(), conversation: z.string() })
    .transform(({ channel_id, conversation }) => ({ channelId: channel_id, conversation })),
);
