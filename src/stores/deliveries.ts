/**
 * Where an outbox's messages go: the copies in D1. A late or repeated one changes nothing. Rows of the audit and of usage, which every
 * turn leaves, come together: of many turns they are few statements.
 */

import { z } from "zod";
import { type ModelUsage, noUsage } from "../agent/work.js";
import { decisionWord, urgencyOf } from "../asks/listing.js";
import { isTopicOf, type ReadPayload, readPayload, type TopicOf, UnknownTopicError } from "../catalogues/outbox.js";
import type { LaterJob } from "../catalogues/webhooks.js";
import { batch, type Database, exists, type Sql, sql } from "../platform/sql.js";
import { limitEventsRoot } from "../tenancy/limits/events.js";
import { loaded } from "../text/lazily.js";
import { insertAct } from "./audit-log.js";
import { inParts } from "./bound-parts.js";
import { countUnit } from "./experiment-store.js";
import type { PriceStore } from "./price-store.js";
import { endWork } from "./team-state.js";
import { owedToAll } from "./webhook-deliveries.js";

/** A message from an object's outbox, with where it comes from. */
export interface Delivery {
  readonly tenantId: string;
  readonly ownerId: string;
  readonly messages: readonly { readonly id: number; readonly topic: string; readonly payload: string }[];
}

/** What a delivery needs beside the database, where it is of work. */
export interface DeliveryPorts {
  readonly waking?: WebhookWaking;
  readonly prices?: () => Promise<Prices>;
}

/** What calls cost, as far as this isolate knows. */
type Prices = Pick<PriceStore, "version" | "priceOf" | "read">;

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
export async function deliverToD1(
  db: Database,
  delivery: Delivery,
  { waking, prices: pricesOf }: DeliveryPorts = {},
): Promise<void> {
  const { tenantId, ownerId } = delivery;
  const ofUsage = delivery.messages.filter(({ topic }) => topic === "usage");
  let names: string[];
  try {
    const owed = waking === undefined ? [] : [owedToAll(tenantId, ownerId, waking.now())];
    const prices = ofUsage.length === 0 ? undefined : await pricesOf?.();
    const decisions = await decisionsOf(delivery);
    const [first] = await write([...owed, ...statementsFor(delivery, prices), ...decisions], prices);
    names = owed.length === 0 ? [] : nameRows.parse(first?.results).map(({ name }) => name);
  } catch (error) {
    // A tenant that was deleted meanwhile takes its copies with it: they refer to it.
    if (!(await exists(db)`SELECT 1 FROM tenants WHERE tenant_id = ${tenantId}`)) return;
    throw error;
  }
  if (names.length > 0) await waking?.send(names.map((name) => ({ tenantId, rootId: ownerId, name, inMs: 0 })));

  /** Rows of usage are written by the prices that count, or not at all: where this isolate knew others, once more by those. */
  async function write(statements: readonly Sql[], prices: Prices | undefined): Promise<D1Result[]> {
    if (prices === undefined) return batch(db, statements);
    // As the statements have it: nothing was waited for since they were made. Others may read later prices meanwhile.
    const { version } = prices;
    const results = await batch(db, [...statements, sql`SELECT ${latestPrices} AS version`]);
    if (latestRow.parse(results.at(-1)?.results[0]).version !== version) {
      await prices.read();
      await write(statementsFor({ ...delivery, messages: ofUsage }, prices), prices);
    }
    return results;
  }
}

/** The version of the table of prices that was stored last; 0 of none. */
const latestPrices = sql`(SELECT COALESCE(MAX(version), 0) FROM prices)`;
const latestRow = z.object({ version: z.int() });

/** What leaves a decision: one of its steps, as JSON writes it. */
const notAllowed = ["modify", "review", "block"].map((action) => `"action":"${action}"`);

const decisionRows = loaded(() => import("./decision-rows.js"));

