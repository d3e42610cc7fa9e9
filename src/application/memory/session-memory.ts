/** The memories of a session: what its prompts recall of them, and what the first records of it. */

import { defined } from "../../conversation/defined.js";
import { type BoundMemories, boundTo } from "../../conversation/memory-binding.js";
import type { ChatMessage } from "../../conversation/message.js";
import { messageText } from "../../conversation/message.js";
import { type Entry, maxEntryCharacters, recalledLine } from "../../memory/entry.js";
import { describeError, log } from "../../platform/logging.js";
import { searchMemory } from "./memory-search.js";
import type { MemoryService } from "./memory-service.js";

/** Which thread of which memory a session has. */
export interface MemoryLink {
  readonly tenantId: string;
  readonly memoryId: string;
  readonly threadId: string;
}

interface Candidates {
  readonly document: string;
  readonly entries: readonly {
    readonly entry: Entry;
    readonly score: number;
    readonly text: string;
    readonly line: string;
  }[];
}

export interface Recalled {
  readonly kind: string;
  readonly text: string;
}

/** In the order in which the session names them: the first is written. */
export function linksOf({ tenantId, sessionId, definition }: LinkedSession): MemoryLink[] {
  return boundTo(definition.memory).map(({ memoryId, threadId = sessionId }) => ({ tenantId, memoryId, threadId }));
}

interface LinkedSession {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly definition: { readonly memory?: BoundMemories | undefined };
}

/** Entries that a turn brings in, and characters of them. */
const recalledEntries = 8;
const recalledCharacters = 6_000;

/** What of recalled texts may reach a prompt; what may not is empty. */
interface RecallSupervision {
  ofRecall(memory: Pick<MemoryLink, "tenantId" | "memoryId">, texts: readonly string[]): Promise<string[]>;
  unrecorded(): RecallSupervision;
}

export class SessionMemory {
  constructor(
    private readonly service: MemoryService,
    private readonly supervision: RecallSupervision,
    /** What was remembered then, in place of what is now. */
    private readonly at?: string,
  ) {}

  /** As it stood at a time, and no trace of it: for what is only tried. A context that was written since says nothing. */
  asOf(at: string): SessionMemory {
    return new SessionMemory(this.service, this.supervision.unrecorded(), at);
  }

  /**
   * The contexts, and the entries of other conversations that have to do with a message; of several memories the best ones of all.
   * A memory that is gone or can't be reached brings nothing: it never stops a turn.
   */
  async recall(links: readonly MemoryLink[], message: string): Promise<Recalled[]> {
    const found = await Promise.all(links.map((link) => this.quietly(link, () => this.find(link, message))));
    let used = 0;
    const chosen = found
      .flatMap((one) => one?.entries ?? [])
      .toSorted((a, b) => b.score - a.score)
      .slice(0, recalledEntries)
      .filter(({ line }) => {
        used += line.length;
        return used <= recalledCharacters;
      });
    const recalled = await Promise.all(
      links.map((link, at) => {
        const document = found[at]?.document ?? "";
        const entries = chosen.filter(({ entry }) => entry.memoryId === link.memoryId);
        return this.quietly(link, () => this.judged(link, document, entries));
      }),
    );
    const lines = chosen.flatMap(({ entry }) => recalled.flatMap((one) => one?.lines.get(entry.entryId) ?? []));
    return [
      ...recalled.flatMap((one) =>
        (one?.document ?? "") === "" ? [] : [{ kind: "context", text: one?.document ?? "" }],
      ),
      ...(lines.length === 0 ? [] : [{ kind: "entries", text: lines.join("\n") }]),
    ];
  }

