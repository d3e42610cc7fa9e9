/** Read a roundtable as it is now, and all that follows from its record. */
import { z } from "zod";
import { need } from "../../conversation/problem.js";
import type { DebateRecord } from "../../roundtable/debate-record.js";
import { debateOwner, roundtableOf } from "../../roundtable/nested-record.js";
import { roundtableSchema } from "../../roundtable/roundtable.js";
import { act } from "../act.js";
import type { Services } from "../services.js";
import { roundtableInput, roundtableTag, seenBy } from "./roundtable-view.js";

export const readRoundtable = act("readRoundtable", {
  role: "client",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/roundtables/{roundtableId}",
    tag: roundtableTag,
    summary: "One roundtable, as it is now; `waitMs` waits for the end of what runs",
    answer: "The roundtable",
  },
  input: () =>
    z.object({ ...roundtableInput(), waitMs: z.coerce.number<string>().int().min(0).max(300_000).default(0) }),
  output: () => roundtableSchema,
  run: async (actor, { roundtableId, waitMs }, services) => {
    const { tenantId } = actor;
    return debateOwner(roundtableId) === undefined
      ? seenBy(actor, await services.roundtables.describe(tenantId, roundtableId, waitMs))
      : roundtableOf(await debateOf(tenantId, roundtableId, services));
  },
});

/** Everything that it holds: what its rounds, thoughts, citations, requests and exports are made of. */
export async function debateOf(
  tenantId: string,
  roundtableId: string,
  { debates, roundtables }: Pick<Services, "debates" | "roundtables">,
): Promise<DebateRecord> {
  // One within a session's turn or a run is held by that one's object.
  const records = debateOwner(roundtableId) === undefined ? roundtables : debates;
  return need(await records.record(tenantId, roundtableId));
}
