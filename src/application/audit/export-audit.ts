/** Export the tenant's audit: every decision of supervisors and of people, oldest first, read page by page as it is sent. */
import { defined } from "../../conversation/defined.js";
import { bytesOf } from "../../platform/event-stream.js";
import { auditSelection } from "../../stores/audit-filter.js";
import type { AuditFilter, AuditPosition } from "../../stores/audit-place.js";
import { type AuditEntry, auditColumns, csvLine } from "../../tenancy/audit.js";
import { act } from "../act.js";
import { recordRead } from "./record-read.js";

export const auditFormats = ["jsonl", "csv"] as const;

export interface AuditRange extends AuditFilter {
  /** From when on, and up to when (without it); times as ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly format: (typeof auditFormats)[number];
}

/** Rows that are read at once. */
const pageSize = 500;

export const exportAudit = act("exportAudit", {
  role: "operator",
  run: async (actor, { from, to, format, ...filter }: AuditRange, services) => {
    const range = {
      from: from === undefined ? 0 : Date.parse(from),
      // What is written while it is read isn't in it, so that it ends.
      to: to === undefined ? services.now() + 1 : Date.parse(to),
    };
    const subject = { kind: "audit", name: format, ...defined({ from, to }) };
    await recordRead(actor, services, { type: "audit.exported", ownerId: "audit", subject });
    const { audit } = services.near;
    const selection = auditSelection(actor.tenantId, filter);
    const readNext = (after: AuditPosition | undefined) =>
      audit.page(actor.tenantId, range, after, pageSize, selection);
    // The first page is read before the answer begins: what can't be read is an error, not a short file.
    const first = await readNext(undefined);
    async function* lines() {
      if (format === "csv") yield `${auditColumns.join(",")}\r\n`;
      for (let page = first; ; page = await readNext(page.next)) {
        yield page.entries.map((entry) => line(entry, format)).join("");
        if (page.next === undefined) return;
      }
    }
    return bytesOf(lines());
  },
});

/** Without its arrival number, which comes with archiving: a row that was exported is the same whenever it is exported again. */
function line({ row: _row, ...entry }: AuditEntry, format: AuditRange["format"]): string {
  switch (format) {
    case "jsonl":
      return `${JSON.stringify(entry)}\n`;
    case "csv":
      return `${csvLine(entry)}\r\n`;
  }
}
