/** Whose events are sent: a session's, a run's, a roundtable's or a memory's, and what it says of itself. */

import type { EventOwner } from "../../catalogues/webhooks.js";
import type { Problem } from "../../conversation/problem.js";
import type { EventSource } from "../../gateways/root-gateway.js";
import { limitEventsRoot } from "../../tenancy/limits/events.js";
import type { Services } from "../services.js";

type Roots = Pick<Services, "sessions" | "runs" | "roundtables" | "memory" | "limits">;

export function sourceOf(
  rootId: string,
  { sessions, runs, roundtables, memory, limits }: Roots,
): Pick<EventSource, "events"> {
  if (rootId === limitEventsRoot) return limits;
  if (rootId.startsWith("mem_")) return memory.ports.events;
  if (rootId.startsWith("rt_")) return roundtables;
  return rootId.startsWith("run_") ? runs : sessions;
}

/** Undefined when it is gone. @throws when that can't be told */
export async function ownerOf(
  tenantId: string,
  rootId: string,
  { sessions, runs, roundtables, memory }: Roots,
): Promise<EventOwner | undefined> {
  if (rootId === limitEventsRoot) return { rootId };
  if (rootId.startsWith("mem_")) {
    const found = await memory.ports.memories.memory(tenantId, rootId);
    return found && { rootId, subject: found.subject, externalId: found.externalId };
  }
  if (rootId.startsWith("run_")) {
    const run = await runs.describe(tenantId, rootId, 0);
    if (!run.ok) return goneOr(run.problem);
    const { team, subject, externalId } = run.value;
    return { rootId, agent: team, subject, externalId };
  }
  if (rootId.startsWith("rt_")) {
    const table = await roundtables.describe(tenantId, rootId, 0);
    if (!table.ok) return goneOr(table.problem);
    const { subject, externalId } = table.value;
    return { rootId, subject, externalId };
  }
  const session = await sessions.describe(tenantId, rootId);
  if (!session.ok) return goneOr(session.problem);
  const { agent, subject, externalId } = session.value;
  return { rootId, agent, subject, externalId };
}

function goneOr({ code, detail }: Problem): undefined {
  if (code !== "not_found") throw new Error(detail);
}
