/** What people make of messages: edits, each made on the version it was made for; restoring a version; erasing them all. */

import { saltedHash } from "../../src/application/salted-hash.js";
import {
  erasedMessage,
  erasedVersions,
  type MessageEdit,
  type MessageVersion,
} from "../../src/chat/message-version.js";
import { isFinal } from "../../src/chat/session.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import type { ChatMessage } from "../../src/conversation/message.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import { withDeadline } from "../../src/platform/clock.js";
import { sha256Hex } from "../../src/platform/digest.js";
import { runPass } from "../../src/supervision/pass.js";
import { editReply } from "../../src/supervision/structural-edit.js";
import type { Supervisor } from "../../src/supervision/supervisor.js";
import type { RecordedAct } from "../../src/tenancy/audit.js";
import { canonicalJson } from "../../src/text/json.js";
import { otherCommand } from "../kit/commands.js";
import type { Kit } from "../kit/kit.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";
import { subjectOf, VersionHistory } from "./version-history.js";
import type { Change } from "./version-store.js";

export interface MessageVersionsPorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly now: () => number;
  /** Called in the write that stored a message's n-th change, or erased it. */
  readonly changed: (messageId: string, change: number | "erased") => void;
  /** What was said about a turn may quote what is erased of it; in the write that erases. */
  readonly forgetComments: (turnId: string) => void;
  /** The rules that nobody's words may pass. */
  readonly rules: () => Promise<readonly Supervisor[]>;
}

/** A reader of a message's versions reads all of them, with what is different from one to the next. */
export const maxChanges = 100;

export class MessageVersions {
  readonly history: VersionHistory;

  constructor(private readonly ports: MessageVersionsPorts) {
    this.history = new VersionHistory(ports.store, ports.kit.asks);
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
    const base = await this.history.digests(messageId).ofMessage(message);
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
    const restored = this.history.made(messageId)[version - 1]?.message;
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
    const left = await erasedVersions(
      await this.history.versions(messageId),
      { author, at },
      this.history.digests(messageId),
    );
    const key = store.keyOf(messageId);
    const keyAfterwards = key === undefined ? undefined : await erasedKey(key);
    const last = left.at(-1);
    if (last === undefined) return noMessage;
    const meanwhile = again();
    if (meanwhile !== undefined) return ok(meanwhile);
    if (!this.stillSays(message)) return changedMeanwhile;
    const isRequest = messageId === turn.messageId;
    kit.write(() => {
      store.versions.erase(messageId, left);
      store.replaceMessage(erasedMessage(message));
      store.forgetText(turn, messageId, keyAfterwards);
      store.passes.forgetTexts(turn.turnId);
      this.ports.forgetComments(turn.turnId);
      kit.shadows.forget();
      store.trace.erase(turn.turnId);
      store.turns.forgetGrounds(turn.turnId);
      kit.debates.erase(turn.turnId);
      kit.asks.forgetTexts(turn.turnId, (hook) => (hook === "request") === isRequest, isRequest);
      kit.events.append("message.erased", undefined, { messageId });
      this.recordAct(turn, { type: "message.erased", decision: "erased", actor: author, messageId, reasons: [] });
      this.ports.changed(messageId, "erased");
      kit.freeSpace.overwriteSoon();
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
      kit.commands.claim(command, String(this.history.made(messageId).length));
    });
    const last = (await this.history.versions(messageId)).at(-1);
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
    const versions = await this.history.versions(messageId);
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
  async throughRules(message: ChatMessage): Promise<Result<ChatMessage>> {
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
}

/** What is left of a message's Idempotency-Key: enough to know it when it comes again. */
export async function erasedKey(key: string): Promise<string> {
  return `erased ${await sha256Hex(key)}`;
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
