/** What the removal of a session costs a tenant with many: every chat completion that isn't stored ends with one. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { CreationClaims } from "../../src/stores/creation-claims.js";
import { SessionIndex } from "../../src/stores/session-index.js";
import { WebhookDeliveries } from "../../src/stores/webhook-deliveries.js";
import { newTenant } from "../support/conclave.js";
import { numberedRows } from "../support/numbered-rows.js";
import { recordedDb } from "../support/recorded-db.js";

/** So many sessions, each with a key, a question, and a subscription that was told of it. */
const sessions = 300;

/** A row for each session. */
const fill = numberedRows(sessions);

it("no row of another session is read", async () => {
  const { tenantId } = await newTenant();
  const id = "'ses_' || n";
  await env.DB.batch([
    fill(
      "creation_keys",
      "sender, idempotency_key, request_hash, id, created_at",
      `'key key_1', 'k' || n, 'h', ${id}, 1`,
      tenantId,
    ),
    fill(
      "asks",
      "ask_id, owner_id, kind, status, body, revision",
      `'ask_' || n, ${id}, 'question', 'open', '{}', 1`,
      tenantId,
    ),
    fill("webhook_streams", "name, root_id, leased_until", `'crm', ${id}, 0`, tenantId),
    fill(
      "webhook_deliveries",
      "delivery_id, name, root_id, seq, type, status, next_at, created_at, updated_at",
      `?1 || n, 'crm', ${id}, 1, 'turn.completed', 'pending', 1, 1, 1`,
      tenantId,
    ),
  ]);
  const { db, rowsRead } = recordedDb(env.DB);
  const [claims, index] = [new CreationClaims(db, Date.now), new SessionIndex(db)];
  const counted = async (work: Promise<void>): Promise<number> => {
    await work;
    return rowsRead();
  };
  const few = sessions / 10;

  expect(await counted(claims.forget(tenantId, "ses_7"))).toBeLessThan(few);
  expect(await counted(claims.takeOver(tenantId, "ses_8", "ses_9"))).toBeLessThan(few);
  expect(await counted(index.forget(tenantId, "ses_7"))).toBeLessThan(few);
  expect(await counted(new WebhookDeliveries(db, Date.now).forget(tenantId, "ses_7"))).toBeLessThan(few);

  const request = (key: number) => ({ tenantId, sender: "key key_1", key: `k${key}`, hash: "h" });
  expect(await claims.find(request(7))).toEqual({ kind: "deleted" });
  expect(await claims.find(request(8))).toBeUndefined();
  expect(await claims.find(request(9))).toEqual({ kind: "claimed", id: "ses_8" });
  for (const [table, column] of [
    ["asks", "owner_id"],
    ["webhook_streams", "root_id"],
    ["webhook_deliveries", "root_id"],
  ]) {
    const left = `SELECT COUNT(*) AS n FROM ${table} WHERE tenant_id = ?1 AND ${column} <> 'ses_7'`;
    const all = `SELECT COUNT(*) AS n FROM ${table} WHERE tenant_id = ?1`;
    expect(await env.DB.prepare(left).bind(tenantId).first("n")).toBe(sessions - 1);
    expect(await env.DB.prepare(all).bind(tenantId).first("n")).toBe(sessions - 1);
  }
});
