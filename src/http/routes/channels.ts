/** Connections to chat platforms, for operators; and where the platforms send their events, as the document shows it. */
import { z } from "zod";
import { channelActs } from "../../application/channels/acts.js";
import { channelTag } from "../../application/channels/channel-view.js";
import { channelKinds } from "../../channels/connection.js";
import { genericMessageSchema } from "../../channels/generic-message.js";
import { routesOf } from "../act-routes.js";
import { jsonBody, named, route } from "../routing.js";

export const channels = routesOf(channelActs, {
  receiveChannelEvents: ({ openAPIRegistry }) => {
    // Not served here: src/webhooks reads what each platform sends. The document shows the one body that is our own.
    const { middleware: _, ...platformEvents } = route({
      "x-act": "receiveChannelEvents",
      method: "post",
      path: "/webhooks/{kind}/{connectionId}",
      operationId: "receivePlatformEvents",
      tags: [channelTag],
      summary: "Where a chat platform sends its events: the address of a channel",
      security: [],
      request: {
        params: z.object({ kind: z.enum(channelKinds), connectionId: z.string().max(100) }),
        body: jsonBody(named("GenericMessage", genericMessageSchema)),
      },
      responses: {
        200: { description: "Stored; some platforms are answered in their own way" },
        202: { description: "Stored" },
      },
    });
    openAPIRegistry.registerPath(platformEvents);
  },
});
