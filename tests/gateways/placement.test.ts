import { expect, it } from "vitest";
import { locationHint } from "../../src/gateways/placement.js";
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

it("a gateway names the place with each call: it counts for an object that isn't there yet", async () => {
  const asked: unknown[] = [];
  const namespace = {
    getByName(name: string, options?: { locationHint?: DurableObjectLocationHint }): RootObject {
      asked.push([name, options]);
      throw new Error("nowhere");
    },
  };
  await expect(new RootGateway(namespace, "oc").remove("ten_1", "ses_1")).rejects.toThrow("nowhere");
  await expect(new RootGateway(namespace).remove("ten_1", "ses_1")).rejects.toThrow("nowhere");
  expect(asked).toEqual([
    ["ten_1/ses_1", { locationHint: "oc" }],
    ["ten_1/ses_1", {}],
  ]);
});
