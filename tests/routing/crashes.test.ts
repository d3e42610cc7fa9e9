import { describe, expect, it } from "vitest";
import { askHumanTool } from "../../src/agent/built-in/ask-human.js";
import { listWorkersTool } from "../../src/agent/built-in/list-workers.js";
import { Parked, Superseded } from "../../src/agent/journal.js";
import type { ModelRequest, ModelResult } from "../../src/model/port.js";
import type { LoadedTeam } from "../../src/routing/ports.js";
import { runTeam, type TeamOutcome } from "../../src/routing/team-loop.js";
import { type CrashPoint, JournalStore } from "../support/memory-journal.js";
import { bareCommand, loadedTeam, teamPorts } from "./support.js";

const usage = { inputTokens: 10, outputTokens: 5 };
const calls = (name: string, args: object): Partial<ModelResult> => ({
  toolCalls: [{ id: "c", name, arguments: JSON.stringify(args) }],
});

/** Says what it says from what it is shown, so that a call that is made again gives the same. */
function reply({ models, messages }: ModelRequest): Partial<ModelResult> {
  if (models[0] === "openai/worker") return { text: "Done." };
  const answered = messages.some(({ role }) => role === "tool");
  return answered
    ? calls("route_to", { targetAgents: ["a", "b"], reasoning: "both", confidence: 0.9 })
    : calls("ask_human", { question: "Which?" });
}

const lookUps = { listWorkers: async () => undefined };

const loaded = (definition: unknown): LoadedTeam =>
  loadedTeam(definition, {
    tools: ({ tools }) => [askHumanTool, listWorkersTool(lookUps)].filter(({ name }) => tools.includes(name)),
  });

const asking = loaded({
  supervisor: { strategy: "llm-based", model: "openai/supervisor", tools: ["ask_human", "list_workers"] },
  workers: ["a", "b"].map((id) => ({ id, description: id, model: "openai/worker" })),
});

class World {
  readonly store = new JournalStore();
  /** The keys under which workers at an address were called. */
  readonly calls: string[] = [];
  readonly told: string[] = [];
  readonly claims = new Set<string>();

  constructor(private readonly team = asking) {}

  async run(crash?: CrashPoint): Promise<TeamOutcome> {
    const answer = { text: "", toolCalls: [], usage, finishReason: "stop", model: "m" } as const;
    return runTeam(
      bareCommand,
      this.team,
      teamPorts(this.store, {
        crash,
        model: { call: async (request) => ({ ...answer, ...reply(request) }) },
        state: {
          nextTurn: async () => 0,
          claimLeastBusy: async () => ({ worker: "a", load: 0 }),
          claim: async (_team, _worker, { id }) => void this.claims.add(id),
          release: async ({ id }) => void this.claims.delete(id),
          loads: async () => ({}),
        },
        callWorker: async ({ key }) => {
          this.calls.push(key);
          return { status: 200, text: "Done." };
        },
        observer: { keepsTexts: true, traced: ({ type }) => this.told.push(type), debated: () => {} },
      }),
    );
  }
}

async function toTheEnd(world: World): Promise<TeamOutcome> {
  try {
    return await world.run();
  } catch (error) {
    if (!(error instanceof Parked)) throw error;
    world.store.answer({ response: "both" });
    return world.run();
  }
}

function expectControlFlow(error: unknown): void {
  if (!(error instanceof Superseded || error instanceof Parked)) throw error;
}

async function dyingAt(world: World, crash: CrashPoint): Promise<void> {
  await world.run(crash).catch(expectControlFlow);
}

const undisturbed = new World();
const expected = await toTheEnd(undisturbed);
const steps = undisturbed.store.begun.length;
const points = Array.from({ length: steps }, (_, step) => step).flatMap((step) =>
  (["begun", "worked", "stored"] as const).map((when) => ({ step, when })),
);

describe("a run whose object dies", () => {
  it.each(points)(
    "at step $step once it is $when goes on and comes to the same, told once (fault 5)",
    async (crash) => {
      const world = new World();
      await dyingAt(world, crash);
      // Once before the question is answered, once after.
      await world.run().catch(expectControlFlow);
      if ([...world.store.asks.values()].some(({ status }) => status === "open"))
        world.store.answer({ response: "both" });
      await dyingAt(world, crash);
      const outcome = await toTheEnd(world);
      expect(outcome).toEqual(expected);
      expect(outcome).toMatchObject({ kind: "completed", response: "Done.\n\nDone." });
      expect(world.told.toSorted()).toEqual(undisturbed.told.toSorted());
      expect(world.store.asks.size).toBe(1);
      expect(world.claims.size).toBe(0);
    },
  );
});

describe("a run whose object dies while it calls a worker at an address", () => {
  const calling = (idempotent: boolean) =>
    loaded({
      supervisor: { strategy: "skill-based" },
      workers: [{ id: "a", description: "a", http: { url: "https://a.test/", idempotent } }],
    });
  const call = new World(calling(true));

  it.each([
    [true, ["run.w0.0.h0.0.0", "run.w0.0.h0.0.0"], { kind: "completed", response: "Done." }],
    [false, ["run.w0.0.h0.0.0"], { kind: "failed", detail: expect.stringContaining("its outcome is unknown") }],
  ])(
    "calls it again under the same key only if that does no harm: idempotent %s",
    async (idempotent, calls, outcome) => {
      await call.run();
      const step = call.store.begun.findIndex((id) => id.includes("http/0"));
      const world = new World(calling(idempotent));
      await dyingAt(world, { step, when: "worked" });
      expect(await toTheEnd(world)).toMatchObject(outcome);
      expect(world.calls).toEqual(calls);
    },
  );
});
