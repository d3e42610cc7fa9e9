import { describe, expect, it } from "vitest";
import { roles } from "../../src/asks/ask.js";
import { type Actor, authorOf, deploymentActor, systemActor } from "../../src/tenancy/actor.js";
import type { Permission } from "../../src/tenancy/acts.js";
import { authorize } from "../../src/tenancy/authority.js";

const tenantId = "ten_1";
const keyOf = (role: (typeof roles)[number]): Actor => ({ tenantId, kind: "key", id: "key_1", role });

const sendMessage: Permission = { act: "sendMessage", role: "client", ofSubject: true };
const startRun: Permission = { act: "startRun", role: "client" };
const deleteSession: Permission = { act: "deleteSession", role: "operator", clientMay: true };
const putResource: Permission = { act: "putResource", role: "operator" };
const createTenant: Permission = { act: "createTenant", role: "deployment" };
const flushThread: Permission = { act: "flushThread", role: "system" };

describe("an actor may do an act", () => {
  it("that its role or a lesser one may do", () => {
    const allowed = (act: Permission) => roles.filter((role) => authorize(keyOf(role), act).ok);
    expect(allowed(sendMessage)).toEqual(["user", "client", "operator", "admin"]);
    expect(allowed(startRun)).toEqual(["client", "operator", "admin"]);
    expect(allowed(deleteSession)).toEqual(["operator", "admin"]);
    expect(allowed(createTenant)).toEqual([]);
    expect(allowed(flushThread)).toEqual([]);
  });

  it("never without a role: agents, supervisors and deadlines act inside of what a person began", () => {
    for (const kind of ["agent", "supervisor", "deadline"] as const) {
      expect(authorize({ tenantId, kind, id: "x" }, sendMessage)).toMatchObject({ ok: false });
    }
  });

  it("of the deployment only as who runs it: neither a tenant's admin nor the system's work for a tenant may", () => {
    expect(authorize(deploymentActor, createTenant).ok).toBe(true);
    for (const actor of [keyOf("admin"), systemActor(tenantId, "queue")]) {
      expect(authorize(actor, createTenant)).toMatchObject({ ok: false, problem: { code: "forbidden" } });
    }
  });

  it("of the system only as the system, working for a tenant; and nothing else as that", () => {
    expect(authorize(systemActor(tenantId, "queue"), flushThread).ok).toBe(true);
    expect(authorize(deploymentActor, flushThread).ok).toBe(false);
    expect(authorize(systemActor(tenantId, "queue"), sendMessage).ok).toBe(false);
    expect(authorize(deploymentActor, sendMessage).ok).toBe(false);
  });

  it("or is told which role is needed, and which is its own", () => {
    expect(authorize(keyOf("client"), putResource)).toEqual({
      ok: false,
      problem: { code: "forbidden", detail: "This needs a key of role operator; yours is of role client." },
    });
  });

  it("or is told that the tenant's settings can allow it", () => {
    const refused = authorize(keyOf("client"), deleteSession);
    expect(refused).toMatchObject({
      problem: {
        detail:
          'This needs a key of role operator; yours is of role client. An admin can let clients do it: name "deleteSession" in settings.clientMay.',
      },
    });
    const widened = { ...keyOf("client"), clientMay: ["deleteSession", "putResource"] };
    expect(authorize(widened, deleteSession).ok).toBe(true);
    // Only what the table marks can be allowed, and to clients alone.
    expect(authorize(widened, putResource).ok).toBe(false);
    expect(authorize({ ...widened, kind: "token", role: "user" }, deleteSession).ok).toBe(false);
  });
});

describe("an actor", () => {
  it("is named in records by its kind and id", () => {
    expect(authorOf(keyOf("operator"))).toBe("key key_1");
    expect(authorOf(systemActor(tenantId, "queue"))).toBe("system queue");
  });
});
