/** The Hono app: what holds for every request, and the routes. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { requestId } from "hono/request-id";
import type { Services } from "../application/services.js";
import { newId } from "../platform/ids.js";
import { describeError, log } from "../platform/logging.js";
import { answerHeaders } from "./answer-headers.js";
import { adminAuth, tenantAuth } from "./auth.js";
import { readBody } from "./body.js";
import type { AppEnv } from "./context.js";
import { idempotency } from "./idempotency.js";
import { addDocumentation } from "./openapi.js";
import { ProblemError, problemResponse } from "./problems.js";
import { admin } from "./routes/admin.js";
import { asks } from "./routes/asks.js";
import { audit } from "./routes/audit.js";
import { events } from "./routes/events.js";
import { health } from "./routes/health.js";
import { keys } from "./routes/keys.js";
import { memoryContexts } from "./routes/memory-contexts.js";
import { memoryEntries } from "./routes/memory-entries.js";
import { memoryThreads } from "./routes/memory-threads.js";
import { memoryVaults } from "./routes/memory-vaults.js";
import { messages } from "./routes/messages.js";
import { outgoing } from "./routes/outgoing.js";
import { resources } from "./routes/resources.js";
import { runs } from "./routes/runs.js";
import { sessionContext } from "./routes/session-context.js";
import { sessions } from "./routes/sessions.js";
import { tenant } from "./routes/tenant.js";
import { tokens } from "./routes/tokens.js";
import { turns } from "./routes/turns.js";
import { uiChat } from "./routes/ui-chat.js";
import { usage } from "./routes/usage.js";
import { webhooks } from "./routes/webhooks.js";
import { newRouter } from "./routing.js";

/** Routes of another face: they find the services in their context, and let callers in themselves. */
export type FaceRoutes = Hono<{ Bindings: Env; Variables: { services: Services } }>;

/**
 * @param pages the documentation that `/docs` serves: Markdown by the name of the page
 * @param faces other faces beside HTTP's own routes
 */
export function createApp(
  compose: (env: Env) => Services,
  pages: Readonly<Record<string, string>> = {},
  faces: readonly FaceRoutes[] = [],
): OpenAPIHono<AppEnv> {
  const app = newRouter();
  app.use(requestId({ generator: () => newId("req"), limitLength: 100 }));
  app.use(async (c, next) => {
    c.set("services", compose(c.env));
    await next();
  });
  app.use(answerHeaders);
  app.onError((error, c) => {
    const id = c.get("requestId");
    const { url } = c.req;
    if (error instanceof ProblemError) return problemResponse(error.problem, id, url);
    // What was sent has been read as JSON by now: hono refuses only that there is nothing.
    if (error instanceof HTTPException && error.status === 400) {
      return problemResponse(
        { code: "bad_request", detail: "This route takes a JSON body, and it is empty." },
        id,
        url,
      );
    }
    const tenantId = c.get("actor")?.tenantId;
    log("error", "request.failed", { tenantId, requestId: id, path: c.req.path, ...describeError(error) });
    return problemResponse(
      {
        code: "internal",
        detail: "Something went wrong here, and has been logged. If it stays so, report the request id.",
      },
      id,
      url,
    );
  });
  app.notFound((c) =>
    problemResponse(
      {
        code: "not_found",
        detail: "There is no such route, or not with this method; /docs shows all there are, GET /openapi.json too.",
      },
      c.get("requestId"),
      c.req.url,
    ),
  );

  app.use("/v1/*", readBody);
  app.use("/v1/admin/*", adminAuth);
  app.use("/v1/*", async (c, next) => (c.req.path.startsWith("/v1/admin/") ? next() : tenantAuth(c, next)));
  app.use("/v1/*", idempotency);

  const memories = [memoryVaults, memoryThreads, memoryEntries, memoryContexts];
  for (const routes of [
    health,
    admin,
    tenant,
    keys,
    tokens,
    usage,
    resources,
    outgoing,
    sessions,
    sessionContext,
    turns,
    messages,
    events,
    runs,
    asks,
    audit,
    webhooks,
    uiChat,
    ...memories,
  ])
    app.route("/", routes);
  for (const face of faces) app.route("/", face);
  addDocumentation(app, pages);
  return app;
}
