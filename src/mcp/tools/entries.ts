/** Entries of a memory and the threads they come from, under the names of the memory agent's own papers. */

import { z } from "zod";
import { addEntry, listEntries, readEntry } from "../../application/memory/manage-entries.js";
import { searchEntries } from "../../application/memory/search-entries.js";
import { plainContextSchema } from "../../application/memory/search-shapes.js";
import { endThread, recordMessages, startThread } from "../../application/memory/use-threads.js";
import { threadIdSchema } from "../../conversation/names.js";
import { entrySchema, newEntrySchema, timeSchema } from "../../memory/entry.js";
import { contextSchema, invocationSchema, newMessageSchema } from "../../memory/memory.js";
import { cursor, idempotencyKey, limit, pageOf } from "../inputs.js";
import { type McpTool, mcpTool } from "../tool.js";

const memory_id = z.string().max(100);
const entryLine = ({ occurredAt, speaker, role, rawEntry }: z.input<typeof entrySchema>): string =>
  `${occurredAt} ${speaker ?? role}: ${rawEntry}`;

export const entryTools: readonly McpTool[] = [
  mcpTool({
    name: "add_entry",
    title: "Remember something",
    description: "Adds an entry to a memory, word for word. Without a summary one is made of its beginning.",
    act: addEntry,
    effect: "adds",
    input: z.strictObject({
      memory_id,
      raw_entry: newEntrySchema.shape.rawEntry,
      summary: newEntrySchema.shape.summary,
      tags: newEntrySchema.shape.tags,
      role: newEntrySchema.shape.role,
      speaker: newEntrySchema.shape.speaker,
      idempotency_key: idempotencyKey,
    }),
    output: entrySchema,
    run: ({ memory_id: memoryId, raw_entry, idempotency_key: _, ...fields }, { actor, services }) => {
      const entry = newEntrySchema.parse({ ...fields, rawEntry: raw_entry });
      return addEntry(actor, { memoryId, entry }, services);
    },
  }),
  mcpTool({
    name: "get_entry",
    title: "Read an entry",
    description: "One entry, superseded or not.",
    act: readEntry,
    effect: "reads",
    input: z.strictObject({ memory_id, entry_id: z.string().max(100) }),
    output: entrySchema,
    text: entryLine,
    run: ({ memory_id: memoryId, entry_id: entryId }, { actor, services }) =>
      readEntry(actor, { memoryId, entryId }, services),
  }),
  mcpTool({
    name: "list_entries",
    title: "List entries",
    description: "The entries that hold, by the time at which they were said, a page at a time.",
    act: listEntries,
    effect: "reads",
    input: z.strictObject({
      memory_id,
      before: timeSchema.optional(),
      after: timeSchema.optional(),
      limit: limit.default(10),
      cursor,
    }),
    output: pageOf(entrySchema),
    text: ({ items, nextCursor }) =>
      [...items.map(entryLine), ...(nextCursor === null ? [] : [`There is more: cursor ${nextCursor}`])].join("\n"),
    run: ({ memory_id: memoryId, ...query }, { actor, services }) =>
      listEntries(actor, { ...query, memoryId }, services),
  }),
  mcpTool({
    name: "search_memories",
    title: "Search a memory",
    description: "Finds the entries that fit a query, with the newest context and the contexts that fit best.",
    act: searchEntries,
    effect: "reads",
    input: z.strictObject({
      memory_id,
      query: z.string().min(1).max(4_000),
      top_ke: z.int().min(0).max(100).default(10).describe("Entries at most."),
      top_kc: z.int().min(0).max(20).default(1).describe("Contexts at most."),
    }),
    output: z.object({
      entries: z.array(z.object({ entry: entrySchema, score: z.number() })),
      contexts: z.array(plainContextSchema.extend({ score: z.number() })),
      latestContext: plainContextSchema,
    }),
    text: ({ entries, latestContext }) =>
      [
        ...entries.map(({ entry, score }) => `(${score.toFixed(2)}) ${entryLine(entry)}`),
        ...(latestContext.document === "" ? [] : [`Known so far:\n${latestContext.document}`]),
      ].join("\n"),
    run: ({ memory_id: memoryId, query, top_ke: topEntries, top_kc: topContexts }, { actor, services }) =>
      searchEntries(actor, { memoryId, request: { query, topEntries, topContexts, filter: {} } }, services),
  }),
  mcpTool({
    name: "start_session",
    title: "Begin a session of a memory thread",
    description: "Loads what is known: the context, and the entries that it doesn't cover yet. Again changes nothing.",
    act: startThread,
    effect: "changes",
    idempotent: true,
    input: z.strictObject({ memory_id, thread_id: threadIdSchema }),
    output: invocationSchema.extend({ context: contextSchema, recentEntries: z.array(entrySchema) }),
    run: ({ memory_id: memoryId, thread_id: threadId }, { actor, services }) =>
      startThread(actor, { memoryId, threadId }, services),
  }),
  mcpTool({
    name: "process_conversation_message",
    title: "Give a memory thread a message",
    description: "Stores a message; it becomes an entry soon after, and the context is written anew when it is time.",
    act: recordMessages,
    effect: "adds",
    input: z.strictObject({
      memory_id,
      thread_id: threadIdSchema,
      role: newMessageSchema.shape.role,
      content: newMessageSchema.shape.content,
      speaker: newMessageSchema.shape.speaker,
      idempotency_key: idempotencyKey,
    }),
    output: invocationSchema,
    run: ({ memory_id: memoryId, thread_id: threadId, idempotency_key: _, ...message }, { actor, services }) => {
      const messages = [newMessageSchema.parse(message)];
      return recordMessages(actor, { memoryId, threadId, sent: { messages } }, services);
    },
  }),
  mcpTool({
    name: "end_session",
    title: "End a session of a memory thread",
    description: "Takes in what the context doesn't cover yet. Again changes nothing.",
    act: endThread,
    effect: "changes",
    idempotent: true,
    input: z.strictObject({ memory_id, thread_id: threadIdSchema }),
    output: invocationSchema,
    run: ({ memory_id: memoryId, thread_id: threadId }, { actor, services }) =>
      endThread(actor, { memoryId, threadId }, services),
  }),
];
