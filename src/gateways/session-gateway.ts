/** What crosses between a face and the object of a session. */

import { z } from "zod";
import { type ContextChangeBody, type ContextView, contextViewSchema } from "../chat/context.js";
import { type RecordedConversation, recordedConversationSchema } from "../chat/conversation.js";
import { type Feedback, feedbackSchema, type NewFeedback } from "../chat/feedback.js";
import { type MessageEdit, type MessageVersion, messageVersionSchema } from "../chat/message-version.js";
import {
  recordedPassSchema,
  type Session,
  type SessionChange,
  type SessionDefinition,
  sessionSchema,
  type Turn,
  turnSchema,
} from "../chat/session.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { CommandKey } from "../conversation/command-key.js";
import { type ChatMessage, chatMessageSchema } from "../conversation/message.js";
import { ok, type Result } from "../conversation/problem.js";
import { type TurnTrace, turnTraceSchema } from "../routing/trace.js";
import { lazily } from "../text/lazily.js";
import { type ConversationIdentity, conversationIdentitySchema } from "./channel-gateway.js";
import { type EventsQuery, RootGateway } from "./root-gateway.js";
import {
  type CreatedSession,
  createdSchema,
  type ErasedMessage,
  erasedMessageSchema,
  type HandOverStep,
  type RecordedPass,
  type RecordedTurn,
  recordedTurnSchema,
  type SendCommand,
  type SentTurn,
  type SessionObject,
  sentTurnSchema,
} from "./session-object.js";
import { fromWire, type Page, pageSchema, resultOf, toWire } from "./wire.js";

const sessionResult = resultOf(sessionSchema);
const turnTraceResult = resultOf(turnTraceSchema);
const turnResult = resultOf(turnSchema);
const sentTurnResult = resultOf(sentTurnSchema);
const recordedTurnResult = lazily(() => resultOf(recordedTurnSchema()));
const erasedResult = lazily(() => resultOf(erasedMessageSchema()));
const refusedResult = resultOf(z.never());
const contextResult = resultOf(contextViewSchema);
const messagesResult = resultOf(pageSchema(chatMessageSchema));
const conversationResult = lazily(() => resultOf(recordedConversationSchema()));
const feedbackResult = lazily(() => resultOf(feedbackSchema()));
const versionResult = resultOf(messageVersionSchema);
const versionsResult = resultOf(z.array(messageVersionSchema));
const passesResult = resultOf(pageSchema(recordedPassSchema));

/** The sessions of the system. Commands carry their key where their sender gave one. */
export class SessionGateway extends RootGateway<SessionObject> {
  /** Made once under its id, so that this can be repeated. */
  create(tenantId: string, sessionId: string, definition: SessionDefinition): Promise<CreatedSession> {
    return this.objects.read([tenantId, sessionId], createdSchema, (object) =>
      object.create({ tenantId, sessionId }, toWire(definition)),
    );
  }

  change(
    tenantId: string,
    sessionId: string,
    change: SessionChange,
    by: ActorRecord,
    command?: CommandKey,
  ): Promise<Result<Session>> {
    return this.objects.read([tenantId, sessionId], sessionResult, (object) =>
      object.change(toWire(change), command, by),
    );
  }

  showIn(tenantId: string, sessionId: string, conversation: ConversationIdentity): Promise<Result<Session>> {
    return this.objects.read([tenantId, sessionId], sessionResult, (object) => object.showIn(toWire(conversation)));
  }

  async shownIn(tenantId: string, sessionId: string): Promise<ConversationIdentity | undefined> {
    const shown = conversationIdentitySchema.nullable();
    return (await this.objects.read([tenantId, sessionId], shown, (object) => object.shownIn())) ?? undefined;
  }

  describe(tenantId: string, sessionId: string): Promise<Result<Session>> {
    return this.objects.read([tenantId, sessionId], sessionResult, (object) => object.describe());
  }

  send(tenantId: string, sessionId: string, command: SendCommand): Promise<Result<Turn>> {
    return this.objects.read([tenantId, sessionId], turnResult, (object) => object.send(command));
  }

  async sendAndFollow(
    tenantId: string,
    sessionId: string,
    command: SendCommand,
    query: Omit<EventsQuery, "work">,
  ): Promise<Result<ReadableStream<Uint8Array>>> {
    const followed = await this.objects.call([tenantId, sessionId], (object) => object.sendAndFollow(command, query));
    return followed.stream === undefined ? fromWire(followed.refusal, refusedResult) : ok(followed.stream);
  }

  async turn(tenantId: string, sessionId: string, turnId: string, waitMs = 0): Promise<Result<Turn>> {
    return this.objects.read([tenantId, sessionId], turnResult, (object) => object.turn(turnId, waitMs));
  }

