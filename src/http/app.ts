/** The Hono app: what holds for every request, and the routes. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { requestId } from "hono/request-id";
import type { Services } from "../application/services.js";
import { newId } from "../platform/ids.js";
import { describeError, log } from "../platform/logging.js";
import { allowedMethods } from "./allowed-methods.js";
import { answerHeaders, bookmarkHeader } from "./answer-headers.js";
import { adminAuth, tenantAuth } from "./auth.js";
import { readBody } from "./body.js";
import type { AppEnv } from "./context.js";
import type { Face } from "./face.js";
import { idempotency } from "./idempotency.js";
import { addDocumentation } from "./openapi.js";
import { ProblemError, problemResponse } from "./problems.js";
import { admin } from "./routes/admin.js";
import { asks } from "./routes/asks.js";
import { audit } from "./routes/audit.js";
import { channels } from "./routes/channels.js";
import { deliveries } from "./routes/deliveries.js";
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
import { roundtableRecords } from "./routes/roundtable-records.js";
import { roundtables } from "./routes/roundtables.js";
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

/**
 * @param pages the documentation that `/docs` serves: Markdown by the name of the page
 * @param faces other faces beside HTTP's own routes
 */
export function createApp(
  compose: (env: Env, from: { readonly cf?: unknown; readonly bookmark?: string | undefined }) => Services,
  pages: Readonly<Record<string, string>> = {},
  faces: readonly Face[] = [],
): OpenAPIHono<AppEnv> {
  const app = newRouter();
  app.use(requestId({ generator: () => newId("req"), limitLength: 100 }));
  const faceAt = (path: string): Face | undefined => faces.find(({ paths }) => paths.test(path));
  const isApi = (path: string): boolean => path.startsWith("/v1/") || faceAt(path)?.callers === "tenant";
  app.use(async (c, next) => {
    c.set("refuse", (problem) => {
      const about = { request: c.req.raw, requestId: c.get("requestId") };
      return (faceAt(c.req.path)?.renderProblem ?? problemResponse)(problem, about);
    });
    c.set("services", compose(c.env, { cf: c.req.raw.cf, bookmark: c.req.header(bookmarkHeader) }));
    await next();
  });
  app.use(answerHeaders(isApi));
  app.onError((error, c) => {
    const refuse = c.get("refuse");
    if (error instanceof ProblemError) return refuse(error.problem);
    // What was sent has been read as JSON by now: hono refuses only that there is nothing.
    if (error instanceof HTTPException && error.status === 400) {
      return refuse({ code: "bad_request", detail: "This route takes a JSON body, and it is empty." });
    }
    const tenantId = c.get("actor")?.tenantId;
    const requestId = c.get("requestId");
    log("error", "request.failed", { tenantId, requestId, path: c.req.path, ...describeError(error) });
    return refuse({
      code: "internal",
      detail: "Something went wrong here, and has been logged. If it stays so, report the request id.",
    });
  });
  app.notFound((c) => {
    const { method, path } = c.req;
    const allowed = allowedMethods(app, path);
    if (allowed.length === 0 || allowed.includes(method)) {
      const detail = "There is no such route; /docs shows all there are, GET /openapi.json too.";
      return c.get("refuse")({ code: "not_found", detail });
    }
    const allow = allowed.join(", ");
    const detail = `This address doesn't take ${method}. It takes ${allow}; /docs shows all there is, GET /openapi.json too.`;
    const response = c.get("refuse")({ code: "method_not_allowed", detail });
    response.headers.set("allow", allow);
    return response;
  });

  app.use("/v1/*", readBody);
  app.use("/v1/admin/*", adminAuth);
  app.use(async (c, next) =>
    isApi(c.req.path) && !c.req.path.startsWith("/v1/admin/") ? tenantAuth(c, next) : next(),
  );
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
    roundtables,
    roundtableRecords,
    asks,
    deliveries,
    audit,
    webhooks,
    channels,
    uiChat,
    ...memories,
  ])
    app.route("/", routes);
  for (const { routes } of faces) app.route("/", routes);
  addDocumentation(app, pages);
  return app;
}