  /** Candidates for a prompt, with the text that each would be there. */
  private async find(link: MemoryLink, message: string): Promise<Candidates | undefined> {
    const memory = await this.service.memory(link.tenantId, link.memoryId);
    if (!memory.ok) return undefined;
    const request = {
      query: message.slice(0, 4_000),
      topEntries: recalledEntries * 2,
      topContexts: 0,
      filter: {},
      asOf: this.at,
    };
    const { entries, latestContext } = await searchMemory(memory.value, request, this.service.ports);
    const isLater = this.at !== undefined && (latestContext.createdAt ?? "") > this.at;
    // The messages of this very thread are in the history already.
    const elsewhere = entries.filter(({ entry }) => entry.threadId !== link.threadId);
    return {
      document: isLater ? "" : latestContext.document,
      entries: elsewhere.map(({ entry, score }) => {
        const text = entry.rawEntry.length <= 1_000 ? entry.rawEntry : entry.summary;
        return { entry, score, text, line: recalledLine(entry, text) };
      }),
    };
  }

  /** What may reach a prompt. Judged before the lines are made: what counts is what was said, and never how a line is written. */
  private async judged(
    link: MemoryLink,
    context: string,
    entries: Candidates["entries"],
  ): Promise<{ readonly document: string; readonly lines: ReadonlyMap<string, string> }> {
    const texts = entries.flatMap(({ entry, text }) => [text, entry.speaker ?? ""]);
    const [document = "", ...judged] = await this.supervision.ofRecall(link, [context, ...texts]);
    const lines = entries.flatMap(({ entry }, at): [string, string][] => {
      const [text = "", speaker = ""] = judged.slice(2 * at);
      const line = recalledLine({ ...entry, speaker: speaker === "" ? undefined : speaker }, text);
      return text === "" ? [] : [[entry.entryId, line]];
    });
    return { document, lines: new Map(lines) };
  }

  private async quietly<T>({ tenantId }: MemoryLink, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      log("warn", "memory.recall_failed", { tenantId, ...describeError(error) });
      return undefined;
    }
  }

  async start({ tenantId, memoryId, threadId }: MemoryLink): Promise<void> {
    const memory = await this.service.memory(tenantId, memoryId);
    if (memory.ok) await this.service.startSession(memory.value, threadId);
  }

  /** Deletes for good what was recorded of a message, however often it was changed. */
  async forget(link: MemoryLink, messageId: string): Promise<void> {
    const memory = await this.service.memory(link.tenantId, link.memoryId);
    if (memory.ok) await this.service.forgetOthers(memory.value, link.threadId, messageId, "");
  }

  /**
   * Records a message; the same one again is there once. Of a message that was edited what it says now is recorded, and what it
   * said before is deleted for good: an edit may be there to take something out, or all of it. A memory that was deleted takes nothing.
   */
  async record(link: MemoryLink, message: ChatMessage, at: number, edit?: number): Promise<void> {
    const content = messageText(message).slice(0, maxEntryCharacters);
    const says = content.trim() !== "" && message.role !== "error";
    if (!says && edit === undefined) return;
    const memory = await this.service.memory(link.tenantId, link.memoryId);
    if (!memory.ok) return;
    const isStaffs = message.role === "assistant" && message.author !== undefined;
    const speaker = isStaffs ? "staff" : message.role === "assistant" ? undefined : message.speaker;
    const occurredAt = new Date(at).toISOString();
    const recorded = { role: message.role, content, ...defined({ speaker }), occurredAt };
    const { messageId } = message;
    const key = edit === undefined ? messageId : `${messageId}:${edit}`;
    if (says) {
      // Refused when it was edited before it was recorded: then the edit records it.
      const result = await this.service.processMessages(memory.value, link.threadId, [recorded], {
        idempotencyKey: key,
        flushNow: edit !== undefined,
        vouchedBy: { kind: message.role === "assistant" && !isStaffs ? "agent" : "system", id: "session" },
      });
      if (!result.ok) log("info", "memory.record_refused", { tenantId: link.tenantId, code: result.problem.code });
    }
    if (edit !== undefined) await this.service.forgetOthers(memory.value, link.threadId, messageId, key);
  }
}
