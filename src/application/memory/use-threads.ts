/** Threads of a memory: started, given messages, ended, read. */

import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { threadIdSchema } from "../../conversation/names.js";
import { need, problem } from "../../conversation/problem.js";
import { entrySchema } from "../../memory/entry.js";
import {
  contextSchema,
  invocationSchema,
  maxBatch,
  newMessageSchema,
  threadSchema,
  threadSummarySchema,
} from "../../memory/memory.js";
import { ownKey } from "../../tenancy/actor.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import { refuseHeldMemory } from "../subjects/on-hold.js";
import { deleteOfMemory, findMemory, lookUpMemory, memoryInput, memoryTag, supervisedWrite } from "./find-memory.js";
import { superviseMessages } from "./supervised-texts.js";
import { removeThread } from "./thread-removal.js";

const threadInput = lazily(() => ({ ...memoryInput(), threadId: threadIdSchema }));

/** Begins a session of a thread. Again changes nothing. */
export const startThread = act("startThread", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/memories/{memoryId}/threads/{threadId}/start",
    tag: memoryTag,
    summary:
      "Begin a session of a thread: the context, and the entries that it doesn't cover yet. Again changes nothing",
    answer: "What is known",
  },
  input: () => z.object(threadInput()),
  output: () => invocationSchema.extend({ context: contextSchema, recentEntries: z.array(entrySchema) }),
  run: async (actor, ref, services) =>
    services.memory.startSession(await findMemory(actor, ref, services), ref.threadId),
});

/** Gives a thread messages; they are stored when this returns. Messages sent twice under one key are there once. */
export const recordMessages = act("recordMessages", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/memories/{memoryId}/threads/{threadId}/messages",
    tag: memoryTag,
    summary: "Give a thread a message, or up to 500; they are stored when this answers, and become entries soon after",
    description: `The control state says what the memory agent does with each: PROCESS_MESSAGE, or PROCESS_MESSAGE_AND_FLUSH where the context is written anew. An \`Idempotency-Key\` makes sure that messages sent twice are there once. ${supervisedWrite}`,
    body: "sent",
    answer: "How far the thread is",
  },
  input: () => {
    const several = z.strictObject({ messages: z.array(newMessageSchema).min(1).max(maxBatch) });
    return z.object({ ...threadInput(), sent: z.union([newMessageSchema, several]) });
  },
  output: () => invocationSchema,
  run: async (actor, { memoryId, threadId, sent }, services) => {
    const memory = await findMemory(actor, { memoryId }, services);
    const messages = "messages" in sent ? sent.messages : [sent];
    const written = need(await superviseMessages(memory, actor, messages, services));
    const idempotencyKey = ownKey(actor, actor.command?.key);
    const options = { idempotencyKey, vouchedBy: recordOf(actor), request: messages };
    return need(await services.memory.processMessages(memory, threadId, written, options));
  },
});

/** Ends a session of a thread: what the context doesn't cover yet is taken in. Again changes nothing. */
export const endThread = act("endThread", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/memories/{memoryId}/threads/{threadId}/end",
    tag: memoryTag,
    summary: "End a session: what the context doesn't cover yet is taken in. Again changes nothing",
    answer: "How far the thread is",
  },
  input: () => z.object(threadInput()),
  output: () => invocationSchema,
  run: async (actor, ref, services) =>
    need(await services.memory.endSession(await findMemory(actor, ref, services), ref.threadId)),
});

/** As it is, or as it was after the message `atSeq`. */
export const readThread = act("readThread", {
  role: "client",
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}/threads/{threadId}",
    tag: memoryTag,
    summary: "A thread and its state, as it is or as it was after a message",
    answer: "The thread",
  },
  input: () => z.object({ ...threadInput(), atSeq: z.coerce.number<string>().int().min(0).optional() }),
  output: () => threadSchema,
  run: async (actor, { atSeq, ...ref }, services) =>
    need(await services.memory.thread(await findMemory(actor, ref, services), ref.threadId, atSeq)),
});

export const listThreads = act("listThreads", {
  role: "client",
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}/threads",
    tag: memoryTag,
    summary: "The threads of a memory, by name",
    answer: "A page of threads",
  },
  input: () => z.object({ ...memoryInput(), ...pageInput() }),
  output: () => listOf(threadSummarySchema),
  run: async (actor, { memoryId, ...page }, services) => {
    const memory = await lookUpMemory(actor, { memoryId }, services);
    const read = (after = "", limit: number) => services.near.memories.threadSummaries(memory, after, limit);
    return readPage(page, read, ({ threadId }) => threadId);
  },
});

/** Deletes a thread with its messages and entries; what contexts say of them goes too. */
export const deleteThread = act("deleteThread", {
  role: "operator",
  clientMay: true,
  route: {
    method: "delete",
    path: "/v1/memories/{memoryId}/threads/{threadId}",
    tag: memoryTag,
    summary: "Delete a thread: its messages, its entries, and what contexts say of them",
    answer: "It is gone",
  },
  input: () => z.object(threadInput()),
  run: async (actor, ref, services) => {
    const memory = await findMemory(actor, ref, services);
    await refuseHeldMemory(memory, services);
    const deleted = { by: recordOf(actor), at: services.now() };
    await deleteOfMemory(memory, services, async () => {
      const wasThere = await removeThread(memory, ref.threadId, services.memory.ports, deleted);
      if (!wasThere) throw problem("not_found", "There is no such thread in this memory.");
    });
  },
});
