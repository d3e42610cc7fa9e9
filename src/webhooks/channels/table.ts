/** All channels. A new one is a file beside this one, a schema in `src/channels/connection.ts`, and a line here. */
import type { BoundChannel, ChannelAdapter } from "../../channels/adapter.js";
import type { ChannelKind, OpenConnection } from "../../channels/connection.js";
import { discord } from "./discord.js";
import { generic } from "./generic.js";
import { slack } from "./slack.js";
import { telegram } from "./telegram.js";
import { whatsapp } from "./whatsapp.js";

/** The channel of a connection, with its connection. */
export function channelOf(open: OpenConnection): BoundChannel {
  const { connection } = open;
  switch (connection.kind) {
    case "slack":
      return bound(slack, { ...open, connection });
    case "telegram":
      return bound(telegram, { ...open, connection });
    case "discord":
      return bound(discord, { ...open, connection });
    case "whatsapp":
      return bound(whatsapp, { ...open, connection });
    case "generic":
      return bound(generic, { ...open, connection });
  }
}

function bound<Kind extends ChannelKind>(adapter: ChannelAdapter<Kind>, open: OpenConnection<Kind>): BoundChannel {
  const { kind, maxCharacters, edits, forms } = adapter;
  return {
    ...{ kind, maxCharacters, edits, forms },
    receive: (request, now) => adapter.receive(request, open, now),
    openForm: async (form, request, call) => adapter.openForm?.(form, request, open, call),
    send: (sending, call) => adapter.send(sending, open, call),
  };
}
