/** What an act takes of its tenant's limits before it does anything: requests, sessions. */
import { defined } from "../../conversation/defined.js";
import { need } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Amounts } from "../../tenancy/limits/demand.js";
import { loaded } from "../../text/lazily.js";
import type { Services } from "../services.js";

const limiting = loaded(() => import("./work-limits.js"));

/**
 * Takes it, or refuses. Where the tenant has no such limits nobody is asked anything: authentication has said so.
 * @param about what it is about, as far as that isn't the actor's own
 * @param work under which it is held, where it is given back
 * @returns whether anything was taken
 * @throws {ProblemError} `limit_reached`; `limits_unavailable`
 */
export async function takeOf(
  actor: Actor,
  amounts: Amounts,
  about: { readonly subject?: string | undefined; readonly agent?: string | undefined },
  { snapshots, budgets, now }: Pick<Services, "snapshots" | "budgets" | "now">,
  work?: string,
): Promise<boolean> {
  const { tenantId, measures, revision, id, mintedBy } = actor;
  if (measures !== undefined && !measures.some((measure) => Object.hasOwn(amounts, measure))) return false;
  const facts = { tenantId, keyId: mintedBy ?? id, subject: actor.subject ?? about.subject, agent: about.agent };
  const { tenants } = snapshots.at(revision);
  const demands = await (await limiting()).demandsNow(facts, amounts, { tenants, now });
  if (demands.length > 0) need(await budgets.take(tenantId, { step: 0, demands, ...defined({ work }) }));
  return demands.length > 0;
}
