/** Webhooks hear of what waits for people: of an ask that is overdue once, and how many wait for staff once an hour. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openAsk } from "../../src/asks/ask.js";
import { AskReminders } from "../../src/stores/ask-reminders.js";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import { newTenant } from "../support/conclave.js";

const ownerId = "ses_01k00000000000000000000000";
const hour = 3_600_000;

it("tells of each overdue ask once, and of what waits once an hour until nothing does", async () => {
  const { tenantId } = await newTenant();
  const opened = Date.UTC(2024, 0, 1);
  const request = { kind: "review", question: "?", audience: "staff", source: {} } as const;
  const ask = openAsk(`ask_01k00000000000000000000001_${ownerId}`, request, {}, opened);
  const deliver = (id: number, copy: object) =>
    deliverToD1(env.DB, { tenantId, ownerId, messages: [{ id, topic: "ask", payload: JSON.stringify(copy) }] });
  await deliver(1, ask);
  const reminders = new AskReminders(env.DB);
  const told = async () => {
    const { results } = await env.DB.prepare("SELECT type, data FROM limit_events WHERE tenant_id = ? ORDER BY seq")
      .bind(tenantId)
      .all<{ type: string; data: string }>();
    return results.map(({ type, data }) => [type, JSON.parse(data)]);
  };
  await reminders.tell(opened + 1);
  expect(await told()).toEqual([["asks.waiting", { open: 1, oldestOpenedAt: ask.openedAt }]]);
  await reminders.tell(opened + hour);
  await reminders.tell(opened + hour + 1);
  await reminders.tell(opened + hour + 60_000);
  expect((await told()).map(([type]) => type)).toEqual(["asks.waiting", "ask.overdue", "asks.waiting"]);
  expect((await told())[1]).toMatchObject([
    "ask.overdue",
    { askId: ask.askId, sessionId: ownerId, overdueAt: ask.overdueAt },
  ]);
  const answer = { status: "answered", answer: { decision: "accept" }, closedAt: ask.openedAt } as const;
  await deliver(2, { ...ask, ...answer });
  await reminders.tell(opened + 3 * hour);
  await reminders.tell(opened + 5 * hour);
  expect(await told()).toHaveLength(3);
});
