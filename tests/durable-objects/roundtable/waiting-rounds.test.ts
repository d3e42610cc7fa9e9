/** A round that waits for a person: whoever wants the roundtable to go on is told who can answer, and how. */
import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { everybodySpeaks, getTable, newPanel, startTable } from "../../support/roundtables.js";

describe("a roundtable whose round waits for a review", () => {
  /** A roundtable whose topic somebody has to look at, and what a client is told that has it go on. */
  async function goesOn(audience: "staff" | "user") {
    const tenant = await newTenant({ reviews: { audience } });
    await tenant.rules("held", [
      { match: { type: "phrases", phrases: ["ship"] }, action: "review", reason: "A person looks at it." },
    ]);
    const client = await tenant.withRole("client");
    const panel = newPanel(["a", "b"], { supervisors: ["held"] });
    await everybodySpeaks(panel);
    const table = await startTable(tenant, panel);
    await expect.poll(async () => (await getTable(tenant, table, 0)).asks).toHaveLength(1);
    const [ask] = (await getTable(tenant, table, 0)).asks;
    const refused = await client.call("POST", `/v1/roundtables/${table.sessionId}/continue`, {});
    expect(refused).toMatchObject({ status: 409, body: { code: "waiting_on_ask", askId: ask?.askId } });
    return { askId: ask?.askId, detail: refused.body.detail };
  }

  it("tells who may not answer it that staff has to, and who may where", async () => {
    const ofStaff = await goesOn("staff");
    expect(ofStaff.detail).toContain(`waiting for staff to answer ${ofStaff.askId}.`);
    expect(ofStaff.detail).not.toContain("/v1/asks");
    const ofUsers = await goesOn("user");
    expect(ofUsers.detail).toContain(`POST /v1/asks/${ofUsers.askId}/answer`);
  });
});
