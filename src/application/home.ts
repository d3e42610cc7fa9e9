/** Whose database: the services of the database where a tenant lives, and those of all, for what goes over every tenant. */
import { deploymentScope } from "../tenancy/actor.js";
import { homeOf, homesFrom } from "../tenancy/home.js";
import type { Services } from "./services.js";

/**
 * What reaches the database where this tenant lives.
 * @throws {ProblemError} where the deployment has no such database
 */
export function servicesOf(tenantId: string, services: Services): Services {
  return servicesAt(homeOf(tenantId, services.moved), services);
}

/** @throws {ProblemError} where the deployment has no such database */
export function servicesAt(database: number, services: Services): Services {
  return database === services.database ? services : services.at(database);
}

/** Whether this deployment has the database where a tenant lives, if there is such a tenant. */
export function isHere(tenantId: string, services: Services): boolean {
  return services.databases.includes(homeOf(tenantId, services.moved));
}

/** What was found elsewhere than it says, by this isolate: looked for there first. It decides nothing. */
const foundAt = new Map<string, number>();
const mostFound = 10_000;

/**
 * Looks for what says of itself in which database it is: there, and where it isn't, where tenants went from there. What lies where its tenant
 * no longer lives, or doesn't live yet, doesn't count.
 * @param name by which it is looked for
 * @returns what was found, and what reaches the database that has it
 */
export async function findFrom<T extends { readonly tenantId: string }>(
  [database, name]: readonly [number, string],
  services: Services,
  find: (of: Services) => Promise<T | undefined>,
): Promise<{ readonly found: T; readonly services: Services } | undefined> {
  const homes = homesFrom(database, services.moved);
  const known = foundAt.get(name);
  for (const home of known !== undefined && homes.has(known) ? new Set([known, ...homes]) : homes) {
    if (!services.databases.includes(home)) continue;
    const of = servicesAt(home, services);
    const found = await find(of);
    if (found === undefined || homeOf(found.tenantId, services.moved) !== home) continue;
    if (foundAt.size >= mostFound) foundAt.clear();
    if (home !== database) foundAt.set(name, home);
    return { found, services: of };
  }
  return undefined;
}

/** One for each database, in their order: for what goes over all tenants. */
export function everywhere(services: Services): Services[] {
  return services.databases.map((database) => servicesAt(database, services));
}

/**
 * What an act works with: the database of its actor's tenant, or of the tenant that who runs the deployment names. A name that no database
 * has is nobody's.
 */
export function servicesForAct(tenantId: string, input: unknown, services: Services): Services {
  if (tenantId !== deploymentScope) return servicesOf(tenantId, services);
  const named = typeof input === "object" && input !== null && "tenantId" in input ? input.tenantId : undefined;
  if (typeof named !== "string" || !isHere(named, services)) return services;
  return servicesOf(named, services);
}

/** Does something in each database, whatever becomes of it in the others. @throws what failed first */
export async function eachDatabase(services: Services, work: (of: Services) => Promise<void>): Promise<void> {
  const done = await Promise.allSettled(everywhere(services).map(work));
  for (const { reason } of done.filter((one) => one.status === "rejected")) throw reason;
}
