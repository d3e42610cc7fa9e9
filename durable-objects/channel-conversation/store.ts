/** The SQL of a conversation in a chat. No rules: what a row means is decided elsewhere. */
import { z } from "zod";
import type { Post } from "../../src/channels/adapter.js";
import { type Target, targetSchema } from "../../src/channels/inbound.js";
import {
  type ConversationIdentity,
  type ConversationSignal,
  conversationSignalSchema,
  signalId,
} from "../../src/gateways/channel-gateway.js";
import { newId } from "../../src/platform/ids.js";
import { exec, sql } from "../../src/platform/sql.js";

export interface ConversationState extends ConversationIdentity {
  readonly generation: number;
  readonly sessionId: string | undefined;
  readonly handedOver: boolean;
  readonly target: Target | undefined;
}

export interface SignalRow {
  readonly seq: number;
  readonly signal: ConversationSignal;
  readonly attempts: number;
  readonly dueAt: number;
}

const postSchema = z.custom<Post>();

export interface PostRow {
  readonly deliveryId: string;
  readonly key: string;
  readonly post: Post;
  readonly target: Target;
  readonly editsKey: string | undefined;
  readonly attempts: number;
  /** When the first try began of those whose end nobody knows. */
  readonly triedAt: number | undefined;
  readonly dueAt: number;
  readonly reported: boolean;
  readonly createdAt: number;
}

export interface NewPost {
  /** A post with a key that is there already is not added again. */
  readonly key: string;
  readonly post: Post;
  readonly target: Target;
  /** The key of the post whose message this one takes the place of, where that was delivered. */
  readonly editsKey?: string | undefined;
}

/** How long the ids of events are known: longer than any of the platforms tries again, in milliseconds. */
const knownMs = 8 * 86_400_000;

export class ConversationStore {
  constructor(private readonly sql: SqlStorage) {}

  create({ tenantId, channelId, conversation }: ConversationIdentity, at: number): void {
    exec(this.sql)`INSERT INTO conversation (one, tenant_id, channel_id, conversation, created_at)
      VALUES (1, ${tenantId}, ${channelId}, ${conversation}, ${at})`;
  }

  state(): ConversationState {
    const row = exec<{
      tenant_id: string;
      channel_id: string;
      conversation: string;
      generation: number;
      session_id: string | null;
      handed_over: number;
      target: string | null;
    }>(this.sql)`
      SELECT * FROM conversation`.one();
    return {
      tenantId: row.tenant_id,
      channelId: row.channel_id,
      conversation: row.conversation,
      generation: row.generation,
      sessionId: row.session_id ?? undefined,
      handedOver: row.handed_over === 1,
      target: row.target === null ? undefined : targetSchema.parse(JSON.parse(row.target)),
    };
  }

  setSession(sessionId: string | undefined): void {
    exec(this.sql)`UPDATE conversation SET session_id = ${sessionId}`;
  }

  setTarget(target: Target): void {
    exec(this.sql)`UPDATE conversation SET target = ${JSON.stringify(target)}`;
  }

  setHandedOver(isHandedOver: boolean): void {
    exec(this.sql)`UPDATE conversation SET handed_over = ${isHandedOver ? 1 : 0}`;
  }

  beginAnew(): void {
    exec(this.sql)`UPDATE conversation SET generation = generation + 1, session_id = NULL, handed_over = 0`;
  }

  /** False when it was there before. */
  addSignal(signal: ConversationSignal, at: number): boolean {
    const added = exec(this.sql)`INSERT INTO signals (signal_id, lane, body, due_at, received_at)
      VALUES (${signalId(signal)}, ${signal.kind === "event" ? "event" : "signal"}, ${JSON.stringify(signal)}, ${at},
        ${at})
      ON CONFLICT DO NOTHING RETURNING seq`.toArray();
    return added.length > 0;
  }

  /** The oldest of each lane: what people do goes before what comes of it, and neither overtakes its own kind. */
  heads(): SignalRow[] {
    return exec<{ seq: number; body: string; attempts: number; due_at: number }>(this.sql)`
      SELECT seq, body, attempts, due_at FROM signals
      WHERE seq IN (SELECT MIN(seq) FROM signals WHERE done = 0 GROUP BY lane) ORDER BY lane`
      .toArray()
      .map(({ seq, body, attempts, due_at }) => ({
        seq,
        attempts,
        dueAt: due_at,
        signal: conversationSignalSchema().parse(JSON.parse(body)),
      }));
  }

