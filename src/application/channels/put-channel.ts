/** Store a connection to a chat platform: which agent answers there. What is written replaces all that was, credentials too. */
import { z } from "zod";
import {
  addressesOf,
  type Connection,
  channelSchema,
  connectionSchema,
  mapCredentials,
} from "../../channels/connection.js";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { type ProblemIssue, problem } from "../../conversation/problem.js";
import { referredSecret } from "../../conversation/secret-text.js";
import { newAddressId, newId } from "../../platform/ids.js";
import { refuseAddress } from "../../platform/outgoing.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { markAddress } from "../../tenancy/home.js";
import { act } from "../act.js";
import { readPut } from "../as-read.js";
import { doOnce } from "../creation.js";
import { missingNames, type NameReader } from "../name-checks.js";
import type { Services } from "../services.js";
import { channelTag, channelView, findChannel } from "./channel-view.js";

export const putChannel = act("putChannel", {
  role: "operator",
  route: {
    method: "put",
    path: "/v1/channels/{name}",
    tag: channelTag,
    summary: "Store a connection to a chat platform: which agent answers there (operators)",
    body: "connection",
    bodyShape: () => connectionSchema(),
    shows: "channel",
    answer: "Stored",
    other: { when: "created", status: 201, answer: "Stored for the first time, with its address" },
  },
  input: () => z.object({ name: itemName, connection: z.unknown() }),
  output: () => z.object({ channel: channelSchema(), created: z.boolean() }),
  run: async (actor, { name, connection: sent }, services) => {
    const { tenantId } = actor;
    const connection = await checkConnection(tenantId, name, sent, services);
    const ids = {
      channelId: newId("chn"),
      connectionId: markAddress(newAddressId(), services.database),
      by: recordOf(actor),
    };
    const store = (claim?: WorkClaim) => services.channels.put(tenantId, name, connection, ids, claim);
    const created = await doOnce(actor, services, store, async (note) => note === "created");
    const stored = await findChannel(actor, name, services);
    const { kind } = stored.connection;
    if (kind === connection.kind) return { channel: await channelView(stored), created };
    throw otherKind(name, kind);
  },
});

type Checks = Pick<Services, "channels" | "policy" | "memory" | "secrets"> & { readonly resources: NameReader };

/**
 * A connection as it is sent.
 * @throws {ProblemError} `invalid`, with the places
 */
export async function checkConnection(
  tenantId: string,
  name: string,
  sent: unknown,
  services: Checks,
): Promise<Connection> {
  const connection = await readPut(connectionSchema(), sent, {
    name,
    serverFields: ["channelId", "address", "health", "createdAt", "updatedAt"],
    current: async () => {
      const stored = await services.channels.find(tenantId, name);
      const open = await services.channels.open(stored);
      return stored && open && { open: open.connection, shown: await channelView(stored) };
    },
  });
  const errors = await unusableParts(tenantId, connection, services);
  if (errors.length > 0) {
    throw problem("invalid", "The channel names what doesn't exist or can't be called; see errors.", { errors });
  }
  return connection;
}

export function otherKind(name: string, kind: string) {
  const kept = `The channel "${name}" is of kind ${kind}, and that doesn't change.`;
  const errors = [{ path: "kind", message: `it is ${kind}: delete the channel first, or take another name` }];
  return problem("conflict", `${kept} Delete it first, or take another name.`, { errors });
}

async function unusableParts(
  tenantId: string,
  connection: Connection,
  { resources, policy, memory: memories, secrets }: Checks,
): Promise<ProblemIssue[]> {
  const absent = await missingNames(resources, tenantId, [{ path: "agent", kind: "agents", name: connection.agent }]);
  const addresses = addressesOf(connection).flatMap(({ path, url }) => {
    const message = refuseAddress(url, policy);
    return message === undefined ? [] : [{ path, message }];
  });
  const uses: { name: string; url: string; path: string }[] = [];
  const url = "apiBaseUrl" in connection.credentials ? (connection.credentials.apiBaseUrl ?? "") : "";
  await mapCredentials(connection, (secret, field) => {
    const name = referredSecret(secret);
    if (name !== undefined) uses.push({ name, url, path: `credentials.${field}` });
  });
  const unusable = await secrets.refusedUses(tenantId, uses);
  return [...absent, ...addresses, ...unusable, ...(await missingMemory(tenantId, connection, memories))];
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
