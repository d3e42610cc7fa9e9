/**
 * What the schedule does twice an hour: kept answers that nobody repeats any more go and sessions of one turn that has ended, the lists of
 * remote tools are compared, and memories are looked after.
 */
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { maintainMemories } from "../memory/maintenance.js";
import { forgetStateless } from "../openai/forget-stateless.js";
import type { Services } from "../services.js";

/** How long settled deliveries of webhooks are listed, in milliseconds. */
const keptDeliveriesMs = 30 * 86_400_000;
/** How far behind its time a delivery is whose job was lost, in milliseconds; and how many are sent again at once. */
const lostJobMs = 600_000;
const maxOverdue = 100;

/** @param at when the schedule fired, in milliseconds since the epoch */
export async function runMaintenance(
  actor: Actor,
  { at }: { readonly at: number },
  services: Services,
): Promise<Result<void>> {
  const allowed = authorize(actor, "runMaintenance");
  if (!allowed.ok) return allowed;
  await services.answers.purgeExpired(at);
  await services.remoteTools.checkDue(async (tenantId, name, version) => {
    const [found] = await services.resources.versions(tenantId, [{ kind: "tools", name, version }]);
    return found !== undefined && "mcp" in found.body ? found.body : undefined;
  });
  await forgetStateless(at, services);
  await services.claims.purgeExpired(at);
  await services.tenants.purgeExpired(at);
  await services.readers.purgeExpired(at);
  await services.webhookDeliveries.purge(at - keptDeliveriesMs);
  const overdue = await services.webhookDeliveries.overdue(at - lostJobMs, maxOverdue);
  await services.sendWebhookJobs(overdue.map((stream) => ({ ...stream, inMs: 0 })));
  return ok(await maintainMemories(services.memory, at));
}
