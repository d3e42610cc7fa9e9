/** What waits, in numbers: read from counters, whatever there was before. */
import { z } from "zod";
import { type AskKind, askKinds } from "../../asks/ask.js";
import { audiences } from "../../asks/policy.js";
import { act } from "../act.js";

export const countAsks = act("countAsks", {
  role: "client",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/asks/counts",
    tag: "Asks",
    summary: "How many asks are open: by kind, audience and agent, overdue, and claimed by the caller",
    description: "A moment behind the objects, as the list is. It costs the same with a thousand open as with ten.",
    answer: "The numbers",
  },
  input: () => z.object({}),
  output: () =>
    z.object({
      open: z.int(),
      byKind: z.record(z.enum(askKinds), z.int()),
      byAudience: z.record(z.enum(audiences), z.int()),
      /** Those that have any; of asks whose agent isn't known the name is empty. */
      byAgent: z.array(z.object({ agent: z.string(), open: z.int() })),
      /** At most 10,000 are counted. */
      overdue: z.int(),
      mine: z.int(),
    }),
  run: async ({ tenantId, id }, _input, { near: { asks } }) => {
    const [counts, { overdue, mine }] = await Promise.all([
      asks.openCounts(tenantId),
      asks.overdueAndClaimed(tenantId, id),
    ]);
    const sum = (of: (count: (typeof counts)[number]) => boolean): number =>
      counts.filter(of).reduce((total, { open }) => total + open, 0);
    const ofKind = (kind: AskKind): number => sum((count) => count.kind === kind);
    const agents = [...new Set(counts.map(({ agent }) => agent))].toSorted();
    return {
      open: sum(() => true),
      byKind: {
        human: ofKind("human"),
        context: ofKind("context"),
        approval: ofKind("approval"),
        review: ofKind("review"),
        handover: ofKind("handover"),
      },
      byAudience: {
        user: sum(({ audience }) => audience === "user"),
        staff: sum(({ audience }) => audience === "staff"),
      },
      byAgent: agents.map((agent) => ({ agent, open: sum((count) => count.agent === agent) })),
      overdue,
      mine,
    };
  },
});

/** For pages that look again every few seconds: as long as it is the same, nothing in the inbox has changed. */
export const readInboxRevision = act("readInboxRevision", {
  role: "client",
  reviewers: true,
  run: ({ tenantId }, _input: unknown, { near }) => near.asks.version(tenantId),
});
