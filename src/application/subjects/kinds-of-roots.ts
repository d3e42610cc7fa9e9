/** Sessions, runs, roundtables and memories of a person: objects, with the rows about them. */
import { defined } from "../../conversation/defined.js";
import { attempt, need } from "../../conversation/problem.js";
import type { SubjectRef } from "../../stores/subject-names.js";
import { type Actor, tokenIdOf } from "../../tenancy/actor.js";
import { listEntries } from "../memory/manage-entries.js";
import { findMemories } from "../memory/manage-memories.js";
import type { identityOf } from "../memory/memory-service.js";
import { readMemoryContext } from "../memory/read-contexts.js";
import { linksOf } from "../memory/session-memory.js";
import { removeThread } from "../memory/thread-removal.js";
import { eraseDrawn, removeRoot, removeSession } from "../removal.js";
import { readRoundtable } from "../roundtables/read-roundtable.js";
import { readRun } from "../runs/read-run.js";
import type { Services } from "../services.js";
import { readSession } from "../sessions/read-session.js";
import { readTranscript } from "../sessions/read-transcript.js";
import { readVersions } from "../sessions/read-versions.js";
import type { ErasureOf, SubjectKind } from "./kind.js";

/** Roots that one slice erases. */
const atOnce = 5;
/** Messages and entries that one slice of an export reads. */
const readAtOnce = 100;

/** As the person reads it: with a token of their own. */
function ownToken({ tenantId, subject }: SubjectRef): Actor {
  return { tenantId, kind: "token", id: tokenIdOf(subject), role: "user", subject };
}

/** Who reads what a token doesn't reach, in the tenant's name. */
function staff({ tenantId }: SubjectRef, role: "client" | "operator"): Actor {
  return { tenantId, kind: "system", id: "subjects", role };
}

const sessions: SubjectKind = {
  kind: "sessions",
  count: (of, { subjects }) => subjects.count(of, "sessions"),
  erase: async (of, _from, services) => {
    const ids = await services.subjects.rootIds(of, "sessions", atOnce);
    for (const sessionId of ids) await eraseSession(of, sessionId, services);
    return { erased: ids.length, next: ids.length < atOnce ? undefined : "more" };
  },
  export: async (of, from, services) => {
    const [sessionId = "", cursor = ""] = from.split(" ");
    const id = cursor === "" ? await services.subjects.rootAfter(of, "sessions", sessionId) : sessionId;
    if (id === undefined) return { lines: [] };
    const actor = ownToken(of);
    const page = await attempt(() =>
      readTranscript(
        actor,
        { sessionId: id, limit: readAtOnce, ...defined({ cursor: cursor || undefined }) },
        services,
      ),
    );
    // It was deleted meanwhile.
    if (!page.ok) return { lines: [], next: id };
    const { items, nextCursor } = page.value;
    const lines: unknown[] = cursor === "" ? [{ session: await readSession(actor, { sessionId: id }, services) }] : [];
    for (const message of items) {
      const { messageId } = message;
      // What staff wrote, and what waits, has none.
      const versions = of.originals
        ? await attempt(() => readVersions(staff(of, "operator"), { sessionId: id, messageId }, services))
        : undefined;
      lines.push({ sessionId: id, message, ...(versions?.ok && { versions: versions.value.items }) });
    }
    return { lines, next: nextCursor === null ? id : `${id} ${nextCursor}` };
  },
};

/** A session with what it has written elsewhere: to a memory that isn't theirs, and to the conversation of a chat channel. */
async function eraseSession(of: ErasureOf, sessionId: string, services: Services): Promise<void> {
  const { tenantId, subject } = of;
  // What it has recorded in memories, and its last rows of the audit, come before they are erased.
  await services.sessions.quiesce(tenantId, sessionId);
  const session = await services.sessions.describe(tenantId, sessionId);
  if (session.ok) {
    const [link] = linksOf({ tenantId, sessionId, definition: session.value });
    const memory = link && (await services.memory.memory(tenantId, link.memoryId));
    if (link !== undefined && memory?.ok && memory.value.subject !== subject) {
      const done = { by: of.by, at: of.at };
      if (link.threadId === sessionId) await removeThread(memory.value, sessionId, services.memory.ports, done);
      else await forgetMessages(tenantId, sessionId, link.threadId, memory.value, services);
    }
    const shownIn = await services.sessions.shownIn(tenantId, sessionId);
    if (shownIn !== undefined) {
      await services.conversations.remove(shownIn);
      await services.subjects.forgetConversation(tenantId, shownIn.channelId, shownIn.conversation);
    }
  }
  await eraseDrawn(tenantId, { sessionId }, services);
  await services.subjects.renameOwned(of, sessionId);
  await removeSession(tenantId, sessionId, services);
}

