/** All faces of the Worker, in the order in which their paths are asked. Another one is a line here. */
import type { Face } from "./http/face.js";
import { loaded } from "./text/lazily.js";

export const faces: readonly Face[] = [
  {
    paths: /^\/mcp$/,
    callers: "tenant",
    takesGrants: true,
    load: loaded(async () => (await import("./mcp/face.js")).mcp),
  },
  {
    paths: /^\/(\.well-known\/oauth-|oauth\/)/,
    callers: "anybody",
    load: loaded(async () => (await import("./oauth/face.js")).oauth),
  },
  // OpenAI's clients know other paths too: they are told in OpenAI's words that there is no such thing here.
  {
    paths:
      /^\/v1\/(chat|completions|responses|models|embeddings|moderations|conversations|files|uploads|images|audio|videos|batches|fine_tuning|vector_stores|assistants|realtime|containers)(\/|$)/,
    callers: "tenant",
    load: loaded(async () => (await import("./openai/face.js")).openAi),
  },
  {
    paths: /^\/webhooks\//,
    callers: "signed",
    load: loaded(async () => (await import("./webhooks/face.js")).channelWebhooks),
  },
  { paths: /^\/v1\//, callers: "tenant", load: loaded(async () => (await import("./http/api.js")).api) },
  {
    paths: /^\/console(\/|$)/,
    callers: "anybody",
    load: loaded(async () => (await import("./console/face.js")).consoleFace),
  },
  {
    paths: /^\/(docs|openapi\.json|schemas)(\/|$)/,
    callers: "anybody",
    load: loaded(async () => (await import("./http/openapi.js")).documentationFace),
  },
  { paths: /^/, callers: "anybody", load: loaded(async () => (await import("./http/routes/health.js")).system) },
];
