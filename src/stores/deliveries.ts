/** Where an outbox's messages go: the copies in D1. A late or repeated one changes nothing. */
import { urgencyOf } from "../asks/listing.js";
import { isTopicOf, type ReadPayload, readPayload, type TopicOf, UnknownTopicError } from "../catalogues/outbox.js";
import type { LaterJob } from "../catalogues/webhooks.js";
import { insertAct } from "./audit-log.js";
import type { Database } from "./database.js";
import { endWork } from "./team-state.js";

/** A message from an object's outbox, with where it comes from. */
export interface Delivery {
  readonly tenantId: string;
  readonly ownerId: string;
  readonly messages: readonly { readonly id: number; readonly topic: string; readonly payload: string }[];
}

/** @param tell whom to tell that something happened, where the tenant has webhooks */
export async function deliverToD1(
  db: Database,
  delivery: Delivery,
  tell: (jobs: readonly LaterJob[]) => Promise<void> = async () => {},
): Promise<void> {
  const { tenantId, ownerId } = delivery;
  const tenant = db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM webhooks WHERE tenant_id = ?1 AND status = 'active') AS listens
       FROM tenants WHERE tenant_id = ?1`,
    )
    .bind(tenantId);
  let listens: boolean;
  try {
    const copies = delivery.messages.flatMap((message) => statementsFor(db, delivery, message));
    const [found] = await db.batch<{ listens: number }>([tenant, ...copies]);
    listens = found?.results[0]?.listens === 1;
  } catch (error) {
    // A tenant that was deleted meanwhile takes its copies with it: they refer to it.
    if ((await tenant.first()) === null) return;
    throw error;
  }
  if (listens) await tell([{ tenantId, rootId: ownerId, inMs: 0 }]);
}

type Message = Delivery["messages"][number];
type Statements = D1PreparedStatement | D1PreparedStatement[];

/** Where a message comes from, and how it reached us. */
interface Origin {
  readonly db: Database;
  readonly tenantId: string;
  readonly ownerId: string;
  readonly message: Message;
}

function statementsFor(db: Database, { tenantId, ownerId }: Delivery, message: Message): Statements {
  const { topic } = message;
  if (!isTopicOf(topic, "d1")) throw new UnknownTopicError(topic);
  return handle(topic, { db, tenantId, ownerId, message });
}

function handle<Topic extends TopicOf<"d1">>(topic: Topic, origin: Origin): Statements {
  return handlers[topic](readPayload(topic, origin.message.payload), origin);
}

const handlers: { readonly [Topic in TopicOf<"d1">]: (payload: ReadPayload<Topic>, origin: Origin) => Statements } = {
  // Whoever goes on from a session of one turn may have put off when it is forgotten before this copy of its end came.
  session: (session, { db, tenantId, ownerId, message }) =>
    db
      .prepare(
        `INSERT INTO sessions (tenant_id, session_id, agent, body, created_at, revision, status, subject, external_id, updated_at,
           stateless) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT DO UPDATE SET body = ?4, revision = ?6, status = ?7, subject = ?8, updated_at = MAX(updated_at, ?10),
           stateless = ?11
         WHERE revision < ?6`,
      )
      .bind(
        ...[tenantId, ownerId, session.agent, message.payload, Date.parse(session.createdAt), message.id],
        ...[session.status, session.subject ?? null, session.externalId ?? null, Date.parse(session.updatedAt)],
        session.stateless === true ? 1 : 0,
      ),

  ask: (ask, { db, tenantId, ownerId, message }) =>
    db
      .prepare(
        `INSERT INTO asks (tenant_id, ask_id, owner_id, kind, status, body, revision, audience, subject, priority, urgency,
           deadline, opened_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
         ON CONFLICT DO UPDATE SET status = ?5, body = ?6, revision = ?7 WHERE revision < ?7`,
      )
      .bind(
        ...[tenantId, ask.askId, ownerId, ask.kind, ask.status, message.payload, message.id],
        ...[ask.audience, ask.from.subject ?? null, ask.priority, urgencyOf(ask)],
        ...[ask.deadline ?? null, ask.openedAt],
      ),

  run: (run, { db, tenantId, message }) =>
    db
      .prepare(
        `INSERT INTO runs (tenant_id, run_id, status, body, revision, team, subject, external_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT DO UPDATE SET status = ?3, body = ?4, revision = ?5 WHERE revision < ?5`,
      )
      .bind(
        ...[tenantId, run.runId, run.status, message.payload, message.id],
        ...[run.team, run.subject ?? null, run.externalId ?? null],
      ),

  roundtable: (roundtable, { db, tenantId, message }) =>
    db
      .prepare(
        `INSERT INTO roundtables (tenant_id, roundtable_id, status, body, revision, mode, panel, subject, external_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT DO UPDATE SET status = ?3, body = ?4, revision = ?5 WHERE revision < ?5`,
      )
      .bind(
        ...[tenantId, roundtable.sessionId, roundtable.status, message.payload, message.id],
        ...[roundtable.mode, roundtable.panel, roundtable.subject ?? null, roundtable.externalId ?? null],
      ),

  work_ended: ({ work, at }, { db, tenantId }) => endWork(db, tenantId, work, at),

  act: (act, { db, tenantId, ownerId, message }) => insertAct(db, { tenantId, ownerId, revision: message.id }, act),
  // One write per work, whole or not at all: delivered again it changes nothing.
  usage: ({ work, kind, agent, subject, keyId, models, at }, { db, tenantId }) => {
    const none = { model: "", modelCalls: 0, inputTokens: 0, outputTokens: 0 };
    return (models.length === 0 ? [none] : models).map(({ model, modelCalls, inputTokens, outputTokens }) =>
      db
        .prepare(
          `INSERT INTO usage (tenant_id, work_id, model, kind, agent, subject, key_id, at, model_calls, input_tokens, output_tokens)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        )
        .bind(
          ...[tenantId, work, model, kind, agent, subject ?? null, keyId ?? null],
          ...[at, modelCalls, inputTokens, outputTokens],
        ),
    );
  },

  channel_conversation: ({ channelId, conversation }, { db, tenantId }) =>
    db
      .prepare(
        "INSERT INTO channel_conversations (channel_id, tenant_id, conversation) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      )
      .bind(channelId, tenantId, conversation),

  channel_delivery: (delivery, { db, tenantId, message }) => [
    db
      .prepare(
        `INSERT INTO channel_deliveries (delivery_id, tenant_id, channel_id, conversation, status, attempts, failure, created_at,
           updated_at, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT DO UPDATE SET status = ?5, attempts = ?6, failure = ?7, updated_at = ?9, revision = ?10 WHERE revision < ?10`,
      )
      .bind(
        ...[delivery.deliveryId, tenantId, delivery.channelId, delivery.conversation, delivery.status],
        ...[delivery.attempts, delivery.failure ?? null, delivery.createdAt, delivery.at, message.id],
      ),
    db
      .prepare(
        `UPDATE channels SET last_failure_at = ?1, last_failure = ?2 WHERE channel_id = ?3 AND ?4 <> 'delivered'
         AND (last_failure_at IS NULL OR last_failure_at <= ?1)`,
      )
      .bind(delivery.at, delivery.failure ?? null, delivery.channelId, delivery.status),
  ],

  audit: ({ workId, hook, decision, body, at }, { db, tenantId, ownerId, message }) =>
    db
      .prepare(
        `INSERT INTO audit (tenant_id, owner_id, revision, at, turn_id, hook, decision, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
      )
      .bind(tenantId, ownerId, message.id, at, workId, hook, decision, JSON.stringify(body)),
};
