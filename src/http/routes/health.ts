/** `/health`: what can be reached. */
import { z } from "zod";
import { checkHealth } from "../../application/system/check-health.js";
import type { LoadedFace } from "../face.js";
import { json, newRouter, route } from "../routing.js";

export const version = "0.1.0";

const healthSchema = z.object({
  status: z.enum(["ok", "unavailable"]),
  version: z.string(),
  environment: z.string(),
  checks: z.record(z.string(), z.enum(["ok", "failed"])),
});

const health = newRouter();

health.openapi(
  route({
    "x-act": "anybody",
    method: "get",
    path: "/health",
    tags: ["System"],
    summary: "What can be reached, and whether the deployment's secrets are long enough",
    security: [],
    responses: {
      200: json("Everything needed can be reached", healthSchema),
      503: json("Something needed can't be reached", healthSchema),
    },
  }),
  async (c) => {
    const { environment, checks } = await checkHealth(c.get("services"));
    const answer = { version, environment, checks };
    return Object.values(checks).every((check) => check === "ok")
      ? c.json({ status: "ok" as const, ...answer }, 200)
      : c.json({ status: "unavailable" as const, ...answer }, 503);
  },
);

/** Where nothing else is, this answers what there is. */
export const system: LoadedFace = { routes: [health] };
