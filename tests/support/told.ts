/** What webhooks are told of a tenant as a whole. */
import { env } from "cloudflare:workers";

export async function toldOf(tenantId: string): Promise<{ readonly type: string; readonly data: unknown }[]> {
  const query = "SELECT type, data FROM limit_events WHERE tenant_id = ? ORDER BY seq";
  const { results } = await env.DB.prepare(query).bind(tenantId).all<{ type: string; data: string }>();
  return results.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
}
