/** The record of a pass as it is stored: short, and nothing of it is lost. */
import { describe, expect, it } from "vitest";
import { runPass } from "../../src/supervision/pass.js";
import { type SupervisionState, type SupervisionStep, supervisionStateSchema } from "../../src/supervision/state.js";
import { packed, packedForAudit, type StoredState, storedStateSchema } from "../../src/supervision/stored-state.js";
import { supervise } from "../../src/supervision/supervise.js";
import { actions } from "../../src/supervision/verdict.js";
import { JournalStore, MemoryJournal } from "../support/memory-journal.js";
import { randomFrom } from "../support/random.js";
import { passPorts, rules } from "./support.js";

const ten = Array.from({ length: 10 }, (_, at) =>
  rules(`rules-${at}`, [{ match: { type: "phrases", phrases: ["rosebud"] }, action: "redact", reason: "no" }]),
);
const sha256 = "0123456789abcdef".repeat(4);
const message = { messageId: "msg_01k00000000000000000000000", role: "user", content: "Where is it?" } as const;
const hashed = passPorts({ hash: async () => sha256 });

const step: SupervisionStep = {
  supervisor: "a",
  action: "allow",
  reasons: [],
  beforeHash: "1",
  afterHash: "1",
  latencyMs: 0,
  mode: "enforce",
};
const noChanges = {
  addedRules: [],
  removedRules: [],
  addedReferences: [],
  removedReferences: [],
  addedTools: [],
  removedTools: [],
};

function stateOf(...steps: readonly SupervisionStep[]): SupervisionState {
  const state = { hook: "request", decision: "allow", reasons: [], contextChanges: noChanges } as const;
  return supervisionStateSchema.parse({ ...state, steps, degraded: [] });
}

function readAgain(stored: unknown): SupervisionState {
  return storedStateSchema.parse(JSON.parse(JSON.stringify(stored)));
}

const names = (stored: StoredState): string[][] =>
  stored.steps.map(({ supervisor = "", repeatedBy = [] }) => [supervisor, ...repeatedBy]);

