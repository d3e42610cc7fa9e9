/** Edits of replies by people: each is made on the version it was made for, and what was said before stays in the versions. */
import { type AssistantMessage, type ChatMessage, chatMessageSchema, type ModelReply } from "../../src/chat/message.js";
import { withDeadline } from "../../src/platform/clock.js";
import { sha256Hex } from "../../src/platform/digest.js";
import type { MessageEdit, MessageVersion } from "../../src/platform/session-gateway.js";
import { ok, type Result, refuse } from "../../src/problem.js";
import { runPass } from "../../src/supervision/pass.js";
import { editReply } from "../../src/supervision/structural-edit.js";
import { canonicalReply } from "../../src/supervision/subject.js";
import type { Supervisor } from "../../src/supervision/supervisor.js";
import type { Kit } from "../kit/kit.js";
import type { ChatSessionStore } from "./store.js";

export interface ReplyEditsPorts {
  readonly storage: DurableObjectStorage;
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly now: () => number;
  /** Called in the write that stored a message's n-th edit. */
  readonly edited: (messageId: string, edit: number) => void;
  /** The rules that nobody's words may pass. */
  readonly rules: () => Promise<readonly Supervisor[]>;
}

export class ReplyEdits {
  constructor(private readonly ports: ReplyEditsPorts) {}

  /** Edits an effective reply by the ids of its parts: all operations or none. */
  async edit(messageId: string, edit: MessageEdit, author: string): Promise<Result<MessageVersion>> {
    const { store, kit, storage } = this.ports;
    const message = store.message(messageId);
    if (message === undefined) return noMessage;
    if (message.role !== "assistant") return refuse("invalid", "Only replies have parts that can be edited.");
    const base = await this.hashOf(message);
    if (base !== edit.baseHash) {
      return refuse("precondition_failed", `The message isn't what baseHash says any more. Its hash is "${base}" now.`);
    }
    const edited = editReply(message.modelReply, edit.operations);
    if (!edited.ok) {
      return refuse("invalid", "Nothing was changed: an operation can't be done; see errors.", {
        errors: [{ path: `operations.${edited.at}`, message: edited.problem }],
      });
    }
    const passed = await this.throughRules(edited.reply);
    if (!passed.ok) return passed;
    const next: AssistantMessage = { ...message, modelReply: passed.value };
    const hash = await this.hashOf(next);
    // Nothing is awaited from here on: of two edits on one base the second finds what the first one made.
    if (JSON.stringify(store.message(messageId)) !== JSON.stringify(message)) {
      return refuse("precondition_failed", "Somebody else has edited the message at the same time. Read it again.");
    }
    storage.transactionSync(() => {
      if (this.rows(messageId).length === 0) this.add(message, "supervision", "");
      this.add(next, author, edit.reason ?? "");
      store.replaceReply(next);
      kit.events.append("message.edited", undefined, { messageId });
      this.ports.edited(messageId, this.rows(messageId).length);
    });
    const last = this.all(messageId).at(-1);
    return last === undefined ? noMessage : ok({ ...last, hash });
  }

  /** A message's versions, oldest first; of replies with the hash that an edit names as its base. */
  versions(messageId: string): Promise<MessageVersion[]> {
    return Promise.all(
      this.all(messageId).map(async (version) => ({
        ...version,
        ...(version.message.role === "assistant" ? { hash: await this.hashOf(version.message) } : {}),
      })),
    );
  }

  /** What the rules of the response make of an edited reply; a refusal when they stop it. */
  private async throughRules(reply: ModelReply): Promise<Result<ModelReply>> {
    const { kit, store, now } = this.ports;
    const { salt } = store.session();
    const pass = await runPass({ hook: "response", reply }, await this.ports.rules(), {
      now,
      hash: (text) => sha256Hex(salt + text),
      withDeadline,
      strict: true,
      // Rules have no steps of their own.
      journal: kit.journal("edits", () => true),
    });
    const { decision, reasons } = pass.state;
    if (decision === "block" || decision === "review" || pass.subject.hook !== "response") {
      return refuse("invalid", `Nothing was changed: the reply would not pass the rules. ${reasons.join(" ")}`);
    }
    return ok(pass.subject.reply);
  }

  private all(messageId: string): MessageVersion[] {
    const { store } = this.ports;
    // The first row is what the message said before anybody edited it.
    const [first, ...later] = this.rows(messageId);
    const supervised = store.supervisedVersions(messageId, first?.message ?? store.message(messageId));
    return [...supervised, ...later.map((edit, index) => ({ ...edit, version: supervised.length + index + 1 }))];
  }

  private add(message: ChatMessage, author: string, reason: string): void {
    this.ports.storage.sql.exec(
      "INSERT INTO message_edits (message_id, body, author, reason, at) VALUES (?, ?, ?, ?, ?)",
      message.messageId,
      JSON.stringify(message),
      author,
      reason,
      this.ports.now(),
    );
  }

  private rows(messageId: string): Omit<MessageVersion, "version">[] {
    return this.ports.storage.sql
      .exec<{ body: string; author: string; reason: string; at: number }>(
        "SELECT body, author, reason, at FROM message_edits WHERE message_id = ? ORDER BY seq",
        messageId,
      )
      .toArray()
      .map(({ body, author, reason, at }) => ({
        message: chatMessageSchema.parse(JSON.parse(body)),
        decision: `edited by ${author}`,
        reasons: reason === "" ? [] : [reason],
        at: new Date(at).toISOString(),
      }));
  }

  private hashOf({ modelReply }: AssistantMessage): Promise<string> {
    return sha256Hex(this.ports.store.session().salt + canonicalReply(modelReply));
  }
}

const noMessage = refuse("not_found", "There is no such message in this session.");
