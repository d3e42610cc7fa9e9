/** The Worker: its entry points, and the objects that the platform makes of its classes. */
import { ChatSession } from "../durable-objects/chat-session/object.js";
import { MemoryThread } from "../durable-objects/memory-thread/object.js";
import { RoutingRun } from "../durable-objects/routing-run/object.js";
import { maintainMemories } from "./application/memory/maintenance.js";
import { composeServices } from "./composition.js";
import { createApp } from "./http/app.js";
import { consumeDeadLetters } from "./queue/dead-letter-consumer.js";
import { consumeFlushes } from "./queue/flush-consumer.js";

export { ChatSession, MemoryThread, RoutingRun };

const app = createApp(composeServices);

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  queue: (batch, env) => {
    const { threads, deadLetters } = composeServices(env).memory.ports;
    return batch.queue.startsWith("conclave-flushes-dead")
      ? consumeDeadLetters(batch.messages, deadLetters, threads)
      : consumeFlushes(batch.messages, threads);
  },
  scheduled: async (controller, env) => {
    const { answers, memory } = composeServices(env);
    await answers.purgeExpired(controller.scheduledTime);
    await maintainMemories(memory, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;
