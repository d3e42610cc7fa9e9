/** The Hono app of a face: what holds for every request, and its routes. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { requestId } from "hono/request-id";
import type { Services } from "../application/services.js";
import { movingMark, tenantIsMoving } from "../conversation/moving.js";
import { ProblemError } from "../conversation/problem.js";
import { newId } from "../platform/ids.js";
import { describeError, log } from "../platform/logging.js";
import { allowedMethods } from "./allowed-methods.js";
import { answerHeaders, bookmarkHeader } from "./answer-headers.js";
import { adminAuth, door, tenantAuth } from "./auth.js";
import { readBody } from "./body.js";
import type { AppEnv } from "./context.js";
import type { Face, LoadedFace } from "./face.js";
import { idempotency } from "./idempotency.js";
import { problemResponse } from "./problems.js";
import { newRouter } from "./routing.js";

export type Compose = (
  env: Env,
  from: { readonly cf?: unknown; readonly bookmark?: string | undefined; readonly origin?: string },
) => Services;

/**
 * The Worker's `fetch`: each face has an app of its own, made when somebody first comes to one of its paths.
 *
 * @param faces the first whose paths fit answers; the last takes what is left
 */
export function openOnDemand(compose: Compose, faces: readonly Face[]) {
  const opened = new Map<Face, OpenAPIHono<AppEnv>>();
  return async (request: Request, env: Env, ctx: ExecutionContext): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const face = faces.find(({ paths }) => paths.test(pathname));
    if (face === undefined) throw new TypeError("The last face takes every path.");
    // No promise is kept: one that belongs to a request that is gone might never come.
    const app = opened.get(face) ?? createApp(compose, face, await face.load());
    opened.set(face, app);
    return app.fetch(request, env, ctx);
  };
}

/** The app of one face. */
export function createApp(
  compose: Compose,
  { callers, takesGrants = false }: Pick<Face, "callers" | "takesGrants">,
  { routes, renderProblem = problemResponse }: LoadedFace,
): OpenAPIHono<AppEnv> {
  const app = newRouter();
  app.use(requestId({ generator: () => newId("req"), limitLength: 100 }));
  const isApi = callers === "tenant";
  app.use(async (c, next) => {
    c.set("refuse", (problem) => renderProblem(problem, { request: c.req.raw, requestId: c.get("requestId") }));
    const { origin } = new URL(c.req.url);
    c.set("services", compose(c.env, { cf: c.req.raw.cf, bookmark: c.req.header(bookmarkHeader), origin }));
    await next();
  });
  app.use(answerHeaders(isApi));
  app.onError((error, c) => {
    const refuse = c.get("refuse");
    if (error instanceof ProblemError) return refuse(error.problem);
    if (error.message.includes(movingMark)) return refuse(tenantIsMoving().problem);
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

  app.use(door);
  app.use("/v1/*", readBody);
  app.use("/v1/admin/*", adminAuth);
  const ofTenant = tenantAuth(takesGrants);
  if (isApi) app.use(async (c, next) => (c.req.path.startsWith("/v1/admin/") ? next() : ofTenant(c, next)));
  app.use("/v1/*", idempotency);
  for (const one of routes) app.route("/", one);
  return app;
}
