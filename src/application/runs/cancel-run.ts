/** Cancel a run that hasn't ended; its open asks are cancelled with it. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { need } from "../../conversation/problem.js";
import { runSchema } from "../../routing/run.js";
import { act } from "../act.js";
import { runFor } from "./run-for.js";

export const cancelRun = act("cancelRun", {
  role: "client",
  route: {
    method: "post",
    path: "/v1/runs/{runId}/cancel",
    tag: "Routing runs",
    summary: "Cancel a run that hasn't ended; its open asks are cancelled with it",
    answer: "The run",
  },
  input: () => z.object({ runId: z.string().max(100) }),
  output: () => runSchema,
  run: async (actor, { runId }, services) =>
    runFor(actor, need(await services.runs.cancel(actor.tenantId, runId, recordOf(actor)))),
});
