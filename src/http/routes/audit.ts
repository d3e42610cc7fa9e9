/** The tenant's audit. */
import type { Context } from "hono";
import { z } from "zod";
import { auditFormats, exportAudit } from "../../application/audit/export-audit.js";
import { auditFilterInput, listAudit } from "../../application/audit/list-audit.js";
import { auditProofActs, exportAuditRows } from "../../application/audit/prove-audit.js";
import { listOf, pageInput } from "../../application/page.js";
import { defined } from "../../conversation/defined.js";
import { need, problem } from "../../conversation/problem.js";
import { auditEntrySchema } from "../../tenancy/audit.js";
import { authorize } from "../../tenancy/authority.js";
import { routesOf } from "../act-routes.js";
import { type AppEnv, actorOf } from "../context.js";
import { newRouter, route, wrongInput } from "../routing.js";

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
      "Passes of supervisors; answers, cancellations and expiries of asks; edits, restores and erasures of messages; changes of sessions' contexts, of resources, channels and webhooks and of the tenant's settings; lists of remote tools that were accepted; keys that were made and deleted; end users whose tokens were made void; deletions of sessions, memories and vaults, and of entries and threads of memories; each with who did it. Oldest first, a moment behind the objects. As lines of JSON, or as CSV in which no cell is a formula; with `format=json` a page at a time.",
    request: {
      query: z.object({
        ...auditFilterInput(),
        format: z.enum([...auditFormats, "json"]).default("jsonl"),
        /** Of `json`, which is a page. */
        ...pageInput(),
      }),
    },
    responses: {
      200: {
        description: "One entry a line, or a page of them",
        content: {
          "application/json": { schema: listOf(auditEntrySchema) },
          [mediaTypes.jsonl]: { schema: auditEntrySchema },
          [mediaTypes.csv]: { schema: z.string() },
        },
      },
    },
  }),
  async (c) => {
    const { format, limit, cursor, ...filter } = c.req.valid("query");
    if (format === "json") {
      const input = { ...filter, limit, ...defined({ cursor }) };
      return c.json(await listAudit(actorOf(c), input, c.get("services")), 200);
    }
    if (cursor !== undefined) throw cursorOfLines();
    const query = { ...filter, format };
    const headers = {
      "content-type": `${mediaTypes[query.format]}; charset=utf-8`,
      "content-disposition": `attachment; filename="audit.${query.format}"`,
    };
    // Nobody reads what a HEAD would export.
    if (c.req.method === "HEAD") {
      need(authorize(actorOf(c), exportAudit));
      return new Response(null, { headers });
    }
    return new Response(await exportAudit(actorOf(c), query, c.get("services")), { headers });
  },
);

export const auditProof = routesOf(auditProofActs, {
  exportAuditRows: (router) => {
    const query = z.object({ from: z.coerce.number<string>().int().min(0).default(0) });
    const { middleware, ...operation } = route({
      "x-act": "exportAuditRows",
      method: "get",
      path: "/v1/audit/rows",
      tags: ["Audit"],
      summary: "Rows of the audit as they are stored, in the order of their arrival (operators)",
      description:
        "What seals are over, without the ends of lines: rows that were archived, as lines of JSON, letter by letter, from the arrival number `from` on. People stand in them as references, and words as digests. `conclave audit verify` holds them against the seals.",
      request: { query },
      responses: {
        200: {
          description: "A row a line",
          content: { [mediaTypes.jsonl]: { schema: z.looseObject({ n: z.int() }) } },
        },
      },
    });
    router.openAPIRegistry.registerPath(operation);
    router.on(["GET"], ["/v1/audit/rows"], ...middleware, async (c: Context<AppEnv>) => {
      const read = query.safeParse(c.req.query());
      if (!read.success) throw wrongInput("query", read.error);
      const headers = { "content-type": `${mediaTypes.jsonl}; charset=utf-8` };
      return new Response(await exportAuditRows(actorOf(c), read.data, c.get("services")), { headers });
    });
  },
});

const cursorOfLines = () =>
  problem("invalid", "Lines and CSV come whole. Ask for pages with format=json.", {
    errors: [{ path: "cursor", message: "only with format=json" }],
  });
