/** Memories: routes of the acts on them, and what they don't say: a memory by the caller's own id, and a context that nobody else wrote meanwhile. */
import { z } from "zod";
import { memoryActs } from "../../application/memory/acts.js";
import { memoryInput, memoryTag, supervisedWrite } from "../../application/memory/find-memory.js";
import { listMemoryEvents } from "../../application/memory/list-events.js";
import { ensureMemory } from "../../application/memory/manage-memories.js";
import { writeMemoryContext } from "../../application/memory/write-contexts.js";
import { listOf, pageInput } from "../../application/page.js";
import { maxContextCharacters } from "../../memory/context-document.js";
import { contextSchema } from "../../memory/memory.js";
import { addRoute, routesOf } from "../act-routes.js";
import { actorOf } from "../context.js";
import { rootEvents } from "../events.js";
import { json, jsonBody, route } from "../routing.js";

export const memories = routesOf(memoryActs, {
  createMemory: (router, addDerived) => {
    addDerived();
    addRoute(router, ensureMemory);
  },
  listMemoryEvents: (router) => {
    const events = listOf(rootEvents.memory);
    router.openapi(
      route({
        "x-act": "listMemoryEvents",
        method: "get",
        path: "/v1/memories/{memoryId}/events",
        tags: [memoryTag],
        summary: "What happened in a memory, the oldest first",
        request: { params: z.object(memoryInput()), query: z.object(pageInput()) },
        responses: { 200: json("A page of events", events) },
      }),
      async (c) => {
        const input = { ...c.req.valid("param"), ...c.req.valid("query") };
        return c.json(events.parse(await listMemoryEvents(actorOf(c), input, c.get("services"))), 200);
      },
    );
  },
  writeMemoryContext: (router) => {
    const etag = z.string().regex(/^"\d+"$/, 'an ETag as GET gave it, such as "3"; "0" before the first version');
    const documentText = z.string().min(1).max(maxContextCharacters);
    // The seed's put_context calls the document its content.
    const contextBody = z.union([
      // What GET returned is taken, too: with the version that it was read as, and what else it says of it.
      z.strictObject({ ...contextSchema.partial().shape, document: documentText }),
      z.strictObject({ content: documentText }).transform(({ content }) => ({ document: content })),
    ]);
    router.openapi(
      route({
        "x-act": "writeMemoryContext",
        method: "put",
        path: "/v1/memories/{memoryId}/context",
        tags: [memoryTag],
        summary: "Write a new version by hand; with If-Match only if nobody else did meanwhile",
        description: supervisedWrite,
        request: {
          params: z.object(memoryInput()),
          headers: z.object({ "if-match": etag.optional() }),
          body: jsonBody(contextBody),
        },
        responses: { 200: json("The new version's number", z.object({ version: z.int() })) },
      }),
      async (c) => {
        const ifMatch = c.req.valid("header")["if-match"];
        const { document, version } = { version: undefined, ...c.req.valid("json") };
        const expected = ifMatch === undefined ? version : Number(ifMatch.slice(1, -1));
        const input = { ...c.req.valid("param"), document, expected };
        const written = await writeMemoryContext(actorOf(c), input, c.get("services"));
        c.header("etag", `"${written.version}"`);
        return c.json(written, 200);
      },
    );
  },
});
