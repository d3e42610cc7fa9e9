/** All channels. A new one is a file beside this one, a schema in `src/channels/connection.ts`, and a line here. */
import type { BoundChannel, ChannelAdapter } from "../../channels/adapter.js";
import type { ChannelKind, OpenConnection } from "../../channels/connection.js";

/** The channel of a connection, with its connection. Each platform's file is evaluated when it is first needed. */
export async function channelOf(open: OpenConnection): Promise<BoundChannel> {
  const { connection } = open;
  switch (connection.kind) {
    case "slack":
      return bound((await import("./slack.js")).slack, { ...open, connection });
    case "telegram":
      return bound((await import("./telegram.js")).telegram, { ...open, connection });
    case "discord":
      return bound((await import("./discord.js")).discord, { ...open, connection });
    case "whatsapp":
      return bound((await import("./whatsapp.js")).whatsapp, { ...open, connection });
    case "generic":
      return bound((await import("./generic.js")).generic, { ...open, connection });
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
