/** Export the tenant's audit: every decision of supervisors and of people, oldest first, read page by page as it is sent. */
import { ok, type Result } from "../../conversation/problem.js";
import type { AuditPosition } from "../../stores/audit-log.js";
import type { Actor } from "../../tenancy/actor.js";
import { type AuditEntry, auditColumns, csvLine } from "../../tenancy/audit.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

export const auditFormats = ["jsonl", "csv"] as const;

export interface AuditRange {
  /** From when on, and up to when (without it); times as ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly format: (typeof auditFormats)[number];
}

/** Rows that are read at once. */
const pageSize = 500;

/** Whether the audit may be exported; nothing of it is read. */
export function canExportAudit(actor: Actor): Result<void> {
  return authorize(actor, "exportAudit");
}

export async function exportAudit(
  actor: Actor,
  { from, to, format }: AuditRange,
  services: Services,
): Promise<Result<ReadableStream<Uint8Array>>> {
  const allowed = authorize(actor, "exportAudit");
  if (!allowed.ok) return allowed;
  const range = {
    from: from === undefined ? 0 : Date.parse(from),
    // What is written while it is read isn't in it, so that it ends.
    to: to === undefined ? services.now() + 1 : Date.parse(to),
  };
  const { audit } = services.near;
  const readNext = (after: AuditPosition | undefined) => audit.page(actor.tenantId, range, after, pageSize);
  // The first page is read before the answer begins: what can't be read is an error, not a short file.
  let page = await readNext(undefined);
  const encoder = new TextEncoder();
  let begun = false;
  return ok(
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (begun) {
          if (page.next === undefined) return controller.close();
          page = await readNext(page.next);
        }
        const head = !begun && format === "csv" ? `${auditColumns.join(",")}\r\n` : "";
        begun = true;
        controller.enqueue(encoder.encode(head + page.entries.map((entry) => line(entry, format)).join("")));
      },
    }),
  );
}

function line(entry: AuditEntry, format: AuditRange["format"]): string {
  switch (format) {
    case "jsonl":
      return `${JSON.stringify(entry)}\n`;
    case "csv":
      return `${csvLine(entry)}\r\n`;
  }
}
