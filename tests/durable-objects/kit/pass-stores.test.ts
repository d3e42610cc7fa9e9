/** The stores of passes: of a session, by turns, and of whatever has one work. */
import { expect, it } from "vitest";
import { PassStore as SessionPasses } from "../../../durable-objects/chat-session/pass-store.js";
import { PassStore as WorkPasses } from "../../../durable-objects/kit/pass-store.js";
import type { SupervisionState, SupervisionStep } from "../../../src/supervision/state.js";
import { inObject } from "./support.js";

const step: SupervisionStep = {
  action: "allow",
  reasons: [],
  latencyMs: 0,
  mode: "enforce",
  beforeHash: "1",
  afterHash: "1",
};
const heldBy: SupervisionStep[] = [
  { supervisor: "a", ...step },
  { supervisor: "b", ...step },
  { supervisor: "held", ...step, action: "review" },
];
const changes = { addedRules: [], removedRules: [], addedReferences: [], removedReferences: [] };
const held: SupervisionState = {
  hook: "response",
  decision: "review",
  reasons: [],
  contextChanges: { ...changes, addedTools: [], removedTools: [] },
  steps: heldBy,
  degraded: [],
};
const reviewed: SupervisionState = {
  ...held,
  decision: "allow",
  steps: [...heldBy, { actor: { kind: "key", id: "key_1" }, ...step }],
};

const stores = [
  {
    of: "a session",
    table: "CREATE TABLE passes (seq INTEGER PRIMARY KEY, turn_id TEXT, at INTEGER, state TEXT, unsent INTEGER)",
    insert: "INSERT INTO passes (turn_id, at, state) VALUES ('trn_1', 1, ?)",
    open(sql: SqlStorage) {
      const store = new SessionPasses(sql, { get: () => undefined, extendPasses: () => {} });
      return {
        add: (state: SupervisionState) => store.add("trn_1", state, 1),
        replace: () => store.replace("trn_1", held, reviewed),
        all: () => store.ofTurn("trn_1"),
      };
    },
  },
  {
    of: "a run",
    table: "CREATE TABLE passes (n INTEGER PRIMARY KEY, state TEXT)",
    insert: "INSERT INTO passes (state) VALUES (?)",
    open(sql: SqlStorage) {
      const store = new WorkPasses(sql);
      return {
        add: (state: SupervisionState) => store.add(state),
        replace: () => store.replace(held, reviewed),
        all: () => store.all(),
      };
    },
  },
];

it.each(stores)("what became of a pass that was held stands in its place, in the record of $of", async (kind) => {
  await inObject(({ storage: { sql } }) => {
    sql.exec(kind.table);
    const store = kind.open(sql);
    const other: SupervisionState = { ...held, hook: "request" };
    store.add(other);
    store.add(held);
    store.replace();
    expect(store.all()).toEqual([other, reviewed]);
  });
});

it.each(stores)(
  "and so where the version before stored a step for each supervisor, in the record of $of",
  async (kind) => {
    await inObject(({ storage: { sql } }) => {
      sql.exec(kind.table);
      sql.exec(kind.insert, JSON.stringify(held));
      const store = kind.open(sql);
      expect(store.all()).toEqual([held]);
      store.replace();
      expect(store.all()).toEqual([reviewed]);
    });
  },
);