  turnAsSent(tenantId: string, sessionId: string, turnId: string): Promise<Result<SentTurn>> {
    return this.objects.read([tenantId, sessionId], sentTurnResult, (object) => object.turnAsSent(turnId));
  }

  recordedTurn(tenantId: string, sessionId: string, turnId: string): Promise<Result<RecordedTurn>> {
    return this.objects.read([tenantId, sessionId], recordedTurnResult(), (object) => object.recordedTurn(turnId));
  }

  turnTrace(tenantId: string, sessionId: string, turnId: string): Promise<Result<TurnTrace>> {
    return this.objects.read([tenantId, sessionId], turnTraceResult, (object) => object.turnTrace(turnId));
  }

  cancelTurn(tenantId: string, sessionId: string, turnId: string, by: ActorRecord): Promise<Result<Turn>> {
    return this.objects.read([tenantId, sessionId], turnResult, (object) => object.cancelTurn(turnId, by));
  }

  context(tenantId: string, sessionId: string): Promise<Result<ContextView>> {
    return this.objects.read([tenantId, sessionId], contextResult, (object) => object.context());
  }

  changeContext(
    tenantId: string,
    sessionId: string,
    change: ContextChangeBody,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Result<ContextView>> {
    return this.objects.read([tenantId, sessionId], contextResult, (object) =>
      object.changeContext(toWire(change), author, command),
    );
  }

  restoreContext(
    tenantId: string,
    sessionId: string,
    version: number,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Result<ContextView>> {
    return this.objects.read([tenantId, sessionId], contextResult, (object) =>
      object.restoreContext(version, author, command),
    );
  }

  messages(tenantId: string, sessionId: string, after: number, limit: number): Promise<Result<Page<ChatMessage>>> {
    return this.objects.read([tenantId, sessionId], messagesResult, (object) => object.messages(after, limit));
  }

  conversation(
    tenantId: string,
    sessionId: string,
    before: number,
    limit: number,
  ): Promise<Result<RecordedConversation>> {
    const read = (object: SessionObject) => object.conversation(before, limit);
    return this.objects.read([tenantId, sessionId], conversationResult(), read);
  }

  versions(tenantId: string, sessionId: string, messageId: string): Promise<Result<MessageVersion[]>> {
    return this.objects.read([tenantId, sessionId], versionsResult, (object) => object.versions(messageId));
  }

  editMessage(
    tenantId: string,
    sessionId: string,
    messageId: string,
    edit: MessageEdit,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Result<MessageVersion>> {
    // Without a key it isn't repeated: on a second try its own base would be gone.
    const edited = (object: SessionObject) => object.editMessage(messageId, toWire(edit), author, command);
    return this.objects.read([tenantId, sessionId], versionResult, edited, command !== undefined);
  }

  restoreMessage(
    tenantId: string,
    sessionId: string,
    messageId: string,
    version: number,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Result<MessageVersion>> {
    // Without a key it isn't repeated: a second try would make another version.
    const restore = (object: SessionObject) => object.restoreMessage(messageId, version, author, command);
    return this.objects.read([tenantId, sessionId], versionResult, restore, command !== undefined);
  }

  async eraseMessage(
    tenantId: string,
    sessionId: string,
    messageId: string,
    author: ActorRecord,
  ): Promise<Result<ErasedMessage>> {
    return this.objects.read([tenantId, sessionId], erasedResult(), (object) => object.eraseMessage(messageId, author));
  }

  handOver(
    tenantId: string,
    sessionId: string,
    step: HandOverStep,
    by: ActorRecord,
    command?: CommandKey,
  ): Promise<Result<Session>> {
    return this.objects.read([tenantId, sessionId], sessionResult, (object) => object.handOver(step, by, command));
  }

  writeAsStaff(
    tenantId: string,
    sessionId: string,
    content: string,
    by: ActorRecord,
    command?: CommandKey,
  ): Promise<Result<Turn>> {
    // Without a key it isn't repeated: it would be said twice.
    const write = (object: SessionObject) => object.writeAsStaff(content, by, command);
    return this.objects.read([tenantId, sessionId], turnResult, write, command !== undefined);
  }

  giveFeedback(tenantId: string, sessionId: string, given: NewFeedback, by: ActorRecord): Promise<Result<Feedback>> {
    const give = (object: SessionObject) => object.giveFeedback(toWire(given), by);
    return this.objects.read([tenantId, sessionId], feedbackResult(), give);
  }

  supervision(tenantId: string, sessionId: string, after: number, limit: number): Promise<Result<Page<RecordedPass>>> {
    return this.objects.read([tenantId, sessionId], passesResult, (object) => object.supervision(after, limit));
  }
}
