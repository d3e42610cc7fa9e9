/** All channels. A new one is a file beside this one, a schema in `src/channels/connection.ts`, and a line here. */
import type { BoundChannel, ChannelAdapter } from "../../channels/adapter.js";
import type { ChannelKind, OpenConnection } from "../../channels/connection.js";
import { loaded } from "../../text/lazily.js";

/** Each platform's file is evaluated when it is first needed. */
export const adapters = {
  slack: loaded(async () => (await import("./slack.js")).slack),
  telegram: loaded(async () => (await import("./telegram.js")).telegram),
  discord: loaded(async () => (await import("./discord.js")).discord),
  whatsapp: loaded(async () => (await import("./whatsapp.js")).whatsapp),
  generic: loaded(async () => (await import("./generic.js")).generic),
};

/** The channel of a connection, with its connection. */
export async function channelOf(open: OpenConnection): Promise<BoundChannel> {
  const { connection } = open;
  switch (connection.kind) {
    case "slack":
      return bound(await adapters.slack(), { ...open, connection });
    case "telegram":
      return bound(await adapters.telegram(), { ...open, connection });
    case "discord":
      return bound(await adapters.discord(), { ...open, connection });
    case "whatsapp":
      return bound(await adapters.whatsapp(), { ...open, connection });
    case "generic":
      return bound(await adapters.generic(), { ...open, connection });
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
