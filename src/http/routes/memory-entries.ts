import { z } from "zod";
import { searchMemory, searchResultSchema, searchSchema } from "../../application/memory/memory-search.js";
import { entrySchema, newEntrySchema, tagsSchema, timeSchema } from "../../memory/entry.js";
import { unwrap } from "../context.js";
import { problem } from "../problems.js";
import { decodeCursor, json, jsonBody, listOf, newRouter, pageOf, pageQuery, route } from "../routing.js";
import { memoryOf, memoryParam } from "./memory-vaults.js";

const tags = ["Memory"];
const entryParam = memoryParam.extend({ entryId: z.string().max(100) });

const filterQuery = pageQuery.extend({
  asOf: timeSchema.optional(),
  role: z.string().max(40).optional(),
  tag: z.string().max(400).optional().meta({ description: "`name` or `name=value`" }),
  after: timeSchema.optional(),
  before: timeSchema.optional(),
  threadId: z.string().max(100).optional(),
});

export const memoryEntries = newRouter();

memoryEntries.openapi(
  route({
    method: "post",
    path: "/v1/memories/{memoryId}/entries",
    tags,
    summary: "Add an entry without a conversation; without a summary its own beginning is one",
    request: { params: memoryParam, body: jsonBody(newEntrySchema) },
    responses: { 201: json("The entry", entrySchema) },
  }),
  async (c) => {
    const memory = await memoryOf(c, c.req.valid("param").memoryId);
    const key = c.req.header("idempotency-key");
    return c.json(unwrap(await c.get("services").memory.addEntry(memory, c.req.valid("json"), key)), 201);
  },
);

memoryEntries.openapi(
  route({
    method: "get",
    path: "/v1/memories/{memoryId}/entries",
    tags,
    summary: "The entries that hold, by the time at which they were said",
    request: { params: memoryParam, query: filterQuery },
    responses: { 200: json("A page of entries", listOf(entrySchema)) },
  }),
  async (c) => {
    const memory = await memoryOf(c, c.req.valid("param").memoryId);
    const { limit, cursor, ...filter } = c.req.valid("query");
    const [occurredAt = "", entryId = ""] = (decodeCursor(cursor) ?? "").split(" ");
    const { entries } = c.get("services").memory.ports;
    const rows = await entries.list(memory, filter, { occurredAt, entryId }, limit + 1);
    const page = pageOf(
      rows,
      limit,
      (entry) => `${entry.occurredAt} ${entry.entryId}`,
      (entry) => entry,
    );
    return c.json(page, 200);
  },
);

memoryEntries.openapi(
  route({
    method: "get",
    path: "/v1/memories/{memoryId}/entries/{entryId}",
    tags,
    summary: "One entry, superseded or not",
    request: { params: entryParam },
    responses: { 200: json("The entry", entrySchema) },
  }),
  async (c) => {
    const { memoryId, entryId } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    const entry = await c.get("services").memory.ports.entries.get(memory, entryId);
    if (entry === undefined) throw problem("not_found", "There is no such entry in this memory.");
    return c.json(entry, 200);
  },
);

memoryEntries.openapi(
  route({
    method: "patch",
    path: "/v1/memories/{memoryId}/entries/{entryId}",
    tags,
    summary: "Replace an entry's tags; its text never changes",
    request: { params: entryParam, body: jsonBody(z.strictObject({ tags: tagsSchema })) },
    responses: { 200: json("The entry", entrySchema) },
  }),
  async (c) => {
    const { memoryId, entryId } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    const { tags: wanted } = c.req.valid("json");
    return c.json(unwrap(await c.get("services").memory.setTags(memory, entryId, wanted)), 200);
  },
);

memoryEntries.openapi(
  route({
    method: "delete",
    path: "/v1/memories/{memoryId}/entries/{entryId}",
    tags,
    summary: "Delete an entry for good: text, index, thread, and the contexts that rest on it",
    request: { params: entryParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    const { memoryId, entryId } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    unwrap(await c.get("services").memory.deleteEntry(memory, entryId));
    return c.body(null, 204);
  },
);

memoryEntries.openapi(
  route({
    method: "post",
    path: "/v1/memories/{memoryId}/entries/{entryId}/corrections",
    tags,
    summary: "Correct an entry: a new one holds from its time on; the old one held until then",
    request: { params: entryParam, body: jsonBody(newEntrySchema) },
    responses: { 201: json("The new entry", entrySchema) },
  }),
  async (c) => {
    const { memoryId, entryId } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    const key = c.req.header("idempotency-key");
    return c.json(unwrap(await c.get("services").memory.correct(memory, entryId, c.req.valid("json"), key)), 201);
  },
);

memoryEntries.openapi(
  route({
    method: "post",
    path: "/v1/memories/{memoryId}/search",
    tags,
    summary: "Find entries, with the reasons for their scores; no model is called",
    request: { params: memoryParam, body: jsonBody(searchSchema) },
    responses: { 200: json("What was found", searchResultSchema) },
  }),
  async (c) => {
    const memory = await memoryOf(c, c.req.valid("param").memoryId);
    return c.json(await searchMemory(memory, c.req.valid("json"), c.get("services").memory.ports), 200);
  },
);
