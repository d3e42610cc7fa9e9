/** What a message said over time: what was sent, what supervision made of it, and what people made of that. */
import { saltedHash } from "../../src/application/salted-hash.js";
import { chainOf, type Digests, type MessageVersion, type UnlinkedVersion } from "../../src/chat/message-version.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import { defined } from "../../src/conversation/defined.js";
import type { ChatMessage } from "../../src/conversation/message.js";
import { sha256Hex } from "../../src/platform/digest.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import type { SubjectOf } from "../../src/supervision/subject.js";
import type { AskBook } from "../kit/asks.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";

export class VersionHistory {
  constructor(
    private readonly store: ChatSessionStore,
    private readonly asks: AskBook,
  ) {}

  /** Oldest first; empty when there is no such message. */
  versions(messageId: string): Promise<MessageVersion[]> {
    const left = this.store.versions.erased(messageId);
    return left === undefined ? chainOf(this.made(messageId), this.digests(messageId)) : Promise.resolve(left);
  }

  /** What was said, what supervision made of it, and what people made of that. */
  made(messageId: string): UnlinkedVersion[] {
    const { store, asks } = this;
    const turn = store.turns.ofMessage(messageId);
    const [first, ...later] = store.versions.changes(messageId);
    const effective = first?.message ?? store.messages.get(messageId);
    if (turn === undefined || effective === undefined) return [];
    const answered = effective.role === "assistant" ? undefined : effective.answers;
    const sender = answered === undefined ? turn.sentBy : asks.get(answered)?.closedBy;
    return [...supervised(turn, effective, store, sender), ...later];
  }

  digests(messageId: string): Digests {
    const { store } = this;
    const turn = store.turns.ofMessage(messageId);
    const salt = (messageId === turn?.messageId ? turn.messageSalt : turn?.replySalt) ?? store.session().salt;
    return { ofMessage: (message) => saltedHash(salt, subjectOf(message)), ofText: sha256Hex };
  }
}

/** What was sent or answered, and beside it what supervision made of it, if that is another text. */
function supervised(
  turn: TurnRecord,
  effective: ChatMessage,
  store: ChatSessionStore,
  sender: ActorRecord | undefined,
): UnlinkedVersion[] {
  const { messageId } = effective;
  const answer = store.answers.sent(messageId);
  const isReply = effective.role === "assistant" || messageId === turn.replyId;
  const at = new Date(answer?.at ?? turn.acceptedAt).toISOString();
  const pass = passOf(store.passes.ofTurn(turn.turnId), isReply ? "response" : "request", messageId);
  const kept = isReply ? store.versions.original(messageId) : undefined;
  const original = isReply
    ? kept && { ...kept.body, ...defined({ createdAt: effective.createdAt }) }
    : sentAs(effective, answer?.original ?? turn.original);
  const reviewed = pass?.steps.some(({ actor }) => actor !== undefined) ? pass : undefined;
  const decision = reviewed?.decision ?? kept?.decision ?? (isReply ? undefined : pass?.decision) ?? "allow";
  const reasons = reviewed?.reasons ?? kept?.reasons ?? (isReply ? undefined : pass?.reasons) ?? [];
  const author = effective.role === "assistant" ? effective.author : undefined;
  const replies = author ?? { kind: "agent", id: store.session().definition.agent };
  const says: ActorRecord | undefined = isReply ? replies : sender;
  if (original === undefined || JSON.stringify(original) === JSON.stringify(effective)) {
    return [{ message: effective, author: says, decision, reasons, at }];
  }
  return [
    { message: original, author: says, decision: "original", reasons: [], at },
    { message: effective, author: changerOf(pass), decision, reasons, at },
  ];
}

/** The pass that judged a message: by its id, which records of versions before don't name. */
function passOf(
  passes: readonly SupervisionState[],
  wanted: "request" | "response",
  messageId: string,
): SupervisionState | undefined {
  const ofHook = passes.filter(({ hook, subject }) => hook === wanted && subject?.partial !== true);
  return (
    ofHook.find(({ subject }) => subject?.messageId === messageId) ??
    ofHook.find(({ subject }) => subject?.messageId === undefined)
  );
}

/** Whose text the effective one is: the reviewer's who wrote or refused it, or that of the supervisors who changed it. */
function changerOf(pass: SupervisionState | undefined): ActorRecord {
  const steps = pass?.steps ?? [];
  const review = steps.findLast(({ actor }) => actor !== undefined);
  const isReviewers = review !== undefined && (review.action === "block" || review.beforeHash !== review.afterHash);
  if (isReviewers && review.actor !== undefined) return review.actor;
  const changers = steps.filter(({ action, mode }) => action !== "allow" && mode === "enforce");
  return { kind: "supervisor", id: [...new Set(changers.flatMap(({ supervisor = [] }) => supervisor))].join(", ") };
}

/** A person's message with another text: what is noted on it stays. */
function sentAs(effective: ChatMessage, content: string): ChatMessage | undefined {
  return effective.role === "assistant" ? undefined : { ...effective, content };
}

/** Its text alone: what is noted on a message is no part of its digest. */
export function subjectOf(message: ChatMessage): SubjectOf<"request"> | SubjectOf<"response"> {
  if (message.role === "assistant") return { hook: "response", reply: message.modelReply };
  const { messageId, role, content, erased } = message;
  return { hook: "request", message: { messageId, role, content, ...defined({ erased }) } };
}
