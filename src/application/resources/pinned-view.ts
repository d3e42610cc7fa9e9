/** What is pinned of a stored resource's remote tools; nothing for what has none. */
import type { ResourceVersion } from "../../tenancy/resources.js";
import type { PinnedView } from "../remote-tools.js";
import type { Services } from "../services.js";

export async function pinnedOf(
  tenantId: string,
  { kind, name, version, body }: ResourceVersion,
  { remoteTools }: Services,
): Promise<{ readonly pinned?: PinnedView }> {
  if (kind !== "tools" || !("mcp" in body)) return {};
  return { pinned: await remoteTools.view({ tenantId, name, version }) };
}
