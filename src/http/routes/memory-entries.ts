/** Entries of a memory: written, read, corrected, deleted and found. */
import { z } from "zod";
import {
  addEntry,
  correctEntry,
  deleteEntry,
  listEntries,
  readEntry,
  tagEntry,
} from "../../application/memory/manage-entries.js";
import { searchResultSchema, searchSchema } from "../../application/memory/memory-search.js";
import { searchEntries } from "../../application/memory/search-entries.js";
import { entrySchema, newEntrySchema, tagsSchema, timeSchema } from "../../memory/entry.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";
import { memoryParam, supervisedWrite } from "./memory-vaults.js";

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
    "x-act": "addEntry",
    method: "post",
    path: "/v1/memories/{memoryId}/entries",
    tags,
    summary: "Add an entry without a conversation; without a summary its own beginning is one",
    description: supervisedWrite,
    request: { params: memoryParam, body: jsonBody(newEntrySchema) },
    responses: { 201: json("The entry", entrySchema) },
  }),
  async (c) => {
    const idempotencyKey = c.req.header("idempotency-key");
    const input = { ...c.req.valid("param"), entry: c.req.valid("json"), idempotencyKey };
    return c.json(unwrap(await addEntry(actorOf(c), input, c.get("services"))), 201);
  },
);

memoryEntries.openapi(
  route({
    "x-act": "listEntries",
    method: "get",
    path: "/v1/memories/{memoryId}/entries",
    tags,
    summary: "The entries that hold, by the time at which they were said",
    request: { params: memoryParam, query: filterQuery },
    responses: { 200: json("A page of entries", listOf(entrySchema)) },
  }),
  async (c) => {
    const { limit, cursor, ...filter } = c.req.valid("query");
    const query = { ...c.req.valid("param"), limit, cursor, filter };
    return c.json(unwrap(await listEntries(actorOf(c), query, c.get("services"))), 200);
  },
);

memoryEntries.openapi(
  route({
    "x-act": "readEntry",
    method: "get",
    path: "/v1/memories/{memoryId}/entries/{entryId}",
    tags,
    summary: "One entry, superseded or not",
    request: { params: entryParam },
    responses: { 200: json("The entry", entrySchema) },
  }),
  async (c) => c.json(unwrap(await readEntry(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);

memoryEntries.openapi(
  route({
    "x-act": "tagEntry",
    method: "patch",
    path: "/v1/memories/{memoryId}/entries/{entryId}",
    tags,
    summary: "Replace an entry's tags; its text never changes",
    description: supervisedWrite,
    request: { params: entryParam, body: jsonBody(z.strictObject({ tags: tagsSchema })) },
    responses: { 200: json("The entry", entrySchema) },
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), ...c.req.valid("json") };
    return c.json(unwrap(await tagEntry(actorOf(c), input, c.get("services"))), 200);
  },
);

memoryEntries.openapi(
  route({
    "x-act": "deleteEntry",
    method: "delete",
    path: "/v1/memories/{memoryId}/entries/{entryId}",
    tags,
    summary: "Delete an entry for good: text, index, thread, and the contexts that rest on it",
    request: { params: entryParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    unwrap(await deleteEntry(actorOf(c), c.req.valid("param"), c.get("services")));
    return c.body(null, 204);
  },
);

memoryEntries.openapi(
  route({
    "x-act": "correctEntry",
    method: "post",
    path: "/v1/memories/{memoryId}/entries/{entryId}/corrections",
    tags,
    summary: "Correct an entry: a new one holds from its time on; the old one held until then",
    description: supervisedWrite,
    request: { params: entryParam, body: jsonBody(newEntrySchema) },
    responses: { 201: json("The new entry", entrySchema) },
  }),
  async (c) => {
    const idempotencyKey = c.req.header("idempotency-key");
    const input = { ...c.req.valid("param"), entry: c.req.valid("json"), idempotencyKey };
    return c.json(unwrap(await correctEntry(actorOf(c), input, c.get("services"))), 201);
  },
);

memoryEntries.openapi(
  route({
    "x-act": "searchEntries",
    method: "post",
    path: "/v1/memories/{memoryId}/search",
    tags,
    summary: "Find entries, with the reasons for their scores; no model is called",
    request: { params: memoryParam, body: jsonBody(searchSchema) },
    responses: { 200: json("What was found", searchResultSchema) },
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), request: c.req.valid("json") };
    return c.json(unwrap(await searchEntries(actorOf(c), input, c.get("services"))), 200);
  },
);
