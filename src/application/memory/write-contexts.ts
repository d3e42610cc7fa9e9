/** New versions of a memory's context: written by hand, or restored from an old one. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { attempt, need, type ProblemError, problem } from "../../conversation/problem.js";
import { maxContextCharacters } from "../../memory/context-document.js";
import { itemsOfVersion, originsByHand } from "../../memory/context-items.js";
import type { FlushBase } from "../../memory/flush.js";
import type { NewContext } from "../../stores/memory/context-store.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { doOnce } from "../creation.js";
import type { Services } from "../services.js";
import { rebuildContext } from "./erasure.js";
import { findMemory, memoryTag, supervisedWrite } from "./find-memory.js";
import { contextVersionInput, findContextVersion } from "./read-contexts.js";
import { supervisionFor } from "./supervised-texts.js";

export interface ContextInput {
  readonly memoryId: string;
  readonly document: string;
  /** The version that has to be the current one; without it, the document goes on top of whatever is there. */
  readonly expected?: number | undefined;
}

export const writeMemoryContext = act("writeMemoryContext", {
  role: "operator",
  clientMay: true,
  run: async (actor, { memoryId, document, expected }: ContextInput, services) => {
    const memory = await findMemory(actor, { memoryId }, services);
    const texts = [{ path: "document", content: document }];
    const supervised = need(await supervisionFor(actor, services).ofWrite(memory, recordOf(actor), texts));
    const effective = (supervised[0] ?? document).slice(0, maxContextCharacters);
    const byHand = (base: FlushBase) => ({
      document: effective,
      origins: originsByHand(effective, itemsOfVersion(base)),
      source: "person" as const,
      author: actor.id,
    });
    return putVersion(actor, memory, { expected, contextOn: byHand }, services);
  },
});

/** Makes an old version the current one again, as a new version that covers what the old one covered. */
export const restoreMemoryContext = act("restoreMemoryContext", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/memories/{memoryId}/contexts/{version}/restore",
    tag: memoryTag,
    summary: "Make an old version the current one again, as a new version that covers what the old one covered",
    description: supervisedWrite,
    answer: "The new version's number",
    etag: true,
  },
  input: () => z.object(contextVersionInput()),
  output: () => z.object({ version: z.int() }),
  run: async (actor, { memoryId, version }, services) => {
    const memory = await findMemory(actor, { memoryId }, services);
    const { contexts } = services.memory.ports;
    const old = await findContextVersion(memory, version, contexts);
    const itemised = await contexts.itemised(memory, version);
    if (old.source === "erased" && old.document === "") {
      throw problem("conflict", "This version rested on entries that have been deleted; its text is gone.");
    }
    const { document, origins, forgotten } = itemised ?? { document: "", origins: [], forgotten: { entries: [] } };
    // What was written before the tenant had the supervisors that it has now.
    const texts = [{ path: "version", content: document, isFixed: true }];
    need(await supervisionFor(actor, services).ofWrite(memory, recordOf(actor), texts));
    const restored = () => ({
      document,
      origins,
      forgotten,
      source: "restored" as const,
      author: actor.id,
      restores: version,
      // What is deleted after the old version was read doesn't come back.
      erasures: memory.erasures,
    });
    const put = await attempt(() => putVersion(actor, memory, { expected: undefined, contextOn: restored }, services));
    // What the old version had forgotten is taken in again.
    await rebuildContext(memory, services.memory.ports);
    return need(put);
  },
});

interface VersionToPut {
  readonly expected: number | undefined;
  readonly contextOn: (base: FlushBase) => Omit<NewContext, "expected">;
}

/** Puts a version, once under its key; without an expected one, on top of whatever is there. */
function putVersion(
  actor: Actor,
  memory: MemoryRef,
  wanted: VersionToPut,
  services: Services,
): Promise<{ version: number }> {
  const put = (claim?: WorkClaim) => putOnce(memory, wanted, claim, services);
  return doOnce(actor, services, put, async (version) => ({ version: Number(version) }));
}

async function putOnce(
  memory: MemoryRef,
  { expected, contextOn }: VersionToPut,
  claim: WorkClaim | undefined,
  services: Services,
): Promise<{ version: number }> {
  const { contexts } = services.memory.ports;
  for (;;) {
    const base = await contexts.base(memory);
    // An expected version that isn't the current one is refused by the store, whatever is put.
    const outcome = await contexts.put(memory, { ...contextOn(base), expected: expected ?? base.version }, claim);
    switch (outcome.kind) {
      case "stored":
        return { version: outcome.version };
      case "erased":
        throw problem("conflict", "An entry was deleted meanwhile, which this version may rest on. Look at it again.");
      case "conflict":
        // Without an expected version it is tried again on the new base.
        if (expected !== undefined) throw hasChanged((await contexts.base(memory)).version);
    }
  }
}

function hasChanged(current: number): ProblemError {
  return problem(
    "precondition_failed",
    `The context's version is "${current}" now. Read it again, and decide on what it says.`,
  );
}