  /** Of what was dealt with only its id is kept. */
  finish(seq: number): void {
    exec(this.sql)`UPDATE signals SET done = 1, body = NULL WHERE seq = ${seq}`;
  }

  postpone(seq: number, dueAt: number): void {
    exec(this.sql)`UPDATE signals SET attempts = attempts + 1, due_at = ${dueAt} WHERE seq = ${seq}`;
  }

  forgetOld(now: number): void {
    exec(this.sql)`DELETE FROM signals WHERE done = 1 AND received_at < ${now - knownMs}`;
  }

  addTurn(turnId: string, sessionId: string, target: Target): boolean {
    const added = exec(this.sql)`
      INSERT INTO channel_turns (turn_id, session_id, target) VALUES (${turnId}, ${sessionId}, ${JSON.stringify(target)})
      ON CONFLICT DO NOTHING RETURNING turn_id`.toArray();
    return added.length > 0;
  }

  turn(turnId: string): { readonly sessionId: string; readonly target: Target } | undefined {
    const row = exec<{ session_id: string; target: string }>(this.sql)`
      SELECT * FROM channel_turns WHERE turn_id = ${turnId}`.toArray()[0];
    return row === undefined
      ? undefined
      : { sessionId: row.session_id, target: targetSchema.parse(JSON.parse(row.target)) };
  }

  openTurns(): { readonly turnId: string; readonly sessionId: string }[] {
    return exec<{ turn_id: string; session_id: string }>(this.sql)`
      SELECT turn_id, session_id FROM channel_turns WHERE ended = 0 ORDER BY turn_id`
      .toArray()
      .map((row) => ({ turnId: row.turn_id, sessionId: row.session_id }));
  }

  endTurn(turnId: string): void {
    exec(this.sql)`UPDATE channel_turns SET ended = 1 WHERE turn_id = ${turnId}`;
  }

  /** The short name of a question: this one, unless it has one. */
  nameQuestion(subject: string, token: string): string {
    exec(this.sql)`INSERT INTO questions (token, subject) VALUES (${token}, ${subject}) ON CONFLICT DO NOTHING`;
    return exec<{ token: string }>(this.sql)`SELECT token FROM questions WHERE subject = ${subject}`.one().token;
  }

  /** What a short name stands for: an ask's id, or a conversation that was handed over. */
  question(token: string): string | undefined {
    return exec<{ subject: string }>(this.sql)`SELECT subject FROM questions WHERE token = ${token}`.toArray()[0]
      ?.subject;
  }

  hasQuestion(subject: string): boolean {
    return exec(this.sql)`SELECT 1 FROM questions WHERE subject = ${subject}`.toArray().length > 0;
  }

  beginEdit(userId: string, token: string): void {
    exec(this.sql)`
      INSERT INTO edits (user_id, token) VALUES (${userId}, ${token}) ON CONFLICT DO UPDATE SET token = ${token}`;
  }

  edit(userId: string): string | undefined {
    return exec<{ token: string }>(this.sql)`SELECT token FROM edits WHERE user_id = ${userId}`.toArray()[0]?.token;
  }

  endEdit(userId: string): void {
    exec(this.sql)`DELETE FROM edits WHERE user_id = ${userId}`;
  }

  addPost({ key, post, target, editsKey }: NewPost, at: number): void {
    exec(this.sql)`INSERT INTO posts (delivery_id, post_key, body, target, edits_key, due_at, created_at)
      VALUES (${newId("dlv")}, ${key}, ${JSON.stringify(post)}, ${JSON.stringify(target)}, ${editsKey},
        MAX(${at}, IFNULL((SELECT MAX(due_at) FROM posts WHERE status = 'dropped'), 0)), ${at})
      ON CONFLICT DO NOTHING`;
  }

  /** The oldest that waits: what is behind it waits too. */
  nextPost(): PostRow | undefined {
    return this.oldestPost("pending");
  }

  /** The sign that somebody types, where it is kept up; of several the oldest stands for all. It holds up nothing. */
  shownSign(): PostRow | undefined {
    return this.oldestPost("shown");
  }

