/** Where an outbox's messages go: the copies in D1. A late or repeated one changes nothing. */
import { isTopicOf, type ReadPayload, readPayload, type TopicOf, UnknownTopicError } from "../catalogues/outbox.js";
import { endWork } from "./team-state.js";

/** A message from an object's outbox, with where it comes from. */
export interface Delivery {
  readonly tenantId: string;
  readonly ownerId: string;
  readonly messages: readonly { readonly id: number; readonly topic: string; readonly payload: string }[];
}

export async function deliverToD1(db: D1Database, delivery: Delivery): Promise<void> {
  // A tenant that was deleted meanwhile takes its copies with it.
  const tenant = await db.prepare("SELECT 1 FROM tenants WHERE tenant_id = ?").bind(delivery.tenantId).first();
  if (tenant === null) return;
  await db.batch(delivery.messages.flatMap((message) => statementsFor(db, delivery, message)));
}

type Message = Delivery["messages"][number];
type Statements = D1PreparedStatement | D1PreparedStatement[];

/** Where a message comes from, and how it reached us. */
interface Origin {
  readonly db: D1Database;
  readonly tenantId: string;
  readonly ownerId: string;
  readonly message: Message;
}

function statementsFor(db: D1Database, { tenantId, ownerId }: Delivery, message: Message): Statements {
  const { topic } = message;
  if (!isTopicOf(topic, "d1")) throw new UnknownTopicError(topic);
  return handle(topic, { db, tenantId, ownerId, message });
}

function handle<Topic extends TopicOf<"d1">>(topic: Topic, origin: Origin): Statements {
  return handlers[topic](readPayload(topic, origin.message.payload), origin);
}

const handlers: { readonly [Topic in TopicOf<"d1">]: (payload: ReadPayload<Topic>, origin: Origin) => Statements } = {
  session: (session, { db, tenantId, ownerId, message }) =>
    db
      .prepare(
        `INSERT INTO sessions (tenant_id, session_id, agent, body, created_at, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET body = ?4, revision = ?6 WHERE revision < ?6`,
      )
      .bind(tenantId, ownerId, session.agent, message.payload, Date.parse(session.createdAt), message.id),

  ask: (ask, { db, tenantId, ownerId, message }) =>
    db
      .prepare(
        `INSERT INTO asks (tenant_id, ask_id, owner_id, kind, status, body, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT DO UPDATE SET status = ?5, body = ?6, revision = ?7 WHERE revision < ?7`,
      )
      .bind(tenantId, ask.askId, ownerId, ask.kind, ask.status, message.payload, message.id),

  run: (run, { db, tenantId, message }) =>
    db
      .prepare(
        `INSERT INTO runs (tenant_id, run_id, status, body, revision) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET status = ?3, body = ?4, revision = ?5 WHERE revision < ?5`,
      )
      .bind(tenantId, run.runId, run.status, message.payload, message.id),

  work_ended: ({ work, at }, { db, tenantId }) => endWork(db, tenantId, work, at),

  audit: ({ workId, hook, decision, body, at }, { db, tenantId, ownerId, message }) =>
    db
      .prepare(
        `INSERT INTO audit (tenant_id, owner_id, revision, at, turn_id, hook, decision, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
      )
      .bind(tenantId, ownerId, message.id, at, workId, hook, decision, JSON.stringify(body)),
};
