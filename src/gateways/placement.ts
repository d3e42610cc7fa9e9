/**
 * Calls of objects, and where an object is made: in its tenant's jurisdiction, if it has one; otherwise near the
 * sender of its first request. It stays there.
 * The one place that makes stubs: the same name in another jurisdiction is another object, so no path may go round it.
 */
import { z } from "zod";
import { sleep } from "../platform/clock.js";
import type { Jurisdiction } from "../tenancy/tenant.js";
import { readableError } from "./newer-state.js";
import { fromWire, type Wire } from "./wire.js";

/** A namespace of objects, as far as we use it. */
export interface Namespace<O> {
  getByName(name: string, options?: { locationHint?: DurableObjectLocationHint }): O;
  jurisdiction(jurisdiction: Jurisdiction): Namespace<O>;
}

/** Where a tenant's objects are. The first question makes it final: from then on the tenant may have objects. */
export interface TenantPlacement {
  jurisdictionOf(tenantId: string): Promise<Jurisdiction | undefined>;
}

/** A tenant, and what the object is called within it. */
export type ObjectPath = readonly [tenantId: string, ...names: string[]];

const maxAttempts = 4;
const firstWaitMs = 50;

/** The objects of one kind, of all tenants. */
export class PlacedObjects<O> {
  /** @param hint where an object is made that isn't there yet, outside of a jurisdiction */
  constructor(
    private readonly namespace: Namespace<O>,
    private readonly placement: TenantPlacement,
    private readonly hint?: DurableObjectLocationHint,
  ) {}

  /**
   * Calls an object of a tenant. One that was reset (a deploy, a crash, an eviction) is called again, each time through a fresh stub; an
   * overloaded one is not, which would only add to its load.
   * See https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
   * @param mayRepeat reads, answers (which are compared), and commands that carry their key or their id
   * @throws {ProblemError} where newer code has left its state in a form that this code can't read
   */
  async call<T>(path: ObjectPath, method: (object: O) => Promise<T>, mayRepeat = true): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const jurisdiction = await this.placement.jurisdictionOf(path[0]);
      try {
        return await method(this.stub(path.join("/"), jurisdiction));
      } catch (error) {
        if (!mayRepeat || attempt >= maxAttempts || !isRetryable(error)) throw readableError(error);
        await sleep(firstWaitMs * 2 ** (attempt - 1));
      }
    }
  }

  /** The same for what answers as JSON text, which is checked on arrival. */
  async read<T>(
    path: ObjectPath,
    schema: z.ZodType<T>,
    method: (object: O) => Promise<Wire<T>>,
    mayRepeat = true,
  ): Promise<T> {
    return fromWire(await this.call(path, method, mayRepeat), schema);
  }

  private stub(name: string, jurisdiction: Jurisdiction | undefined): O {
    if (jurisdiction !== undefined) return this.namespace.jurisdiction(jurisdiction).getByName(name);
    return this.namespace.getByName(name, this.hint === undefined ? {} : { locationHint: this.hint });
  }
}

function isRetryable(error: unknown): boolean {
  return (
    error instanceof Error &&
    "retryable" in error &&
    error.retryable === true &&
    !("overloaded" in error && error.overloaded === true)
  );
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
