/** One exchange, whatever its work is: what is judged, stored and told, in which order, and how often. */
import { describe, expect, it } from "vitest";
import { Parked, Superseded } from "../../src/agent/journal.js";
import { type Exchange, runExchange } from "../../src/supervision/exchange.js";
import type { Supervisor } from "../../src/supervision/supervisor.js";
import { type CrashPoint, JournalStore, MemoryJournal } from "../support/memory-journal.js";
import { passPorts, replaces, request, response, supervisor, textOf } from "./support.js";

type Work = Exchange<"request", "response", string>["work"];

const answers =
  (text: string): Work =>
  async () => ({ kind: "responded", response: response({ turnId: "t.0", message: text }), report: "worked" });

/** What happens in an exchange, in its order. */
class World {
  readonly store = new JournalStore();
  readonly log: string[] = [];

  constructor(
    private readonly supervisors: Exchange<"request", "response", string>["supervisors"],
    private readonly work: Work = answers("fine"),
  ) {}

  run(crash?: CrashPoint) {
    return runExchange<"request", "response", string>(
      {
        request: request("hello"),
        supervisors: this.supervisors,
        commit: {
          id: "message",
          onDone: ({ message }, { action }) => this.log.push(`stored ${message.content} (${action})`),
        },
        work: (subject, noteDegraded) => {
          this.log.push(`worked on ${textOf(subject)}`);
          return this.work(subject, noteDegraded);
        },
      },
      {
        journal: new MemoryJournal(this.store, crash),
        supervise: {
          ...passPorts(),
          decided: ({ hook, decision }) => this.log.push(`${hook}: ${decision}`),
          review: { raisedBy: { type: "turn", id: "t" } },
        },
      },
    );
  }
}

const at = (hook: "request" | "response", one: Supervisor): Supervisor => ({ ...one, hooks: new Set([hook]) });
const blocks = (hook: "request" | "response") => at(hook, supervisor("b", { action: "block", reasons: ["no"] }));

describe("a supervised exchange", () => {
  it("works on the request as supervised, once it is stored, and gives the response as supervised", async () => {
    const modifier = supervisor("m", replaces("hello", "hi"), { mayModify: true });
    const world = new World([modifier], answers("hello you"));
    const outcome = await world.run();
    expect(outcome).toMatchObject({
      status: "completed",
      request: { action: "modify", reasons: ["no […]"] },
      response: { action: "modify" },
      result: { reply: { turns: [{ message: "hi you" }] } },
      report: "worked",
      degraded: [],
    });
    expect(world.log).toEqual(["request: modify", "stored hi (modify)", "worked on hi", "response: modify"]);
  });

  it("doesn't work on a blocked request, which is stored as blocked", async () => {
    const world = new World([blocks("request")]);
    expect(await world.run()).toEqual({
      status: "blocked",
      hook: "request",
      request: { action: "block", reasons: ["no"] },
      degraded: [],
    });
    expect(world.log).toEqual(["request: block", "stored hello (block)"]);
  });

  it("keeps a blocked response back, with what the work reported", async () => {
    const outcome = await new World([blocks("response")]).run();
    expect(outcome).toMatchObject({
      status: "blocked",
      hook: "response",
      response: { reasons: ["no"] },
      report: "worked",
    });
    expect(outcome).not.toHaveProperty("result");
  });

  it("has no response judged where the work failed", async () => {
    const failing: Work = async () => ({ kind: "failed", detail: "no model", report: "tried" });
    const world = new World([blocks("response")], failing);
    expect(await world.run()).toMatchObject({ status: "failed", detail: "no model", report: "tried" });
    expect(world.log).not.toContain("response: block");
  });

  it("names every supervisor whose failure let something through, once: at the request, in the work, at the response", async () => {
    const broken = supervisor("broken", new Error("down"));
    const work: Work = async (subject, noteDegraded) => {
      noteDegraded(["tool guard", "broken"]);
      return answers("fine")(subject, noteDegraded);
    };
    expect((await new World([broken], work).run()).degraded).toEqual(["broken", "tool guard"]);
  });

  it("may have other supervisors for the request than for the response", async () => {
    const world = new World({ request: [], response: [supervisor("b", { action: "block", reasons: ["no"] })] });
    expect(await world.run()).toMatchObject({ status: "blocked", hook: "response", request: { action: "allow" } });
  });

  it.each([0, 1, 2].flatMap((step) => (["begun", "worked", "stored"] as const).map((when) => ({ step, when }))))(
    "stores the request and records each pass once, when it dies at step $step ($when) and goes on",
    async (crash) => {
      const world = new World([]);
      await expect(world.run(crash)).rejects.toThrow(Superseded);
      expect(await world.run()).toMatchObject({ status: "completed" });
      expect(world.log.filter((line) => !line.startsWith("worked"))).toEqual([
        "request: allow",
        "stored hello (allow)",
        "response: allow",
      ]);
    },
  );

  it("waits for a review of the request before anything is stored or worked on", async () => {
    const world = new World([at("request", supervisor("r", { action: "review", reasons: ["unclear"] }))]);
    await expect(world.run()).rejects.toThrow(Parked);
    expect(world.log).toEqual(["request: review"]);
    world.store.answer({ decision: "accept" });
    expect(await world.run()).toMatchObject({ status: "completed" });
  });

  it("records nothing of a hop that nobody supervises", async () => {
    const store = new JournalStore();
    const hop = (content: string) => ({ hook: "hop", from: "a", to: "b", content }) as const;
    const outcome = await runExchange<"hop", "hop", undefined>(
      {
        request: hop("in"),
        supervisors: [],
        work: async () => ({ kind: "responded", response: hop("out"), report: undefined }),
      },
      {
        journal: new MemoryJournal(store),
        supervise: { ...passPorts(), decided: () => {}, review: { raisedBy: { type: "run", id: "r" } } },
      },
    );
    expect(outcome).toMatchObject({ status: "completed", result: { content: "out" } });
    expect(store.steps.size).toBe(0);
  });
});
