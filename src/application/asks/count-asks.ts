/** What waits, in numbers: read from counters, whatever there was before. */
import { z } from "zod";
import { type AskKind, askKinds } from "../../asks/ask.js";
import { audiences } from "../../asks/policy.js";
import type { AskQueue } from "../../asks/queues.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { act } from "../act.js";
import type { Services } from "../services.js";
import { answerStaffAsks } from "./ask-view.js";

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
      /** Put off by somebody; they count among the open. */
      deferred: z.int(),
      /** The tenant's queues. Of one that goes by more than kind, audience and agent 100 are looked at: `more` says that there may be more. */
      byQueue: z.array(z.object({ queue: z.string(), open: z.int(), more: z.literal(true).optional() })),
    }),
  run: async (actor, _input, services) => {
    const { asks } = services.near;
    const [counts, further, queues] = await Promise.all([
      asks.openCounts(actor.tenantId),
      asks.furtherCounts(actor.tenantId, actor.id),
      authorize(actor, answerStaffAsks).ok ? queuesOf(actor, services) : [],
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
      ...further,
      byQueue: await Promise.all(
        queues.map(async ({ name, ...queue }) => {
          const { kind, audience, agent, ...others } = queue;
          if (Object.keys(others).length > 0) {
            const { open, more } = await asks.openIn(actor.tenantId, queue);
            return { queue: name, open, ...(more && { more }) };
          }
          const isOf = (count: (typeof counts)[number]): boolean =>
            count.kind === (kind ?? count.kind) &&
            count.audience === (audience ?? count.audience) &&
            count.agent === (agent ?? count.agent);
          return { queue: name, open: sum(isOf) };
        }),
      ),
    };
  },
});

/** The tenant's queues, as its settings say. */
export async function queuesOf({ tenantId, revision }: Actor, { snapshots }: Services): Promise<readonly AskQueue[]> {
  return (await snapshots.at(revision).tenants.get(tenantId))?.settings.queues ?? [];
}

/** For pages that look again every few seconds: as long as it is the same, nothing in the inbox has changed. */
export const readInboxRevision = act("readInboxRevision", {
  role: "client",
  reviewers: true,
  run: ({ tenantId }, _input: unknown, { near }) => near.asks.version(tenantId),
});