  showsAgain(deliveryId: string, dueAt: number): void {
    exec(this.sql)`UPDATE posts SET status = 'shown', due_at = ${dueAt} WHERE delivery_id = ${deliveryId}`;
  }

  private oldestPost(status: "pending" | "shown"): PostRow | undefined {
    const row = exec<{
      delivery_id: string;
      post_key: string;
      body: string;
      target: string;
      edits_key: string | null;
      attempts: number;
      due_at: number;
      tried_at: number | null;
      reported: number;
      created_at: number;
    }>(this.sql)`
      SELECT * FROM posts WHERE status = ${status} ORDER BY seq LIMIT 1`.toArray()[0];
    if (row === undefined) return undefined;
    return {
      deliveryId: row.delivery_id,
      key: row.post_key,
      attempts: row.attempts,
      dueAt: row.due_at,
      reported: row.reported === 1,
      createdAt: row.created_at,
      editsKey: row.edits_key ?? undefined,
      triedAt: row.tried_at ?? undefined,
      post: postSchema.parse(JSON.parse(row.body)),
      target: targetSchema.parse(JSON.parse(row.target)),
    };
  }

  /** What is known of a post by its key. */
  postOf(key: string): { readonly status: string; readonly messageId: string | undefined } | undefined {
    const row = exec<{ status: string; message_id: string | null }>(this.sql)`
      SELECT status, message_id FROM posts WHERE post_key = ${key}`.toArray()[0];
    return row === undefined ? undefined : { status: row.status, messageId: row.message_id ?? undefined };
  }

  /** The key of the post that the platform knows by this id. */
  postByMessage(messageId: string): string | undefined {
    return exec<{ post_key: string }>(this.sql)`
      SELECT post_key FROM posts WHERE message_id = ${messageId} ORDER BY seq LIMIT 1`.toArray()[0]?.post_key;
  }

  delivered(deliveryId: string, messageId: string | undefined): void {
    exec(this.sql)`
      UPDATE posts SET status = 'delivered', message_id = ${messageId}, body = NULL WHERE delivery_id = ${deliveryId}`;
  }

  /** Before a try: should its end never be heard of, it is known that it began. */
  tries(deliveryId: string, at: number): void {
    exec(this.sql)`UPDATE posts SET tried_at = ${at} WHERE delivery_id = ${deliveryId}`;
  }

  /** @param isUncertain it may have arrived */
  failed(deliveryId: string, status: "pending" | "parked", dueAt: number, isUncertain: boolean): void {
    const tried = isUncertain ? sql`` : sql`tried_at = NULL,`;
    exec(this.sql)`
      UPDATE posts SET status = ${status}, attempts = attempts + 1, due_at = ${dueAt}, ${tried}reported = 1
      WHERE delivery_id = ${deliveryId}`;
  }

  /** It goes as a message of its own from now on. */
  withoutEdit(deliveryId: string): void {
    exec(this.sql)`UPDATE posts SET edits_key = NULL, tried_at = NULL WHERE delivery_id = ${deliveryId}`;
  }

  /** Takes back what wasn't delivered yet, and a sign that is kept up; false when it was, or isn't there. */
  dropPending(key: string): boolean {
    const dropped = exec(
      this.sql,
    )`DELETE FROM posts WHERE post_key = ${key} AND status IN ('pending', 'shown') RETURNING seq`.toArray();
    return dropped.length > 0;
  }

  /** Given up, and nothing else goes out before then either. */
  dropUntil(key: string, dueAt: number): void {
    exec(this.sql)`DELETE FROM posts WHERE status = 'dropped'`;
    exec(this.sql)`UPDATE posts SET status = 'dropped', body = NULL, due_at = ${dueAt} WHERE post_key = ${key}`;
    exec(this.sql)`UPDATE posts SET due_at = MAX(due_at, ${dueAt}) WHERE status = 'pending'`;
  }

  /** False when it isn't parked. */
  unpark(deliveryId: string, at: number): boolean {
    const changed = exec(this.sql)`UPDATE posts SET status = 'pending', attempts = 0, tried_at = NULL, due_at = ${at}
      WHERE delivery_id = ${deliveryId} AND status = 'parked' RETURNING seq`.toArray();
    return changed.length > 0;
  }
}
