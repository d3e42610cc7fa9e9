/** Decisions in D1: rows that come with the audit's, and the labels that people give them. */
import { z } from "zod";
import { type ActorRecord, actorRecordSchema } from "../conversation/actor-record.js";
import { defined } from "../conversation/defined.js";
import { all, batch, type Database, raw, sql } from "../platform/sql.js";
import { type Decision, decisionSchema, type GivenLabel, type Label, labels } from "../supervision/decisions.js";
import { supervisionStepSchema } from "../supervision/state.js";
import { lazily } from "../text/lazily.js";
import { insertResourceAct } from "./audit-log.js";
import { integer, number, text, textOrNull } from "./columns.js";
import { agentOf, into } from "./decision-rows.js";
import { allOf, byIndex, equals } from "./list-filter.js";

/** Which decision: its id holds these. */
export interface DecisionKey {
  readonly ownerId: string;
  readonly revision: number;
  readonly step: string;
}

export function decisionIdOf({ ownerId, revision, step }: DecisionKey): string {
  return `dec_${ownerId}_${revision}_${step}`;
}

/** @returns nothing where it is no decision's id */
export function decisionKeyOf(decisionId: string): DecisionKey | undefined {
  const [prefix, ...parts] = decisionId.split("_");
  // A message that was labelled stands for its step, by its id.
  const step = parts.splice(parts.at(-2) === "msg" ? -2 : -1).join("_");
  const revision = Number(parts.pop());
  const ownerId = parts.join("_");
  return prefix === "dec" && ownerId !== "" && Number.isSafeInteger(revision) ? { ownerId, revision, step } : undefined;
}

export interface DecisionFilter {
  readonly supervisor?: string | undefined;
  readonly rule?: string | undefined;
  readonly action?: string | undefined;
  readonly hook?: string | undefined;
  readonly agent?: string | undefined;
  readonly subject?: string | undefined;
  readonly mode?: string | undefined;
  readonly sessionId?: string | undefined;
  /** `none`: nobody has labelled it. */
  readonly label?: Label | "none" | undefined;
  /** From this time on and up to that one, which is left out; milliseconds since the epoch. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Where a page of decisions ends. */
export interface DecisionPosition extends DecisionKey {
  readonly at: number;
}

const bodySchema = lazily(() =>
  z.object({
    ...supervisionStepSchema.pick({ version: true, model: true, rules: true, reasons: true }).shape,
    failed: z.literal(true).optional(),
    about: decisionSchema().shape.about,
  }),
);

const row = lazily(() =>
  z.object({
    owner_id: text,
    revision: integer,
    step: text,
    at: number,
    work_id: text,
    ...decisionSchema().pick({ hook: true, supervisor: true, mode: true, action: true, decision: true }).shape,
    agent: textOrNull,
    subject: textOrNull,
    label: z.enum(labels).nullable(),
    body: text,
  }),
);
const columns = raw(
  "owner_id, revision, step, at, work_id, hook, supervisor, mode, action, decision, agent, subject, label, body",
);

const labelRow = lazily(() => z.object({ actor: text, label: z.enum(labels), note: textOrNull, at: number }));
const countRow = lazily(() =>
  z.object({ supervisor: text, rule: textOrNull, action: text, label: z.enum(labels), n: number }),
);
export type LabelCount = z.infer<ReturnType<typeof countRow>>;

export class DecisionStore {
  constructor(private readonly db: Database) {}

  /** Newest first. */
  async list(
    tenantId: string,
    { rule, label, from, to, ...columnsOf }: DecisionFilter,
    before: DecisionPosition | undefined,
    limit: number,
  ): Promise<Decision[]> {
    const { supervisor, agent, subject, action, hook, mode, sessionId } = columnsOf;
    const isLabelled = label === undefined || label === "none" ? undefined : label;
    // A session's own stand together in the table.
    const index = byIndex(
      sessionId === undefined
        ? {
            decisions_by_subject: subject,
            decisions_by_label: isLabelled,
            decisions_by_supervisor: supervisor,
            decisions_by_agent: agent,
            decisions_by_time: "",
          }
        : {},
    );
    const conditions = allOf([
      ...equals({ supervisor, agent, subject, action, hook, mode, label: isLabelled, owner_id: sessionId }),
      ...(label === "none" ? [sql`label IS NULL`] : []),
      ...(from === undefined ? [] : [sql`at >= ${from}`]),
      ...(to === undefined ? [] : [sql`at < ${to}`]),
      ...(rule === undefined
        ? []
        : [sql`EXISTS (SELECT 1 FROM json_each(decisions.body, '$.rules') WHERE json_each.value = ${rule})`]),
      ...(before === undefined
        ? []
        : [
            sql`(at, owner_id, revision, step) < (${before.at}, ${before.ownerId}, ${before.revision}, ${before.step})`,
          ]),
    ]);
    const rows = await all(
      this.db,
      row(),
    )`SELECT ${columns} FROM decisions${index} WHERE tenant_id = ${tenantId}${conditions}
      ORDER BY at DESC, owner_id DESC, revision DESC, step DESC LIMIT ${limit}`;
    return rows.map(decisionOf);
  }

