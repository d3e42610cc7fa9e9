/** Accept what a remote MCP server lists: from then on agents get that. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { type ProblemIssue, problem } from "../../conversation/problem.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import type { ResourceVersion } from "../../tenancy/resources.js";
import { act } from "../act.js";
import { doOnce } from "../creation.js";
import type { PinnedView } from "../remote-tools.js";
import type { Services } from "../services.js";
import { tenantPolicies } from "../work-setup.js";
import { pinnedOf } from "./pinned-view.js";
import { noResource } from "./read-resource.js";
import { type ResourceView, resourceView } from "./resource-view.js";

/** What a remote server lists reaches every model that holds its tools. */
export const pinTools = act("pinTools", {
  role: "operator",
  input: () => z.object({ name: itemName }),
  run: async (actor, { name }, services): Promise<ResourceView> => {
    const { tenantId } = actor;
    const found = await services.resources.get(tenantId, "tools", name);
    if (found === undefined) throw noResource("tools", name);
    const { body, version } = await services.resources.filled(tenantId, found);
    if (!("mcp" in body)) {
      throw problem("invalid", `The tool "${name}" is no remote MCP server: it has no list of tools to be pinned.`);
    }
    const { ordersInData } = await tenantPolicies(tenantId, services);
    const accept = async (claim?: WorkClaim): Promise<readonly string[]> => {
      const server = { tenantId, name, version, body };
      const outcome = await services.remoteTools.accept(server, recordOf(actor), ordersInData, claim);
      if (!("problem" in outcome)) return outcome.warnings;
      throw problem(
        "invalid",
        `The server can't be asked for its tools: ${outcome.problem}. What was pinned still counts.`,
      );
    };
    // A list that nobody has looked at is not accepted by a request that comes again.
    const warnings = await doOnce(actor, services, accept, async () => []);
    return { ...resourceView(found), ...(await pinnedOf(tenantId, found, services)), ...asWarnings(warnings) };
  },
});

/** Pins what was just stored, where it is a remote MCP server. */
export async function pinAsStored(
  actor: Actor,
  stored: ResourceVersion,
  services: Services,
): Promise<{ readonly pinned?: PinnedView; readonly warnings?: readonly ProblemIssue[] }> {
  const { tenantId } = actor;
  const { kind, name, version } = stored;
  if (kind !== "tools" || !("mcp" in stored.body)) return {};
  const { body } = await services.resources.filled(tenantId, stored);
  if (!("mcp" in body)) return {};
  const { ordersInData } = await tenantPolicies(tenantId, services);
  const warnings = await services.remoteTools.pinStored(
    { tenantId, name, version, body },
    recordOf(actor),
    ordersInData,
  );
  return { ...(await pinnedOf(tenantId, stored, services)), ...asWarnings(warnings) };
}

function asWarnings(messages: readonly string[]): { readonly warnings?: readonly ProblemIssue[] } {
  return messages.length === 0 ? {} : { warnings: messages.map((message) => ({ path: "mcp", message })) };
}
