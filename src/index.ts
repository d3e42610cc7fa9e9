import { ChatSession } from "../durable-objects/chat-session/object.js";
import { composeServices } from "./composition.js";
import { createApp } from "./http/app.js";

export { ChatSession };

const app = createApp(composeServices);

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
} satisfies ExportedHandler<Env>;
