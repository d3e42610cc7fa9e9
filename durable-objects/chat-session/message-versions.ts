/** The versions of messages: edits by people, each made on the version it was made for; restoring one; erasing them all. */

import { saltedHash } from "../../src/application/salted-hash.js";
import {
  chainOf,
  type Digests,
  erasedMessage,
  erasedVersions,
  type MessageEdit,
  type MessageVersion,
  type UnlinkedVersion,
} from "../../src/chat/message-version.js";
import { isFinal } from "../../src/chat/session.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import type { ChatMessage } from "../../src/conversation/message.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import { withDeadline } from "../../src/platform/clock.js";
import { sha256Hex } from "../../src/platform/digest.js";
import { runPass } from "../../src/supervision/pass.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import { editReply } from "../../src/supervision/structural-edit.js";
import type { SubjectOf } from "../../src/supervision/subject.js";
import type { Supervisor } from "../../src/supervision/supervisor.js";
import type { RecordedAct } from "../../src/tenancy/audit.js";
import { canonicalJson } from "../../src/text/json.js";
import { otherCommand } from "../kit/commands.js";
import type { Kit } from "../kit/kit.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";
import type { Change } from "./version-store.js";

export interface MessageVersionsPorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly now: () => number;
  /** Called in the write that stored a message's n-th change, or erased it. */
  readonly changed: (messageId: string, change: number | "erased") => void;
  /** The rules that nobody's words may pass. */
  readonly rules: () => Promise<readonly Supervisor[]>;
}

/** Whoever reads the versions of a message reads all of them, with what is different from one to the next. */
export const maxChanges = 100;

export class MessageVersions {
  constructor(private readonly ports: MessageVersionsPorts) {}

  /** Oldest first; empty when there is no such message. */
  versions(messageId: string): Promise<MessageVersion[]> {
    const left = this.ports.store.versions.erased(messageId);
    return left === undefined ? chainOf(this.versionsMade(messageId), this.digests(messageId)) : Promise.resolve(left);
  }

