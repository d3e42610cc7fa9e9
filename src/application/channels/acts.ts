/** The acts on connections to chat platforms, in the order in which the document lists them. */
import { deleteChannel, retryChannelDelivery, rotateChannelAddress } from "./change-channels.js";
import { putChannel } from "./put-channel.js";
import { listChannelDeliveries, listChannels, readChannel } from "./read-channels.js";
import { receiveChannelEvents } from "./receive-events.js";

export const channelActs = [
  putChannel,
  listChannels,
  readChannel,
  deleteChannel,
  rotateChannelAddress,
  listChannelDeliveries,
  retryChannelDelivery,
  receiveChannelEvents,
];
