/** The audit is filtered by index: by type, decision, actor and end user, as lines and in pages. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { auditSelection } from "../../src/stores/audit-filter.js";
import { auditOf, keyIdOf } from "../support/audit.js";
import { newTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";

it("gives the rows of a type, a decision, an actor and an end user, and pages that go on where the last ended", async () => {
  const tenant = await newTenant();
  await tenant.rules("words", [{ match: { type: "phrases", phrases: ["osprey"] }, action: "block", reason: "no" }]);
  await (await tenant.agent("assistant", { supervisors: ["words"] })).reply({ text: "Yes.", repeat: true });
  const ada = await tenant.session({ subject: "ada" });
  await tenant.say(ada, "Hello.");
  await tenant.say(ada, "An osprey.");
  await tenant.say(await tenant.session({ subject: "bob" }), "Hello.");
  await tenant.call("POST", "/v1/subjects/ada/revoke");
  const types = async (query: string) => (await auditOf(tenant, query)).map(({ type, decision }) => [type, decision]);
  await eventually(async () => expect(await types("?type=supervision")).toHaveLength(5));
  expect(await types("?decision=block")).toEqual([["supervision", "block"]]);
  expect(await types("?type=resource.stored")).toHaveLength(2);
  expect(await types(`?actor=${keyIdOf(tenant)}&type=subject.revoked`)).toEqual([["subject.revoked", "revoked"]]);
  expect(await types("?actor=key_nobody")).toEqual([]);
  expect(await types("?subject=bob")).toHaveLength(2);
  expect((await types("?subject=ada")).map(([type]) => type)).toEqual([
    ...Array.from({ length: 3 }, () => "supervision"),
    "subject.revoked",
  ]);
  const first = await tenant.call("GET", "/v1/audit?format=json&subject=ada&limit=3");
  const next = await tenant.call("GET", `/v1/audit?format=json&subject=ada&limit=3&cursor=${first.body.nextCursor}`);
  expect([first.body.items.length, next.body.items.length, next.body.nextCursor]).toEqual([3, 1, null]);
  expect((await tenant.call("GET", "/v1/audit?format=json&cursor=nonsense")).status).toBe(422);
  expect((await tenant.call("GET", "/v1/audit?cursor=nonsense")).status).toBe(422);
});

it("each filter has an index that gives the rows in order, without a look at all others", async () => {
  const { tenantId } = await newTenant();
  const planOf = async (filter: Parameters<typeof auditSelection>[1]) => {
    const { index, conditions } = auditSelection(tenantId, filter);
    const plan = await env.DB.prepare(
      `EXPLAIN QUERY PLAN SELECT body FROM audit${index.text} WHERE tenant_id = ? AND at >= 0 AND at < 9
        AND (at, owner_id, revision) > (0, '', 0) ${conditions.text} ORDER BY at, owner_id, revision LIMIT 5`,
    )
      .bind(tenantId, ...conditions.values)
      .all<{ detail: string }>();
    return plan.results.map(({ detail }) => detail).join("\n");
  };
  for (const [filter, index] of [
    [{}, "audit_by_time"],
    [{ type: "key.created" }, "audit_by_type"],
    [{ decision: "block" }, "audit_by_decision"],
    [{ actor: "key_1" }, "audit_by_actor"],
  ] as const) {
    const plan = await planOf(filter);
    expect(plan).toContain(index);
    expect(plan).not.toContain("TEMP B-TREE");
  }
  expect(await planOf({ subject: "ada" })).not.toContain("SCAN audit");
});
