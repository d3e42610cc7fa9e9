/** What crosses between a face and the object of a session. */
import { z } from "zod";
import { type ContextChangeBody, type ContextView, contextViewSchema } from "../chat/context.js";
import { type MessageEdit, type MessageVersion, messageVersionSchema } from "../chat/message-version.js";
import {
  type NewSession,
  passViewSchema,
  type Session,
  sessionSchema,
  type Turn,
  turnSchema,
} from "../chat/session.js";
import { type ChatMessage, chatMessageSchema } from "../conversation/message.js";
import type { Result } from "../conversation/problem.js";
import { newId } from "../platform/ids.js";
import { RootGateway, type RootObject } from "./root-gateway.js";
import { fromWire, type Page, pageSchema, resultOf, toWire, type Wire } from "./wire.js";

export interface SendCommand {
  readonly content: string;
  readonly idempotencyKey: string;
  /** Tells whether the same key came with the same message. */
  readonly requestHash: string;
  readonly waitMs: number;
}

export type PassView = z.infer<typeof passViewSchema>;

/** What a session's object offers. */
export interface SessionObject extends RootObject {
  create(identity: { tenantId: string; sessionId: string }, definition: Wire<NewSession>): Promise<Wire<Session>>;
  describe(): Promise<Wire<Result<Session>>>;
  send(command: SendCommand): Promise<Wire<Result<Turn>>>;
  turn(turnId: string, waitMs: number): Promise<Wire<Result<Turn>>>;
  cancelTurn(turnId: string): Promise<Wire<Result<Turn>>>;
  context(): Promise<Wire<Result<ContextView>>>;
  changeContext(change: Wire<ContextChangeBody>, author: string): Promise<Wire<Result<ContextView>>>;
  restoreContext(version: number, author: string): Promise<Wire<Result<ContextView>>>;
  messages(after: number, limit: number): Promise<Wire<Result<Page<ChatMessage>>>>;
  versions(messageId: string): Promise<Wire<Result<MessageVersion[]>>>;
  editMessage(messageId: string, edit: Wire<MessageEdit>, author: string): Promise<Wire<Result<MessageVersion>>>;
  restoreMessage(messageId: string, version: number, author: string): Promise<Wire<Result<MessageVersion>>>;
  eraseMessage(messageId: string, author: string): Promise<Wire<Result<MessageVersion>>>;
  supervision(after: number, limit: number): Promise<Wire<Result<Page<PassView>>>>;
}

const sessionResult = resultOf(sessionSchema);
const turnResult = resultOf(turnSchema);
const contextResult = resultOf(contextViewSchema);
const messagesResult = resultOf(pageSchema(chatMessageSchema));
const versionResult = resultOf(messageVersionSchema);
const versionsResult = resultOf(z.array(messageVersionSchema));
const passesResult = resultOf(pageSchema(passViewSchema));

/** The sessions of the system. Messages carry their key, so that every command but an edit can be repeated. */
export class SessionGateway extends RootGateway<SessionObject> {
  async create(tenantId: string, definition: NewSession): Promise<Session> {
    const sessionId = newId("ses");
    // Not repeated: an id is used once, and a caller without an answer creates another session.
    const wire = await this.object(tenantId, sessionId).create({ tenantId, sessionId }, toWire(definition));
    return fromWire(wire, sessionSchema);
  }

  async describe(tenantId: string, sessionId: string): Promise<Result<Session>> {
    return fromWire(await this.call(tenantId, sessionId, (object) => object.describe()), sessionResult);
  }

  async send(tenantId: string, sessionId: string, command: SendCommand): Promise<Result<Turn>> {
    return fromWire(await this.call(tenantId, sessionId, (object) => object.send(command)), turnResult);
  }

  async turn(tenantId: string, sessionId: string, turnId: string, waitMs = 0): Promise<Result<Turn>> {
    return fromWire(await this.call(tenantId, sessionId, (object) => object.turn(turnId, waitMs)), turnResult);
  }

  async cancelTurn(tenantId: string, sessionId: string, turnId: string): Promise<Result<Turn>> {
    return fromWire(await this.call(tenantId, sessionId, (object) => object.cancelTurn(turnId)), turnResult);
  }

  async context(tenantId: string, sessionId: string): Promise<Result<ContextView>> {
    return fromWire(await this.call(tenantId, sessionId, (object) => object.context()), contextResult);
  }

  async changeContext(
    tenantId: string,
    sessionId: string,
    change: ContextChangeBody,
    author: string,
  ): Promise<Result<ContextView>> {
    return fromWire(
      await this.call(tenantId, sessionId, (object) => object.changeContext(toWire(change), author)),
      contextResult,
    );
  }

  async restoreContext(
    tenantId: string,
    sessionId: string,
    version: number,
    author: string,
  ): Promise<Result<ContextView>> {
    return fromWire(
      await this.call(tenantId, sessionId, (object) => object.restoreContext(version, author)),
      contextResult,
    );
  }

  async messages(
    tenantId: string,
    sessionId: string,
    after: number,
    limit: number,
  ): Promise<Result<Page<ChatMessage>>> {
    return fromWire(await this.call(tenantId, sessionId, (object) => object.messages(after, limit)), messagesResult);
  }

  async versions(tenantId: string, sessionId: string, messageId: string): Promise<Result<MessageVersion[]>> {
    return fromWire(await this.call(tenantId, sessionId, (object) => object.versions(messageId)), versionsResult);
  }

  async editMessage(
    tenantId: string,
    sessionId: string,
    messageId: string,
    edit: MessageEdit,
    author: string,
  ): Promise<Result<MessageVersion>> {
    // Not repeated: on a second try its own base would be gone.
    const wire = await this.object(tenantId, sessionId).editMessage(messageId, toWire(edit), author);
    return fromWire(wire, versionResult);
  }

  async restoreMessage(
    tenantId: string,
    sessionId: string,
    messageId: string,
    version: number,
    author: string,
  ): Promise<Result<MessageVersion>> {
    // Not repeated: a second try would make another version.
    const wire = await this.object(tenantId, sessionId).restoreMessage(messageId, version, author);
    return fromWire(wire, versionResult);
  }

  async eraseMessage(
    tenantId: string,
    sessionId: string,
    messageId: string,
    author: string,
  ): Promise<Result<MessageVersion>> {
    const erase = (object: SessionObject) => object.eraseMessage(messageId, author);
    return fromWire(await this.call(tenantId, sessionId, erase), versionResult);
  }

  async supervision(
    tenantId: string,
    sessionId: string,
    after: number,
    limit: number,
  ): Promise<Result<Page<PassView>>> {
    return fromWire(await this.call(tenantId, sessionId, (object) => object.supervision(after, limit)), passesResult);
  }
}
