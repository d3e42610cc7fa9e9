/** A person's data: routes of the acts on it, and the files of exports. */
import type { Context } from "hono";
import { z } from "zod";
import { subjectActs } from "../../application/subjects/acts.js";
import { personalDataTag } from "../../application/subjects/holds.js";
import { readSubjectFile } from "../../application/subjects/read-jobs.js";
import { routesOf } from "../act-routes.js";
import { type AppEnv, actorOf } from "../context.js";
import { route } from "../routing.js";

export const subjects = routesOf(subjectActs, {
  readSubjectFile: (router) => {
    const { middleware, ...operation } = route({
      "x-act": "readSubjectFile",
      method: "get",
      path: "/v1/subject-jobs/{jobId}/files/{kind}",
      tags: [personalDataTag],
      summary: "A file of an export, for 24 hours (operators)",
      request: { params: z.object({ jobId: z.string().max(100), kind: z.string().max(40) }) },
      responses: {
        200: {
          description: "One thing a line",
          content: { "application/jsonl": { schema: z.record(z.string(), z.unknown()) } },
        },
      },
    });
    router.openAPIRegistry.registerPath(operation);
    router.on(["GET"], ["/v1/subject-jobs/:jobId/files/:kind"], ...middleware, async (c: Context<AppEnv>) => {
      const { jobId = "", kind = "" } = c.req.param();
      const headers = {
        "content-type": "application/jsonl; charset=utf-8",
        "content-disposition": `attachment; filename="${kind.replaceAll(/\W/g, "_")}.jsonl"`,
        "cache-control": "no-store",
      };
      return new Response(await readSubjectFile(actorOf(c), { jobId, kind }, c.get("services")), { headers });
    });
  },
});
