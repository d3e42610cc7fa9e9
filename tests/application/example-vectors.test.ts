import { describe, expect, it } from "vitest";
import { ExampleVectors } from "../../src/application/example-vectors.js";
import type { Embedder } from "../../src/platform/embedder.js";
import { exampleBased, MeaningUnavailableError } from "../../src/routing/strategies/example-based.js";
import type { StrategyPorts } from "../../src/routing/strategies/strategy.js";
import { teamSchema } from "../../src/routing/team.js";
import { prepareExamples } from "../../src/text/example-classifier.js";

const worker = (id: string, examples: string[]) => ({ id, description: id, capabilities: { examples } });
const team = teamSchema.parse({
  supervisor: { strategy: "example-based" },
  workers: [worker("money", ["I was charged twice", "refund me"]), worker("parcels", ["where is my parcel"])],
});

/** Tells money from the rest, in two dimensions. */
class Provider implements Embedder {
  readonly model = "test/two";
  readonly requests: (readonly string[])[] = [];
  fails = false;
  async embed(texts: readonly string[]) {
    this.requests.push(texts);
    if (this.fails) throw new Error("down");
    return texts.map((text) => Float32Array.from(/charged|refund|Geld/.test(text) ? [1, 0] : [0, 1]));
  }
}

const strategyPorts = (meaning: StrategyPorts["meaning"]): StrategyPorts => ({
  settings: { rules: [] },
  known: ["money", "parcels"],
  teamKey: "desk",
  decisionId: "d",
  claim: { work: "run", id: "w" },
  state: {
    nextTurn: async () => 0,
    claimLeastBusy: async () => ({ worker: "", load: 0 }),
    claim: async () => {},
    release: async () => {},
    loads: async () => ({}),
  },
  askSupervisor: async () => {
    throw new Error("no model is asked");
  },
  examples: () =>
    prepareExamples([
      { label: "money", text: "I was charged twice" },
      { label: "parcels", text: "where is my parcel" },
    ]),
  meaning,
});
const decide = (input: string, meaning: StrategyPorts["meaning"]) => {
  const live = team.workers.map(({ id }) => ({ id, description: id, skills: [], tools: [] }));
  if (exampleBased.execution !== "step") throw new Error("it is a step");
  return exampleBased.decide(
    { input, metadata: {}, live, results: [], clarifications: [], iteration: 0 },
    strategyPorts(meaning),
  );
};

describe("the meaning of examples", () => {
  it("is asked for once for a team, and then for each request alone", async () => {
    const provider = new Provider();
    const vectors = new ExampleVectors(
      async () => provider,
      () => 0,
    );
    expect(await vectors.likenesses("t", team, "Geld zurück")).toEqual(
      new Map([
        ["money", 1],
        ["parcels", 0],
      ]),
    );
    await vectors.likenesses("t", team, "again");
    expect(provider.requests).toEqual([
      ["Geld zurück"],
      team.workers.flatMap((one) => one.capabilities.examples),
      ["again"],
    ]);
  });

  it("is unknown without a provider", async () => {
    const vectors = new ExampleVectors(
      async () => undefined,
      () => 0,
    );
    expect(await vectors.likenesses("t", team, "Geld")).toBeUndefined();
  });

  it("is not asked for again for a minute after the provider failed", async () => {
    let now = 0;
    const provider = new Provider();
    provider.fails = true;
    const vectors = new ExampleVectors(
      async () => provider,
      () => now,
    );
    await expect(vectors.likenesses("t", team, "one")).rejects.toBeInstanceOf(MeaningUnavailableError);
    await expect(vectors.likenesses("t", team, "two")).rejects.toBeInstanceOf(MeaningUnavailableError);
    expect(provider.requests).toEqual([["one"]]);
    now = 60_001;
    provider.fails = false;
    expect((await vectors.likenesses("t", team, "Geld"))?.get("money")).toBe(1);
  });

  it("makes a decision sure that words leave unsure", async () => {
    const meant = async () => new Map(Object.entries({ money: 0.9, parcels: 0.1 }));
    const sure = await decide("Geld zurück", meant);
    const unsure = await decide("Geld zurück", undefined);
    expect(sure).toMatchObject({ kind: "route", choice: { targets: ["money"] } });
    expect(sure.kind === "route" && sure.choice.confidence).toBeGreaterThan(0.4);
    expect(unsure.kind === "route" ? unsure.choice.confidence : 0).toBeLessThan(0.3);
  });

  it("is done without where the provider fails, and the reason says so", async () => {
    const failing = async () => {
      throw new MeaningUnavailableError({ cause: new Error("down") });
    };
    expect(await decide("my parcel", failing)).toMatchObject({
      kind: "route",
      choice: {
        targets: ["parcels"],
        reasoning: expect.stringContaining("By words alone: the embedding provider failed."),
      },
    });
  });
});
