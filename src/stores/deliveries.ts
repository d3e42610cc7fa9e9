/**
 * Where an outbox's messages go: the copies in D1. A late or repeated one changes nothing. Rows of the audit and of usage, which every
 * turn leaves, come together: of many turns they are few statements.
 */
import { urgencyOf } from "../asks/listing.js";
import { isTopicOf, type ReadPayload, readPayload, type TopicOf, UnknownTopicError } from "../catalogues/outbox.js";
import type { LaterJob } from "../catalogues/webhooks.js";
import { insertAct } from "./audit-log.js";
import type { Database } from "./database.js";
import { endWork } from "./team-state.js";
import { owedToAll } from "./webhook-deliveries.js";

/** A message from an object's outbox, with where it comes from. */
export interface Delivery {
  readonly tenantId: string;
  readonly ownerId: string;
  readonly messages: readonly { readonly id: number; readonly topic: string; readonly payload: string }[];
}

/** What a tenant's webhooks are to hear of. */
export interface WebhookWaking {
  readonly now: () => number;
  /** Has the queue look what happened. */
  readonly send: (jobs: readonly LaterJob[]) => Promise<void>;
}

/**
 * @param waking of objects whose events webhooks are told. That something is owed to them is stored with the copies: where the job is
 * lost, the schedule finds it.
 */
export async function deliverToD1(db: Database, delivery: Delivery, waking?: WebhookWaking): Promise<void> {
  const { tenantId, ownerId } = delivery;
  let names: string[];
  try {
    const owed = waking === undefined ? [] : [owedToAll(db, tenantId, ownerId, waking.now())];
    const copies = statementsFor(db, delivery);
    const [first] = await db.batch<{ name?: string }>([...owed, ...copies]);
    names = owed.length === 0 ? [] : (first?.results ?? []).flatMap(({ name }) => name ?? []);
  } catch (error) {
    // A tenant that was deleted meanwhile takes its copies with it: they refer to it.
    const tenant = db.prepare("SELECT 1 FROM tenants WHERE tenant_id = ?").bind(tenantId);
    if ((await tenant.first()) === null) return;
    throw error;
  }
  if (names.length > 0) await waking?.send(names.map((name) => ({ tenantId, rootId: ownerId, name, inMs: 0 })));
}

/** A message as its handler reads it. */
interface Read<Topic extends TopicOf<"d1">> {
  readonly id: number;
  readonly payload: ReadPayload<Topic>;
  /** The payload's JSON text. */
  readonly text: string;
}

/** Where messages come from, and how they reached us. */
interface Origin {
  readonly db: Database;
  readonly tenantId: string;
  readonly ownerId: string;
}

function statementsFor(db: Database, { tenantId, ownerId, messages }: Delivery): D1PreparedStatement[] {
  const byTopic = Map.groupBy(messages, ({ topic }) => topic);
  return [...byTopic].flatMap(([topic, ofTopic]) => {
    if (!isTopicOf(topic, "d1")) throw new UnknownTopicError(topic);
    return handle(topic, ofTopic, { db, tenantId, ownerId });
  });
}

function handle<Topic extends TopicOf<"d1">>(
  topic: Topic,
  messages: Delivery["messages"],
  origin: Origin,
): D1PreparedStatement[] {
  const read = messages.map(({ id, payload }) => ({ id, payload: readPayload(topic, payload), text: payload }));
  return handlers[topic](read, origin);
}

type Handler<Topic extends TopicOf<"d1">> = (messages: readonly Read<Topic>[], origin: Origin) => D1PreparedStatement[];

