/** The inbox in pages: whatever the order and the filter, each ask comes once, and a cursor belongs to the order it was given out for. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { type Ask, openAsk } from "../../src/asks/ask.js";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import { newTenant, type TestTenant } from "../support/conclave.js";

const ownerId = "ses_01k00000000000000000000000";
const idOf = (place: number): string => `ask_01k0000000000000000000000${place}_${ownerId}`;
const hour = 3_600_000;

/** Seven asks: every second one is urgent, the later they were opened the sooner they expire, and the last never do. */
async function inbox(): Promise<TestTenant> {
  const tenant = await newTenant();
  const asks = [1, 2, 3, 4, 5, 6, 7].map((place): Ask => {
    const ask = openAsk(idOf(place), { kind: "human", question: `${place}?`, source: {} }, {}, place);
    const deadline = place > 5 ? {} : { deadline: new Date((10 - place) * hour).toISOString() };
    return { ...ask, priority: place % 2 === 0 ? "critical" : "normal", ...deadline };
  });
  const messages = asks.map((ask, at) => ({ id: at + 1, topic: "ask", payload: JSON.stringify(ask) }));
  await deliverToD1(env.DB, { tenantId: tenant.tenantId, ownerId, messages });
  return tenant;
}

async function pages(tenant: TestTenant, query: string, cursor = ""): Promise<number[]> {
  const { status, body } = await tenant.call("GET", `/v1/asks?limit=2${query}${cursor}`);
  expect(status, JSON.stringify(body)).toBe(200);
  const places = body.items.map(({ question }: { question: string }) => Number.parseInt(question, 10));
  return body.nextCursor === null ? places : [...places, ...(await pages(tenant, query, `&cursor=${body.nextCursor}`))];
}

it("gives each ask once, in any order, with any filter", async () => {
  const tenant = await inbox();
  expect(await pages(tenant, "")).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await pages(tenant, "&sort=priority")).toEqual([2, 4, 6, 1, 3, 5, 7]);
  expect(await pages(tenant, "&sort=deadline")).toEqual([5, 4, 3, 2, 1, 6, 7]);
  expect(await pages(tenant, "&sort=deadline&priority=normal")).toEqual([5, 3, 1, 7]);
  expect(await pages(tenant, `&sort=priority&status=open&kind=human&sessionId=${ownerId}`)).toEqual([
    2, 4, 6, 1, 3, 5, 7,
  ]);
});

it("goes on from the same place when a filter is added, and refuses a cursor of another order", async () => {
  const tenant = await inbox();
  const { nextCursor } = (await tenant.call("GET", "/v1/asks?limit=3&sort=deadline")).body;
  expect(await pages(tenant, "&sort=deadline&priority=critical", `&cursor=${nextCursor}`)).toEqual([2, 6]);
  for (const sort of ["priority", "openedAt"]) {
    const refused = await tenant.call("GET", `/v1/asks?sort=${sort}&cursor=${nextCursor}`);
    expect(refused).toMatchObject({ status: 422, body: { code: "invalid", errors: [{ path: "cursor" }] } });
  }
});
