import { describe, expect, it } from "vitest";
import { askHumanTool } from "../../src/agent/built-in/ask-human.js";
import { Parked, Superseded } from "../../src/agent/journal.js";
import { canonicalArguments } from "../../src/agent/tool-cache.js";
import type { AgentTool } from "../../src/agent/tools.js";
import { ModelError, type ModelRequest, type ModelResult } from "../../src/model/port.js";
import type { LoadedTeam } from "../../src/routing/ports.js";
import { teamSchema } from "../../src/routing/team.js";
import { runTeam, type TeamOutcome } from "../../src/routing/team-loop.js";
import { type CrashPoint, JournalStore } from "../support/memory-journal.js";
import { randomFrom } from "../support/random.js";
import { bareCommand, loadedTeam, teamPorts } from "./support.js";

type Random = () => number;

/** A team of random shape, with models and tools that fail at random, in an object that dies at random. */
class World {
  readonly store = new JournalStore();
  /** What the tools' server did, by tool and arguments; calls under a key that it has seen do nothing. */
  readonly effects: string[] = [];
  private readonly keys = new Set<string>();
  private readonly random: Random;
  /** Workers at the same time can't know of each other: then each has orders of its own. */
  private readonly atOnce: boolean;
  private readonly team: LoadedTeam;

  constructor(readonly seed: number) {
    this.random = randomFrom(seed * 7_919 + 13);
    this.atOnce = this.chance(0.3);
    this.team = this.loaded(this.definition(true), "t");
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  private pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.random() * items.length)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  private definition(outermost: boolean): unknown {
    const ids = ["a", "b", "c"].slice(0, 1 + Math.floor(this.random() * 3));
    const tools = ["ask_human", "shop/charge", "shop/note", "shop/look"];
    const idempotent = this.chance(0.5);
    return {
      supervisor: { strategy: "llm-based", model: "openai/supervisor", tools, fallbackWorker: this.pick(ids) },
      workers: ids.map((id) => ({
        id,
        description: id,
        ...(outermost && !this.atOnce && this.chance(0.2)
          ? { team: this.definition(false) }
          : this.chance(0.2)
            ? { http: { url: "https://worker.test/", idempotent } }
            : { model: `openai/${id}`, tools, handoffs: ids.filter((other) => other !== id) }),
      })),
      limits: { maxModelCalls: 3 + Math.floor(this.random() * 20), maxWorkerRetries: Math.floor(this.random() * 3) },
    };
  }

  private loaded(definition: unknown, key: string): LoadedTeam {
    const team = teamSchema.parse(definition);
    const held = [askHumanTool, this.tool("charge", "once"), this.tool("note", "idempotent"), this.tool("look")];
    return loadedTeam(definition, {
      key,
      tools: ({ tools }) => held.filter(({ ref }) => tools.some((name) => name.endsWith(ref.tool))),
      nested: (id) => {
        const inner = team.workers.find((worker) => worker.id === id)?.team;
        return typeof inner === "object" ? this.loaded(inner, `${key}.${id}`) : undefined;
      },
    });
  }

  private tool(name: string, execution?: "once" | "idempotent"): AgentTool {
    return {
      ref: { server: "shop", tool: name },
      name,
      description: name,
      parameters: { type: "object" },
      timeoutMs: 1_000,
      execution: execution ?? "idempotent",
      readOnly: execution === undefined,
      run: async (args, { callId }) => {
        if (execution !== undefined) this.take(`${name} ${canonicalArguments(args)}`, `${name} ${callId}`);
        if (this.chance(0.1)) throw new Error("the connection was lost");
        return { content: "done" };
      },
    };
  }

  /** The server of the tools and workers; only a tool that isn't idempotent looks at no key, but its call ids are as good. */
  private take(effect: string, key: string): void {
    if (!this.keys.has(key)) this.effects.push(effect);
    this.keys.add(key);
  }

