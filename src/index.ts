/** The Worker: what it answers, takes from queues and does by schedule, and the objects it exports. */
import { ChannelConversation } from "../durable-objects/channel-conversation/object.js";
import { ChatSession } from "../durable-objects/chat-session/object.js";
import { MemoryThread } from "../durable-objects/memory-thread/object.js";
import { Roundtable } from "../durable-objects/roundtable/object.js";
import { RoutingRun } from "../durable-objects/routing-run/object.js";
import { runMaintenance } from "./application/system/run-maintenance.js";
import { composeServices } from "./composition.js";
import { createApp } from "./http/app.js";
import { documentationPages } from "./http/documentation-pages.js";
import { mcpFace } from "./mcp/face.js";
import { openAiFace } from "./openai/face.js";
import { consumeDeadLetters } from "./queue/dead-letter-consumer.js";
import { consumeFlushes } from "./queue/flush-consumer.js";
import { consumeWebhooks } from "./queue/webhook-consumer.js";
import { deploymentActor } from "./tenancy/actor.js";
import { channelWebhooks } from "./webhooks/face.js";

export { ChannelConversation, ChatSession, MemoryThread, Roundtable, RoutingRun };

const app = createApp(composeServices, documentationPages, [mcpFace, openAiFace, channelWebhooks]);

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  queue: (batch, env) => {
    const services = composeServices(env);
    if (batch.queue.startsWith("conclave-webhooks")) return consumeWebhooks(batch.messages, services);
    return batch.queue.startsWith("conclave-flushes-dead")
      ? consumeDeadLetters(batch.messages, services)
      : consumeFlushes(batch.messages, services.memory.ports.threads);
  },
  scheduled: async (controller, env) => {
    await runMaintenance(deploymentActor, { at: controller.scheduledTime }, composeServices(env));
  },
} satisfies ExportedHandler<Env>;
