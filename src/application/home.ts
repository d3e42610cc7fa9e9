/** Whose database: the services of the database where a tenant lives, and those of all, for what goes over every tenant. */
import { deploymentScope } from "../tenancy/actor.js";
import { databaseOf } from "../tenancy/home.js";
import type { Services } from "./services.js";

/**
 * What reaches the database where this tenant lives.
 * @throws {ProblemError} where the deployment has no such database
 */
export function servicesOf(tenantId: string, services: Services): Services {
  return servicesAt(databaseOf(tenantId), services);
}

/** @throws {ProblemError} where the deployment has no such database */
export function servicesAt(database: number, services: Services): Services {
  return database === services.database ? services : services.at(database);
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
  if (typeof named !== "string" || !services.databases.includes(databaseOf(named))) return services;
  return servicesOf(named, services);
}

/** Does something in each database, whatever becomes of it in the others. @throws what failed first */
export async function eachDatabase(services: Services, work: (of: Services) => Promise<void>): Promise<void> {
  const done = await Promise.allSettled(everywhere(services).map(work));
  for (const { reason } of done.filter((one) => one.status === "rejected")) throw reason;
}
