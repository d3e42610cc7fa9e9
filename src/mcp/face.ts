/** The MCP face as routes: `/mcp`. Where hosts learn how to get in: `src/oauth`. */
import { Hono } from "hono";
import type { FaceEnv, LoadedFace } from "../http/face.js";
import { barrierFor, renderRefusal } from "./admission.js";
import { chosenFamilies } from "./families.js";
import { answerMcp } from "./server.js";

const routes = new Hono<FaceEnv>();

// Without streams of its own and without sessions: other methods are a 405.
routes.post("/mcp", async (c) => {
  const { services, actor, corsOrigins = [], refuse } = c.var;
  if (actor === undefined) return refuse({ code: "unauthorized", detail: "Send a tenant's key or a token." });
  const barrier = barrierFor(c.req.raw, { environment: services.environment, corsOrigins });
  if (barrier !== undefined) return refuse(barrier);
  const shown = chosenFamilies(new URL(c.req.url));
  return shown.ok ? answerMcp(c.req.raw, actor, services, shown.value) : refuse(shown.problem);
});

export const mcp: LoadedFace = { routes: [routes], renderProblem: renderRefusal };