describe("the record of a pass", () => {
  it("of ten rules supervisors that allow takes less than 650 characters, and less than 500 in the audit", async () => {
    const { state } = await runPass({ hook: "request", message }, ten, hashed);
    expect(state.steps).toHaveLength(10);
    expect(JSON.stringify(state).length).toBeGreaterThan(2_500);
    expect(JSON.stringify(packed(state)).length).toBeLessThan(650);
    expect(JSON.stringify(packedForAudit(state)).length).toBeLessThan(500);
    expect(readAgain(packed(state))).toEqual(state);
  });

  it("has one step for supervisors in a row that say the same, and keeps the order of all", () => {
    const said = (supervisor: string, more: Partial<SupervisionStep> = {}) => ({ ...step, supervisor, ...more });
    const changed = { action: "modify", afterHash: "2" } as const;
    const state = stateOf(said("a"), said("b"), said("c", changed), said("d"), said("d"), said("a"));
    expect(names(packed(state))).toEqual([["a", "b"], ["c"], ["d", "d", "a"]]);
    expect(readAgain(packed(state))).toEqual(state);
  });

  it("packs supervisors of different versions together, and keeps each one's version", () => {
    const of = (supervisor: string, version?: number) => ({ ...step, supervisor, ...(version && { version }) });
    const state = stateOf(of("a", 2), of("b", 2), of("c", 5), of("d"), of("e", 2));
    expect(packed(state).steps).toEqual([
      { ...of("a", 2), repeatedBy: ["b", "c", "d", "e"], repeatedVersions: [2, 5, null, 2] },
    ]);
    expect(readAgain(packed(state))).toEqual(state);
    expect(packed(stateOf(of("a", 2), of("b", 2))).steps).toEqual([{ ...of("a", 2), repeatedBy: ["b"] }]);
  });

  it.each<Partial<SupervisionStep>>([
    { action: "review" },
    { reasons: ["no"] },
    { wholeReasons: ["no"] },
    { calls: [{ tool: "list_rules" }] },
    { beforeHash: "0" },
    { afterHash: "2" },
    { latencyMs: 1 },
    { mode: "shadow" },
    { usage: { inputTokens: 1, outputTokens: 1 } },
    { failed: "It failed." },
    { skipped: "not sampled" },
    { actor: { kind: "supervisor", id: "b" } },
    { rules: ["mail"] },
    { model: "offline" },
  ])("has steps of their own for supervisors that differ in %o", (more) => {
    const state = stateOf(step, { ...step, supervisor: "b", ...more }, { ...step, supervisor: "c" });
    expect(names(packed(state))).toEqual([["a"], ["b"], ["c"]]);
    expect(readAgain(packed(state))).toEqual(state);
  });

  it("has a step of its own for each person who reviewed", () => {
    const { supervisor: _, ...review } = { ...step, actor: { kind: "key", id: "key_1" } as const };
    const state = stateOf(review, review, step);
    expect(packed(state).steps).toEqual([review, review, step]);
    expect(readAgain(packed(state))).toEqual(state);
  });

  it("is read as it was, whatever was decided, and packed again it is the same text", () => {
    const random = randomFrom(7);
    const oneOf = <T>(...choices: readonly T[]): T | undefined => choices[Math.floor(random() * choices.length)];
    const someStep = (): object => ({
      ...oneOf({}, {}, { version: 1 }, { version: 2 }),
      ...oneOf({}, { supervisor: "a" }, { supervisor: "b" }, { supervisor: "c" }),
      action: oneOf("allow", "allow", ...actions),
      reasons: oneOf([], [], ["no"], ["no", 'it said "no"']),
      ...oneOf({}, {}, { wholeReasons: ["no: 4711"] }),
      ...oneOf({}, {}, { calls: [{ tool: "store_rule", about: "polite" }] }),
      beforeHash: oneOf("1", "1", "2"),
      afterHash: oneOf("1", "1", "2"),
      latencyMs: oneOf(0, 0, 12),
      mode: oneOf("enforce", "enforce", "shadow"),
      ...oneOf({}, {}, { failed: "It failed." }, { skipped: "not sampled" }),
    });
    for (let round = 0; round < 300; round++) {
      const state = supervisionStateSchema.parse({
        ...stateOf(),
        ...oneOf({}, { contextChanges: { ...noChanges, addedTools: [{ server: "shop", tool: "*" }] } }),
        steps: Array.from({ length: Math.floor(random() * 8) }, someStep),
        ...oneOf({}, { subject: { messageId: "msg_1" } }),
        ...oneOf({}, { texts: { before: "4711", after: "***" } }),
      });
      const stored = packed(state);
      expect(readAgain(stored)).toEqual(state);
      expect(JSON.stringify(packed(readAgain(stored)))).toBe(JSON.stringify(stored));
    }
  });

  it("that the version before stored is read as ever", () => {
    const state = stateOf(step, { ...step, supervisor: "b" });
    expect(readAgain(state)).toEqual(state);
  });

  it("can be read by the version before, which shows the first of those who say the same", () => {
    const state = stateOf(step, { ...step, supervisor: "b" }, { ...step, supervisor: "c", action: "block" });
    const read = supervisionStateSchema.parse(JSON.parse(JSON.stringify(packed(state))));
    expect(read.steps.map(({ supervisor }) => supervisor)).toEqual(["a", "c"]);
    const row = JSON.stringify(packedForAudit(state));
    expect(supervisionStateSchema.partial().parse(JSON.parse(row))).toMatchObject({
      steps: [step, { action: "block" }],
    });
  });
});

describe("the body of a row of the audit", () => {
  it("has neither texts nor reasons that quote them", () => {
    const quoting = { ...stateOf({ ...step, wholeReasons: ["4711"] }), texts: { before: "4711", after: "***" } };
    expect(packedForAudit(quoting)).toMatchObject({ steps: [step] });
    expect(JSON.stringify(packedForAudit(quoting))).not.toContain("4711");
  });

  it("says how the context was changed, where it was", () => {
    const changes = { ...noChanges, addedRules: ["polite"] };
    expect(packedForAudit({ ...stateOf(step), contextChanges: changes })).toMatchObject({ contextChanges: changes });
    expect(packedForAudit(stateOf(step))).not.toHaveProperty("contextChanges");
  });
});

it("a pass stands in the journal as it is stored, and comes out of it with a step for each supervisor", async () => {
  const store = new JournalStore();
  const decided: SupervisionState[] = [];
  const run = () =>
    supervise({ hook: "request", message }, ten, new MemoryJournal(store), {
      ...hashed,
      decided: (state) => decided.push(state),
      review: { audience: "staff" },
      source: {},
    });
  const first = await run();
  const stored = JSON.parse(store.steps.get("pass") ?? "");
  expect(names(stored.state)).toEqual([ten.map(({ name }) => name)]);
  expect(decided.map(({ steps }) => steps.map(({ supervisor }) => supervisor))).toEqual([ten.map(({ name }) => name)]);
  expect(await run()).toEqual(first);
  expect(decided).toHaveLength(1);
});
