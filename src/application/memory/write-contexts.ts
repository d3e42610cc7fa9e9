/** New versions of a memory's context: written by hand, or restored from an old one. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import { maxContextCharacters } from "../../memory/context-document.js";
import { itemsOfVersion, originsByHand } from "../../memory/context-items.js";
import type { FlushBase } from "../../memory/flush.js";
import type { NewContext } from "../../stores/memory/context-store.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { doOnce } from "../creation.js";
import type { Services } from "../services.js";
import { rebuildContext } from "./erasure.js";
import { findMemory } from "./find-memory.js";
import { type ContextVersionRef, findContextVersion } from "./read-contexts.js";
import { supervisionFor } from "./supervised-texts.js";

export interface ContextInput {
  readonly memoryId: string;
  readonly document: string;
  /** The version that has to be the current one; without it, the document goes on top of whatever is there. */
  readonly expected?: number | undefined;
}

export async function writeMemoryContext(
  actor: Actor,
  { memoryId, document, expected }: ContextInput,
  services: Services,
): Promise<Result<{ version: number }>> {
  const memory = await findMemory(actor, "writeMemoryContext", memoryId, services);
  if (!memory.ok) return memory;
  const texts = [{ path: "document", content: document }];
  const supervised = await supervisionFor(actor, services).ofWrite(memory.value, recordOf(actor), texts);
  if (!supervised.ok) return supervised;
  const effective = (supervised.value[0] ?? document).slice(0, maxContextCharacters);
  const byHand = (base: FlushBase) => ({
    document: effective,
    origins: originsByHand(effective, itemsOfVersion(base)),
    source: "person" as const,
    author: actor.id,
  });
  return putVersion(actor, memory.value, { expected, contextOn: byHand }, services);
}

/** Makes an old version the current one again, as a new version that covers what the old one covered. */
export async function restoreMemoryContext(
  actor: Actor,
  { memoryId, version }: ContextVersionRef,
  services: Services,
): Promise<Result<{ version: number }>> {
  const memory = await findMemory(actor, "restoreMemoryContext", memoryId, services);
  if (!memory.ok) return memory;
  const old = await findContextVersion(memory.value, version, services.memory.ports.contexts);
  if (!old.ok) return old;
  const itemised = await services.memory.ports.contexts.itemised(memory.value, version);
  if (old.value.source === "erased" && old.value.document === "") {
    return refuse("conflict", "This version rested on entries that have been deleted; its text is gone.");
  }
  const { document, origins, forgotten } = itemised ?? { document: "", origins: [], forgotten: { entries: [] } };
  // What was written before the tenant had the supervisors that it has now.
  const texts = [{ path: "version", content: document, isFixed: true }];
  const supervised = await supervisionFor(actor, services).ofWrite(memory.value, recordOf(actor), texts);
  if (!supervised.ok) return supervised;
  const restored = () => ({
    document,
    origins,
    forgotten,
    source: "restored" as const,
    author: actor.id,
    restores: version,
    // What is deleted after the old version was read doesn't come back.
    erasures: memory.value.erasures,
  });
  const put = await putVersion(actor, memory.value, { expected: undefined, contextOn: restored }, services);
  // What the old version had forgotten is taken in again.
  await rebuildContext(memory.value, services.memory.ports);
  return put;
}

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
): Promise<Result<{ version: number }>> {
  const put = (claim: WorkClaim | undefined) => putOnce(memory, wanted, claim, services);
  return doOnce(actor, services, put, async (version) => ok({ version: Number(version) }));
}

async function putOnce(
  memory: MemoryRef,
  { expected, contextOn }: VersionToPut,
  claim: WorkClaim | undefined,
  services: Services,
): Promise<Result<{ version: number }>> {
  const { contexts } = services.memory.ports;
  for (;;) {
    const base = await contexts.base(memory);
    // An expected version that isn't the current one is refused by the store, whatever is put.
    const outcome = await contexts.put(memory, { ...contextOn(base), expected: expected ?? base.version }, claim);
    switch (outcome.kind) {
      case "stored":
        return ok({ version: outcome.version });
      case "erased":
        return refuse("conflict", "An entry was deleted meanwhile, which this version may rest on. Look at it again.");
      case "conflict":
        // Without an expected version it is tried again on the new base.
        if (expected !== undefined) return hasChanged((await contexts.base(memory)).version);
    }
  }
}

function hasChanged(current: number): Result<never> {
  return refuse(
    "precondition_failed",
    `The context's version is "${current}" now. Read it again, and decide on what it says.`,
  );
}
