/** The people of a tenant over HTTP: who may be there, what is on record of it, and that tenants don't meet. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { auditOf } from "../support/audit.js";
import { newTenant, send } from "../support/conclave.js";
import { expectProblem } from "./support.js";

const ada = { name: "Ada", email: "Ada@Example.com ", role: "reviewer" };

describe("a tenant's people", () => {
  it("are invited with a link, listed, changed and removed; each leaves a row of the audit without their name", async () => {
    const tenant = await newTenant();
    const invited = await tenant.call("POST", "/v1/people", ada);
    expect(invited.status).toBe(201);
    expect(invited.body.link).toMatch(/^https:\/\/conclave\.test\/console\/join#[\w-]{22}$/);
    const { personId } = invited.body;
    const { items } = (await tenant.call("GET", "/v1/people")).body;
    expect(items).toEqual([
      {
        personId,
        name: "Ada",
        email: "ada@example.com",
        role: "reviewer",
        status: "invited",
        createdAt: expect.any(String),
      },
    ]);

    const changed = await tenant.call("PATCH", `/v1/people/${personId}`, { role: "operator" });
    expect(changed.body).toMatchObject({ personId, role: "operator" });
    // What changes nothing leaves no row.
    await tenant.call("PATCH", `/v1/people/${personId}`, { role: "operator" });
    expect((await tenant.call("POST", `/v1/people/${personId}/invitations`)).body.link).not.toBe(invited.body.link);
    expect((await tenant.call("DELETE", `/v1/people/${personId}`)).status).toBe(204);
    expectProblem(await tenant.call("DELETE", `/v1/people/${personId}`), "not_found");

    const rows = (await auditOf(tenant)).filter(({ type }) => String(type).startsWith("person."));
    expect(rows).toMatchObject([
      {
        type: "person.invited",
        decision: "invited",
        subject: { kind: "people", name: personId, personRole: "reviewer" },
      },
      { type: "person.changed", decision: "changed", subject: { personRole: "operator", changes: ["role"] } },
      { type: "person.invited", decision: "again" },
      { type: "person.deleted", decision: "deleted" },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/ada/i);
  });

  it("have one address each, however it is written", async () => {
    const tenant = await newTenant();
    await tenant.call("POST", "/v1/people", ada);
    const again = await tenant.call("POST", "/v1/people", { ...ada, email: "ada@example.COM" });
    expectProblem(again, "conflict");
    expect(again.body.errors).toEqual([{ path: "email", message: "somebody has this address" }]);
    // Another tenant's people are its own.
    expect((await (await newTenant()).call("POST", "/v1/people", ada)).status).toBe(201);
  });

  it("of another tenant don't exist", async () => {
    const { personId } = (await (await newTenant()).call("POST", "/v1/people", ada)).body;
    const tenant = await newTenant();
    for (const [method, path, body] of [
      ["PATCH", personId, { role: "admin" }],
      ["DELETE", personId],
      ["DELETE", `${personId}/sessions`],
      ["POST", `${personId}/invitations`],
    ] as const)
      expectProblem(await tenant.call(method, `/v1/people/${path}`, body), "not_found");
  });

  it("get a link from who runs the deployment; who is there gets another, with the role that is given, and is active", async () => {
    const tenant = await newTenant();
    const first = async (person: object) => {
      const key = env.ADMIN_SECRET;
      const answer = await send("POST", `/v1/admin/tenants/${tenant.tenantId}/people`, { key, body: person });
      expect(answer.status).toBe(201);
      return answer.json<{ personId: string; link: string }>();
    };
    const { personId } = (await tenant.call("POST", "/v1/people", ada)).body;
    await tenant.call("PATCH", `/v1/people/${personId}`, { status: "suspended" });
    expectProblem(await tenant.call("POST", `/v1/people/${personId}/invitations`), "conflict");

    const made = await first({ name: "Ada", email: "ada@example.com" });

    expect(made.personId).toBe(personId);
    expect((await tenant.call("GET", "/v1/people")).body.items).toMatchObject([{ role: "admin", status: "active" }]);
    expect((await first({ name: "Eve", email: "eve@example.com", role: "operator" })).personId).not.toBe(personId);
  });
});
