/** What an object could not deliver is listed for operators, and goes out once they send it again. */

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { maxTries } from "../../durable-objects/kit/outbox.js";
import { newTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { rowsOf } from "../support/objects.js";

it("a parked delivery is listed, sent again, and then neither parked nor missing", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  const sessionId = await tenant.session({ subject: "ada" });
  const path = `/v1/deliveries/${sessionId}/parked`;
  const object = tenant.object(sessionId);
  await eventually(async () => expect(await rowsOf(object, "SELECT 1 FROM outbox")).toEqual([]));
  expect((await tenant.call("GET", path)).body).toEqual({ items: [] });

  const usage = { work: "trn_1", kind: "turn", agent: "assistant", models: [], at: 1 };
  await runInDurableObject(object, (_instance, state) => {
    state.storage.sql.exec(
      `INSERT INTO outbox (entity, topic, payload, attempts, due_at, error, parked_at) VALUES ('trn_1', 'usage', ?, ?, ?, 'D1 was full', 0)`,
      JSON.stringify(usage),
      maxTries,
      Date.now() + 86_400_000,
    );
  });

  const parked = { topic: "usage", attempts: maxTries, error: "D1 was full", parkedAt: "1970-01-01T00:00:00.000Z" };
  expect((await tenant.call("GET", path)).body.items).toMatchObject([parked]);
  const stranger = await newTenant();
  expect((await stranger.call("POST", `${path}/retry`)).status).toBe(404);
  expect(await tenant.call("POST", `${path}/retry`)).toMatchObject({ status: 200, body: { retried: 1 } });

  await eventually(async () => {
    const sent = await env.DB.prepare("SELECT agent FROM usage WHERE tenant_id = ? AND work_id = 'trn_1'")
      .bind(tenant.tenantId)
      .all();
    expect(sent.results).toEqual([{ agent: "assistant" }]);
    expect((await tenant.call("GET", path)).body).toEqual({ items: [] });
  });
});
