/** Usage by the hour: sums stay what they were, by whatever they are asked for, and old rows are few. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { addedUpAfterMs, addUpUsage } from "../../src/stores/usage-hours.js";
import { UsageStore } from "../../src/stores/usage-store.js";
import { usageGroups } from "../../src/tenancy/usage.js";
import { newTenant } from "../support/conclave.js";

const hourMs = 3_600_000;

it("rows of an hour that differ in nothing but their work become one, once, and every report says what it said", async () => {
  const own = await newTenant();
  const { tenantId: tenant } = own;
  const begun = Date.UTC(2026, 0, 5, 10);
  const rows = Array.from({ length: 60 }, (_, n) => ({
    work: `${n % 6 === 0 ? "run" : "trn"}_${n}`,
    kind: n % 6 === 0 ? "run" : "turn",
    models: n % 4 === 0 ? ["gpt-5", "small"] : n % 5 === 0 ? [""] : ["gpt-5"],
    agent: n % 2 === 0 ? "desk" : "shop",
    subject: n % 3 === 0 ? "ana" : null,
    status: n % 5 === 0 ? "failed" : "completed",
    money: n % 7 === 0 ? null : 1_500 + n,
    at: begun + n * 3 * 60_000,
  })).flatMap(({ models, ...row }) => models.map((model) => ({ ...row, model })));
  await env.DB.prepare(
    `INSERT INTO usage (tenant_id, work_id, model, kind, agent, subject, at, model_calls, input_tokens, output_tokens, money, status)
      SELECT ?, value ->> 'work', value ->> 'model', value ->> 'kind', value ->> 'agent', value ->> 'subject', value ->> 'at',
        1, 100, 10, value ->> 'money', value ->> 'status' FROM json_each(?)`,
  )
    .bind(tenant, JSON.stringify(rows))
    .run();
  const store = new UsageStore(env.DB);
  const range = { begin: begun, end: begun + 24 * hourMs };
  const asked = usageGroups.flatMap((groupBy) =>
    [{}, { model: "gpt-5" }, { subject: "ana" }, { agent: "desk", status: "failed" as const }].map((only) => ({
      groupBy,
      only,
    })),
  );
  const reports = () =>
    Promise.all(asked.map(({ groupBy, only }) => store.report({ tenant, ...only }, { ...range, groupBy })));
  const count = async () =>
    Number(await env.DB.prepare("SELECT COUNT(*) AS n FROM usage WHERE tenant_id = ?").bind(tenant).first("n"));
  const before = await reports();

  // The third hour isn't over a week ago.
  const now = begun + 3 * hourMs + addedUpAfterMs - 1;
  // What there is no time for waits for the next time.
  let read = 0;
  await addUpUsage(env.DB, now, () => (read++ === 0 ? 0 : 60_000));
  expect(await count()).toBe(rows.length);
  await addUpUsage(env.DB, now, Date.now);
  expect(await reports()).toEqual(before);
  const inThird = rows.filter(({ at }) => at >= begun + 2 * hourMs).length;
  expect(await count()).toBeGreaterThan(inThird);
  // While something is kept in spite of that, every row stays as it is.
  const held = await count();
  expect(
    (await own.call("PUT", "/v1/holds/case", { subjects: ["ana"], reason: "A letter of the court." })).status,
  ).toBeLessThan(300);
  await addUpUsage(env.DB, now + hourMs, Date.now);
  expect(await count()).toBe(held);
  await own.call("DELETE", "/v1/holds/case");
  await addUpUsage(env.DB, now + hourMs, Date.now);
  const added = await count();
  expect(added).toBeLessThan(rows.length / 2 + 10);
  expect(await reports()).toEqual(before);
  await addUpUsage(env.DB, now + 2 * hourMs, Date.now);
  expect(await count()).toBe(added);
});
