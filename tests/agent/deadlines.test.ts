import { describe, expect, it } from "vitest";
import { runAgent } from "../../src/agent/loop.js";
import type { AgentPorts } from "../../src/agent/ports.js";
import { DeadlineError } from "../../src/model/deadline.js";
import type { CancelSignal } from "../../src/model/port.js";
import { MemoryJournal } from "../support/memory-journal.js";
import { never, portsOf, type Said, ScriptedModel, says, specOf, tool } from "./support.js";

const toolRound: Said = { calls: [["look", {}]] };

/** Each look at the clock takes a hundred milliseconds: a model call, a tool call. */
function world(script: readonly Said[], more: Partial<AgentPorts> = {}) {
  const deadlines: number[] = [];
  let at = 0;
  const journal = new MemoryJournal();
  const ports = portsOf(new ScriptedModel(script), journal, {
    now: () => {
      at += 100;
      return at;
    },
    withDeadline: (timeoutMs, work) => {
      deadlines.push(timeoutMs);
      return work(never);
    },
    ...more,
  });
  return { deadlines, journal, ports };
}

describe("the time budget of an agent", () => {
  const look = tool("look", says("found"), { timeoutMs: 10_000 });

  it("bounds each model call and each tool call by what is left of it", async () => {
    const { deadlines, ports } = world([toolRound, { text: "Done." }]);
    await runAgent(specOf([look], { maxActiveMs: 1_000 }), ports);
    expect(deadlines).toEqual([1_000, 900, 800]);
  });

  it("leaves a tool its own deadline where that is nearer", async () => {
    const { deadlines, ports } = world([toolRound, { text: "Done." }]);
    await runAgent(specOf([{ ...look, timeoutMs: 250 }], { maxActiveMs: 1_000 }), ports);
    expect(deadlines).toEqual([1_000, 250, 800]);
  });

  it("that runs out in a model call is a spent budget and not a failed model, on a replay too", async () => {
    const late = { withDeadline: () => Promise.reject(new DeadlineError("late")) };
    const { journal, ports } = world([{ text: "never" }], late);
    const expected = {
      kind: "failed",
      code: "budget_exceeded",
      detail: "the time budget of 500 ms is used up",
      modelCalls: 1,
      activeMs: 500,
    };
    expect(await runAgent(specOf([], { maxActiveMs: 500 }), ports)).toMatchObject(expected);
    const replayed = world([{ text: "never" }], { journal });
    expect(await runAgent(specOf([], { maxActiveMs: 500 }), replayed.ports)).toMatchObject(expected);
    expect(replayed.deadlines).toEqual([]);
  });
});

it("a model call hears of the deadline's abort and of the agent's own", async () => {
  const heard: CancelSignal[] = [];
  const deadline = { ...never, aborted: false };
  const own = { ...never, aborted: false };
  const { ports } = world([{ text: "Done." }], { signal: own, withDeadline: (_ms, work) => work(deadline) });
  const model: AgentPorts["model"] = {
    call: (request, options) => {
      if (options?.signal !== undefined) heard.push(options.signal);
      return ports.model.call(request, options);
    },
  };
  await runAgent(specOf([]), { ...ports, model });
  expect(heard.map(({ aborted }) => aborted)).toEqual([false]);
  own.aborted = true;
  expect(heard.map(({ aborted }) => aborted)).toEqual([true]);
  own.aborted = false;
  deadline.aborted = true;
  expect(heard.map(({ aborted }) => aborted)).toEqual([true]);
});
