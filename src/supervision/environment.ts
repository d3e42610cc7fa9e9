/** What a supervisor may know and change around the text it judges. Whoever runs a pass provides it; nothing in it is required. */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import type { HistoryMessage } from "../agent/prompt.js";

export interface Environment {
  /** What the pass is bound to: the session or run, and the turn in it. */
  readonly ownerId?: string;
  readonly workId?: string;
  /** The message that the response becomes, if it becomes one. */
  readonly replyId?: string | undefined;
  /** Effective texts said so far, newest last. */
  readonly transcript?: () => readonly HistoryMessage[];
  /** Counts that help to judge: messages so far, how many were blocked, … */
  readonly statistics?: () => Readonly<Record<string, number>>;
  /** The rules, references and tools in force; without it a supervisor has no context tools. */
  readonly context?: ContextEditor;
}

export const contextKinds = ["rules", "references", "tools", "toolServers"] as const;
export type ContextKind = (typeof contextKinds)[number];

/** One thing that can be in force. Tools are named `server/tool`. */
export interface ContextEntry {
  readonly kind: ContextKind;
  readonly name: string;
  readonly description?: string | undefined;
  readonly text?: string | undefined;
  readonly inForce: boolean;
}

export interface ContextChange {
  readonly act: "include" | "exclude";
  readonly kind: ContextKind;
  readonly name: string;
}

/** What a change came to: the version it made, or why it wasn't made. */
export const changeOutcomeSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), version: z.int(), changed: z.boolean() }),
  z.object({ ok: z.literal(false), detail: z.string() }),
]);
export type ChangeOutcome = z.infer<typeof changeOutcomeSchema>;

export interface ContextAuthor {
  readonly supervisor: string;
  readonly reason: string;
}

/** Where the context of a session is read and changed. Changes hold at once: for this turn's prompt and the very next call. */
export interface ContextEditor {
  list(kind: ContextKind): Promise<readonly ContextEntry[]>;
  /** Journalled under `journal`: entered again, it isn't made again. */
  change(change: ContextChange, author: ContextAuthor, journal: Journal): Promise<ChangeOutcome>;
  /** Stores a rule or reference of the tenant, for all its sessions; or deletes it, without a text. */
  store(
    item: { readonly kind: "rules" | "references"; readonly name: string; readonly body: StoredItem | undefined },
    author: ContextAuthor,
    journal: Journal,
  ): Promise<ChangeOutcome>;
}

export interface StoredItem {
  readonly text: string;
  readonly description?: string | undefined;
  readonly priority: number;
  readonly include: "always" | "manual" | "auto";
}