/** Passes in which all allowed, which nearly all are, leave none: they aren't looked into. */
async function decisionsOf({ messages, ...origin }: Delivery): Promise<Sql[]> {
  const deciding = messages.filter(
    ({ topic, payload }) => topic === "audit" && notAllowed.some((mark) => payload.includes(mark)),
  );
  if (deciding.length === 0) return [];
  const { decisionStatements } = await decisionRows();
  return decisionStatements({ ...origin, messages: deciding });
}

const nameRows = z.array(z.object({ name: z.string() }));

/** A message as its handler reads it. */
interface Read<Topic extends TopicOf<"d1">> {
  readonly id: number;
  readonly payload: ReadPayload<Topic>;
  /** The payload's JSON text. */
  readonly text: string;
}

/** Where messages come from, and how they reached us. */
interface Origin {
  readonly tenantId: string;
  readonly ownerId: string;
  readonly prices: Prices | undefined;
}

function statementsFor({ tenantId, ownerId, messages }: Delivery, prices: Prices | undefined): Sql[] {
  const byTopic = Map.groupBy(messages, ({ topic }) => topic);
  return [...byTopic].flatMap(([topic, ofTopic]) => {
    if (!isTopicOf(topic, "d1")) throw new UnknownTopicError(topic);
    return handle(topic, ofTopic, { tenantId, ownerId, prices });
  });
}

function handle<Topic extends TopicOf<"d1">>(topic: Topic, messages: Delivery["messages"], origin: Origin): Sql[] {
  const read = messages.map(({ id, payload }) => ({ id, payload: readPayload(topic, payload), text: payload }));
  return handlers[topic](read, origin);
}

type Handler<Topic extends TopicOf<"d1">> = (messages: readonly Read<Topic>[], origin: Origin) => Sql[];