  /** Edits an effective reply by the ids of its parts: all operations or none. */
  async edit(
    messageId: string,
    edit: MessageEdit,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Result<MessageVersion>> {
    const before = await this.doneBefore(messageId, command);
    if (before !== undefined) return before;
    const found = this.changeable(messageId);
    if (!found.ok) return found;
    const { message } = found.value;
    if (message.role !== "assistant") return refuse("invalid", "Only replies have parts that can be edited.");
    const base = await this.digests(messageId).ofMessage(message);
    if (base !== edit.baseHash) {
      return refuse("precondition_failed", `The message isn't what baseHash says any more. Its hash is "${base}" now.`);
    }
    const edited = editReply(message.modelReply, edit.operations);
    if (!edited.ok) {
      return refuse("invalid", "Nothing was changed: an operation can't be done; see errors.", {
        errors: [{ path: `operations.${edited.at}`, message: edited.problem }],
      });
    }
    const next = { ...message, modelReply: edited.reply };
    return this.replace(message, next, { kind: "edited", author, reason: edit.reason ?? "" }, command);
  }

  /** Makes a version effective again, as a new version: that is a person's decision, but the rules that nobody may pass look at it. */
  async restore(
    messageId: string,
    version: number,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Result<MessageVersion>> {
    const before = await this.doneBefore(messageId, command);
    if (before !== undefined) return before;
    const found = this.changeable(messageId);
    if (!found.ok) return found;
    const { message, turn } = found.value;
    const restored = this.versionsMade(messageId)[version - 1]?.message;
    if (restored === undefined) return refuse("not_found", "There is no such version of this message.");
    const wasBlocked =
      message.role === "error" || (message.role === "user" && turn.outcome?.request?.action === "block");
    if (wasBlocked) return refuse("conflict", "What was blocked never became a part of the session: send it again.");
    const change = { kind: "restored", author, reason: `version ${version}` } as const;
    return this.replace(message, restored, change, command);
  }

  /** Takes away every text of a message and the salt of its digests. Again is harmless. */
  async erase(messageId: string, author: ActorRecord): Promise<Result<MessageVersion>> {
    const { store, kit, now } = this.ports;
    const again = (): MessageVersion | undefined => store.versions.erased(messageId)?.at(-1);
    const before = again();
    if (before !== undefined) return ok(before);
    const found = this.changeable(messageId);
    if (!found.ok) return found;
    const { message, turn } = found.value;
    const at = new Date(now()).toISOString();
    const left = await erasedVersions(await this.versions(messageId), { author, at }, this.digests(messageId));
    const last = left.at(-1);
    if (last === undefined) return noMessage;
    const meanwhile = again();
    if (meanwhile !== undefined) return ok(meanwhile);
    if (!this.stillSays(message)) return changedMeanwhile;
    const isRequest = messageId === turn.messageId;
    kit.write(() => {
      store.versions.erase(messageId, left);
      store.replaceMessage(erasedMessage(message));
      store.forgetText(turn, messageId);
      store.passes.forgetTexts(turn.turnId);
      store.trace.erase(turn.turnId);
      kit.debates.erase(turn.turnId);
      kit.asks.forgetTexts(turn.turnId, (hook) => (hook === "request") === isRequest, isRequest);
      kit.events.append("message.erased", undefined, { messageId });
      this.recordAct(turn, { type: "message.erased", decision: "erased", actor: author, messageId, reasons: [] });
      this.ports.changed(messageId, "erased");
    });
    return ok(last);
  }

  /** A message whose turn has ended and whose text is there. */
  private changeable(messageId: string): Result<{ message: ChatMessage; turn: TurnRecord }> {
    const { store } = this.ports;
    const message = store.messages.get(messageId);
    const turn = store.turns.ofMessage(messageId);
    if (message === undefined || turn === undefined) return noMessage;
    if (message.erased)
      return refuse("conflict", "This message was erased: nothing of it is left that could be changed.");
    if (!isFinal(turn.status))
      return refuse("conflict", "The message's turn hasn't ended yet: wait for it, or cancel it.");
    return ok({ message, turn });
  }

  private async replace(
    message: ChatMessage,
    replacement: ChatMessage,
    change: Omit<Change, "at">,
    command: CommandKey | undefined,
  ): Promise<Result<MessageVersion>> {
    const { store, kit, now } = this.ports;
    const passed = await this.throughRules(replacement);
    if (!passed.ok) return passed;
    // Sent twice at the same time: the other one was first.
    const before = await this.doneBefore(message.messageId, command);
    if (before !== undefined) return before;
    // Nothing is awaited from here on: of two changes of one version the second finds what the first one made.
    if (!this.stillSays(message)) return changedMeanwhile;
    const { messageId } = message;
    // The first row is what the message said before.
    if (store.versions.countChanges(messageId) > maxChanges) return changedTooOften;
    kit.write(() => {
      const number = store.versions.addChange(message, passed.value, { ...change, at: now() });
      store.replaceMessage(passed.value);
      kit.events.append(`message.${change.kind}`, undefined, { messageId });
      const reasons = change.reason === "" ? [] : [change.reason];
      const act = { decision: change.kind, actor: change.author, messageId, reasons };
      this.recordAct(store.turns.ofMessage(messageId), { type: `message.${change.kind}`, ...act });
      this.ports.changed(messageId, number);
      kit.commands.claim(command, String(this.versionsMade(messageId).length));
    });
    const last = (await this.versions(messageId)).at(-1);
    return last === undefined ? noMessage : ok(last);
  }

  /** The version that was made under this key; undefined where none was. */
  private async doneBefore(
    messageId: string,
    command: CommandKey | undefined,
  ): Promise<Result<MessageVersion> | undefined> {
    const known = this.ports.kit.commands.find(command);
    if (known === undefined) return undefined;
    if (known.kind === "other_command") return otherCommand;
    const versions = await this.versions(messageId);
    const made = versions[Number(known.note) - 1] ?? versions.at(-1);
    return made === undefined ? noMessage : ok(made);
  }

  /** For the audit, in the write that did it. */
  private recordAct(
    turn: TurnRecord | undefined,
    { messageId, ...act }: Pick<RecordedAct, "type" | "decision" | "actor" | "reasons"> & { messageId: string },
  ): void {
    const at = this.ports.now();
    this.ports.kit.outbox.put("act", messageId, { ...act, workId: turn?.turnId, subject: { messageId }, at });
  }

  /** A message that is read anew has its fields in another order than one that was kept in memory. */
  private stillSays(message: ChatMessage): boolean {
    return canonicalJson(this.ports.store.messages.get(message.messageId)) === canonicalJson(message);
  }

  /** What the rules of the hook make of a message that a person changed; a refusal when they stop it. */
  private async throughRules(message: ChatMessage): Promise<Result<ChatMessage>> {
    const { kit, store, now } = this.ports;
    const { salt } = store.session();
    const pass = await runPass(subjectOf(message), await this.ports.rules(), {
      now,
      hash: (subject) => saltedHash(salt, subject),
      withDeadline,
      strict: true,
      // Rules have no steps of their own.
      journal: kit.journal("edits", () => true),
    });
    const { decision, reasons } = pass.state;
    if (decision === "block" || decision === "review") {
      return refuse("invalid", `Nothing was changed: the message would not pass the rules. ${reasons.join(" ")}`);
    }
    if (pass.subject.hook === "request") return ok({ ...message, ...pass.subject.message });
    return pass.subject.hook === "response" && message.role === "assistant"
      ? ok({ ...message, modelReply: pass.subject.reply })
      : noMessage;
  }

  /** What was said, what supervision made of it, and what people made of that. */
  private versionsMade(messageId: string): UnlinkedVersion[] {
    const { store } = this.ports;
    const turn = store.turns.ofMessage(messageId);
    const [first, ...later] = store.versions.changes(messageId);
    const effective = first?.message ?? store.messages.get(messageId);
    if (turn === undefined || effective === undefined) return [];
    const answered = effective.role === "assistant" ? undefined : effective.answers;
    const sender = answered === undefined ? turn.sentBy : this.ports.kit.asks.get(answered)?.closedBy;
    return [...supervised(turn, effective, store, sender), ...later];
  }

  private digests(messageId: string): Digests {
    const { store } = this.ports;
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
    ? kept && { ...kept.body, ...(effective.createdAt === undefined ? {} : { createdAt: effective.createdAt }) }
    : sentAs(effective, answer?.original ?? turn.original);
  const reviewed = pass?.steps.some(({ actor }) => actor !== undefined) ? pass : undefined;
  const decision = reviewed?.decision ?? kept?.decision ?? (isReply ? undefined : pass?.decision) ?? "allow";
  const reasons = reviewed?.reasons ?? kept?.reasons ?? (isReply ? undefined : pass?.reasons) ?? [];
  const says: ActorRecord | undefined = isReply ? { kind: "agent", id: store.session().definition.agent } : sender;
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
function subjectOf(message: ChatMessage): SubjectOf<"request"> | SubjectOf<"response"> {
  if (message.role === "assistant") return { hook: "response", reply: message.modelReply };
  const { messageId, role, content, erased } = message;
  return { hook: "request", message: { messageId, role, content, ...(erased === undefined ? {} : { erased }) } };
}

const noMessage = refuse("not_found", "There is no such message in this session.");
const changedTooOften = refuse(
  "conflict",
  `This message was changed ${maxChanges} times, and can't be changed again: erase it, or say it anew.`,
);
const changedMeanwhile = refuse(
  "precondition_failed",
  "Somebody else has changed the message at the same time. Read it again.",
);