/** What a session has said in a thread that others share. */
async function forgetMessages(
  tenantId: string,
  sessionId: string,
  threadId: string,
  memory: Parameters<typeof identityOf>[0],
  services: Services,
): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const page: { items: readonly { messageId: string }[]; next: number | null } = need(
      await services.sessions.messages(tenantId, sessionId, after, readAtOnce),
    );
    for (const { messageId } of page.items) await services.memory.forgetOthers(memory, threadId, messageId, "");
    after = page.next;
  }
}

const runs: SubjectKind = {
  kind: "runs",
  count: (of, { subjects }) => subjects.count(of, "runs"),
  erase: async (of, _from, services) => {
    const ids = await services.subjects.rootIds(of, "runs", atOnce);
    for (const id of ids) {
      await services.runs.quiesce(of.tenantId, id);
      await services.subjects.renameOwned(of, id);
      await removeRoot(of.tenantId, { kind: "runs", id }, services);
    }
    return { erased: ids.length, next: ids.length < atOnce ? undefined : "more" };
  },
  export: async (of, from, services) => {
    const runId = await services.subjects.rootAfter(of, "runs", from);
    if (runId === undefined) return { lines: [] };
    const run = await attempt(() => readRun(staff(of, "client"), { runId, waitMs: 0 }, services));
    return { lines: run.ok ? [{ run: run.value }] : [], next: runId };
  },
};

const roundtables: SubjectKind = {
  kind: "roundtables",
  count: (of, { subjects }) => subjects.count(of, "roundtables"),
  erase: async (of, _from, services) => {
    const ids = await services.subjects.rootIds(of, "roundtables", atOnce);
    for (const id of ids) {
      await services.roundtables.quiesce(of.tenantId, id);
      await services.subjects.renameOwned(of, id);
      await removeRoot(of.tenantId, { kind: "roundtables", id }, services);
    }
    return { erased: ids.length, next: ids.length < atOnce ? undefined : "more" };
  },
  export: async (of, from, services) => {
    const roundtableId = await services.subjects.rootAfter(of, "roundtables", from);
    if (roundtableId === undefined) return { lines: [] };
    const read = await attempt(() => readRoundtable(staff(of, "client"), { roundtableId, waitMs: 0 }, services));
    return { lines: read.ok ? [{ roundtable: read.value }] : [], next: roundtableId };
  },
};

const memories: SubjectKind = {
  kind: "memories",
  count: (of, { subjects }) => subjects.count(of, "memories"),
  erase: async (of, _from, services) => {
    const found = await services.memory.ports.memories.ofSubject(of.tenantId, of.subject, 1);
    for (const memory of found) {
      await services.subjects.renameOwned(of, memory.memoryId);
      await services.memory.deleteMemory(memory);
    }
    return { erased: found.length, next: found.length === 0 ? undefined : "more" };
  },
  export: async (of, from, services) => {
    const actor = ownToken(of);
    const [memories = "", memoryId = "", entries = ""] = from.split(" ");
    if (memoryId !== "") {
      const input = { memoryId, limit: readAtOnce, ...defined({ cursor: entries || undefined }) };
      const page = await attempt(() => listEntries(actor, input, services));
      if (!page.ok) return { lines: [], next: memories || undefined };
      const { items, nextCursor } = page.value;
      const next = nextCursor === null ? memories || undefined : `${memories} ${memoryId} ${nextCursor}`;
      return { lines: items.map((entry) => ({ memoryId, entry })), next };
    }
    const input = { limit: 1, metadata: {}, ...defined({ cursor: memories || undefined }) };
    const { items, nextCursor } = await findMemories(actor, input, services);
    const [memory] = items;
    if (memory === undefined) return { lines: [] };
    const context = await attempt(() => readMemoryContext(actor, { memoryId: memory.memoryId }, services));
    const lines = [{ memory }, ...(context.ok ? [{ memoryId: memory.memoryId, context: context.value }] : [])];
    return { lines, next: `${nextCursor ?? ""} ${memory.memoryId}` };
  },
};

export const erasedRoots: readonly SubjectKind[] = [sessions, runs, roundtables, memories];
