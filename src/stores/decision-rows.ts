/** The rows of decisions that come with the audit's, of the passes that an object delivers. Loaded where one didn't allow. */
import { readPayload } from "../catalogues/outbox.js";
import { defined } from "../conversation/defined.js";
import { raw, type Sql, sql } from "../platform/sql.js";
import type { PassSubject, SupervisionStep } from "../supervision/state.js";
import { storedStateSchema } from "../supervision/stored-state.js";

export const into = sql`INSERT INTO decisions (tenant_id, owner_id, revision, step, at, work_id, hook, supervisor, mode, action,
  decision, agent, subject, body)`;

/** Whose work it is and for whom, as its copy says it: two values. */
export function agentOf(tenantId: string, ownerId: string): Sql {
  const of = (agent: string, table: string, id: string): Sql => {
    const from = sql`FROM ${raw(table)} WHERE tenant_id = ${tenantId} AND ${raw(id)} = ${ownerId}`;
    return sql`(SELECT ${raw(agent)} ${from}), (SELECT subject ${from})`;
  };
  if (ownerId.startsWith("ses_")) return of("agent", "sessions", "session_id");
  if (ownerId.startsWith("run_")) return of("team", "runs", "run_id");
  return of("panel", "roundtables", "roundtable_id");
}

/** Passes as an object's outbox brings them: messages of the topic `audit`. */
interface DeliveredPasses {
  readonly tenantId: string;
  readonly ownerId: string;
  readonly messages: readonly { readonly id: number; readonly payload: string }[];
}

/** To be written behind the copies that say whose work it is. Delivered again it changes nothing. */
export function decisionStatements({ tenantId, ownerId, messages }: DeliveredPasses): Sql[] {
  return messages.flatMap(({ id, payload }) => {
    const { at, workId, hook, decision, body } = readPayload("audit", payload);
    const { steps = [], subject = {} } = passSchema.parse(body);
    return steps.flatMap((step, index) => {
      const { action, supervisor, mode } = step;
      // A person's review is an answer, and its row of the audit says so.
      if (action === "allow" || supervisor === undefined) return [];
      return sql`${into} VALUES (${tenantId}, ${ownerId}, ${id}, ${String(index)}, ${at}, ${workId}, ${hook}, ${supervisor}, ${mode},
          ${action}, ${decision}, ${agentOf(tenantId, ownerId)}, ${JSON.stringify(bodyOf(step, subject))})
        ON CONFLICT DO NOTHING`;
    });
  });
}

const passSchema = storedStateSchema.partial();

function bodyOf({ version, model, rules, reasons, failed }: SupervisionStep, about: PassSubject) {
  return { ...defined({ version, model, rules, failed: failed === undefined ? undefined : true }), reasons, about };
}
