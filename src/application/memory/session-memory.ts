/** The memory of a session: what its prompts recall, and what is recorded of it. */

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

export interface Recalled {
  readonly kind: string;
  readonly text: string;
}

/** Entries that a turn brings in, and characters of them. */
const recalledEntries = 8;
const recalledCharacters = 6_000;

/** What of recalled texts may reach a prompt; what may not is empty. */
interface RecallSupervision {
  ofRecall(memory: Pick<MemoryLink, "tenantId" | "memoryId">, texts: readonly string[]): Promise<string[]>;
}

export class SessionMemory {
  constructor(
    private readonly service: MemoryService,
    private readonly supervision: RecallSupervision,
  ) {}

  /**
   * The context, and the entries of other conversations that have to do with a message. A memory that is gone or can't be reached
   * brings nothing: it never stops a turn.
   */
  async recall(link: MemoryLink, message: string): Promise<Recalled[]> {
    try {
      const memory = await this.service.memory(link.tenantId, link.memoryId);
      if (!memory.ok) return [];
      const request = { query: message.slice(0, 4_000), topEntries: recalledEntries * 2, topContexts: 0, filter: {} };
      const { entries, latestContext } = await searchMemory(memory.value, request, this.service.ports);
      // The messages of this very thread are in the history already.
      const elsewhere = entries.flatMap(({ entry }) => (entry.threadId === link.threadId ? [] : [entry]));
      const found: { readonly entry: Entry; readonly text: string }[] = [];
      let used = 0;
      for (const entry of elsewhere.slice(0, recalledEntries)) {
        const text = entry.rawEntry.length <= 1_000 ? entry.rawEntry : entry.summary;
        used += recalledLine(entry, text).length;
        if (used > recalledCharacters) break;
        found.push({ entry, text });
      }
      // Judged before the lines are made: what counts is what was said, and never how a line is written.
      const texts = found.flatMap(({ entry, text }) => [text, entry.speaker ?? ""]);
      const [document = "", ...judged] = await this.supervision.ofRecall(link, [latestContext.document, ...texts]);
      const lines = found.flatMap(({ entry }, at) => {
        const [text = "", speaker = ""] = judged.slice(2 * at);
        return text === "" ? [] : [recalledLine({ ...entry, speaker: speaker === "" ? undefined : speaker }, text)];
      });
      return [
        ...(document === "" ? [] : [{ kind: "context", text: document }]),
        ...(lines.length === 0 ? [] : [{ kind: "entries", text: lines.join("\n") }]),
      ];
    } catch (error) {
      log("warn", "memory.recall_failed", { tenantId: link.tenantId, ...describeError(error) });
      return [];
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
    const speaker = message.role === "assistant" ? undefined : message.speaker;
    const occurredAt = new Date(at).toISOString();
    const recorded = { role: message.role, content, ...(speaker === undefined ? {} : { speaker }), occurredAt };
    const { messageId } = message;
    const key = edit === undefined ? messageId : `${messageId}:${edit}`;
    if (says) {
      // Refused when it was edited before it was recorded: then the edit records it.
      const result = await this.service.processMessages(memory.value, link.threadId, [recorded], {
        idempotencyKey: key,
        flushNow: edit !== undefined,
        vouchedBy: { kind: message.role === "assistant" ? "agent" : "system", id: "session" },
      });
      if (!result.ok) log("info", "memory.record_refused", { tenantId: link.tenantId, code: result.problem.code });
    }
    if (edit !== undefined) await this.service.forgetOthers(memory.value, link.threadId, messageId, key);
  }
}
