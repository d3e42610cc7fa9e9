/** The audit of a tenant: what supervisors decided, and what people did. It holds no texts of messages, and outlives them. */
import { z } from "zod";
import { actorRecordSchema, keyRoles, personRoles } from "../conversation/actor-record.js";
import { passSubjectSchema, shownStepSchema } from "../supervision/state.js";

/** What a row is about, beside `supervision`: a pass. */
export const actTypes = [
  "ask.answered",
  "ask.cancelled",
  "ask.expired",
  "ask.taken_over",
  "ask.deferred",
  "message.edited",
  "message.restored",
  "message.erased",
  "context.changed",
  "resource.stored",
  "resource.deleted",
  "session.supervised",
  "session.held",
  "session.released",
  "message.staff",
  "session.deleted",
  "memory.changed",
  "memory.deleted",
  "vault.deleted",
  "entry.deleted",
  "thread.deleted",
  "person.invited",
  "person.changed",
  "person.deleted",
  "person.sessions_ended",
  "person.signed_in",
  "person.signed_out",
  "person.refused",
  "person.passkey_added",
  "person.passkey_deleted",
  "access.granted",
  "access.refused",
  "access.revoked",
  "key.created",
  "key.deleted",
  "subject.revoked",
  "subject.exported",
  "subject.erased",
  "hold.stored",
  "hold.deleted",
  "settings.changed",
  "channel.stored",
  "channel.rotated",
  "channel.deleted",
  "webhook.stored",
  "webhook.deleted",
  "limit.stored",
  "limit.raised",
  "limit.deleted",
  "secret.stored",
  "secret.deleted",
  "tools.pinned",
  "decision.labelled",
  "experiment.changed",
  "eval.started",
  "originals.read",
  "audit.exported",
  "history.restored",
] as const;

const id = z.string().optional();

/** What an act was about. */
export const actSubjectSchema = passSubjectSchema.extend({
  askId: id,
  /** Of asks that were decided together: the same for each. */
  batchId: id,
  /** Of a message, of the session's context or of a resource: which one the act made. */
  version: z.int().optional(),
  kind: id,
  name: id,
  /** Of a key: what it may, and what its tenant calls it. */
  keyRole: z.enum(keyRoles).optional(),
  keyLabel: z.string().optional(),
  /** Of a person: the role that they were given. */
  personRole: z.enum(personRoles).optional(),
  /** Names of those that changed; of the tenant's own name `name`. */
  settings: z.array(z.string()).optional(),
  /** Of a person, a channel, a webhook and the tenant's providers: the paths of the fields that changed. Of pinned tools: the names of those that did. */
  changes: z.array(z.string()).optional(),
});

/** What somebody did, as it is put on record. */
export const recordedActSchema = z.object({
  type: z.enum(actTypes),
  /** The turn or run that it belongs to. */
  workId: z.string().optional(),
  /** Of a review: whose hook held the text. */
  hook: z.string().optional(),
  /** In a word: `once`, `accept`, `edited`. */
  decision: z.string(),
  actor: actorRecordSchema.optional(),
  subject: actSubjectSchema,
  reasons: z.array(z.string()),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
export type RecordedAct = z.infer<typeof recordedActSchema>;

/** Who did something, and when: milliseconds since the epoch. */
export const doneBySchema = z.object({ by: actorRecordSchema, at: z.number() });
export type DoneBy = Readonly<z.infer<typeof doneBySchema>>;

export const auditEntrySchema = z.object({
  at: z.iso.datetime(),
  /** Its arrival number, once it is archived: what is proven goes by it. */
  row: z.int().optional(),
  type: z.enum(["supervision", ...actTypes]),
  sessionId: id,
  runId: id,
  roundtableId: id,
  /** Of what was written to a memory, recalled from it, or deleted in it. */
  memoryId: id,
  workId: id,
  hook: id,
  decision: z.string(),
  actor: actorRecordSchema.optional(),
  subject: actSubjectSchema,
  reasons: z.array(z.string()),
  /** Of a pass: who decided what. */
  steps: z.array(shownStepSchema).optional(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const auditColumns = [
  ...(["at", "type", "sessionId", "runId", "workId", "hook", "decision"] as const),
  ...(["actorKind", "actorId", "actorRole", "actorSubject"] as const),
  ...(["messageId", "toolCallId", "tool", "askId", "resource", "version", "reasons", "supervisors"] as const),
  ...(["memoryId", "roundtableId", "keyRole", "keyLabel", "settings"] as const),
  ...(["changes", "actorMintedBy", "versions", "rules", "personRole", "batchId"] as const),
] as const;

/** An entry as a line of CSV, without its end; the columns are {@link auditColumns}. */
export function csvLine({ actor, subject, steps = [], reasons, ...entry }: AuditEntry): string {
  const cells: Record<(typeof auditColumns)[number], string | number | undefined> = {
    at: entry.at,
    type: entry.type,
    sessionId: entry.sessionId,
    runId: entry.runId,
    workId: entry.workId,
    hook: entry.hook,
    decision: entry.decision,
    actorKind: actor?.kind,
    actorId: actor?.id,
    actorRole: actor?.role,
    actorSubject: actor?.subject,
    messageId: subject.messageId,
    toolCallId: subject.toolCallId,
    tool: subject.tool,
    askId: subject.askId,
    batchId: subject.batchId,
    resource: subject.name === undefined ? undefined : `${subject.kind ?? ""}/${subject.name}`,
    version: subject.version,
    memoryId: entry.memoryId,
    roundtableId: entry.roundtableId,
    keyRole: subject.keyRole,
    keyLabel: subject.keyLabel,
    personRole: subject.personRole,
    settings: subject.settings?.join("; "),
    changes: subject.changes?.join("; "),
    actorMintedBy: actor?.mintedBy,
    versions: steps
      .flatMap(({ supervisor = "", version = "", model }) =>
        supervisor === "" ? [] : `${supervisor}@${version}${model === undefined ? "" : ` ${model}`}`,
      )
      .join("; "),
    rules: steps.flatMap(({ supervisor = "", rules = [] }) => rules.map((id) => `${supervisor}/${id}`)).join("; "),
    reasons: reasons.join("; "),
    supervisors: steps
      .map((step) => `${step.supervisor ?? `${step.actor?.kind ?? ""} ${step.actor?.id ?? ""}`}: ${step.action}`)
      .join("; "),
  };
  return auditColumns.map((column) => csvCell(cells[column])).join(",");
}

/**
 * A cell that a spreadsheet takes as text: what begins like a formula gets an apostrophe before it.
 * @example csvCell('=HYPERLINK("x")') // "'=HYPERLINK(""x"")", in double quotes
 */
export function csvCell(value: string | number | undefined): string {
  const text = String(value ?? "");
  // Spreadsheets read full-width signs, and what stands behind invisible ones, alike.
  const safe = /^(?:[\s\p{C}]*[=+\-@\u2212]|[\t\r])/u.test(text.normalize("NFKC")) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
