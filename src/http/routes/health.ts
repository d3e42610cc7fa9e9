import { z } from "zod";
import { describeError, log } from "../../platform/logging.js";
import { json, newRouter, route } from "../routing.js";

export const version = "0.1.0";

const healthSchema = z.object({
  status: z.enum(["ok", "unavailable"]),
  version: z.string(),
  environment: z.string(),
  checks: z.record(z.string(), z.enum(["ok", "failed"])),
});

export const health = newRouter();

health.openapi(
  route({
    method: "get",
    path: "/health",
    tags: ["System"],
    summary: "What can be reached",
    security: [],
    responses: {
      200: json("Everything needed can be reached", healthSchema),
      503: json("Something needed can't be reached", healthSchema),
    },
  }),
  async (c) => {
    const { db, environment } = c.get("services");
    const database = await db
      .prepare("SELECT COUNT(*) FROM tenants")
      .first()
      .then(
        () => "ok" as const,
        (error: unknown) => {
          log("error", "health.database", describeError(error));
          return "failed" as const;
        },
      );
    const answer = { version, environment, checks: { database } };
    return database === "ok"
      ? c.json({ status: "ok" as const, ...answer }, 200)
      : c.json({ status: "unavailable" as const, ...answer }, 503);
  },
);
