/** Read what the tenant's turns and runs have taken. */
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { UsageLine, UsageQuery } from "../../tenancy/usage.js";
import type { Services } from "../services.js";

const dayMs = 86_400_000;

export interface UsageReport {
  readonly from: string;
  readonly to: string;
  readonly groupBy: UsageQuery["groupBy"];
  readonly items: UsageLine[];
}

/** Work counts at the time when it ended; one that is still under way isn't in it. */
export async function readUsage(
  actor: Actor,
  { from, to, groupBy }: UsageQuery,
  services: Services,
): Promise<Result<UsageReport>> {
  const allowed = authorize(actor, "readUsage");
  if (!allowed.ok) return allowed;
  const end = to === undefined ? services.now() : Date.parse(to);
  const begin = from === undefined ? end - dayMs : Date.parse(from);
  if (begin > end) {
    return refuse("invalid", "The range ends before it begins.", {
      errors: [{ path: "from", message: "is after to" }],
    });
  }
  const items = await services.near.usage.lines(actor.tenantId, begin, end, groupBy);
  return ok({ from: new Date(begin).toISOString(), to: new Date(end).toISOString(), groupBy, items });
}