  private reply({ models, messages, tools = [], toolChoice }: ModelRequest): Partial<ModelResult> {
    if (this.chance(0.25)) throw new ModelError("unavailable", "the model is down");
    const offered = tools.map(({ name }) => name);
    const make = (name: string, args: object): Partial<ModelResult> => ({
      toolCalls: [{ id: "c", name, arguments: JSON.stringify(args) }],
    });
    const use = this.pick(["charge", "note", "look", "ask_human", "answer", "answer"]);
    const owner = this.atOnce ? models[0] : "any";
    const args =
      use === "ask_human"
        ? { question: this.pick(["Which order?", "What colour?"]) }
        : { order: this.pick([1, 2]), owner };
    // A model doesn't do again what stands in its own exchange; of what others did it knows nothing, and does it gladly.
    const did = messages.some(
      (message) =>
        message.role === "assistant" &&
        message.toolCalls?.some((call) => call.name === use && call.arguments === JSON.stringify(args)),
    );
    if (offered.includes(use) && !did && typeof toolChoice !== "object") return make(use, args);
    if (offered.includes("hand_off_to") && this.chance(0.2)) {
      return make("hand_off_to", { worker: this.pick(["a", "b", "c"]), reason: "better" });
    }
    if (!offered.includes("route_to")) return { text: this.chance(0.1) ? "" : "An answer." };
    const target = this.pick(["a", "b", "c"]);
    const to = this.atOnce ? { targetAgents: ["a", "b"] } : { targetAgent: target };
    return make("route_to", { ...to, reasoning: "fits", confidence: 0.9, reevaluate: this.chance(0.3) });
  }

  get maxModelCalls(): number {
    return this.team.definition.limits.maxModelCalls;
  }

  async run(crash?: CrashPoint): Promise<TeamOutcome> {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const answer = { text: "", toolCalls: [], usage, finishReason: "stop", model: "m" } as const;
    return runTeam(
      bareCommand,
      this.team,
      teamPorts(this.store, {
        crash,
        model: { call: async (request) => ({ ...answer, ...this.reply(request) }) },
        callWorker: async ({ key, http }) => {
          this.take(`worker ${key}`, key);
          if (http.idempotent && this.chance(0.3)) return { status: 500, text: "down" };
          return this.chance(0.2) ? { status: 503, text: "busy" } : { status: 200, text: "Done." };
        },
      }),
    );
  }

  /** To its end, dying up to five times, with every question answered when nothing else can go on. */
  async toTheEnd(): Promise<TeamOutcome> {
    for (let entered = 0; entered < 60; entered++) {
      const when = this.pick(["begun", "worked", "stored"] as const);
      const crash = entered < 5 ? { step: Math.floor(this.random() * 12), when } : undefined;
      try {
        return await this.run(crash);
      } catch (error) {
        if (!(error instanceof Parked || error instanceof Superseded)) throw error;
        if ([...this.store.asks.values()].some(({ status }) => status === "open"))
          this.store.answer({ response: "17" });
      }
    }
    throw new Error("it never ended");
  }
}

const seeds = Array.from({ length: 120 }, (_, seed) => seed);

describe("a random team, whose models and tools fail and whose object dies at random", () => {
  it("does nothing twice, asks nothing twice, stays within its budget, and a failure says what was done", {
    timeout: 60_000,
  }, async () => {
    const seen = { completed: 0, failed: 0, effects: 0, asks: 0, failedAfterEffects: 0 };
    for (const seed of seeds) {
      const world = new World(seed);
      const outcome = await world.toTheEnd();
      const about = `seed ${seed}`;
      expect(
        world.effects.filter((effect, index) => world.effects.indexOf(effect) !== index),
        about,
      ).toEqual([]);
      const questions = [...world.store.asks.values()].map(({ question }) => question);
      expect(new Set(questions).size, about).toBe(questions.length);
      expect(
        outcome.clarifications.every(({ from, answer }) => from === "human" && answer === "17"),
        about,
      ).toBe(true);
      expect(new Set(outcome.clarifications.map(({ askId }) => askId)).size, about).toBe(outcome.clarifications.length);
      const made = [...world.store.steps].filter(
        ([id, result]) => /model\/\d+(\/again\d+)?$/.test(id) && result,
      ).length;
      expect(outcome.spent.modelCalls, about).toBe(made);
      expect(made, about).toBeLessThanOrEqual(world.maxModelCalls);
      if (outcome.kind === "failed") {
        for (const effect of world.effects.filter((name) => !name.startsWith("worker"))) {
          expect(outcome.detail, about).toContain(`shop/${effect.split(" ")[0]}`);
        }
        if (world.effects.length > 0) seen.failedAfterEffects += 1;
      }
      seen[outcome.kind] += 1;
      seen.effects += world.effects.length;
      seen.asks += questions.length;
    }
    // The worlds hold what they are to show.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(5);
  });
});
