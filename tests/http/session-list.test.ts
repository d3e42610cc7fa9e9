import { describe, expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";

describe("the list of sessions", () => {
  it("shows the tenant's sessions, newest first, with their status", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const first = await tenant.session({ metadata: { place: 1 } });
    const second = await tenant.session({ metadata: { place: 2 } });

    // The list is a copy, fed through the sessions' outboxes.
    const list = await untilListed(tenant, 2);

    expect(list.map((session) => session.sessionId)).toEqual([second, first]);
    expect(list[0]).toMatchObject({ agent: "assistant", metadata: { place: 2 } });
    expect(list[0]).toMatchObject({ status: "idle", updatedAt: expect.any(String) });
  });
});

async function untilListed(
  tenant: Awaited<ReturnType<typeof newTenant>>,
  count: number,
): Promise<{ sessionId: string }[]> {
  for (;;) {
    const answer = await tenant.call("GET", "/v1/sessions");
    expect(answer.status).toBe(200);
    if (answer.body.items.length >= count) return answer.body.items;
  }
}
