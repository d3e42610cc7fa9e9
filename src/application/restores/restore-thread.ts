/**
 * A thread of a memory that is put back: its object by the platform's log of changes, and the memory follows it. Entries of messages that it
 * has no more are set aside, with what contexts say of them; those of messages that it has again hold again. Told anew, it changes nothing.
 */
import { need } from "../../conversation/problem.js";
import { batch } from "../../platform/sql.js";
import { ContextErasure } from "../../stores/memory/context-erasure.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import { SetAside } from "../../stores/memory/set-aside.js";
import type { Restore } from "../../stores/restore-store.js";
import type { Erasure } from "../../tenancy/erasures.js";
import { eraseFromD1, rebuildContext } from "../memory/erasure.js";
import { identityOf, type MemoryServicePorts } from "../memory/memory-service.js";
import type { Services } from "../services.js";
import type { Restorable } from "./restorable.js";

/** Messages whose entries are compared at once. */
const messagesAtOnce = 500;

export type ThreadRestore = Pick<Restore, "tenantId" | "rootId" | "threadId">;

export function threadToRestore(
  { tenantId, rootId: memoryId, threadId = "" }: ThreadRestore,
  { memory: service, now }: Services,
): Restorable {
  const { ports } = service;
  const { threads } = ports;
  const identity = { tenantId, memoryId, threadId };
  const numbers = async () => (await threads.numbers(identity)) ?? { outbox: 0, events: 0, erased: [] };
  const memoryOf = async () => need(await service.memory(tenantId, memoryId));
  return {
    isThere: async () => {
      await memoryOf();
      return (await threads.numbers(identity)) !== null;
    },
    erased: async () => {
      const { erased } = await numbers();
      return erased.map((itemId): Erasure => ({ kind: "entry", rootId: memoryId, itemId, at: now() }));
    },
    numbers,
    prepareRestore: (target) => threads.prepareRestore(identity, target),
    restart: () => threads.restart(identity),
    restored: (behind) => threads.restored(identity, behind),
    eraseAgain: async ({ kind, itemId }) => kind === "entry" && (await threads.erase(identity, itemId)),
    follow: async ({ restoreId, numbers: { events }, by }) => {
      const memory = await memoryOf();
      await followThread(memory, threadId, { restoreId, behind: events, author: by.id }, ports);
    },
  };
}

interface Following {
  readonly restoreId: string;
  /** Messages behind this number came after the thread was put back. */
  readonly behind: number;
  readonly author: string;
}

async function followThread(
  memory: MemoryRef,
  threadId: string,
  { restoreId, behind, author }: Following,
  ports: MemoryServicePorts,
): Promise<void> {
  const { db, entries, vectors, threads } = ports;
  const aside = new SetAside(db, entries, vectors);
  const identity = identityOf(memory, threadId);
  // Whatever is being written now may have read what is set aside, and begins anew.
  await batch(db, [new ContextErasure(db).counted(memory)]);
  for (let after = 0; after < behind; ) {
    const page = await threads.living(identity, after, messagesAtOnce);
    const to = Math.min(behind, page.length < messagesAtOnce ? behind : (page.at(-1)?.seq ?? behind));
    const living = page.map(({ entryId }) => entryId);
    const strays = () => aside.strays(memory, threadId, { after, to }, living, restoreId);
    for (let some = await strays(); some.length > 0; some = await strays()) {
      for (const entryId of some) await eraseFromD1(memory, entryId, ports, undefined, restoreId);
    }
    await aside.bringBack(memory, threadId, living);
    after = to;
  }
  const returned = await aside.returned(memory, threadId);
  if (returned.length > 0) {
    await forget(memory, returned, `${restoreId}:returned`, author, ports);
    await aside.settle(memory, returned);
  }
  await rebuildContext(memory, ports);
}

/** A version of the context that knows of entries that it doesn't hold: they are taken in again. */
async function forget(
  memory: MemoryRef,
  entryIds: readonly string[],
  flushKey: string,
  author: string,
  { contexts }: MemoryServicePorts,
): Promise<void> {
  for (;;) {
    const { version, document, origins, forgotten, erasures } = await contexts.base(memory);
    // Without any context whatever holds is new to it.
    if (version === 0) return;
    const put = await contexts.put(memory, {
      ...{ document, origins, erasures, author, flushKey, source: "restored" as const, expected: version },
      forgotten: { ...forgotten, entries: [...new Set([...forgotten.entries, ...entryIds])] },
    });
    if (put.kind === "stored") return;
  }
}