const handlers: { readonly [Topic in TopicOf<"d1">]: Handler<Topic> } = {
  // Whoever goes on from a session of one turn may have put off when it is forgotten before this copy of its end came.
  session: (copies, { db, tenantId, ownerId }) =>
    copies.map(({ id, payload: session, text }) =>
      db
        .prepare(
          `INSERT INTO sessions (tenant_id, session_id, agent, body, created_at, revision, status, subject, external_id, updated_at,
           stateless) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT DO UPDATE SET body = ?4, revision = ?6, status = ?7, subject = ?8, updated_at = MAX(updated_at, ?10),
           stateless = ?11
         WHERE revision < ?6`,
        )
        .bind(
          ...[tenantId, ownerId, session.agent, text, Date.parse(session.createdAt), id],
          ...[session.status, session.subject ?? null, session.externalId ?? null, Date.parse(session.updatedAt)],
          session.stateless === true ? 1 : 0,
        ),
    ),

  ask: (copies, { db, tenantId, ownerId }) =>
    copies.map(({ id, payload: ask, text }) =>
      db
        .prepare(
          `INSERT INTO asks (tenant_id, ask_id, owner_id, kind, status, body, revision, audience, subject, priority, urgency,
           deadline, opened_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
         ON CONFLICT DO UPDATE SET status = ?5, body = ?6, revision = ?7 WHERE revision < ?7`,
        )
        .bind(
          ...[tenantId, ask.askId, ownerId, ask.kind, ask.status, text, id],
          ...[ask.audience, ask.from.subject ?? null, ask.priority, urgencyOf(ask)],
          ...[ask.deadline ?? null, ask.openedAt],
        ),
    ),

  run: (copies, { db, tenantId }) =>
    copies.map(({ id, payload: run, text }) =>
      db
        .prepare(
          `INSERT INTO runs (tenant_id, run_id, status, body, revision, team, subject, external_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT DO UPDATE SET status = ?3, body = ?4, revision = ?5 WHERE revision < ?5`,
        )
        .bind(
          ...[tenantId, run.runId, run.status, text, id],
          ...[run.team, run.subject ?? null, run.externalId ?? null],
        ),
    ),

  roundtable: (copies, { db, tenantId }) =>
    copies.map(({ id, payload: roundtable, text }) =>
      db
        .prepare(
          `INSERT INTO roundtables (tenant_id, roundtable_id, status, body, revision, mode, panel, subject, external_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT DO UPDATE SET status = ?3, body = ?4, revision = ?5 WHERE revision < ?5`,
        )
        .bind(
          ...[tenantId, roundtable.sessionId, roundtable.status, text, id],
          ...[roundtable.mode, roundtable.panel, roundtable.subject ?? null, roundtable.externalId ?? null],
        ),
    ),

  work_ended: (messages, { db, tenantId }) =>
    messages.flatMap(({ payload: { work, at } }) => endWork(db, tenantId, work, at)),

  act: (messages, { db, tenantId, ownerId }) =>
    messages.map(({ id, payload }) => insertAct(db, { tenantId, ownerId, revision: id }, payload)),

  // One write per work, whole or not at all: delivered again it changes nothing.
  usage: (messages, { db, tenantId }) => {
    const none = { model: "", modelCalls: 0, inputTokens: 0, outputTokens: 0 };
    const rows = messages.flatMap(({ payload: { work, kind, agent, subject, keyId, models, at } }) =>
      (models.length === 0 ? [none] : models).map(({ model, modelCalls, inputTokens, outputTokens }) => [
        ...[work, model, kind, agent, subject ?? null, keyId ?? null],
        ...[at, modelCalls, inputTokens, outputTokens],
      ]),
    );
    return inParts(rows).map((part) =>
      db
        .prepare(
          `INSERT INTO usage (tenant_id, work_id, model, kind, agent, subject, key_id, at, model_calls, input_tokens, output_tokens)
           SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
             value ->> 8, value ->> 9
           FROM json_each(?) WHERE TRUE ON CONFLICT DO NOTHING`,
        )
        .bind(tenantId, part),
    );
  },

  channel_conversation: (messages, { db, tenantId }) =>
    messages.map(({ payload: { channelId, conversation } }) =>
      db
        .prepare(
          "INSERT INTO channel_conversations (channel_id, tenant_id, conversation) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(channelId, tenantId, conversation),
    ),

  channel_delivery: (messages, { db, tenantId }) =>
    messages.flatMap(({ id, payload: delivery }) => [
      db
        .prepare(
          `INSERT INTO channel_deliveries (delivery_id, tenant_id, channel_id, conversation, status, attempts, failure, created_at,
           updated_at, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT DO UPDATE SET status = ?5, attempts = ?6, failure = ?7, updated_at = ?9, revision = ?10 WHERE revision < ?10`,
        )
        .bind(
          ...[delivery.deliveryId, tenantId, delivery.channelId, delivery.conversation, delivery.status],
          ...[delivery.attempts, delivery.failure ?? null, delivery.createdAt, delivery.at, id],
        ),
      db
        .prepare(
          `UPDATE channels SET last_failure_at = ?1, last_failure = ?2 WHERE channel_id = ?3 AND ?4 <> 'delivered'
         AND (last_failure_at IS NULL OR last_failure_at <= ?1)`,
        )
        .bind(delivery.at, delivery.failure ?? null, delivery.channelId, delivery.status),
    ]),

  audit: (messages, { db, tenantId, ownerId }) => {
    const rows = messages.map(({ id, payload: { at, workId, hook, decision, body } }) => [
      ...[id, at, workId, hook, decision, body],
    ]);
    return inParts(rows).map((part) =>
      db
        .prepare(
          `INSERT INTO audit (tenant_id, owner_id, revision, at, turn_id, hook, decision, body)
           SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value -> 5
           FROM json_each(?) WHERE TRUE ON CONFLICT DO NOTHING`,
        )
        .bind(tenantId, ownerId, part),
    );
  },
};

/** A value that is bound is at most 2,000,000 bytes (D1's limits), and a character at most three of them. */
const maxPartCharacters = 500_000;

/** Rows as JSON lists, each short enough to be bound; one that is too long by itself is in a list of its own. */
function inParts(rows: readonly (readonly unknown[])[]): string[] {
  const parts: string[][] = [];
  let room = 0;
  for (const row of rows.map((one) => JSON.stringify(one))) {
    if (row.length > room) {
      parts.push([]);
      room = maxPartCharacters;
    }
    parts.at(-1)?.push(row);
    room -= row.length;
  }
  return parts.map((part) => `[${part.join(",")}]`);
}
