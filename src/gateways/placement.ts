/** Where an object is made: near whoever sends its first request. It stays there. */
import { z } from "zod";

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
