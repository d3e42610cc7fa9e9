import { expect, it } from "vitest";
import { auditAbout, keyIdOf } from "../../support/audit.js";
import { newTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";

it("an operator adds supervisors to a session that is there: they judge from its next turn on, once each, on record", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Here.", repeat: true });
  const blocks = (word: string) => [{ match: { type: "phrases", phrases: [word] }, action: "block", reason: word }];
  await tenant.rules("first", blocks("peace"));
  await tenant.rules("guard", blocks("war"));
  const session = await tenant.session({ supervisors: ["first"] });
  const path = `/v1/sessions/${session}`;
  expect((await tenant.say(session, "war?")).status).toBe("completed");

  const [client, operator] = [await tenant.withRole("client"), await tenant.withRole("operator")];
  const change = { addSupervisors: ["guard", "first"] };
  expect((await client.call("PATCH", path, change)).status).toBe(403);
  expect((await operator.call("PATCH", path, { addSupervisors: ["nobody"] })).body).toMatchObject({
    code: "invalid",
    errors: [{ path: "addSupervisors.0" }],
  });
  for (const _ of ["once", "again"]) {
    const { status, body } = await operator.call("PATCH", path, change);
    expect([status, body.supervisors]).toEqual([200, ["first", "guard"]]);
  }
  expect((await tenant.say(session, "war?")).status).toBe("blocked");
  await eventually(async () =>
    expect(await auditAbout(tenant, "session.supervised")).toMatchObject([
      { sessionId: session, actor: { id: keyIdOf(operator) }, decision: "added", subject: { changes: ["guard"] } },
    ]),
  );
});
