import { expect, it } from "vitest";
import { locationHint, type Namespace, PlacedObjects, withNamedJurisdictions } from "../../src/gateways/placement.js";
import { RootGateway, type RootObject } from "../../src/gateways/root-gateway.js";

it.each([
  [{ continent: "OC", longitude: "151.2" }, "oc"],
  [{ continent: "EU", longitude: "8.68" }, "weur"],
  [{ continent: "EU", longitude: "24.9" }, "eeur"],
  [{ continent: "NA", longitude: "-122.4" }, "wnam"],
  [{ continent: "NA", longitude: "-74.0" }, "enam"],
  [{ continent: "EU" }, "weur"],
  [{ continent: "AS", longitude: "east" }, "apac"],
  [{ continent: "AN" }, undefined],
  [{}, undefined],
  [undefined, undefined],
])("an object whose first request comes from %j is made in %s", (cf, hint) => {
  expect(locationHint(cf)).toBe(hint);
});

/** Notes which objects are asked for, of which jurisdiction, and has none. */
function noted() {
  const asked: unknown[] = [];
  const within = (jurisdiction: string | undefined): Namespace<RootObject> => ({
    getByName(name, options) {
      asked.push([jurisdiction, name, options]);
      throw new Error("nowhere");
    },
    jurisdiction: within,
  });
  return { asked, namespace: within(undefined) };
}

const nowhereElse = { jurisdictionOf: async () => undefined };

it("a gateway names the place with each call: it counts for an object that isn't there yet", async () => {
  const { asked, namespace } = noted();
  const near = new RootGateway(new PlacedObjects(namespace, nowhereElse, "oc"));
  const anywhere = new RootGateway(new PlacedObjects(namespace, nowhereElse));
  await expect(near.remove("ten_1", "ses_1")).rejects.toThrow("nowhere");
  await expect(anywhere.remove("ten_1", "ses_1")).rejects.toThrow("nowhere");
  expect(asked).toEqual([
    [undefined, "ten_1/ses_1", { locationHint: "oc" }],
    [undefined, "ten_1/ses_1", {}],
  ]);
});

it("the objects of a tenant with a jurisdiction are asked for in it, whatever the hint, and those of others aren't", async () => {
  const { asked, namespace } = noted();
  const placement = {
    jurisdictionOf: async (tenantId: string) => (tenantId === "ten_eu" ? ("eu" as const) : undefined),
  };
  const objects = new PlacedObjects(namespace, placement, "oc");
  await expect(objects.call(["ten_eu", "mem_1", "thread"], async () => {})).rejects.toThrow("nowhere");
  await expect(objects.call(["ten_1", "mem_1", "thread"], async () => {})).rejects.toThrow("nowhere");
  expect(asked).toEqual([
    ["eu", "ten_eu/mem_1/thread", undefined],
    [undefined, "ten_1/mem_1/thread", { locationHint: "oc" }],
  ]);
});

it("locally a jurisdiction is part of the name, so that the same name in another one is another object", () => {
  const { asked, namespace } = noted();
  const local = withNamedJurisdictions(namespace);
  for (const place of [local, local.jurisdiction("eu")]) {
    expect(() => place.getByName("ten_1/ses_1", { locationHint: "oc" })).toThrow("nowhere");
  }
  expect(asked).toEqual([
    [undefined, "ten_1/ses_1", { locationHint: "oc" }],
    [undefined, "jurisdiction:eu/ten_1/ses_1", { locationHint: "oc" }],
  ]);
});
