/** Accept what a remote MCP server lists: from then on agents get that. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type ProblemIssue, type Result, refuse } from "../../conversation/problem.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { ResourceVersion } from "../../tenancy/resources.js";
import { doOnce } from "../creation.js";
import type { PinnedView } from "../remote-tools.js";
import type { Services } from "../services.js";
import { pinnedOf } from "./pinned-view.js";
import { noResource } from "./read-resource.js";
import { type ResourceView, resourceView } from "./resource-view.js";

export async function pinTools(
  actor: Actor,
  { name }: { readonly name: string },
  services: Services,
): Promise<Result<ResourceView>> {
  const allowed = authorize(actor, "pinTools");
  if (!allowed.ok) return allowed;
  const { tenantId } = actor;
  const found = await services.resources.get(tenantId, "tools", name);
  if (found === undefined) return noResource("tools", name);
  const { body, version } = found;
  if (!("mcp" in body)) {
    return refuse("invalid", `The tool "${name}" is no remote MCP server: it has no list of tools to be pinned.`);
  }
  const accept = async (claim: WorkClaim | undefined): Promise<Result<readonly string[]>> => {
    const server = { tenantId, name, version, body };
    const outcome = await services.remoteTools.accept(server, recordOf(actor), claim);
    if (!("problem" in outcome)) return ok(outcome.warnings);
    return refuse(
      "invalid",
      `The server can't be asked for its tools: ${outcome.problem}. What was pinned still counts.`,
    );
  };
  // A list that nobody has looked at is not accepted by a request that comes again.
  const warnings = await doOnce(actor, services, accept, async () => ok([]));
  if (!warnings.ok) return warnings;
  return ok({
    ...resourceView(found),
    ...(await pinnedOf(tenantId, found, services)),
    ...asWarnings(warnings.value),
  });
}

/** Pins what was just stored, where it is a remote MCP server. */
export async function pinAsStored(
  actor: Actor,
  stored: ResourceVersion,
  services: Services,
): Promise<{ readonly pinned?: PinnedView; readonly warnings?: readonly ProblemIssue[] }> {
  const { tenantId } = actor;
  const { kind, name, version, body } = stored;
  if (kind !== "tools" || !("mcp" in body)) return {};
  const warnings = await services.remoteTools.pinStored({ tenantId, name, version, body }, recordOf(actor));
  return { ...(await pinnedOf(tenantId, stored, services)), ...asWarnings(warnings) };
}

function asWarnings(messages: readonly string[]): { readonly warnings?: readonly ProblemIssue[] } {
  return messages.length === 0 ? {} : { warnings: messages.map((message) => ({ path: "mcp", message })) };
}