  /** One, with all its labels, the newest first. */
  async get(tenantId: string, key: DecisionKey): Promise<{ decision: Decision; labels: GivenLabel[] } | undefined> {
    const isIt = sql`tenant_id = ${tenantId} AND owner_id = ${key.ownerId} AND revision = ${key.revision}
      AND step = ${key.step}`;
    const [[found], given] = await Promise.all([
      all(this.db, row())`SELECT ${columns} FROM decisions WHERE ${isIt}`,
      all(this.db, labelRow())`SELECT actor, label, note, at FROM decision_labels WHERE ${isIt} ORDER BY at DESC`,
    ]);
    return found && { decision: decisionOf(found), labels: given.map(labelOf) };
  }

  /** One label for each actor; the same again changes nothing. With its row of the audit. */
  async label(
    tenantId: string,
    key: DecisionKey,
    { label, note, by, at }: { label: Label; note?: string | undefined; by: ActorRecord; at: number },
  ): Promise<void> {
    const { ownerId, revision, step } = key;
    const isIt = sql`tenant_id = ${tenantId} AND owner_id = ${ownerId} AND revision = ${revision} AND step = ${step}`;
    await batch(this.db, [
      sql`INSERT INTO decision_labels (tenant_id, owner_id, revision, step, actor_kind, actor_id, actor, label, note, at)
        SELECT tenant_id, owner_id, revision, step, ${by.kind}, ${by.id}, ${JSON.stringify(by)}, ${label}, ${note}, ${at}
        FROM decisions WHERE ${isIt}
        ON CONFLICT DO UPDATE SET label = excluded.label, note = excluded.note, at = excluded.at, actor = excluded.actor
        WHERE label <> excluded.label OR note IS NOT excluded.note`,
      insertResourceAct(
        tenantId,
        "decision.labelled",
        { kind: "decisions", name: decisionIdOf(key) },
        { by, at, reason: note },
        label,
      ),
      sql`UPDATE decisions SET label = (SELECT label FROM decision_labels WHERE ${isIt} ORDER BY at DESC LIMIT 1) WHERE ${isIt}`,
    ]);
  }

  /** A message that nobody had stopped becomes a decision that can be labelled; once. */
  async addAllowed(
    tenantId: string,
    key: DecisionKey,
    { at, workId, hook, messageId }: { at: number; workId: string; hook: string; messageId: string },
  ): Promise<void> {
    const body = JSON.stringify({ reasons: [], about: { messageId } });
    const values = sql`${key.step}, ${at}, ${workId}, ${hook}, '', 'enforce', 'allow', 'allow'`;
    await batch(this.db, [
      sql`${into} SELECT ${tenantId}, ${key.ownerId}, ${key.revision}, ${values}, ${agentOf(tenantId, key.ownerId)}, ${body}
        WHERE TRUE ON CONFLICT DO NOTHING`,
    ]);
  }

  /** How many were labelled how, by supervisor, and by supervisor and rule. @param from, to milliseconds since the epoch */
  async counts(tenantId: string, from: number, to: number): Promise<LabelCount[]> {
    const labelled = sql`FROM decisions INDEXED BY decisions_by_label`;
    const within = sql`tenant_id = ${tenantId} AND label IN ('right', 'wrong', 'unsure') AND at >= ${from} AND at < ${to}`;
    return all(this.db, countRow())`
      SELECT supervisor, NULL AS rule, action, label, COUNT(*) AS n ${labelled} WHERE ${within} GROUP BY 1, 3, 4
      UNION ALL
      SELECT supervisor, json_each.value AS rule, action, label, COUNT(*) AS n
      ${labelled}, json_each(decisions.body, '$.rules') WHERE ${within} GROUP BY 1, 2, 3, 4
      ORDER BY 1, 2`;
  }
}

function decisionOf({ body, label, at, agent, subject, ...rest }: z.infer<ReturnType<typeof row>>): Decision {
  const { owner_id: ownerId, revision, step, work_id: workId, ...of } = rest;
  return decisionSchema().parse({
    decisionId: decisionIdOf({ ownerId, revision, step }),
    at: new Date(at).toISOString(),
    ...(ownerId.startsWith("ses_") ? { sessionId: ownerId } : {}),
    ...(ownerId.startsWith("run_") ? { runId: ownerId } : {}),
    ...(ownerId.startsWith("rt_") ? { roundtableId: ownerId } : {}),
    ...(workId === "" ? {} : { workId }),
    ...of,
    ...bodySchema().parse(JSON.parse(body)),
    ...defined({ agent: agent ?? undefined, subject: subject ?? undefined, label: label ?? undefined }),
  });
}

function labelOf({ actor, label, note, at }: z.infer<ReturnType<typeof labelRow>>): GivenLabel {
  const by = actorRecordSchema.parse(JSON.parse(actor));
  return { label, ...defined({ note: note ?? undefined }), by, at: new Date(at).toISOString() };
}
