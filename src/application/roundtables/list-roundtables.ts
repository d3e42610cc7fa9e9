/** List the tenant's roundtables, newest first: a copy of what they hold, a moment behind them. */
import { z } from "zod";
import { externalIdSchema, itemName, subjectSchema } from "../../conversation/names.js";
import { debateStatuses } from "../../roundtable/debate.js";
import { modeNames } from "../../roundtable/modes/table.js";
import { roundtableSummarySchema } from "../../roundtable/roundtable.js";
import { act } from "../act.js";
import { listOf, metadataInput, pageInput, readPage } from "../page.js";
import { roundtableTag } from "./roundtable-view.js";

export const listRoundtables = act("listRoundtables", {
  role: "client",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/roundtables",
    tag: roundtableTag,
    summary: "The tenant's roundtables, newest first",
    answer: "A page of roundtables",
  },
  input: () =>
    z.object({
      ...pageInput(),
      status: z.enum(debateStatuses).optional(),
      mode: z.enum(modeNames).optional(),
      panel: itemName.optional(),
      subject: subjectSchema.optional(),
      externalId: externalIdSchema.optional(),
      metadata: metadataInput(),
    }),
  output: () => listOf(roundtableSummarySchema),
  run: async ({ tenantId }, { limit, cursor, ...filter }, { near }) => {
    const read = (before: string | undefined, most: number) =>
      near.roundtables.roundtables(tenantId, filter, before, most);
    return readPage({ limit, cursor }, read, ({ sessionId }) => sessionId);
  },
});
