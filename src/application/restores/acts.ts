/** Put a session, a run, a roundtable or a memory's thread back to how it was at a time. */
import { z } from "zod";
import { threadIdSchema } from "../../conversation/names.js";
import { act } from "../act.js";
import { memoryInput, memoryTag } from "../memory/find-memory.js";
import { listErasures, replayErasures } from "./ledger.js";
import { listRestores } from "./list-restores.js";
import { restoredSchema, restoreRoot, restoreTarget } from "./restore-root.js";

const routed = {
  method: "post",
  description:
    "By the platform's log of changes of the last 30 days: `at` is a time, `bookmark` the `undo` of an answer before. What was erased since is erased again; what models and tools did elsewhere stays done. Local development keeps no such log: there it is a 503.",
  body: "target",
  answer: "It is as it was, with what undoes that",
  answerName: "Restored",
} as const;

export const restoreSession = act("restoreSession", {
  role: "admin",
  route: {
    ...routed,
    path: "/v1/sessions/{sessionId}/restore",
    tag: "Sessions",
    summary: "Put a session back to how it was at a time (admins)",
  },
  input: () => z.object({ sessionId: z.string().max(100), target: restoreTarget() }),
  output: restoredSchema,
  run: (actor, { sessionId, target }, services) =>
    restoreRoot(actor, { kind: "session", rootId: sessionId, target }, services),
});

export const restoreRun = act("restoreRun", {
  role: "admin",
  route: {
    ...routed,
    path: "/v1/runs/{runId}/restore",
    tag: "Routing runs",
    summary: "Put a run back to how it was at a time (admins)",
  },
  input: () => z.object({ runId: z.string().max(100), target: restoreTarget() }),
  output: restoredSchema,
  run: (actor, { runId, target }, services) => restoreRoot(actor, { kind: "run", rootId: runId, target }, services),
});

export const restoreRoundtable = act("restoreRoundtable", {
  role: "admin",
  route: {
    ...routed,
    path: "/v1/roundtables/{roundtableId}/restore",
    tag: "Roundtables",
    summary: "Put a roundtable back to how it was at a time (admins)",
  },
  input: () => z.object({ roundtableId: z.string().max(100), target: restoreTarget() }),
  output: restoredSchema,
  run: (actor, { roundtableId, target }, services) =>
    restoreRoot(actor, { kind: "roundtable", rootId: roundtableId, target }, services),
});

export const restoreThread = act("restoreThread", {
  role: "admin",
  route: {
    ...routed,
    path: "/v1/memories/{memoryId}/threads/{threadId}/restore",
    tag: memoryTag,
    summary: "Put a thread of a memory back to how it was at a time (admins)",
    description: `${routed.description} Entries of messages that came later go, with what contexts say of them, and come back if it is undone.`,
  },
  input: () => z.object({ ...memoryInput(), threadId: threadIdSchema, target: restoreTarget() }),
  output: restoredSchema,
  run: (actor, { memoryId, threadId, target }, services) =>
    restoreRoot(actor, { kind: "thread", rootId: memoryId, threadId, target }, services),
});

export const restoreActs = [restoreSession, restoreRun, restoreRoundtable, restoreThread, listRestores];
/** Of who runs the deployment. */
export const ledgerActs = [listErasures, replayErasures];
