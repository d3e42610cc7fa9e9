/** The Hono app: what holds for every request, and the routes. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { requestId } from "hono/request-id";
import type { Services } from "../application/services.js";
import { newId } from "../platform/ids.js";
import { describeError, log } from "../platform/logging.js";
import { adminAuth, tenantAuth } from "./auth.js";
import { readBody } from "./body.js";
import type { AppEnv } from "./context.js";
import { idempotency } from "./idempotency.js";
import { openApiDocument } from "./openapi.js";
import { ProblemError, problemResponse } from "./problems.js";
import { admin } from "./routes/admin.js";
import { asks } from "./routes/asks.js";
import { events } from "./routes/events.js";
import { health } from "./routes/health.js";
import { memoryContexts } from "./routes/memory-contexts.js";
import { memoryEntries } from "./routes/memory-entries.js";
import { memoryThreads } from "./routes/memory-threads.js";
import { memoryVaults } from "./routes/memory-vaults.js";
import { messages } from "./routes/messages.js";
import { resources } from "./routes/resources.js";
import { runs } from "./routes/runs.js";
import { sessionContext } from "./routes/session-context.js";
import { sessions } from "./routes/sessions.js";
import { turns } from "./routes/turns.js";
import { newRouter } from "./routing.js";

export function createApp(compose: (env: Env) => Services): OpenAPIHono<AppEnv> {
  const app = newRouter();
  app.use(requestId({ generator: () => newId("req"), limitLength: 100 }));
  app.use(async (c, next) => {
    c.set("services", compose(c.env));
    await next();
  });
  app.onError((error, c) => {
    const id = c.get("requestId");
    if (error instanceof ProblemError) return problemResponse(error.problem, id);
    // What was sent has been read as JSON by now: hono refuses only that there is nothing.
    if (error instanceof HTTPException && error.status === 400) {
      return problemResponse({ code: "bad_request", detail: "This route takes a JSON body, and it is empty." }, id);
    }
    const tenantId = c.get("actor")?.tenantId;
    log("error", "request.failed", { tenantId, requestId: id, path: c.req.path, ...describeError(error) });
    return problemResponse(
      {
        code: "internal",
        detail: "Something went wrong here, and has been logged. If it stays so, report the request id.",
      },
      id,
    );
  });
  app.notFound((c) =>
    problemResponse(
      {
        code: "not_found",
        detail: "There is no such route, or not with this method; /docs shows all there are, GET /openapi.json too.",
      },
      c.get("requestId"),
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
    resources,
    sessions,
    sessionContext,
    turns,
    messages,
    events,
    runs,
    asks,
    ...memories,
  ])
    app.route("/", routes);
  openApiDocument(app);
  return app;
}
