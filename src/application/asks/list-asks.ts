/** List the tenant's asks, oldest first: a copy of what the objects hold, a moment behind them. */
import type { Ask, AskKind } from "../../asks/ask.js";
import type { Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { askFor } from "./ask-view.js";

export interface AskQuery extends PageRequest {
  readonly status?: Ask["status"] | undefined;
  readonly kind?: AskKind | undefined;
}

export async function listAsks(actor: Actor, query: AskQuery, services: Services): Promise<Result<Page<Ask>>> {
  const allowed = authorize(actor, "listAsks");
  if (!allowed.ok) return allowed;
  const { status, kind } = query;
  const read = async (after = "", limit: number) => {
    const asks = await services.index.asks(actor.tenantId, { status, kind }, after, limit);
    return asks.map((ask) => askFor(actor, ask));
  };
  return readPage(query, read, ({ askId }) => askId);
}
