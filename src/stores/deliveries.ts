/** Where an outbox's messages go: the copies in D1. A late or repeated one changes nothing. */
import { z } from "zod";
import { askSchema } from "../asks/ask.js";
import { sessionSchema } from "../chat/session.js";
import { runSummarySchema } from "../routing/run.js";
import { endWork } from "./team-state.js";

/** A message from an object's outbox, with where it comes from. */
export interface Delivery {
  readonly tenantId: string;
  readonly ownerId: string;
  readonly messages: readonly { readonly id: number; readonly topic: string; readonly payload: string }[];
}

const auditFields = { hook: z.string(), decision: z.string(), body: z.unknown(), at: z.number() };
/** The work is a turn, a run, … Messages that an earlier version stored call it `turnId`, as the column still does. */
const auditSchema = z.union([
  z.object({ workId: z.string(), ...auditFields }),
  z.object({ turnId: z.string(), ...auditFields }).transform(({ turnId, ...row }) => ({ workId: turnId, ...row })),
]);

const workSchema = z.object({ work: z.string(), at: z.number().default(0) });

export async function deliverToD1(db: D1Database, delivery: Delivery): Promise<void> {
  // A tenant that was deleted meanwhile takes its copies with it.
  const tenant = await db.prepare("SELECT 1 FROM tenants WHERE tenant_id = ?").bind(delivery.tenantId).first();
  if (tenant === null) return;
  await db.batch(delivery.messages.flatMap((message) => statementsFor(db, delivery, message)));
}

function statementsFor(
  db: D1Database,
  { tenantId, ownerId }: Delivery,
  message: Delivery["messages"][number],
): D1PreparedStatement | D1PreparedStatement[] {
  const payload: unknown = JSON.parse(message.payload);
  switch (message.topic) {
    case "session": {
      const session = sessionSchema.parse(payload);
      return db
        .prepare(
          `INSERT INTO sessions (tenant_id, session_id, agent, body, created_at, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
           ON CONFLICT DO UPDATE SET body = ?4, revision = ?6 WHERE revision < ?6`,
        )
        .bind(tenantId, ownerId, session.agent, message.payload, Date.parse(session.createdAt), message.id);
    }
    case "ask": {
      const ask = askSchema.parse(payload);
      return db
        .prepare(
          `INSERT INTO asks (tenant_id, ask_id, owner_id, kind, status, body, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
           ON CONFLICT DO UPDATE SET status = ?5, body = ?6, revision = ?7 WHERE revision < ?7`,
        )
        .bind(tenantId, ask.askId, ownerId, ask.kind, ask.status, message.payload, message.id);
    }
    case "run": {
      const run = runSummarySchema.parse(payload);
      return db
        .prepare(
          `INSERT INTO runs (tenant_id, run_id, status, body, revision) VALUES (?1, ?2, ?3, ?4, ?5)
           ON CONFLICT DO UPDATE SET status = ?3, body = ?4, revision = ?5 WHERE revision < ?5`,
        )
        .bind(tenantId, run.runId, run.status, message.payload, message.id);
    }
    case "work_ended": {
      const { work, at } = workSchema.parse(payload);
      return endWork(db, tenantId, work, at);
    }
    case "audit": {
      const { workId, hook, decision, body, at } = auditSchema.parse(payload);
      return db
        .prepare(
          `INSERT INTO audit (tenant_id, owner_id, revision, at, turn_id, hook, decision, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT DO NOTHING`,
        )
        .bind(tenantId, ownerId, message.id, at, workId, hook, decision, JSON.stringify(body));
    }
    default:
      throw new Error(`an outbox message of the unknown topic "${message.topic}"`);
  }
}
