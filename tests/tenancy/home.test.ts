/** Where a new tenant lives. */
import { describe, expect, it } from "vitest";
import { chooseHome } from "../../src/tenancy/home.js";

describe("the home of a new tenant", () => {
  const homes = [
    { database: 0, bytes: 900 },
    { database: 1, bytes: 20 },
    { database: 2, bytes: 500, jurisdiction: "eu" },
    { database: 3, bytes: 300, jurisdiction: "eu" },
  ];

  it("is the emptiest database that lies where the tenant has to", () => {
    expect(chooseHome(homes, "eu")).toBe(3);
    expect(chooseHome(homes, undefined)).toBe(1);
  });

  it("is the emptiest that is bound to no place where none lies there, and at last the emptiest of all", () => {
    expect(chooseHome(homes, "fedramp")).toBe(1);
    expect(chooseHome(homes.slice(2), "fedramp")).toBe(3);
    expect(chooseHome(homes.slice(2), undefined)).toBe(3);
  });

  it("is the first of those that are as empty, and the first database where nothing is known", () => {
    expect(
      chooseHome(
        [
          { database: 4, bytes: 1 },
          { database: 5, bytes: 1 },
        ],
        undefined,
      ),
    ).toBe(4);
    expect(chooseHome([], "eu")).toBe(0);
  });
});
