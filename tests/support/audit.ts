/** The audit as an auditor exports it. */
import { expect } from "vitest";
import { send, type TestTenant } from "./conclave.js";

/** The rows of a tenant, oldest first, but for those of the exports by which tests read them. */
export async function auditOf(tenant: TestTenant, query = ""): Promise<Record<string, unknown>[]> {
  return (await exportedOf(tenant, query)).filter(({ type }) => type !== "audit.exported");
}

/** All rows of a tenant. */
export async function exportedOf(tenant: TestTenant, query = ""): Promise<Record<string, unknown>[]> {
  const response = await send("GET", `/v1/audit${query}`, { key: tenant.key });
  expect(response.status).toBe(200);
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  return lines.map((line): Record<string, unknown> => JSON.parse(line));
}

/** The rows of these types. */
export async function auditAbout(tenant: TestTenant, ...types: string[]): Promise<Record<string, unknown>[]> {
  return (await auditOf(tenant)).filter(({ type }) => types.includes(String(type)));
}

/** The id of the key that a tenant works with. */
export function keyIdOf({ key }: Pick<TestTenant, "key">): string {
  return `key_${key.split("_")[1] ?? ""}`;
}
