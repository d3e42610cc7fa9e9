/** List the tenant's asks, or those of a token's subject: a copy of what the objects hold, a moment behind them. */
import { z } from "zod";
import { type Ask, askKinds, askPriorities, askSchema } from "../../asks/ask.js";
import { askSorts } from "../../asks/listing.js";
import { audiences } from "../../asks/policy.js";
import { type QueueFilter, withinQueue } from "../../asks/queues.js";
import { need, problem } from "../../conversation/problem.js";
import { type AskFilter, type AskPosition, positionOf } from "../../stores/ask-index.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";
import { ownersOf } from "../sessions/own-session.js";
import { answerStaffAsks, askFor } from "./ask-view.js";
import { queuesOf } from "./count-asks.js";

/** Of one page to the next the order has to stay the same: the cursor goes with the sort it was given out for. */
export const listAsks = act("listAsks", {
  role: "client",
  ofSubject: true,
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/asks",
    tag: "Asks",
    summary: "The tenant's inbox: what waits for a person or for the calling program",
    description: "A copy of what the objects hold, a moment behind them. One ask by its id is always current.",
    answer: "A page of asks",
  },
  input: () =>
    z.object({
      ...pageInput(),
      status: z.enum(["open", "answered", "expired", "cancelled"]).optional(),
      kind: z.enum(askKinds).optional(),
      /** For the end user, or for staff. */
      audience: z.enum(audiences).optional(),
      /** Of one end user's sessions. */
      subject: z.string().max(200).optional(),
      sessionId: z.string().max(100).optional(),
      runId: z.string().max(100).optional(),
      roundtableId: z.string().max(100).optional(),
      priority: z.enum(askPriorities).optional(),
      /** The stored agent that asks, or the worker of a team. */
      agent: z.string().max(200).optional(),
      /** One of the supervisors that hold it. */
      supervisor: z.string().max(200).optional(),
      /** `server/tool`. */
      tool: z.string().max(300).optional(),
      /** Whoever is at it now: the id of a person or a key, or `me`. */
      claimedBy: z.string().max(200).optional(),
      /** Those alone that are open and have waited for too long. */
      overdue: z.enum(["true"]).optional(),
      /** Those alone that are put off, or (`false`) that aren't. */
      deferred: z.enum(["true", "false"]).optional(),
      /** One of `settings.queues`, by its name; the other filters hold within it. */
      queue: z.string().max(100).optional(),
      openedBefore: z.iso.datetime().optional(),
      /** The oldest first, the most urgent, or the one with the nearest deadline; or by urgency, deadline and age together (`inbox`). */
      sort: z.enum(askSorts).default("openedAt"),
    }),
  output: () => listOf(askSchema),
  run: async (actor, query, services) => {
    const {
      sort,
      sessionId,
      runId,
      roundtableId,
      overdue,
      claimedBy,
      deferred,
      limit: _,
      cursor: __,
      ...asked
    } = query;
    const { queue, ...own } = asked;
    const rest = queue === undefined ? own : withinQueue(own, await queueNamed(queue, actor, services));
    if (rest === undefined) return { items: [], nextCursor: null };
    const roots = [sessionId, runId, roundtableId].flatMap((id) => id ?? []);
    // Nothing is asked by two of them at once.
    const ownerId = roots.length > 1 ? "" : roots[0];
    const filter = ownFilter(actor, {
      ...rest,
      ownerId,
      overdue: overdue === "true",
      deferred: deferred === undefined ? undefined : deferred === "true",
      claimedBy: claimedBy === "me" ? actor.id : claimedBy,
    });
    if (filter === undefined) return { items: [], nextCursor: null };
    const read = async (position: string | undefined, limit: number) => {
      const asks = await services.near.asks.list(actor.tenantId, filter, sort, readPosition(position), limit);
      return asks.map((ask) => askFor(actor, ask));
    };
    const position = (ask: Ask): string => {
      const { key, askId } = positionOf(sort, ask);
      return `${key} ${askId}`;
    };
    return readPage(query, read, position, sort);
  },
});

/** Queues are the staff's. */
async function queueNamed(name: string, actor: Actor, services: Services): Promise<QueueFilter> {
  need(authorize(actor, answerStaffAsks));
  const found = (await queuesOf(actor, services)).find((queue) => queue.name === name);
  if (found === undefined)
    throw problem("invalid", "There is no such queue.", {
      errors: [{ path: "queue", message: "is one of `byQueue` at GET /v1/asks/counts" }],
    });
  const { name: _, ...filter } = found;
  return filter;
}

/** A token lists what the sessions that it reaches ask their user; nothing else matches. */
function ownFilter(actor: Actor, filter: AskFilter): AskFilter | undefined {
  const owners = ownersOf(actor);
  if (owners === undefined) return filter;
  const { subject, audience, deferred: _, ...rest } = filter;
  if (subject !== undefined && subject !== owners.subject) return undefined;
  if (audience !== undefined && audience !== "user") return undefined;
  return { ...rest, audience: "user", owners };
}

function readPosition(position: string | undefined): AskPosition | undefined {
  if (position === undefined) return undefined;
  // A key may be of two words.
  const at = position.lastIndexOf(" ");
  return { key: position.slice(0, at), askId: position.slice(at + 1) };
}
