/**
 * Where an object is made: in its tenant's jurisdiction, if it has one; otherwise near whoever sends its first request. It stays there.
 * The one place that makes stubs: the same name in another jurisdiction is another object, so no path may go round it.
 */
import { z } from "zod";
import type { Jurisdiction } from "../tenancy/tenant.js";
import { readableError } from "./newer-state.js";

/** A namespace of objects, as far as we use it. */
export interface Namespace<O> {
  getByName(name: string, options?: { locationHint?: DurableObjectLocationHint }): O;
  jurisdiction(jurisdiction: Jurisdiction): Namespace<O>;
}

/** Where a tenant's objects are. Whoever asks makes it final: from then on the tenant may have objects. */
export interface TenantPlacement {
  jurisdictionOf(tenantId: string): Promise<Jurisdiction | undefined>;
}

/** The objects of one kind, of all tenants. */
export class PlacedObjects<O> {
  /** @param hint where an object is made that isn't there yet, outside of a jurisdiction */
  constructor(
    private readonly namespace: Namespace<O>,
    private readonly placement: TenantPlacement,
    private readonly hint?: DurableObjectLocationHint,
  ) {}

  /**
   * Calls an object of a tenant, through a stub of its own.
   * @param names what it is called within its tenant
   * @throws {ProblemError} where newer code has left its state in a form that this code can't read
   */
  async call<T>(tenantId: string, names: readonly string[], method: (object: O) => Promise<T>): Promise<T> {
    const jurisdiction = await this.placement.jurisdictionOf(tenantId);
    try {
      return await method(this.stub([tenantId, ...names].join("/"), jurisdiction));
    } catch (error) {
      throw readableError(error);
    }
  }

  private stub(name: string, jurisdiction: Jurisdiction | undefined): O {
    if (jurisdiction !== undefined) return this.namespace.jurisdiction(jurisdiction).getByName(name);
    return this.namespace.getByName(name, this.hint === undefined ? {} : { locationHint: this.hint });
  }
}

/**
 * A namespace whose jurisdictions are told apart by names: workerd has none of its own and refuses them. As deployed, the same name is
 * another object in another jurisdiction.
 */
export function withNamedJurisdictions<O>(namespace: Pick<Namespace<O>, "getByName">): Namespace<O> {
  const within = (prefix: string): Namespace<O> => ({
    getByName: (name, options) => namespace.getByName(prefix + name, options),
    jurisdiction: (jurisdiction) => within(`jurisdiction:${jurisdiction}/`),
  });
  return within("");
}

const placeSchema = z.object({ continent: z.string(), longitude: z.coerce.number().optional().catch(undefined) });

/** West of this the middle of North America's objects go to its western half, in degrees. */
const middleOfNorthAmerica = -100;
/** East of this Europe's go to its eastern half, in degrees. */
const middleOfEurope = 20;

/**
 * @param cf what the platform says of a request's origin (`request.cf`)
 * @returns nothing where that is unknown, as locally: then the platform chooses
 * @example locationHint({ continent: "OC", longitude: "151.2" }) === "oc"
 */
export function locationHint(cf: unknown): DurableObjectLocationHint | undefined {
  const { data: place } = placeSchema.safeParse(cf);
  if (place === undefined) return undefined;
  const { continent, longitude } = place;
  switch (continent) {
    case "NA":
      return longitude !== undefined && longitude < middleOfNorthAmerica ? "wnam" : "enam";
    case "EU":
      return longitude !== undefined && longitude > middleOfEurope ? "eeur" : "weur";
    case "SA":
      return "sam";
    case "AS":
      return "apac";
    case "OC":
      return "oc";
    case "AF":
      return "afr";
  }
  return undefined;
}
