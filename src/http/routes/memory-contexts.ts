/** The context of a memory, and its versions. */
import { z } from "zod";
import { plainContextSchema } from "../../application/memory/memory-search.js";
import {
  compareContextVersions,
  listContextSources,
  listContextVersions,
  readContextVersion,
  readMemoryContext,
} from "../../application/memory/read-contexts.js";
import { restoreMemoryContext, writeMemoryContext } from "../../application/memory/write-contexts.js";
import { maxContextCharacters } from "../../memory/context-document.js";
import { contextSchema } from "../../memory/memory.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";
import { memoryParam, supervisedWrite } from "./memory-vaults.js";

const tags = ["Memory"];
const versionNumber = z
  .string()
  .regex(/^\d{1,9}$/, "a version is a whole number")
  .transform(Number);
const versionParam = memoryParam.extend({ version: versionNumber });
const ifMatch = z.object({
  "if-match": z
    .string()
    .regex(/^"\d+"$/, 'an ETag as GET gave it, such as "3"; "0" before the first version')
    .optional(),
});
const documentText = z.string().min(1).max(maxContextCharacters);
/** The seed's put_context calls the document its content. */
const newContextSchema = z.union([
  z.strictObject({ document: documentText }),
  z.strictObject({ content: documentText }).transform(({ content }) => ({ document: content })),
]);
const putSchema = z.object({ version: z.int() });

export const memoryContexts = newRouter();

memoryContexts.openapi(
  route({
    "x-act": "readMemoryContext",
    method: "get",
    path: "/v1/memories/{memoryId}/context",
    tags,
    summary: "The context as it is; its version is the ETag, version 0 is empty",
    request: { params: memoryParam },
    responses: { 200: json("The context", contextSchema) },
  }),
  async (c) => {
    const { memoryId } = c.req.valid("param");
    const context = unwrap(await readMemoryContext(actorOf(c), memoryId, c.get("services")));
    c.header("etag", `"${context.version}"`);
    return c.json(context, 200);
  },
);

memoryContexts.openapi(
  route({
    "x-act": "writeMemoryContext",
    method: "put",
    path: "/v1/memories/{memoryId}/context",
    tags,
    summary: "Write a new version by hand; with If-Match only if nobody else did meanwhile",
    description: supervisedWrite,
    request: {
      params: memoryParam,
      headers: ifMatch,
      body: jsonBody(newContextSchema),
    },
    responses: { 200: json("The new version's number", putSchema) },
  }),
  async (c) => {
    const etag = c.req.valid("header")["if-match"];
    const expected = etag === undefined ? undefined : Number(etag.slice(1, -1));
    const input = { ...c.req.valid("param"), ...c.req.valid("json"), expected };
    const written = unwrap(await writeMemoryContext(actorOf(c), input, c.get("services")));
    c.header("etag", `"${written.version}"`);
    return c.json(written, 200);
  },
);

memoryContexts.openapi(
  route({
    "x-act": "listContextVersions",
    method: "get",
    path: "/v1/memories/{memoryId}/contexts",
    tags,
    summary: "The versions of the context, newest first",
    request: { params: memoryParam, query: pageQuery },
    responses: { 200: json("A page of versions", listOf(plainContextSchema)) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await listContextVersions(actorOf(c), query, c.get("services"))), 200);
  },
);

memoryContexts.openapi(
  route({
    "x-act": "readContextVersion",
    method: "get",
    path: "/v1/memories/{memoryId}/contexts/{version}",
    operationId: "getMemoryContextVersion",
    tags,
    summary: "One version, and up to where it covers each thread",
    request: { params: versionParam },
    responses: { 200: json("The version", contextSchema) },
  }),
  async (c) => c.json(unwrap(await readContextVersion(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);

memoryContexts.openapi(
  route({
    "x-act": "listContextSources",
    method: "get",
    path: "/v1/memories/{memoryId}/contexts/{version}/sources",
    tags,
    summary: "The entries that a version rests on, and since which version",
    request: { params: versionParam, query: pageQuery },
    responses: {
      200: json("A page of entries' ids", listOf(z.object({ entryId: z.string(), since: z.int() }))),
    },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await listContextSources(actorOf(c), query, c.get("services"))), 200);
  },
);

memoryContexts.openapi(
  route({
    "x-act": "compareContextVersions",
    method: "get",
    path: "/v1/memories/{memoryId}/contexts/{from}/diff/{to}",
    tags,
    summary: "What changed between two versions, as a unified diff",
    request: { params: memoryParam.extend({ from: versionNumber, to: versionNumber }) },
    responses: {
      200: json("The diff", z.object({ from: z.int(), to: z.int(), diff: z.string() })),
    },
  }),
  async (c) => c.json(unwrap(await compareContextVersions(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);

memoryContexts.openapi(
  route({
    "x-act": "restoreMemoryContext",
    method: "post",
    path: "/v1/memories/{memoryId}/contexts/{version}/restore",
    tags,
    summary: "Make an old version the current one again, as a new version that covers what the old one covered",
    description: supervisedWrite,
    request: { params: versionParam },
    responses: { 200: json("The new version's number", putSchema) },
  }),
  async (c) => {
    const restored = unwrap(await restoreMemoryContext(actorOf(c), c.req.valid("param"), c.get("services")));
    c.header("etag", `"${restored.version}"`);
    return c.json(restored, 200);
  },
);
