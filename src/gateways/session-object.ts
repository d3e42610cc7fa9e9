/** What the object of a session offers, and what is said to it. */

import { z } from "zod";
import type { ContextChangeBody, ContextView } from "../chat/context.js";
import type { RecordedConversation } from "../chat/conversation.js";
import type { Feedback, NewFeedback } from "../chat/feedback.js";
import { type MessageEdit, type MessageVersion, messageVersionSchema } from "../chat/message-version.js";
import {
  type recordedPassSchema,
  type Session,
  type SessionChange,
  type SessionDefinition,
  sessionSchema,
  type Turn,
  turnGroundsSchema,
  turnSchema,
} from "../chat/session.js";
import { type TurnRequest, turnRequestSchema } from "../chat/turn-request.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { CommandKey } from "../conversation/command-key.js";
import type { ChatMessage } from "../conversation/message.js";
import type { Metadata } from "../conversation/names.js";
import type { Result } from "../conversation/problem.js";
import type { TurnTrace } from "../routing/trace.js";
import { lazily } from "../text/lazily.js";
import type { ConversationIdentity } from "./channel-gateway.js";
import type { EventsQuery, RootObject } from "./root-gateway.js";
import type { Page, Wire } from "./wire.js";

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

export const createdSchema = z.object({ session: sessionSchema, created: z.boolean() });
/** A session, and whether it was made just now. */
export type CreatedSession = z.infer<typeof createdSchema>;

export const sentTurnSchema = z.object({ turn: turnSchema, request: turnRequestSchema.optional() });
/** A turn with what the caller sent along with its message: the restricted record. */
export type SentTurn = z.infer<typeof sentTurnSchema>;

/** What is left of a message that was erased, and the turn that it is of. */
export const erasedMessageSchema = lazily(() => z.object({ version: messageVersionSchema, turnId: z.string() }));
export type ErasedMessage = z.infer<ReturnType<typeof erasedMessageSchema>>;

export const recordedTurnSchema = lazily(() =>
  sentTurnSchema.extend({
    grounds: turnGroundsSchema().optional(),
    /** Of the supervisors that judged in it, by name. */
    versions: z.record(z.string(), z.int()),
  }),
);
/** The same with what a replay is answered from. */
export type RecordedTurn = z.infer<ReturnType<typeof recordedTurnSchema>>;

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
  recordedTurn(turnId: string): Promise<Wire<Result<RecordedTurn>>>;
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
  eraseMessage(messageId: string, author: ActorRecord): Promise<Wire<Result<ErasedMessage>>>;
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
