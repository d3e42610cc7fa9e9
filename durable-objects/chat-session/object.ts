import { DurableObject } from "cloudflare:workers";
import type { Ask, Role } from "../../src/asks/ask.js";
import { type ContextChangeBody, type ContextView, contextChangeSchema } from "../../src/chat/context.js";
import type { ChatMessage } from "../../src/chat/message.js";
import { type NewSession, newSessionSchema, type Session, type Turn } from "../../src/chat/session.js";
import { composeSessionPlatform } from "../../src/composition.js";
import {
  type EventsQuery,
  type MessageEdit,
  type MessageVersion,
  messageEditSchema,
  type Page,
  type PassView,
  type SendCommand,
  type SessionObject,
} from "../../src/platform/session-gateway.js";
import { fromWire, toWire, type Wire } from "../../src/platform/wire.js";
import { ok, type Result, refuse } from "../../src/problem.js";
import { answerResult } from "../kit/asks.js";
import { eventStream } from "../kit/event-stream.js";
import { applySchema, hasSchema } from "../kit/schema.js";
import { EventSockets } from "../kit/sockets.js";
import { chatSessionSchema } from "./schema.js";
import { SessionAtWork } from "./session.js";

/** One session: its messages, its turns one at a time, the asks they wait on. */
export class ChatSession extends DurableObject<Env> implements SessionObject {
  private readonly session: SessionAtWork;
  private readonly sockets: EventSockets;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.session = new SessionAtWork(ctx, composeSessionPlatform(env));
    this.sockets = new EventSockets(ctx, this.session.kit.events);
    if (this.exists()) {
      applySchema(ctx.storage, chatSessionSchema);
      this.session.resume();
    }
  }

  async create(
    identity: { tenantId: string; sessionId: string },
    definition: Wire<NewSession>,
  ): Promise<Wire<Session>> {
    const parsed = fromWire(definition, newSessionSchema);
    applySchema(this.ctx.storage, chatSessionSchema);
    this.session.create(identity, parsed);
    return toWire(this.session.view());
  }

  async describe(): Promise<Wire<Result<Session>>> {
    return toWire(this.exists() ? ok(this.session.view()) : noSession);
  }

  /** Erases everything that the object holds. */
  async remove(): Promise<boolean> {
    if (!this.exists()) return false;
    await this.session.stop();
    await this.ctx.storage.deleteAll();
    return true;
  }

  /** Takes a message and waits for its turn's outcome, at most `waitMs`. The same key gets the same turn. */
  async send(command: SendCommand): Promise<Wire<Result<Turn>>> {
    if (!this.exists()) return toWire(noSession);
    const accepted = this.session.accept(command);
    return accepted.ok ? this.turn(accepted.value, command.waitMs) : toWire(accepted);
  }

  async turn(turnId: string, waitMs: number): Promise<Wire<Result<Turn>>> {
    if (!this.exists()) return toWire(noSession);
    await this.session.settled(turnId, waitMs);
    return toWire(this.session.turn(turnId));
  }

  async cancelTurn(turnId: string): Promise<Wire<Result<Turn>>> {
    const turn = this.exists() ? this.session.store.turn(turnId) : undefined;
    if (turn === undefined) return toWire(noSession);
    this.session.cancelTurn(turn);
    return toWire(this.session.turn(turnId));
  }

  async context(): Promise<Wire<Result<ContextView>>> {
    return toWire(this.exists() ? ok(this.session.context.view()) : noSession);
  }

  async changeContext(change: Wire<ContextChangeBody>, author: string): Promise<Wire<Result<ContextView>>> {
    if (!this.exists()) return toWire(noSession);
    return toWire(await this.session.changeContext(fromWire(change, contextChangeSchema), author));
  }

  async restoreContext(version: number, author: string): Promise<Wire<Result<ContextView>>> {
    return toWire(this.exists() ? await this.session.restoreContext(version, author) : noSession);
  }

  async messages(after: number, limit: number): Promise<Wire<Result<Page<ChatMessage>>>> {
    if (!this.exists()) return toWire(noSession);
    const rows = this.session.store.messagesAfter(after, limit + 1);
    return toWire(ok(pageOf(rows, limit, ({ message }) => message)));
  }

  /** What a message said at first and what it says now. Originals are for operators: the caller sees to that. */
  async versions(messageId: string): Promise<Wire<Result<MessageVersion[]>>> {
    const versions = this.exists() ? await this.session.edits.versions(messageId) : [];
    return toWire(
      versions.length > 0 ? ok(versions) : refuse("not_found", "There is no such message in this session."),
    );
  }

  async editMessage(messageId: string, edit: Wire<MessageEdit>, author: string): Promise<Wire<Result<MessageVersion>>> {
    if (!this.exists()) return toWire(noSession);
    return toWire(await this.session.edits.edit(messageId, fromWire(edit, messageEditSchema), author));
  }

  async supervision(after: number, limit: number): Promise<Wire<Result<Page<PassView>>>> {
    if (!this.exists()) return toWire(noSession);
    const rows = this.session.store.passesAfter(after, limit + 1);
    const view = ({ state, turnId, at }: (typeof rows)[number]): PassView => ({
      ...state,
      turnId,
      at: new Date(at).toISOString(),
    });
    return toWire(ok(pageOf(rows, limit, view)));
  }

  async ask(askId: string): Promise<Wire<Result<Ask>>> {
    const ask = this.exists() ? this.session.kit.asks.get(askId) : undefined;
    return toWire(ask === undefined ? noAsk : ok(ask));
  }

  async answerAsk(askId: string, said: Wire<unknown>, by: Role): Promise<Wire<Result<Ask>>> {
    if (!this.exists()) return toWire(noAsk);
    return toWire(answerResult(this.session.kit.asks.answer(askId, JSON.parse(said.json), by)));
  }

  async cancelAsk(askId: string): Promise<Wire<Result<Ask>>> {
    const ask = this.exists() ? this.session.kit.asks.cancel(askId) : undefined;
    return toWire(ask === undefined ? noAsk : ok(ask));
  }

  /** Server-sent events; nothing for a session that doesn't exist. */
  async streamEvents(query: EventsQuery): Promise<ReadableStream<Uint8Array> | null> {
    if (!this.exists()) return null;
    const { turnId, after, lingerMs } = query;
    return eventStream(this.session.kit.events, {
      after,
      lingerMs,
      work: turnId,
      active: () => (turnId === undefined ? this.session.active() : this.session.isActive(turnId)),
      catchUp: this.session.catchUp(turnId),
      // Somebody who follows one message gets its reply as text, even when it was complete before they listened.
      unseen: turnId === undefined ? undefined : (event) => this.session.wholeReply(event),
    });
  }

  /** A WebSocket that gets the same events, and sleeps with the object. */
  override async fetch(request: Request): Promise<Response> {
    return this.exists() ? this.sockets.accept(request) : new Response(null, { status: 404 });
  }

  override async alarm(): Promise<void> {
    if (this.exists()) this.session.kit.alarmRang();
  }

  private exists(): boolean {
    return hasSchema(this.ctx.storage.sql);
  }
}

const noSession = refuse("not_found", "There is no such session, or no such turn in it.");
const noAsk = refuse("not_found", "There is no such ask.");

/** One row more than the limit was read, to know whether there is more. */
function pageOf<Row extends { seq: number }, Item>(
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(item), next: rows.length > limit && last !== undefined ? last.seq : null };
}
