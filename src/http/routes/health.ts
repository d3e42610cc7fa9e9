/** `/health`: what can be reached. */
import { z } from "zod";
import { checkHealth } from "../../application/system/check-health.js";
import { resealingSchema } from "../../application/system/reseal-secrets.js";
import { version } from "../../conversation/version.js";
import type { LoadedFace } from "../face.js";
import { json, named, newRouter, route } from "../routing.js";

const healthSchema = named(
  "Health",
  z.object({
    status: z.enum(["ok", "unavailable"]),
    version: z.string(),
    environment: z.string(),
    schema: z
      .object({ have: z.int().optional(), want: z.int() })
      .describe("Migrations that the database has, and that this code knows of."),
    databases: z
      .array(z.object({ database: z.int(), have: z.int().optional() }))
      .optional()
      .describe("Where there are several: the migrations that each has. `schema` is that of the one furthest behind."),
    checks: z.record(z.string(), z.enum(["ok", "failed"])),
    warnings: z.array(z.string()).optional().describe("What works now and will not for long, and what to do."),
    sealing: z
      .object({
        key: z.string(),
        otherKey: z.string(),
        reseal: resealingSchema().extend({ otherKeyUntil: z.iso.datetime() }).optional(),
      })
      .optional()
      .describe("While SEALING_SECRET is exchanged: the ids of both keys, and how far everything is sealed anew."),
  }),
);

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
    const found = await checkHealth(c.get("services"));
    const answer = { version, ...found };
    const { checks } = found;
    return Object.values(checks).every((check) => check === "ok")
      ? c.json({ status: "ok" as const, ...answer }, 200)
      : c.json({ status: "unavailable" as const, ...answer }, 503);
  },
);

// Somebody who opens the address in a browser wants to see something; a program is told what there is.
health.get("/", (c, next) => (c.req.header("accept")?.includes("text/html") ? c.redirect("/console") : next()));

/** Where nothing else is, this answers what there is. */
export const system: LoadedFace = { routes: [health] };
