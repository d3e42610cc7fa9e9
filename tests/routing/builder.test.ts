import { describe, expect, it } from "vitest";
import { askHuman, createMultiAgentSystem, type MultiAgentConfig } from "../../src/routing/builder.js";
import { findRoutingFn } from "../../src/routing/strategies/routing-functions.js";
import { teamSchema } from "../../src/routing/team.js";

const lookUp = {
  name: "lookup_order",
  server: "shop",
  description: "Looks an order up",
  http: { url: "https://shop.test/orders" },
};
const config: MultiAgentConfig = {
  name: "support",
  supervisor: { strategy: "llm-based", tools: [askHuman, lookUp] },
  workers: [{ id: "billing", description: "invoices" }],
};
const workers = config.workers;

describe("createMultiAgentSystem", () => {
  it("makes the team that the API takes, with defaults, and its tools as resources of their own", () => {
    const { name, team, tools } = createMultiAgentSystem(config);
    expect(name).toBe("support");
    expect(team.supervisor).toMatchObject({ tools: ["ask_human", "shop/lookup_order"], maxToolRetries: 3 });
    expect(teamSchema.parse(team)).toEqual(team);
    expect(tools).toMatchObject({ lookup_order: { server: "shop", approval: "never", cacheSeconds: 0 } });
  });

  it("needs no tools at all", () => {
    const { team, tools } = createMultiAgentSystem({ name: "t", supervisor: { strategy: "skill-based" }, workers });
    expect(team.supervisor.tools).toEqual([]);
    expect(tools).toEqual({});
  });

  it("takes a system that was built as a worker, with the tools that it needs", () => {
    const outer = createMultiAgentSystem({
      name: "desk",
      supervisor: { strategy: "skill-based" },
      workers: [{ id: "support", description: "all of support", team: createMultiAgentSystem(config) }],
    });
    expect(outer.team.workers[0]?.team).toMatchObject({ supervisor: { tools: ["ask_human", "shop/lookup_order"] } });
    expect(Object.keys(outer.tools)).toEqual(["lookup_order"]);
  });

  it("registers a routing function under the team's name", () => {
    const routingFn = () => ({ targetAgent: "billing", reasoning: "always" });
    const { team } = createMultiAgentSystem({
      name: "by-code",
      supervisor: { strategy: "rule-based", routingFn },
      workers,
    });
    expect(team.supervisor.routingFn).toBe("by-code");
    expect(findRoutingFn("by-code")).toBe(routingFn);
  });

  const wrong: readonly (readonly [string, Partial<MultiAgentConfig>, RegExp])[] = [
    [
      "a built-in tool that doesn't exist",
      { supervisor: { strategy: "llm-based", tools: ["ask_humann"] } },
      /supervisor\.tools\.0: there is no built-in tool "ask_humann"; there are: ask_human/,
    ],
    [
      "a fallback worker that doesn't exist",
      { supervisor: { strategy: "llm-based", fallbackWorker: "nobody" } },
      /supervisor\.fallbackWorker: there is no worker "nobody"; there are: billing/,
    ],
    ["a worker twice", { workers: [...workers, ...workers] }, /workers\.1\.id: "billing" is there twice/],
    ["no worker", { workers: [] }, /workers: /],
    ["rules that aren't there", { supervisor: { strategy: "rule-based" } }, /supervisor\.rules: .* needs rules/],
  ];
  it.each(wrong)("refuses %s, and says where", (_what, part, message) => {
    expect(() => createMultiAgentSystem({ ...config, ...part })).toThrow(message);
  });

  it("names everything that is wrong at once", () => {
    const supervisor = { strategy: "rule-based", fallbackWorker: "nobody" } as const;
    expect(() => createMultiAgentSystem({ ...config, supervisor })).toThrow(/fallbackWorker.*; supervisor\.rules/);
  });
});
