/** Read a run as it is now, or wait for it to end or to wait itself. */
import { z } from "zod";
import { need } from "../../conversation/problem.js";
import { runSchema } from "../../routing/run.js";
import { act } from "../act.js";
import { runFor } from "./run-for.js";

export const readRun = act("readRun", {
  role: "client",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/runs/{runId}",
    tag: "Routing runs",
    summary: "One run, as it is now; `waitMs` waits for it to end or to wait itself",
    answer: "The run",
  },
  input: () =>
    z.object({
      runId: z.string().max(100),
      /** How long its end is waited for, in milliseconds. */
      waitMs: z.coerce.number<string>().int().min(0).max(300_000).default(0),
    }),
  output: () => runSchema,
  run: async (actor, { runId, waitMs }, services) =>
    runFor(actor, need(await services.runs.describe(actor.tenantId, runId, waitMs))),
});
