/** A page of the tenant's audit, oldest first. That it was read stands in it, once for each beginning. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { subjectSchema } from "../../conversation/names.js";
import { auditSelection } from "../../stores/audit-filter.js";
import type { AuditPosition } from "../../stores/audit-place.js";
import { actTypes, auditEntrySchema } from "../../tenancy/audit.js";
import { readJson } from "../../text/json.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { listOf, notACursor, pageInput } from "../page.js";
import { recordRead } from "./record-read.js";

/** Which rows: all, if nothing is said. */
export const auditFilterInput = lazily(() => ({
  from: z.iso.datetime({ offset: true }).optional(),
  /** Up to, and without, this time. */
  to: z.iso.datetime({ offset: true }).optional(),
  type: z.enum(["supervision", ...actTypes]).optional(),
  /** In a word, as the rows have it: `block`, `modify`, `once`, `deleted`. */
  decision: z.string().max(100).optional(),
  /** The id of who did it: a key's, a person's, a supervisor's name. */
  actor: z.string().max(200).optional(),
  /** The end user: rows of what is theirs, of what they did, and of what was done to them. */
  subject: subjectSchema.optional(),
}));

export const listAudit = act("listAudit", {
  role: "operator",
  input: () => z.object({ ...pageInput(), ...auditFilterInput() }),
  output: () => listOf(auditEntrySchema),
  run: async (actor, { limit, cursor, from, to, ...filter }, services) => {
    const { tenantId } = actor;
    const after = cursor === undefined ? undefined : positionOf(cursor);
    if (after === undefined) {
      const subject = { kind: "audit", name: "json", ...defined({ from, to }) };
      await recordRead(actor, services, { type: "audit.exported", ownerId: "audit", subject });
    }
    const range = {
      from: from === undefined ? 0 : Date.parse(from),
      to: to === undefined ? services.now() + 1 : Date.parse(to),
    };
    const page = await services.near.audit.page(tenantId, range, after, limit, auditSelection(tenantId, filter));
    return { items: page.entries, nextCursor: page.next === undefined ? null : cursorOf(page.next) };
  },
});

function cursorOf({ at, ownerId, revision }: AuditPosition): string {
  return btoa(JSON.stringify([at, ownerId, revision]));
}

const positionSchema = lazily(() => z.tuple([z.int(), z.string(), z.int()]));

function positionOf(cursor: string): AuditPosition {
  try {
    const [at, ownerId, revision] = positionSchema().parse(readJson(atob(cursor)).value);
    return { at, ownerId, revision };
  } catch {
    throw notACursor();
  }
}
