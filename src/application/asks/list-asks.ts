/** List the tenant's asks, or those of a token's subject: a copy of what the objects hold, a moment behind them. */
import type { Ask } from "../../asks/ask.js";
import type { AskSort } from "../../asks/listing.js";
import { ok, type Result } from "../../conversation/problem.js";
import { type AskFilter, type AskPosition, positionOf } from "../../stores/ask-index.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { ownersOf } from "../sessions/own-session.js";
import { askFor } from "./ask-view.js";

export interface AskQuery extends PageRequest, Omit<AskFilter, "ownerId" | "owners"> {
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  readonly roundtableId?: string | undefined;
  readonly sort?: AskSort | undefined;
}

/** Of one page to the next the order has to stay the same: the cursor goes with the sort it was given out for. */
export async function listAsks(actor: Actor, query: AskQuery, services: Services): Promise<Result<Page<Ask>>> {
  const allowed = authorize(actor, "listAsks");
  if (!allowed.ok) return allowed;
  const { sort = "openedAt", sessionId, runId, roundtableId, limit: _, cursor: __, ...rest } = query;
  const roots = [sessionId, runId, roundtableId].flatMap((id) => id ?? []);
  // Nothing is asked by two of them at once.
  const ownerId = roots.length > 1 ? "" : roots[0];
  const filter = ownFilter(actor, { ...rest, ownerId });
  if (filter === undefined) return ok({ items: [], nextCursor: null });
  const read = async (position: string | undefined, limit: number) => {
    const asks = await services.near.asks.list(actor.tenantId, filter, sort, readPosition(position), limit);
    return asks.map((ask) => askFor(actor, ask));
  };
  const position = (ask: Ask): string => {
    const { key, askId } = positionOf(sort, ask);
    return `${key} ${askId}`;
  };
  return readPage(query, read, position, sort);
}

/** A token lists what the sessions that it reaches ask their user; nothing else matches. */
function ownFilter(actor: Actor, filter: AskFilter): AskFilter | undefined {
  const owners = ownersOf(actor);
  if (owners === undefined) return filter;
  const { subject, audience, ...rest } = filter;
  if (subject !== undefined && subject !== owners.subject) return undefined;
  if (audience !== undefined && audience !== "user") return undefined;
  return { ...rest, audience: "user", owners };
}

function readPosition(position: string | undefined): AskPosition | undefined {
  if (position === undefined) return undefined;
  const [key = "", askId = ""] = position.split(" ");
  return { key, askId };
}
