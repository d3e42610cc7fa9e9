/** Keys that expire, and how it is known of a key when it was last used. */
import { afterEach, expect, it, vi } from "vitest";
import { CallerStore } from "../../src/stores/caller-store.js";
import { newTenant, TestTenant } from "../support/conclave.js";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const hour = 3_600_000;
const inAnHour = (): string => new Date(Date.now() + hour).toISOString();

async function keyOf(tenant: TestTenant, body: object): Promise<TestTenant & { readonly keyId: string }> {
  const made = await tenant.call("POST", "/v1/keys", body);
  expect(made.status).toBe(201);
  return Object.assign(new TestTenant(tenant.tenantId, made.body.key), { keyId: String(made.body.keyId) });
}

async function listed(tenant: TestTenant, keyId: string) {
  const { items } = (await tenant.call("GET", "/v1/keys")).body;
  return items.find((key: { keyId: string }) => key.keyId === keyId);
}

it("counts until it expires, and then is a 401 that says so, with the tokens minted with it", async () => {
  const tenant = await newTenant();
  const expiresAt = inAnHour();
  const client = await keyOf(tenant, { role: "client", expiresAt });
  expect(await listed(tenant, client.keyId)).toMatchObject({ role: "client", expiresAt });
  const { token } = (await client.call("POST", "/v1/tokens", { subject: "ana", expiresInSeconds: 3_600 })).body;
  const user = new TestTenant(tenant.tenantId, token);
  expect((await user.call("GET", "/v1/sessions")).status).toBe(200);
  vi.setSystemTime(Date.parse(expiresAt));
  const refused = await client.call("GET", "/v1/sessions");
  expect(refused).toMatchObject({ status: 401, body: { code: "unauthorized" } });
  expect(refused.body.detail).toContain(`expired at ${expiresAt}`);
  expect((await user.call("GET", "/v1/sessions")).status).toBe(401);
  // Who doesn't have its secret isn't told that there was such a key.
  const guess = new TestTenant(tenant.tenantId, `${client.key.slice(0, -1)}${client.key.endsWith("A") ? "B" : "A"}`);
  expect((await guess.call("GET", "/v1/sessions")).body.detail).not.toContain("expired at");
});

it("that would have expired before it was made is refused", async () => {
  const tenant = await newTenant();
  const body = { role: "client", expiresAt: "2020-01-01T00:00:00Z" };
  expect(await tenant.call("POST", "/v1/keys", body)).toMatchObject({
    status: 422,
    body: { errors: [{ path: "expiresAt" }] },
  });
});

it("of role admin that has expired doesn't count as the last one; the last that counts stays", async () => {
  const tenant = await newTenant();
  const [first] = (await tenant.call("GET", "/v1/keys")).body.items;
  const second = await keyOf(tenant, { role: "admin", expiresAt: inAnHour() });
  vi.setSystemTime(Date.now() + 2 * hour);
  expect((await tenant.call("DELETE", `/v1/keys/${first.keyId}`)).status).toBe(409);
  expect((await tenant.call("DELETE", `/v1/keys/${second.keyId}`)).status).toBe(204);
});

it("says to the hour when it was last used, by one write an hour however many requests there are", async () => {
  const tenant = await newTenant();
  const client = await keyOf(tenant, { role: "client" });
  expect((await listed(tenant, client.keyId)).lastUsedAt).toBeUndefined();
  const noon = Math.ceil(Date.now() / hour) * hour;
  vi.setSystemTime(noon + 5_000);
  const noted = vi.spyOn(CallerStore.prototype, "noteUse");
  await Promise.all(Array.from({ length: 10 }, () => client.call("GET", "/v1/sessions")));
  await expect.poll(() => listed(tenant, client.keyId)).toMatchObject({ lastUsedAt: new Date(noon).toISOString() });
  await client.call("GET", "/v1/sessions");
  expect(noted.mock.calls.filter(([keyId]) => keyId === client.keyId)).toHaveLength(1);
  vi.setSystemTime(noon + hour + 1);
  await client.call("GET", "/v1/sessions");
  await expect
    .poll(() => listed(tenant, client.keyId))
    .toMatchObject({ lastUsedAt: new Date(noon + hour).toISOString() });
  // A wrong secret is no use of the key.
  vi.setSystemTime(noon + 3 * hour);
  await new TestTenant(tenant.tenantId, `${client.key.slice(0, -5)}AAAAA`).call("GET", "/v1/sessions");
  expect(noted.mock.calls.filter(([keyId]) => keyId === client.keyId)).toHaveLength(2);
});