const handlers: { readonly [Topic in TopicOf<"d1">]: Handler<Topic> } = {
  // Whoever goes on from a session of one turn may have put off when it is forgotten before this copy of its end came.
  session: (copies, { tenantId, ownerId }) =>
    copies.map(({ id, payload: session, text }) => {
      const [createdAt, updatedAt] = [Date.parse(session.createdAt), Date.parse(session.updatedAt)];
      const stateless = session.stateless === true ? 1 : 0;
      const heldAt = session.hold && Date.parse(session.hold.since);
      return sql`
        INSERT INTO sessions (tenant_id, session_id, agent, body, created_at, revision, status, subject, external_id,
          updated_at, stateless, held_at)
        VALUES (${tenantId}, ${ownerId}, ${session.agent}, ${text}, ${createdAt}, ${id}, ${session.status},
          ${session.subject}, ${session.externalId}, ${updatedAt}, ${stateless}, ${heldAt})
        ON CONFLICT DO UPDATE
        SET body = excluded.body, revision = excluded.revision, status = excluded.status, subject = excluded.subject,
          updated_at = MAX(updated_at, excluded.updated_at), stateless = excluded.stateless,
          held_at = excluded.held_at
        WHERE revision < excluded.revision`;
    }),

  ask: (copies, { tenantId, ownerId }) =>
    copies.map(
      ({ id, payload: ask, text }) =>
        sql`INSERT INTO asks (tenant_id, ask_id, owner_id, kind, status, body, revision, audience, subject, priority,
            urgency, deadline, opened_at, agent, tool, supervisors, overdue_at, claimed_by, claimed_until, closed_at,
            closed_by, decision, deferred_until)
          VALUES (${tenantId}, ${ask.askId}, ${ownerId}, ${ask.kind}, ${ask.status}, ${text}, ${id}, ${ask.audience},
            ${ask.from.subject}, ${ask.priority}, ${urgencyOf(ask)}, ${ask.deadline}, ${ask.openedAt},
            ${ask.from.agent}, ${ask.from.tool}, ${ask.from.supervisors && JSON.stringify(ask.from.supervisors)},
            ${ask.overdueAt}, ${ask.claim?.by.id}, ${ask.claim?.until}, ${ask.closedAt}, ${ask.closedBy?.id},
            ${decisionWord(ask)}, ${ask.deferred?.until})
          ON CONFLICT DO UPDATE SET status = excluded.status, body = excluded.body, revision = excluded.revision,
            claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until, closed_at = excluded.closed_at,
            closed_by = excluded.closed_by, decision = excluded.decision, deferred_until = excluded.deferred_until
          WHERE revision < excluded.revision`,
    ),

  run: (copies, { tenantId }) =>
    copies.map(
      ({ id, payload: run, text }) =>
        sql`INSERT INTO runs (tenant_id, run_id, status, body, revision, team, subject, external_id)
          VALUES (${tenantId}, ${run.runId}, ${run.status}, ${text}, ${id}, ${run.team}, ${run.subject},
            ${run.externalId})
          ON CONFLICT DO UPDATE SET status = ${run.status}, body = ${text}, revision = ${id} WHERE revision < ${id}`,
    ),

  roundtable: (copies, { tenantId }) =>
    copies.map(
      ({ id, payload: roundtable, text }) =>
        sql`
          INSERT INTO roundtables (tenant_id, roundtable_id, status, body, revision, mode, panel, subject, external_id)
          VALUES (${tenantId}, ${roundtable.sessionId}, ${roundtable.status}, ${text}, ${id}, ${roundtable.mode},
            ${roundtable.panel}, ${roundtable.subject}, ${roundtable.externalId})
          ON CONFLICT DO UPDATE SET status = ${roundtable.status}, body = ${text}, revision = ${id}
          WHERE revision < ${id}`,
    ),

  dataset: (copies, { tenantId }) =>
    copies.map(
      ({ id, payload: { name }, text }) =>
        sql`INSERT INTO datasets (tenant_id, name, body, revision) VALUES (${tenantId}, ${name}, ${text}, ${id})
          ON CONFLICT DO UPDATE SET body = ${text}, revision = ${id} WHERE revision < ${id}`,
    ),

  eval: (copies, { tenantId }) =>
    copies.map(
      ({ id, payload: { evalId, dataset, status }, text }) =>
        sql`INSERT INTO evals (tenant_id, eval_id, dataset, status, body, revision)
          VALUES (${tenantId}, ${evalId}, ${dataset}, ${status}, ${text}, ${id})
          ON CONFLICT DO UPDATE SET status = ${status}, body = ${text}, revision = ${id} WHERE revision < ${id}`,
    ),
  feedback: (messages, { tenantId, ownerId }) =>
    messages.map(({ id, payload: given }) => {
      const { turnId, messageId, score, label, by, agent, subject } = given;
      const about = messageId ?? turnId;
      return sql`INSERT INTO feedback (tenant_id, session_id, about, actor_kind, actor_id, turn_id, message_id, score,
          label, actor, agent, subject, at, revision)
        VALUES (${tenantId}, ${ownerId}, ${about}, ${by.kind}, ${by.id}, ${turnId}, ${messageId}, ${score}, ${label},
          ${JSON.stringify(by)}, ${agent}, ${subject}, ${Date.parse(given.at)}, ${id})
        ON CONFLICT DO UPDATE SET score = excluded.score, label = excluded.label, at = excluded.at,
          revision = excluded.revision WHERE revision < excluded.revision`;
    }),

  experiment: (messages, { tenantId }) => messages.flatMap(({ payload }) => countUnit(tenantId, payload)),

  parked: (messages, { tenantId, ownerId }) =>
    messages.map(
      ({ id, payload: { parked, at } }) =>
        sql`INSERT INTO parked_outboxes (tenant_id, owner_id, parked, since, revision)
          VALUES (${tenantId}, ${ownerId}, ${parked}, ${at}, ${id})
          ON CONFLICT DO UPDATE SET since = CASE WHEN parked = 0 THEN excluded.since ELSE since END,
            parked = excluded.parked, revision = excluded.revision
          WHERE revision < excluded.revision`,
    ),

  work_ended: (messages, { tenantId }) => messages.flatMap(({ payload: { work, at } }) => endWork(tenantId, work, at)),

  act: (messages, { tenantId, ownerId }) =>
    messages.map(({ id, payload }) => insertAct({ tenantId, ownerId, revision: id }, payload)),

  // One write per work, whole or not at all: delivered again it changes nothing, and what it cost stays what it was.
  usage: (messages, { tenantId, prices }) => {
    const none: ModelUsage = { model: "", ...noUsage };
    const rows = messages.flatMap(({ payload: { work, kind, agent, subject, keyId, models, at, status, degraded } }) =>
      (models.length === 0 ? [none] : models).map(({ model, calls, ...usage }) => {
        const price = prices?.priceOf(model, calls ?? [usage], at);
        return [
          ...[work, model, kind, agent, subject, keyId, at, usage.modelCalls, usage.inputTokens, usage.outputTokens],
          ...[usage.cachedInputTokens ?? 0, usage.cacheWriteTokens ?? 0, usage.reasoningTokens ?? 0],
          ...[price?.money, price?.version, status, degraded === true ? 1 : 0],
        ];
      }),
    );
    const isKnown = prices === undefined ? sql`TRUE` : sql`${latestPrices} = ${prices.version}`;
    return inParts(rows).map(
      (part) =>
        sql`INSERT INTO usage (tenant_id, work_id, model, kind, agent, subject, key_id, at, model_calls, input_tokens,
            output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, money, price_version, status,
            degraded)
          SELECT ${tenantId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
            value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14,
            value ->> 15, value ->> 16
          FROM json_each(${part}) WHERE ${isKnown} ON CONFLICT DO NOTHING`,
    );
  },

  limit: (messages, { tenantId, ownerId }) =>
    messages.flatMap(({ payload: { type, key, data, at } }) => [
      sql`INSERT INTO limit_events (tenant_id, key, type, data, at)
        VALUES (${tenantId}, ${key}, ${type}, ${JSON.stringify(data)}, ${at}) ON CONFLICT DO NOTHING`,
      ...(ownerId === limitEventsRoot ? [] : [owedToAll(tenantId, limitEventsRoot, at)]),
    ]),

  channel_conversation: (messages, { tenantId }) =>
    messages.map(
      ({ payload: { channelId, conversation } }) =>
        sql`INSERT INTO channel_conversations (channel_id, tenant_id, conversation)
          VALUES (${channelId}, ${tenantId}, ${conversation}) ON CONFLICT DO NOTHING`,
    ),

  channel_delivery: (messages, { tenantId }) =>
    messages.flatMap(({ id, payload: delivery }) => [
      sql`INSERT INTO channel_deliveries (delivery_id, tenant_id, channel_id, conversation, status, attempts, failure,
          created_at, updated_at, revision)
        VALUES (${delivery.deliveryId}, ${tenantId}, ${delivery.channelId}, ${delivery.conversation}, ${delivery.status},
          ${delivery.attempts}, ${delivery.failure}, ${delivery.createdAt}, ${delivery.at}, ${id})
        ON CONFLICT DO UPDATE
        SET status = ${delivery.status}, attempts = ${delivery.attempts}, failure = ${delivery.failure},
          updated_at = ${delivery.at}, revision = ${id}
        WHERE revision < ${id}`,
      sql`UPDATE channels SET last_failure_at = ${delivery.at}, last_failure = ${delivery.failure}
        WHERE channel_id = ${delivery.channelId} AND ${delivery.status} <> 'delivered'
          AND (last_failure_at IS NULL OR last_failure_at <= ${delivery.at})`,
    ]),

  audit: (messages, { tenantId, ownerId }) => {
    const rows = messages.map(({ id, payload: { at, workId, hook, decision, body } }) => [
      ...[id, at, workId, hook, decision, body],
    ]);
    return inParts(rows).map(
      (part) =>
        sql`INSERT INTO audit (tenant_id, owner_id, revision, at, turn_id, hook, decision, body)
          SELECT ${tenantId}, ${ownerId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value -> 5
          FROM json_each(${part}) WHERE TRUE ON CONFLICT DO NOTHING`,
    );
  },
};
