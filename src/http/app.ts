/** The Hono app: what holds for every request, and the routes. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { requestId } from "hono/request-id";
import type { Services } from "../application/services.js";
import type { Problem } from "../conversation/problem.js";
import { newId } from "../platform/ids.js";
import { describeError, log } from "../platform/logging.js";
import { answerHeaders, bookmarkHeader } from "./answer-headers.js";
import { adminAuth, tenantAuth } from "./auth.js";
import { readBody } from "./body.js";
import type { AppEnv } from "./context.js";
import { idempotency } from "./idempotency.js";
import { addDocumentation } from "./openapi.js";
import { ProblemError, problemResponse as problemJson } from "./problems.js";
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

/** Routes of another face: they find the services in their context, and let callers in themselves. */
export type FaceRoutes = Hono<{ Bindings: Env; Variables: { services: Services } }>;

/** Routes of another face below `/v1`: who calls was let in before, and the body read. */
export type TenantRoutes = Hono<{
  Bindings: Env;
  Variables: Pick<AppEnv["Variables"], "services" | "requestId" | "actor" | "bodyText">;
}>;

/** Another face below `/v1`. The app's own refusals, such as a missing key, look there as its clients expect them. */
export interface TenantFace {
  readonly routes: TenantRoutes;
  readonly paths: RegExp;
  readonly renderProblem: (problem: Problem, requestId: string) => Response;
}

/**
 * @param pages the documentation that `/docs` serves: Markdown by the name of the page
 * @param faces other faces beside HTTP's own routes
 * @param tenantFaces faces below `/v1`, with refusals of their own shape
 */
export function createApp(
  compose: (env: Env, from: { readonly cf?: unknown; readonly bookmark?: string | undefined }) => Services,
  pages: Readonly<Record<string, string>> = {},
  faces: readonly FaceRoutes[] = [],
  tenantFaces: readonly TenantFace[] = [],
): OpenAPIHono<AppEnv> {
  const app = newRouter();
  app.use(requestId({ generator: () => newId("req"), limitLength: 100 }));
  app.use(async (c, next) => {
    c.set("services", compose(c.env, { cf: c.req.raw.cf, bookmark: c.req.header(bookmarkHeader) }));
    await next();
  });
  app.use(answerHeaders);
  const problemResponse = (problem: Problem, id: string, url: string): Response => {
    const face = tenantFaces.find(({ paths }) => paths.test(new URL(url).pathname));
    return face === undefined ? problemJson(problem, id, url) : face.renderProblem(problem, id);
  };
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
  for (const face of faces) app.route("/", face);
  for (const { routes } of tenantFaces) app.route("/", routes);
  addDocumentation(app, pages);
  return app;
}
