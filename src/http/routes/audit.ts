/** The tenant's audit. */
import { z } from "zod";
import { auditFormats, canExportAudit, exportAudit } from "../../application/audit/export-audit.js";
import { auditEntrySchema } from "../../tenancy/audit.js";
import { actorOf, unwrap } from "../context.js";
import { newRouter, route } from "../routing.js";

const mediaTypes = { jsonl: "application/jsonl", csv: "text/csv" } as const;

export const audit = newRouter();

audit.openapi(
  route({
    "x-act": "exportAudit",
    method: "get",
    path: "/v1/audit",
    tags: ["Audit"],
    summary: "Every decision of the tenant: of supervisors, and of people",
    description:
      "Passes of supervisors; answers, cancellations and expiries of asks; edits, restores and erasures of messages; changes of sessions' contexts, of resources, channels and webhooks and of the tenant's settings; lists of remote tools that were accepted; keys that were made and deleted; end users whose tokens were made void; deletions of sessions, memories and vaults, and of entries and threads of memories; each with who did it. Oldest first, a moment behind the objects. As lines of JSON, or as CSV in which no cell is a formula.",
    request: {
      query: z.object({
        from: z.iso.datetime({ offset: true }).optional(),
        /** Up to, and without, this time. */
        to: z.iso.datetime({ offset: true }).optional(),
        format: z.enum(auditFormats).default("jsonl"),
      }),
    },
    responses: {
      200: {
        description: "One entry a line",
        content: {
          [mediaTypes.jsonl]: { schema: auditEntrySchema },
          [mediaTypes.csv]: { schema: z.string() },
        },
      },
    },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const headers = {
      "content-type": `${mediaTypes[query.format]}; charset=utf-8`,
      "content-disposition": `attachment; filename="audit.${query.format}"`,
    };
    // Nobody reads what a HEAD would export.
    if (c.req.method === "HEAD") {
      unwrap(canExportAudit(actorOf(c)));
      return new Response(null, { headers });
    }
    return new Response(unwrap(await exportAudit(actorOf(c), query, c.get("services"))), { headers });
  },
);
