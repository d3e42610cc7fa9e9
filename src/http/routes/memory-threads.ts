import { z } from "zod";
import { maxWaitMs } from "../../application/memory/memory-service.js";
import { entrySchema } from "../../memory/entry.js";
import {
  contextSchema,
  invocationSchema,
  levels,
  maxBatch,
  newMessageSchema,
  threadIdSchema,
  threadSchema,
} from "../../memory/memory.js";
import { deadLetterSchema } from "../../stores/memory/dead-letters.js";
import { unwrap } from "../context.js";
import { decodeCursor, json, jsonBody, listOf, newRouter, pageOf, pageQuery, route } from "../routing.js";
import { memoryOf, memoryParam } from "./memory-vaults.js";

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
  async (c) => {
    const { memoryId, threadId } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    return c.json(await c.get("services").memory.startSession(memory, threadId), 200);
  },
);

memoryThreads.openapi(
  route({
    method: "post",
    path: "/v1/memories/{memoryId}/threads/{threadId}/messages",
    tags,
    summary: "Give a thread a message, or up to 500; they are stored when this answers, and become entries soon after",
    description:
      "The control state says what the memory agent does with each: PROCESS_MESSAGE, or PROCESS_MESSAGE_AND_FLUSH where the context is written anew. An `Idempotency-Key` makes sure that messages sent twice are there once.",
    request: { params: threadParam, body: jsonBody(messagesSchema) },
    responses: { 200: json("How far the thread is", invocationSchema) },
  }),
  async (c) => {
    const { memoryId, threadId } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    const body = c.req.valid("json");
    const messages = "messages" in body ? body.messages : [body];
    const key = c.req.header("idempotency-key");
    return c.json(unwrap(await c.get("services").memory.processMessages(memory, threadId, messages, key)), 200);
  },
);

memoryThreads.openapi(
  route({
    method: "post",
    path: "/v1/memories/{memoryId}/threads/{threadId}/end",
    tags,
    summary: "End a session: what the context doesn't cover yet is taken in. Again changes nothing",
    request: { params: threadParam },
    responses: { 200: json("How far the thread is", invocationSchema) },
  }),
  async (c) => {
    const { memoryId, threadId } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    return c.json(unwrap(await c.get("services").memory.endSession(memory, threadId)), 200);
  },
);

memoryThreads.openapi(
  route({
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
    const { memoryId, threadId } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    return c.json(unwrap(await c.get("services").memory.thread(memory, threadId, c.req.valid("query").atSeq)), 200);
  },
);

memoryThreads.openapi(
  route({
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
    const memory = await memoryOf(c, c.req.valid("param").memoryId);
    return c.json(unwrap(await c.get("services").memory.awaitConsistency(memory, c.req.valid("json"))), 200);
  },
);

memoryThreads.openapi(
  route({
    method: "get",
    path: "/v1/memories/{memoryId}/dead-letters",
    tags,
    summary: "Work that could not be done, and why",
    request: { params: memoryParam, query: pageQuery },
    responses: { 200: json("A page of dead letters", listOf(deadLetterSchema)) },
  }),
  async (c) => {
    const { tenantId, memoryId } = await memoryOf(c, c.req.valid("param").memoryId);
    const { limit, cursor } = c.req.valid("query");
    const { deadLetters } = c.get("services").memory.ports;
    const rows = await deadLetters.list(tenantId, memoryId, decodeCursor(cursor) ?? "", limit + 1);
    const page = pageOf(
      rows,
      limit,
      ({ deadLetterId }) => deadLetterId,
      (letter) => letter,
    );
    return c.json(page, 200);
  },
);

memoryThreads.openapi(
  route({
    method: "post",
    path: "/v1/memories/{memoryId}/dead-letters/{deadLetterId}/retry",
    tags,
    summary: "Send the work of a dead letter again",
    request: { params: memoryParam.extend({ deadLetterId: z.string().max(200) }) },
    responses: { 200: json("The dead letter", deadLetterSchema) },
  }),
  async (c) => {
    const { memoryId, deadLetterId } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    return c.json(unwrap(await c.get("services").memory.retryDeadLetter(memory, deadLetterId)), 200);
  },
);
