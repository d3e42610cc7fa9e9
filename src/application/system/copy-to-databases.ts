/**
 * What belongs to no tenant and is read beside each: limits of the deployment, and prices. The first database has them, and every other a
 * copy. Who changes them copies them before they answer; the schedule does it again where that was interrupted, and for a database that is new.
 */
import { recordOf } from "../../conversation/actor-record.js";
import { deploymentActor } from "../../tenancy/actor.js";
import { everywhere, servicesAt } from "../home.js";
import type { Services } from "../services.js";

export async function copyLimits(services: Services): Promise<void> {
  const others = othersOf(services);
  if (others.length === 0) return;
  const limits = await servicesAt(0, services).limits.ofDeployment();
  const done = { by: recordOf(deploymentActor), at: services.now() };
  await Promise.all(others.map((other) => other.limits.copy(limits, done)));
}

export async function copyPrices(services: Services): Promise<void> {
  const others = othersOf(services);
  if (others.length === 0) return;
  const from = await servicesAt(0, services).prices();
  await Promise.all(
    others.map(async (other) => {
      const to = await other.prices();
      for (let known = await to.lastVersion(); ; ) {
        const rows = await from.rowsAfter(known);
        const last = rows.at(-1);
        if (last === undefined) return;
        await to.copy(rows);
        known = last.version;
      }
    }),
  );
}

function othersOf(services: Services): Services[] {
  return everywhere(services).filter(({ database }) => database !== 0);
}
