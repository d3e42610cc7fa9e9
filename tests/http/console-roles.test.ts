/** Every screen of the console, and whatever its forms do, as every role of a person: who may not do its act sees nothing and changes nothing. */
import { beforeAll, expect, it } from "vitest";
import { screens } from "../../src/console/screens.js";
import { personRoles } from "../../src/conversation/actor-record.js";
import { authorize } from "../../src/tenancy/authority.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { signIn } from "../support/console.js";

let tenant: TestTenant;

beforeAll(async () => {
  tenant = await newTenant();
});

/** The address of a screen, with something that isn't there in place of what it names. */
const addressOf = (path: string): string => `/console${path.replaceAll(/:\w+/g, "none")}`;

it.each(personRoles)("a person of the role %s sees what their acts show, and does no other", async (role) => {
  const { visit, personId } = await signIn(tenant, { role });
  const actor = { tenantId: tenant.tenantId, kind: "person", id: personId, role } as const;
  const before = JSON.stringify((await tenant.call("GET", "/v1/keys")).body.items.length);
  for (const { path, needs, posts = {} } of screens) {
    const isAllowed = authorize(actor, needs).ok;
    const { status } = await visit(addressOf(path));
    expect([path, status]).toEqual([path, isAllowed ? expect.toBeOneOf([200, 302, 400, 404, 422]) : 403]);
    if (isAllowed) continue;
    for (const does of Object.keys(posts)) {
      const answer = await visit(addressOf(path), { do: does, name: "x", label: "x", role: "client", decision: "x" });
      expect([path, does, answer.status]).toEqual([path, does, expect.toBeOneOf([403, 404, 422])]);
    }
  }
  expect(JSON.stringify((await tenant.call("GET", "/v1/keys")).body.items.length)).toBe(before);
});
