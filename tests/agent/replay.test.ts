import { describe, expect, it } from "vitest";
import type { AgentOutcome } from "../../src/agent/agent-spec.js";
import { askHumanTool } from "../../src/agent/built-in/ask-human.js";
import { isControlFlow, Parked } from "../../src/agent/journal.js";
import { runAgent } from "../../src/agent/loop.js";
import { type CrashPoint, JournalStore, MemoryJournal } from "../support/memory-journal.js";
import { portsOf, ScriptedModel, specOf, tool } from "./support.js";

/** Two rounds of tools (one of them idempotent, one a question to a person), then an answer. */
class World {
  readonly model = new ScriptedModel([
    {
      calls: [
        ["book", { seat: 1 }],
        ["read", {}],
      ],
      text: "first",
    },
    {
      calls: [
        ["ask_human", { question: "Sure?" }],
        ["book", { seat: 2 }],
      ],
    },
    { text: "All done." },
  ]);
  readonly ran: string[] = [];
  readonly told: string[] = [];
  readonly tools = [
    tool("book", async ({ seat }) => {
      this.ran.push(`book ${seat}`);
      return { content: `booked ${seat}` };
    }),
    tool(
      "read",
      async (_args, { callId }) => {
        this.ran.push(`read ${callId}`);
        return { content: "read" };
      },
      { execution: "idempotent" },
    ),
    askHumanTool,
  ];

  async run(store: JournalStore, crash?: CrashPoint): Promise<AgentOutcome | "died" | "parked"> {
    const observer = {
      toolCalled: ({ toolCallId }: { toolCallId: string }) => void this.told.push(`called ${toolCallId}`),
      toolReturned: ({ toolCallId }: { toolCallId: string }) => void this.told.push(`returned ${toolCallId}`),
    };
    const journal = new MemoryJournal(store, crash);
    try {
      return await runAgent(specOf(this.tools), portsOf(this.model, journal, { observer }));
    } catch (error) {
      if (!isControlFlow(error)) throw error;
      return error instanceof Parked ? "parked" : "died";
    }
  }

  /** Runs to the end, answering the question, and starting over when it dies. */
  async finish(store: JournalStore, crash?: CrashPoint): Promise<AgentOutcome> {
    let next = crash;
    for (;;) {
      const outcome = await this.run(store, next);
      if (outcome === "parked") store.answer({ response: "yes" });
      else if (outcome === "died") next = undefined;
      else return outcome;
    }
  }
}

async function reference() {
  const store = new JournalStore();
  const world = new World();
  return { store, world, outcome: await world.finish(store) };
}

describe("an agent that is entered again", () => {
  it("from every prefix of its journal comes to the same outcome, and repeats no step that is done", async () => {
    const { store, outcome } = await reference();
    expect(outcome).toMatchObject({ kind: "answered", text: "All done." });
    expect(store.steps.size).toBe(6);
    for (let count = 0; count <= store.steps.size; count++) {
      const world = new World();
      const rest = store.upTo(count);
      expect(await world.finish(rest), `after ${count} steps`).toEqual(outcome);
      const done = [...store.steps.keys()].slice(0, count);
      for (const id of done) expect(rest.begun, `${id} after ${count} steps`).not.toContain(id);
      expect(world.model.requests.length).toBe(3 - done.filter((id) => id.startsWith("model/")).length);
    }
  });

  it("after dying before, in and after every step acts once, or doesn't know, and tells of each call once", async () => {
    const { outcome } = await reference();
    for (let step = 0; step < 6; step++) {
      for (const when of ["begun", "worked", "stored"] as const) {
        const at = `${when} ${step}`;
        const world = new World();
        const store = new JournalStore();
        const again = await world.finish(store, { step, when });
        expect(again.kind, at).toBe("answered");
        // What may act only once has acted at most once; what it did is told, or said to be unknown.
        for (const seat of [1, 2]) {
          const times = world.ran.filter((what) => what === `book ${seat}`).length;
          const known = JSON.stringify(again).includes(`booked ${seat}`);
          expect(times, at).toBeLessThanOrEqual(1);
          expect(known || JSON.stringify(again).includes("is unknown"), at).toBe(true);
          if (known) expect(times, at).toBe(1);
        }
        expect(new Set(world.ran.filter((what) => what.startsWith("read"))), at).toEqual(new Set(["read msg.0.1"]));
        expect(world.told.length, at).toBe(new Set(world.told).size);
        expect(world.model.requests.length, at).toBeLessThanOrEqual(4);
        if (when === "stored") expect(again, at).toEqual(outcome);
      }
    }
  });

  it("parks on all its open questions at once, after its siblings are done", async () => {
    const world = new World();
    const store = new JournalStore();
    expect(await world.run(store)).toBe("parked");
    expect(world.ran).toContain("book 2");
    expect(await world.run(store)).toBe("parked");
    expect(world.ran.filter((what) => what === "book 2")).toHaveLength(1);
    expect(world.model.requests).toHaveLength(2);
  });
});
