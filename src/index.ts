import { ChatSession } from "../durable-objects/chat-session/object.js";
import { RoutingRun } from "../durable-objects/routing-run/object.js";
import { composeServices } from "./composition.js";
import { createApp } from "./http/app.js";
import { forgetOldAnswers } from "./http/idempotency.js";

export { ChatSession, RoutingRun };

const app = createApp(composeServices);

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  scheduled: (controller, env) => forgetOldAnswers(env.DB, controller.scheduledTime),
} satisfies ExportedHandler<Env>;
