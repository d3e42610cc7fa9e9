/** The MCP face as routes: `/mcp`. Where hosts learn how to get in: `src/oauth`. */
import { Hono } from "hono";
import type { FaceEnv, LoadedFace } from "../http/face.js";
import { barrierFor, renderRefusal } from "./admission.js";
import { answerMcp } from "./server.js";

const routes = new Hono<FaceEnv>();

// Without streams of its own and without sessions: other methods are a 405.
routes.post("/mcp", async (c) => {
  const { services, actor, corsOrigins = [], refuse } = c.var;
  if (actor === undefined) return refuse({ code: "unauthorized", detail: "Send a tenant's key or a token." });
  const barrier = barrierFor(c.req.raw, { environment: services.environment, corsOrigins });
  return barrier === undefined ? answerMcp(c.req.raw, actor, services) : refuse(barrier);
});

export const mcp: LoadedFace = { routes: [routes], renderProblem: renderRefusal };
