/** What the object of a conversation in a chat needs of the platform. */
import type { BoundChannel, PlatformCall } from "../../channels/adapter.js";
import type { OpenConnection } from "../../channels/connection.js";
import type { Delivery } from "../../stores/deliveries.js";
import type { Services } from "../services.js";

export interface ChannelPlatform {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly services: Services;
  readonly channelOf: (open: OpenConnection) => Promise<BoundChannel>;
  readonly call: PlatformCall;
  /** Brings an outbox's messages to D1; all or throws. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
}
