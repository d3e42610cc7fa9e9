import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/model/port.js";
import { panelSchema } from "../../src/roundtable/panel.js";
import type { LoadedPanel } from "../../src/roundtable/ports.js";
import { loadedTeam, routeTo, TeamWorld, tool, worker } from "./support.js";

const charge = { name: "charge", args: { order: 17 } };
const takes = (position: string) => ({
  name: "take_position",
  args: { position, reasoning: "It is so.", confidence: 0.6 },
});
const synthesis = JSON.stringify({ conclusion: "Ship it.", recommendation: "Now.", confidence: 0.7 });

/** A panel of two seats, of whom the first can charge. */
class Shop {
  charged = 0;
  private readonly charge = tool("charge", "Charged.", {
    run: async () => {
      this.charged++;
      return { content: "Charged." };
    },
  });

  panel(): LoadedPanel {
    const panel = panelSchema.parse({ mode: "collaborative", agentCount: 2, rounds: 1, analysis: false });
    const seat = (id: string) => ({ id, name: id, models: [`openai/${id}`], tools: id === "ana" ? [this.charge] : [] });
    return {
      ...panel,
      name: "board",
      seats: [seat("ana"), seat("ben")],
      totalRounds: 1,
      models: { analyst: ["openai/analyst"], synthesis: ["openai/analyst"] },
    };
  }

  team() {
    return loadedTeam(
      {
        supervisor: { strategy: "llm-based", model: "openai/boss" },
        workers: [{ id: "board", description: "Debates", panel: "board" }, worker("clerk", { tools: ["shop/charge"] })],
      },
      {
        tools: ({ tools }) => (tools.includes("shop/charge") ? [this.charge] : []),
        panel: () => ({ ok: true, panel: this.panel(), supervisors: [] }),
      },
    );
  }
}

const down = new ModelError("unavailable", "the model is down");

describe("what a panel's seats did with tools", () => {
  it("is told on with the panel's result", async () => {
    const shop = new Shop();
    const world = new TeamWorld(shop.team(), {
      boss: [routeTo("board")],
      ana: [charge, takes("Ship.")],
      ben: [takes("Wait.")],
      analyst: [synthesis],
    });
    expect(await world.run("Do we ship?")).toMatchObject({
      kind: "completed",
      response: expect.stringContaining("Ship it."),
      effects: [{ by: "board/ana", server: "shop", tool: "charge", outcome: "done" }],
    });
  });

  it("isn't done again when the seat is tried again: it reads what was done, and its call is refused", async () => {
    const shop = new Shop();
    const world = new TeamWorld(shop.team(), {
      boss: [routeTo("board")],
      ana: [charge, down, charge, takes("Ship.")],
      ben: [takes("Wait.")],
      analyst: [synthesis],
    });
    expect(await world.run("Do we ship?")).toMatchObject({ kind: "completed", effects: [{ by: "board/ana" }] });
    expect(shop.charged).toBe(1);
    expect(world.prompt("ana", 2)).toContain('<done by="ana" tool="shop/charge" outcome="done">');
    expect(world.prompt("ana", 3)).toContain("Not called again");
  });

  it("isn't done again by the worker that the team goes on with when the panel failed", async () => {
    const shop = new Shop();
    const world = new TeamWorld(shop.team(), {
      boss: [routeTo("board"), routeTo("clerk")],
      ana: [charge, down],
      ben: [down],
      clerk: [charge, "It was charged before."],
    });
    const outcome = await world.run("Charge order 17.");
    expect(outcome).toMatchObject({ kind: "completed", response: "It was charged before." });
    expect(outcome.results[0]).toMatchObject({
      worker: "board",
      error: expect.stringContaining("What was done all the same: shop/charge by ana."),
      effects: [{ server: "shop", tool: "charge", outcome: "done" }],
    });
    expect(shop.charged).toBe(1);
    expect(world.prompt("clerk")).toContain('<done by="board/ana"');
  });
});
