/** Read everything that happened in a run, and the same as a story. */
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { recordRead } from "../audit/record-read.js";

export const readTrace = act("readTrace", {
  role: "operator",
  clientMay: true,
  reviewers: true,
  run: async (actor, { runId }: { readonly runId: string }, services) => {
    const trace = need(await services.runs.trace(actor.tenantId, runId));
    await recordRead(actor, services, { type: "originals.read", ownerId: runId, workId: runId, subject: {} });
    return trace;
  },
});
