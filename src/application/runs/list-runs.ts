/** List the tenant's runs, newest first: a copy of what the runs hold, a moment behind them. */
import { z } from "zod";
import { externalIdSchema, itemName, subjectSchema } from "../../conversation/names.js";
import { runStatuses, runSummarySchema } from "../../routing/run.js";
import { act } from "../act.js";
import { listOf, metadataInput, pageInput, readPage } from "../page.js";

export const listRuns = act("listRuns", {
  role: "client",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/runs",
    tag: "Routing runs",
    summary: "The tenant's runs, newest first",
    description:
      "A copy of what the runs hold, a moment behind them; one run by its id is always current. `metadata.x=y` finds those whose metadata has `y` under `x`.",
    answer: "A page of runs",
  },
  input: () =>
    z.object({
      ...pageInput(),
      status: z.enum(runStatuses).optional(),
      team: itemName.optional(),
      subject: subjectSchema.optional(),
      externalId: externalIdSchema.optional(),
      metadata: metadataInput(),
    }),
  output: () => listOf(runSummarySchema),
  run: async (actor, { limit, cursor, ...filter }, services) => {
    const read = (before: string | undefined, most: number) =>
      services.near.runs.runs(actor.tenantId, filter, before, most);
    return readPage({ limit, cursor }, read, ({ runId }) => runId);
  },
});
