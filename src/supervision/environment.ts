/** What a supervisor may know and change around the text it judges. The caller of a pass provides it; nothing in it is required. */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import type { HistoryMessage, PastRound } from "../agent/prompt.js";
import type { Subject } from "./subject.js";

export interface Environment {
  /** What the pass is bound to: the session or run, and the turn in it. */
  readonly ownerId?: string;
  readonly workId?: string;
  /** The message that the response becomes, if it becomes one. */
  readonly replyId?: string | undefined;
  /** What was said before, newest last: effective texts, as much of them as the model reads. */
  readonly transcript?: () => readonly HistoryMessage[];
  /** The tool calls that the work itself has made so far, as supervision left them. */
  readonly calls?: CallsSoFar;
  /** Counts that help to judge: messages so far, how many were blocked, … */
  readonly statistics?: () => Readonly<Record<string, number>>;
  /** The rules, references and tools in force; without it a supervisor has no context tools. */
  readonly context?: ContextEditor;
}

type PastCall = PastRound["calls"][number];

/** The calls of a work, noted as each returns; on replays too. */
export class CallsSoFar {
  private readonly made = new Map<string, PastCall>();

  note(toolCallId: string, call: PastCall): void {
    this.made.set(toolCallId, call);
  }

  except(toolCallIds: ReadonlySet<string>): PastCall[] {
    return [...this.made].flatMap(([id, call]) => (toolCallIds.has(id) ? [] : [call]));
  }
}

/** What stands around a text that is judged: what was said before, then the calls of the work that the text doesn't hold itself. */
export function conversationAround(subject: Subject, { transcript, calls }: Environment): HistoryMessage[] {
  const messages = transcript?.() ?? [];
  const made = calls?.except(callsOf(subject)) ?? [];
  return made.length === 0
    ? [...messages]
    : [...messages, { role: "assistant", content: "", rounds: [{ message: "", calls: made }] }];
}

function callsOf(subject: Subject): ReadonlySet<string> {
  switch (subject.hook) {
    case "tool_call":
    case "tool_result":
      return new Set([subject.call.toolCallId]);
    case "response":
      return new Set(
        subject.reply.turns.flatMap(({ toolCalls = [] }) => toolCalls).map(({ toolCallId }) => toolCallId),
      );
    case "request":
    case "hop":
      return new Set();
  }
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
  z.object({
    ok: z.literal(true),
    version: z.int(),
    changed: z.boolean(),
    /** Of a trial, which changes nothing: what it would have done. */
    would: z.string().optional(),
  }),
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
