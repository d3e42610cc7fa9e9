import { createTwoFilesPatch } from "diff";
import type { Context } from "hono";
import { z } from "zod";
import { plainContextSchema } from "../../application/memory/memory-search.js";
import { maxContextCharacters } from "../../memory/context-document.js";
import { type ContextVersion, contextSchema } from "../../memory/memory.js";
import type { NewContext } from "../../stores/memory/context-store.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import { type AppEnv, callerOf } from "../context.js";
import { problem } from "../problems.js";
import { decodeCursor, json, jsonBody, listOf, newRouter, pageOf, pageQuery, route } from "../routing.js";
import { memoryOf, memoryParam } from "./memory-vaults.js";

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
    method: "get",
    path: "/v1/memories/{memoryId}/context",
    tags,
    summary: "The context as it is; its version is the ETag, version 0 is empty",
    request: { params: memoryParam },
    responses: { 200: json("The context", contextSchema) },
  }),
  async (c) => {
    const memory = await memoryOf(c, c.req.valid("param").memoryId);
    const context = await c.get("services").memory.ports.contexts.current(memory);
    c.header("etag", `"${context.version}"`);
    return c.json(context, 200);
  },
);

memoryContexts.openapi(
  route({
    method: "put",
    path: "/v1/memories/{memoryId}/context",
    tags,
    summary: "Write a new version by hand; with If-Match only if nobody else did meanwhile",
    request: {
      params: memoryParam,
      headers: ifMatch,
      body: jsonBody(newContextSchema),
    },
    responses: { 200: json("The new version's number", putSchema) },
  }),
  async (c) => {
    const memory = await memoryOf(c, c.req.valid("param").memoryId);
    const wanted = c.req.valid("header")["if-match"];
    const { document } = c.req.valid("json");
    const expected = wanted === undefined ? undefined : Number(wanted.slice(1, -1));
    const { keyId } = callerOf(c);
    const version = await put(c, memory, expected, { document, source: "person", author: keyId });
    return c.json({ version }, 200);
  },
);

memoryContexts.openapi(
  route({
    method: "get",
    path: "/v1/memories/{memoryId}/contexts",
    tags,
    summary: "The versions of the context, newest first",
    request: { params: memoryParam, query: pageQuery },
    responses: { 200: json("A page of versions", listOf(plainContextSchema)) },
  }),
  async (c) => {
    const memory = await memoryOf(c, c.req.valid("param").memoryId);
    const { limit, cursor } = c.req.valid("query");
    const before = Number(decodeCursor(cursor) ?? Number.MAX_SAFE_INTEGER);
    const { contexts } = c.get("services").memory.ports;
    const rows = await contexts.versions(memory, Number.isSafeInteger(before) ? before : 0, limit + 1);
    const page = pageOf(
      rows,
      limit,
      ({ version }) => String(version),
      (version) => version,
    );
    return c.json(page, 200);
  },
);

memoryContexts.openapi(
  route({
    method: "get",
    path: "/v1/memories/{memoryId}/contexts/{version}",
    operationId: "getMemoryContextVersion",
    tags,
    summary: "One version, and up to where it covers each thread",
    request: { params: versionParam },
    responses: { 200: json("The version", contextSchema) },
  }),
  async (c) => {
    const { memoryId, version } = c.req.valid("param");
    return c.json(await versionOf(c, await memoryOf(c, memoryId), version), 200);
  },
);

memoryContexts.openapi(
  route({
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
    const { memoryId, version } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    await versionOf(c, memory, version);
    const { limit, cursor } = c.req.valid("query");
    const { contexts } = c.get("services").memory.ports;
    const [since = "0", entryId = ""] = (decodeCursor(cursor) ?? "").split(" ");
    const rows = await contexts.sources(memory, version, { since: Number(since), entryId }, limit + 1);
    const page = pageOf(
      rows,
      limit,
      (source) => `${source.since} ${source.entryId}`,
      (source) => source,
    );
    return c.json(page, 200);
  },
);

memoryContexts.openapi(
  route({
    method: "get",
    path: "/v1/memories/{memoryId}/contexts/{from}/diff/{to}",
    tags,
    summary: "What changed between two versions, as a unified diff",
    request: { params: memoryParam.extend({ from: versionNumber, to: versionNumber }) },
    responses: {
      200: json("The diff", z.object({ from: z.int(), to: z.int(), diff: z.string() })),
    },
  }),
  async (c) => {
    const { memoryId, from, to } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    const [a, b] = await Promise.all([versionOf(c, memory, from), versionOf(c, memory, to)]);
    const diff = createTwoFilesPatch(`version ${from}`, `version ${to}`, `${a.document}\n`, `${b.document}\n`);
    return c.json({ from, to, diff }, 200);
  },
);

memoryContexts.openapi(
  route({
    method: "post",
    path: "/v1/memories/{memoryId}/contexts/{version}/restore",
    tags,
    summary: "Make an old version the current one again, as a new version that covers what the old one covered",
    request: { params: versionParam },
    responses: { 200: json("The new version's number", putSchema) },
  }),
  async (c) => {
    const { memoryId, version } = c.req.valid("param");
    const memory = await memoryOf(c, memoryId);
    const old = await versionOf(c, memory, version);
    if (old.source === "erased") {
      throw problem("conflict", "This version rested on an entry that has been deleted; its text is gone.");
    }
    const { keyId } = callerOf(c);
    const restored = await put(c, memory, undefined, {
      document: old.document,
      source: "restored",
      author: keyId,
      restores: version,
      // What was deleted since it was read must not come back.
      erasures: memory.erasures,
    });
    return c.json({ version: restored }, 200);
  },
);

async function versionOf(c: Context<AppEnv>, memory: MemoryRef, version: number): Promise<ContextVersion> {
  const { contexts } = c.get("services").memory.ports;
  const found = version === 0 ? { version: 0, document: "", coverage: {} } : await contexts.version(memory, version);
  if (found === undefined) throw problem("not_found", `This memory's context has no version ${version}.`);
  return found;
}

/** Puts a version; without an expected one, on top of whatever is there. */
async function put(
  c: Context<AppEnv>,
  memory: MemoryRef,
  expected: number | undefined,
  context: Omit<NewContext, "expected">,
): Promise<number> {
  const { contexts } = c.get("services").memory.ports;
  for (;;) {
    const base = expected ?? (await contexts.base(memory)).version;
    const outcome = await contexts.put(memory, { ...context, expected: base });
    if (outcome.kind === "stored") {
      c.header("etag", `"${outcome.version}"`);
      return outcome.version;
    }
    if (outcome.kind === "erased") {
      throw problem("conflict", "An entry was deleted meanwhile, which this version may rest on. Look at it again.");
    }
    if (expected !== undefined) {
      const current = (await contexts.base(memory)).version;
      throw problem(
        "precondition_failed",
        `The context's version is "${current}" now. Read it again, and decide on what it says.`,
      );
    }
  }
}
