/** A tenant's resources as they are going to be: what checks read, so that things may name each other in one change. */
import type { WantedResource } from "../../stores/config-store.js";
import type { ResourceStore } from "../../stores/resource-store.js";
import { type ResourcePin, type ResourceVersion, resourceSchemas } from "../../tenancy/resources.js";

type Read = Pick<ResourceStore, "pins" | "toolPins" | "versions">;

const keyOf = ({ kind, name }: Pick<ResourcePin, "kind" | "name">): string => `${kind}/${name}`;

/**
 * @param kept what is stored and stays as it is
 * @param wanted what is going to be stored, with the version that it is going to have
 */
export function plannedResources(
  stored: Read,
  kept: readonly ResourcePin[],
  wanted: readonly (WantedResource & { readonly version: number })[],
): Read {
  const planned = new Map(
    wanted.map(({ kind, name, version, body }): [string, ResourceVersion] => [
      keyOf({ kind, name }),
      { kind, name, version, body: resourceSchemas[kind].parse(body) },
    ]),
  );
  const pins = new Map(
    [...kept, ...planned.values()].map((one): [string, ResourcePin] => [
      keyOf(one),
      { kind: one.kind, name: one.name, version: one.version },
    ]),
  );
  const versions = async (tenantId: string, asked: readonly ResourcePin[]): Promise<ResourceVersion[]> => {
    const others = asked.filter((pin) => !planned.has(keyOf(pin)));
    const found = others.length === 0 ? [] : await stored.versions(tenantId, others);
    return [...asked.flatMap((pin) => planned.get(keyOf(pin)) ?? []), ...found];
  };
  return {
    versions,
    pins: async (_tenantId, refs) => refs.flatMap((ref) => pins.get(keyOf(ref)) ?? []),
    toolPins: async (tenantId, servers) => {
      const tools = await versions(
        tenantId,
        [...pins.values()].filter(({ kind }) => kind === "tools"),
      );
      return tools.filter(({ body }) => "server" in body && servers.includes(body.server));
    },
  };
}
