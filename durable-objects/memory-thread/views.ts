/** A thread as callers see it. */

import { defined } from "../../src/conversation/defined.js";
import type { ThreadMarksView } from "../../src/gateways/thread-gateway.js";
import type { FlushRange } from "../../src/memory/control.js";
import type { Invocation, Thread } from "../../src/memory/memory.js";
import type { MemoryThreadStore } from "./store.js";

/** Messages of the state that are shown; all of them are entries. */
const shownMessages = 50;

/** How far the thread is, by level. */
export function marksView(store: MemoryThreadStore): ThreadMarksView {
  const { marks, indexedSeq, coveredSeq, failure } = store.thread();
  return { stored: marks.lastSeq, indexed: indexedSeq, context: coveredSeq, ...defined({ failure }) };
}

/** The thread as it stands, or as it stood after a message. */
export function threadView(store: MemoryThreadStore, atSeq?: number): Thread {
  const thread = store.thread();
  const { marks, failure } = thread;
  const lastSeq = Math.min(atSeq ?? marks.lastSeq, marks.lastSeq);
  const history = store.window(lastSeq, shownMessages);
  const current = store.range({ fromSeq: lastSeq, toSeq: lastSeq });
  const past = atSeq !== undefined && lastSeq < marks.lastSeq;
  const requestedSeq = past ? store.requestedAt(lastSeq) : marks.requestedSeq;
  return {
    threadId: thread.threadId,
    memoryId: thread.memoryId,
    open: past || marks.open,
    epoch: past ? (current[0]?.epoch ?? 0) : marks.epoch,
    lastSeq,
    requestedSeq,
    indexedSeq: Math.min(thread.indexedSeq, lastSeq),
    coveredSeq: past ? store.coveredAt(requestedSeq) : thread.coveredSeq,
    degraded: store.countDegraded() + (thread.degradedFrom === undefined && !thread.areExtractsDue ? 0 : 1),
    ...defined({ failure }),
    state: {
      conversation_history: history,
      to_process: current.filter(({ content }) => content !== ""),
      tool_history: past ? [] : thread.toolHistory,
      control: past ? (current[0]?.control ?? "START_SESSION") : thread.control,
    },
  };
}

/** What the invoker says: of the messages of a batch, or of the thread as it stands. */
export function invocationView(store: MemoryThreadStore, range?: FlushRange): Invocation {
  const { marks, coveredSeq, control } = store.thread();
  const { lastSeq, requestedSeq } = marks;
  const messages = range === undefined ? [] : store.range(range);
  const seq = range?.toSeq ?? lastSeq;
  const last = messages.at(-1);
  const flush = last?.control === "PROCESS_MESSAGE_AND_FLUSH" ? store.flushTo(last.seq) : undefined;
  return {
    control: last?.control ?? control,
    seq,
    lastSeq,
    requestedSeq,
    coveredSeq,
    ...defined({ flush: flush && { fromSeq: flush.fromSeq, toSeq: flush.toSeq } }),
    ...(range === undefined
      ? {}
      : {
          messages: messages.map((message) => ({
            seq: message.seq,
            entryId: message.entryId,
            control: message.control,
          })),
        }),
  };
}
