import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { deliverToD1 } from "../../src/stores/deliveries.js";
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
