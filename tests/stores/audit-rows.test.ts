import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { batch } from "../../src/platform/sql.js";
import { insertMemoryPass } from "../../src/stores/audit-log.js";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import { newTenant } from "../support/conclave.js";

it("a row of the audit names its work, in a message of this version and in one that an earlier version stored", async () => {
  const { tenantId } = await newTenant();
  const row = { hook: "request", decision: "allow", body: {}, at: 1 };
  const messages = [{ workId: "run_1" }, { turnId: "trn_1" }].map((work, id) => ({
    id,
    topic: "audit",
    payload: JSON.stringify({ ...work, ...row }),
  }));
  await deliverToD1(env.DB, { tenantId, ownerId: "run_1", messages });
  const { results } = await env.DB.prepare(
    "SELECT turn_id FROM audit WHERE tenant_id = ? AND owner_id = ? ORDER BY revision",
  )
    .bind(tenantId, "run_1")
    .all();
  expect(results).toEqual([{ turn_id: "run_1" }, { turn_id: "trn_1" }]);
});

it("a row of what was written to a memory is short, and has no reasons that quote a text", async () => {
  const { tenantId } = await newTenant();
  const says = {
    action: "allow",
    reasons: [],
    latencyMs: 0,
    mode: "enforce",
    beforeHash: "1",
    afterHash: "1",
  } as const;
  const step = (supervisor: string) => ({ ...says, reasons: [], supervisor, wholeReasons: ["it says 4711"] });
  const state: SupervisionState = {
    hook: "request",
    decision: "allow",
    reasons: [],
    degraded: [],
    subject: {},
    contextChanges: {
      addedRules: [],
      removedRules: [],
      addedReferences: [],
      removedReferences: [],
      addedTools: [],
      removedTools: [],
    },
    steps: [step("a"), step("b")],
  };
  const actor = { kind: "key", id: "key_1" } as const;
  await batch(env.DB, [insertMemoryPass({ tenantId, memoryId: "mem_1" }, { state, actor, at: 1 })]);
  const row = await env.DB.prepare("SELECT body FROM audit WHERE tenant_id = ? AND owner_id = 'mem_1'")
    .bind(tenantId)
    .first<{ body: string }>();
  const short = { ...says, supervisor: "a", repeatedBy: ["b"] };
  expect(JSON.parse(row?.body ?? "")).toEqual({
    hook: "request",
    decision: "allow",
    reasons: [],
    degraded: [],
    subject: {},
    steps: [short],
  });
});
