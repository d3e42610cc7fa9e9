/** The context of a memory and its versions: read, listed, compared. Version 0 is empty and always there. */
import { createTwoFilesPatch } from "diff";
import { z } from "zod";
import { problem } from "../../conversation/problem.js";
import { type ContextVersion, contextSchema } from "../../memory/memory.js";
import type { ContextStore } from "../../stores/memory/context-store.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import { lookUpMemory, memoryInput, memoryTag } from "./find-memory.js";
import { contextFor, textsFor } from "./own-memory.js";
import { plainContextSchema } from "./search-shapes.js";

const versionNumber = lazily(() =>
  z
    .string()
    .regex(/^\d{1,9}$/, "a version is a whole number")
    .transform(Number),
);
export const contextVersionInput = lazily(() => ({ ...memoryInput(), version: versionNumber() }));

/** As it is now. */
export const readMemoryContext = act("readMemoryContext", {
  role: "operator",
  clientMay: true,
  ofSubject: true,
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}/context",
    tag: memoryTag,
    summary: "The context as it is; its version is the ETag, version 0 is empty",
    answer: "The context",
    etag: true,
  },
  input: () => z.object(memoryInput()),
  output: () => contextSchema,
  run: async (actor, ref, services) => {
    const memory = await lookUpMemory(actor, ref, services);
    const context = await services.near.contexts.current(memory);
    const [document] = await textsFor(actor, memory, [context.document], services);
    return contextFor(actor, context, document);
  },
});

export const listContextVersions = act("listContextVersions", {
  role: "operator",
  clientMay: true,
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}/contexts",
    tag: memoryTag,
    summary: "The versions of the context, newest first",
    answer: "A page of versions",
  },
  input: () => z.object({ ...memoryInput(), ...pageInput() }),
  output: () => listOf(plainContextSchema),
  run: async (actor, { memoryId, ...page }, services) => {
    const memory = await lookUpMemory(actor, { memoryId }, services);
    const read = (position: string | undefined, limit: number) => {
      const before = Number(position ?? Number.MAX_SAFE_INTEGER);
      return services.near.contexts.versions(memory, Number.isSafeInteger(before) ? before : 0, limit);
    };
    return readPage(page, read, ({ version }) => String(version));
  },
});

export const readContextVersion = act("readContextVersion", {
  role: "operator",
  clientMay: true,
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}/contexts/{version}",
    operationId: "getMemoryContextVersion",
    tag: memoryTag,
    summary: "One version, and up to where it covers each thread",
    answer: "The version",
  },
  input: () => z.object(contextVersionInput()),
  output: () => contextSchema,
  run: async (actor, ref, services) =>
    findContextVersion(await lookUpMemory(actor, ref, services), ref.version, services.near.contexts),
});

export const listContextSources = act("listContextSources", {
  role: "operator",
  clientMay: true,
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}/contexts/{version}/sources",
    tag: memoryTag,
    summary: "The entries that a version rests on, and since which version",
    answer: "A page of entries' ids",
  },
  input: () => z.object({ ...contextVersionInput(), ...pageInput() }),
  output: () => listOf(z.object({ entryId: z.string(), since: z.int() })),
  run: async (actor, { version, ...query }, services) => {
    const { contexts } = services.near;
    const memory = await lookUpMemory(actor, query, services);
    await findContextVersion(memory, version, contexts);
    const read = (position = "", limit: number) => {
      const [since = "0", entryId = ""] = position.split(" ");
      return contexts.sources(memory, version, { since: Number(since), entryId }, limit);
    };
    return readPage(query, read, ({ since, entryId }) => `${since} ${entryId}`);
  },
});

export const compareContextVersions = act("compareContextVersions", {
  role: "operator",
  clientMay: true,
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}/contexts/{from}/diff/{to}",
    tag: memoryTag,
    summary: "What changed between two versions, as a unified diff",
    answer: "The diff",
  },
  input: () => z.object({ ...memoryInput(), from: versionNumber(), to: versionNumber() }),
  output: () => z.object({ from: z.int(), to: z.int(), diff: z.string() }),
  run: async (actor, { memoryId, from, to }, services) => {
    const memory = await lookUpMemory(actor, { memoryId }, services);
    const documentOf = async (version: number): Promise<string> =>
      `${(await findContextVersion(memory, version, services.near.contexts)).document}\n`;
    const texts = await Promise.all([documentOf(from), documentOf(to)]);
    return { from, to, diff: createTwoFilesPatch(`version ${from}`, `version ${to}`, ...texts) };
  },
});

export async function findContextVersion(
  memory: MemoryRef,
  version: number,
  contexts: Pick<ContextStore, "version">,
): Promise<ContextVersion> {
  const found = version === 0 ? { version: 0, document: "", coverage: {} } : await contexts.version(memory, version);
  if (found === undefined) throw problem("not_found", `This memory's context has no version ${version}.`);
  return found;
}
