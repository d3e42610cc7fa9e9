/** Threads of a memory: messages go in, and how far the memory has got with them comes out. */
import { z } from "zod";
import { awaitConsistency, maxWaitMs } from "../../application/memory/await-consistency.js";
import { listDeadLetters, retryDeadLetter } from "../../application/memory/handle-dead-letters.js";
import {
  deleteThread,
  endThread,
  listThreads,
  readThread,
  recordMessages,
  startThread,
} from "../../application/memory/use-threads.js";
import { deadLetterSchema } from "../../memory/dead-letter.js";
import { entrySchema } from "../../memory/entry.js";
import {
  contextSchema,
  invocationSchema,
  levels,
  maxBatch,
  newMessageSchema,
  threadIdSchema,
  threadSchema,
  threadSummarySchema,
} from "../../memory/memory.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";
import { memoryParam, supervisedWrite } from "./memory-vaults.js";

const tags = ["Memory"];
const threadParam = memoryParam.extend({ threadId: threadIdSchema });

const messagesSchema = z.union([
  newMessageSchema,
  z.strictObject({ messages: z.array(newMessageSchema).min(1).max(maxBatch) }),
]);

const marksSchema = z.object({
  stored: z.int(),
  indexed: z.int(),
  context: z.int(),
  failure: z.string().optional(),
});

export const memoryThreads = newRouter();

memoryThreads.openapi(
  route({
    "x-act": "startThread",
    method: "post",
    path: "/v1/memories/{memoryId}/threads/{threadId}/start",
    tags,
    summary:
      "Begin a session of a thread: the context, and the entries that it doesn't cover yet. Again changes nothing",
    request: { params: threadParam },
    responses: {
      200: json(
        "What is known",
        invocationSchema.extend({ context: contextSchema, recentEntries: z.array(entrySchema) }),
      ),
    },
  }),
  async (c) => c.json(unwrap(await startThread(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);

memoryThreads.openapi(
  route({
    "x-act": "recordMessages",
    method: "post",
    path: "/v1/memories/{memoryId}/threads/{threadId}/messages",
    tags,
    summary: "Give a thread a message, or up to 500; they are stored when this answers, and become entries soon after",
    description: `The control state says what the memory agent does with each: PROCESS_MESSAGE, or PROCESS_MESSAGE_AND_FLUSH where the context is written anew. An \`Idempotency-Key\` makes sure that messages sent twice are there once. ${supervisedWrite}`,
    request: { params: threadParam, body: jsonBody(messagesSchema) },
    responses: { 200: json("How far the thread is", invocationSchema) },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const input = {
      ...c.req.valid("param"),
      messages: "messages" in body ? body.messages : [body],
      idempotencyKey: c.req.header("idempotency-key"),
    };
    return c.json(unwrap(await recordMessages(actorOf(c), input, c.get("services"))), 200);
  },
);

memoryThreads.openapi(
  route({
    "x-act": "endThread",
    method: "post",
    path: "/v1/memories/{memoryId}/threads/{threadId}/end",
    tags,
    summary: "End a session: what the context doesn't cover yet is taken in. Again changes nothing",
    request: { params: threadParam },
    responses: { 200: json("How far the thread is", invocationSchema) },
  }),
  async (c) => c.json(unwrap(await endThread(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);

memoryThreads.openapi(
  route({
    "x-act": "readThread",
    method: "get",
    path: "/v1/memories/{memoryId}/threads/{threadId}",
    tags,
    summary: "A thread and its state, as it is or as it was after a message",
    request: {
      params: threadParam,
      query: z.object({ atSeq: z.coerce.number<string>().int().min(0).optional() }),
    },
    responses: { 200: json("The thread", threadSchema) },
  }),
  async (c) => {
    const ref = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await readThread(actorOf(c), ref, c.get("services"))), 200);
  },
);

memoryThreads.openapi(
  route({
    "x-act": "listThreads",
    method: "get",
    path: "/v1/memories/{memoryId}/threads",
    tags,
    summary: "The threads of a memory, by name",
    request: { params: memoryParam, query: pageQuery },
    responses: { 200: json("A page of threads", listOf(threadSummarySchema)) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await listThreads(actorOf(c), query, c.get("services"))), 200);
  },
);

memoryThreads.openapi(
  route({
    "x-act": "deleteThread",
    method: "delete",
    path: "/v1/memories/{memoryId}/threads/{threadId}",
    tags,
    summary: "Delete a thread: its messages, its entries, and what contexts say of them",
    request: { params: threadParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    unwrap(await deleteThread(actorOf(c), c.req.valid("param"), c.get("services")));
    return c.body(null, 204);
  },
);

memoryThreads.openapi(
  route({
    "x-act": "awaitConsistency",
    method: "post",
    path: "/v1/memories/{memoryId}/await-consistency",
    operationId: "awaitMemoryConsistency",
    tags,
    summary: "Wait until messages are stored, indexed, or in the context; says honestly what was reached",
    request: {
      params: memoryParam,
      body: jsonBody(
        z.strictObject({
          threadId: threadIdSchema.optional(),
          /** The last message, if left out. */
          seq: z.int().min(0).optional(),
          level: z.enum(levels).default("indexed"),
          timeoutMs: z.int().min(0).max(maxWaitMs).default(10_000),
        }),
      ),
    },
    responses: {
      200: json(
        "What was reached",
        z.object({
          reached: z.boolean(),
          watermarks: z.union([marksSchema, z.object({ threads: z.record(z.string(), marksSchema) })]),
          failures: z.array(deadLetterSchema),
        }),
      ),
    },
  }),
  async (c) => {
    const goal = { ...c.req.valid("param"), ...c.req.valid("json") };
    return c.json(unwrap(await awaitConsistency(actorOf(c), goal, c.get("services"))), 200);
  },
);

memoryThreads.openapi(
  route({
    "x-act": "listDeadLetters",
    method: "get",
    path: "/v1/memories/{memoryId}/dead-letters",
    tags,
    summary: "Work that could not be done, and why",
    request: { params: memoryParam, query: pageQuery },
    responses: { 200: json("A page of dead letters", listOf(deadLetterSchema)) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await listDeadLetters(actorOf(c), query, c.get("services"))), 200);
  },
);

memoryThreads.openapi(
  route({
    "x-act": "retryDeadLetter",
    method: "post",
    path: "/v1/memories/{memoryId}/dead-letters/{deadLetterId}/retry",
    tags,
    summary: "Send the work of a dead letter again",
    request: { params: memoryParam.extend({ deadLetterId: z.string().max(200) }) },
    responses: { 200: json("The dead letter", deadLetterSchema) },
  }),
  async (c) => c.json(unwrap(await retryDeadLetter(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);
