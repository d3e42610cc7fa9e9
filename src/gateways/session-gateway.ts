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
import { type TurnRequest, turnRequestSchema } from "../chat/turn-request.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { CommandKey } from "../conversation/command-key.js";
import { type ChatMessage, chatMessageSchema } from "../conversation/message.js";
import type { Metadata } from "../conversation/names.js";
import { ok, type Result } from "../conversation/problem.js";
import { type TurnTrace, turnTraceSchema } from "../routing/trace.js";
import { lazily } from "../text/lazily.js";
import { type ConversationIdentity, conversationIdentitySchema } from "./channel-gateway.js";
import { type EventsQuery, RootGateway, type RootObject } from "./root-gateway.js";
import { fromWire, type Page, pageSchema, resultOf, toWire, type Wire } from "./wire.js";

export interface SendCommand {
  readonly content: string;
  readonly speaker?: string | undefined;
  readonly metadata?: Metadata | undefined;
  /** The sender's own, or without one the turn's id. */
  readonly idempotencyKey: string;
  /** The turn's id, of a message without a key of its sender's: our own calls are repeated too. */
  readonly turnId?: string | undefined;
  /** What the caller sends along with it. */
  readonly request?: TurnRequest | undefined;
  /** Tells whether the same key came with the same message. */
  readonly requestHash: string;
  readonly waitMs: number;
  /** Until it has ended, also while it waits for an answer. */
  readonly follow?: boolean | undefined;
  /** Who sends it: a message may be taken as the answer to an ask. */
  readonly sender: ActorRecord;
  /** The key that it is sent with, or that its token was minted with. */
  readonly keyId?: string | undefined;
  /** The tenant's revision, as it was read with the key. */
  readonly revision?: number | undefined;
  /** Of what the tenant has limits, where that was read with the key. */
  readonly measures?: readonly string[] | undefined;
}

const createdSchema = z.object({ session: sessionSchema, created: z.boolean() });
/** A session, and whether it was made just now. */
export type CreatedSession = z.infer<typeof createdSchema>;

const sentTurnSchema = z.object({ turn: turnSchema, request: turnRequestSchema.optional() });
/** A turn with what the caller sent along with its message: the restricted record. */
export type SentTurn = z.infer<typeof sentTurnSchema>;

export type RecordedPass = z.infer<typeof recordedPassSchema>;

/** The events of a message's turn as server-sent events, or why it was not taken. */
export type FollowedMessage =
  | { readonly stream: ReadableStream<Uint8Array>; readonly refusal?: undefined }
  | { readonly refusal: Wire<Result<never>>; readonly stream?: undefined };

/** What a session's object offers. */
export interface SessionObject extends RootObject {
  /** Makes the session, unless it was made before. */
  create(
    identity: { tenantId: string; sessionId: string },
    definition: Wire<SessionDefinition>,
  ): Promise<Wire<CreatedSession>>;
  change(change: Wire<SessionChange>, command?: CommandKey, by?: ActorRecord): Promise<Wire<Result<Session>>>;
  /** Has a conversation of a chat channel show what happens in the session. */
  showIn(conversation: Wire<ConversationIdentity>): Promise<Wire<Result<Session>>>;
  /** The conversation that shows it; nothing where there is none. */
  shownIn(): Promise<Wire<ConversationIdentity | null>>;
  describe(): Promise<Wire<Result<Session>>>;
  send(command: SendCommand): Promise<Wire<Result<Turn>>>;
  /** Takes a message, and returns the events of its turn from the first one on: a stream, or why there is none. */
  sendAndFollow(command: SendCommand, query: Omit<EventsQuery, "work">): Promise<FollowedMessage>;
  turn(turnId: string, waitMs: number): Promise<Wire<Result<Turn>>>;
  turnAsSent(turnId: string): Promise<Wire<Result<SentTurn>>>;
  turnTrace(turnId: string): Promise<Wire<Result<TurnTrace>>>;
  cancelTurn(turnId: string, by: ActorRecord): Promise<Wire<Result<Turn>>>;
  context(): Promise<Wire<Result<ContextView>>>;
  changeContext(
    change: Wire<ContextChangeBody>,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Wire<Result<ContextView>>>;
  restoreContext(version: number, author: ActorRecord, command?: CommandKey): Promise<Wire<Result<ContextView>>>;
  messages(after: number, limit: number): Promise<Wire<Result<Page<ChatMessage>>>>;
  conversation(before: number, limit: number): Promise<Wire<Result<RecordedConversation>>>;
  versions(messageId: string): Promise<Wire<Result<MessageVersion[]>>>;
  editMessage(
    messageId: string,
    edit: Wire<MessageEdit>,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Wire<Result<MessageVersion>>>;
  restoreMessage(
    messageId: string,
    version: number,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Wire<Result<MessageVersion>>>;
  eraseMessage(messageId: string, author: ActorRecord): Promise<Wire<Result<MessageVersion>>>;
  supervision(after: number, limit: number): Promise<Wire<Result<Page<RecordedPass>>>>;
  handOver(step: HandOverStep, by: ActorRecord, command?: CommandKey): Promise<Wire<Result<Session>>>;
  writeAsStaff(content: string, by: ActorRecord, command?: CommandKey): Promise<Wire<Result<Turn>>>;
  giveFeedback(given: Wire<NewFeedback>, by: ActorRecord): Promise<Wire<Result<Feedback>>>;
}

/** A conversation on its way between its agent and the staff. */
export type HandOverStep =
  | { readonly kind: "hold" }
  /** @param answers whether the agent answers what came meanwhile and nobody answered */
  | { readonly kind: "release"; readonly answers: boolean }
  /** @param who asks for a person, as staff may read it */
  | { readonly kind: "request"; readonly who?: string | undefined }
  | { readonly kind: "withdraw" };

const sessionResult = resultOf(sessionSchema);
const turnTraceResult = resultOf(turnTraceSchema);
const turnResult = resultOf(turnSchema);
const sentTurnResult = resultOf(sentTurnSchema);
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
  ): Promise<Result<MessageVersion>> {
    return this.objects.read([tenantId, sessionId], versionResult, (object) => object.eraseMessage(messageId, author));
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
