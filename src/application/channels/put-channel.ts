/** Store a connection to a chat platform: which agent answers there. What is written replaces all that was, credentials too. */
import { addressesOf, type Channel, type Connection } from "../../channels/connection.js";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type ProblemIssue, type Result, refuse } from "../../conversation/problem.js";
import { newAddressId, newId } from "../../platform/ids.js";
import { refuseAddress } from "../../platform/outgoing.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { doOnce } from "../creation.js";
import { missingNames } from "../name-checks.js";
import type { Services } from "../services.js";
import { channelView, noChannel } from "./channel-view.js";

export async function putChannel(
  actor: Actor,
  { name, connection }: { readonly name: string; readonly connection: Connection },
  services: Services,
): Promise<Result<{ readonly channel: Channel; readonly created: boolean }>> {
  const allowed = authorize(actor, "putChannel");
  if (!allowed.ok) return allowed;
  const { tenantId } = actor;
  const errors = await unusableParts(tenantId, connection, services);
  if (errors.length > 0) {
    return refuse("invalid", "The channel names what doesn't exist or can't be called; see errors.", { errors });
  }
  const ids = { channelId: newId("chn"), connectionId: newAddressId(), by: recordOf(actor) };
  const store = async (claim: WorkClaim | undefined): Promise<Result<boolean>> =>
    ok(await services.channels.put(tenantId, name, connection, ids, claim));
  const created = await doOnce(actor, services, store, async (note) => ok(note === "created"));
  if (!created.ok) return created;
  const stored = await services.channels.find(tenantId, name);
  if (stored === undefined) return noChannel(name);
  if (stored.connection.kind !== connection.kind) {
    const kept = `The channel "${name}" is of kind ${stored.connection.kind}, and that doesn't change.`;
    return refuse("conflict", `${kept} Delete it first, or take another name.`, {
      errors: [{ path: "kind", message: `it is ${stored.connection.kind}` }],
    });
  }
  return ok({ channel: await channelView(stored), created: created.value });
}

async function unusableParts(
  tenantId: string,
  connection: Connection,
  { resources, policy, memory: memories }: Services,
): Promise<ProblemIssue[]> {
  const absent = await missingNames(resources, tenantId, [{ path: "agent", kind: "agents", name: connection.agent }]);
  const addresses = addressesOf(connection).flatMap(({ path, url }) => {
    const message = refuseAddress(url, policy);
    return message === undefined ? [] : [{ path, message }];
  });
  return [...absent, ...addresses, ...(await missingMemory(tenantId, connection, memories))];
}

async function missingMemory(
  tenantId: string,
  { memory }: Connection,
  memories: Services["memory"],
): Promise<ProblemIssue[]> {
  if (memory === undefined) return [];
  if ("memoryId" in memory) {
    const found = await memories.memory(tenantId, memory.memoryId);
    return found.ok ? [] : [{ path: "memory.memoryId", message: "there is no such memory" }];
  }
  const vault = await memories.ports.memories.vault(tenantId, memory.vaultId);
  return vault === undefined ? [{ path: "memory.vaultId", message: "there is no such vault" }] : [];
}
