/** Follow what happens in a session or a run: as a stream of server-sent events, or over a WebSocket. */
import type { EventRoot } from "../../conversation/event.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { EventSource, EventsQuery } from "../../gateways/root-gateway.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

/** What has events of its own. */
/** Whose events are followed. */
export interface RootRef {
  readonly kind: EventRoot;
  readonly id: string;
}

/** @param query the events behind one, and how long the stream stays open when nothing goes on, in milliseconds */
export async function followEvents(
  actor: Actor,
  { root, query }: { readonly root: RootRef; readonly query: EventsQuery },
  services: Services,
): Promise<Result<ReadableStream<Uint8Array>>> {
  const allowed = authorize(actor, "followEvents");
  if (!allowed.ok) return allowed;
  const stream = await sourceOf(root, services).streamEvents(actor.tenantId, root.id, query);
  return stream === null ? noRoot(root.kind) : ok(stream);
}

/** The same over a WebSocket: the root's object answers the request for the upgrade itself. */
export async function connectToEvents(
  actor: Actor,
  { root, request }: { readonly root: RootRef; readonly request: Request },
  services: Services,
): Promise<Result<Response>> {
  const allowed = authorize(actor, "followEvents");
  if (!allowed.ok) return allowed;
  const response = await sourceOf(root, services).socket(actor.tenantId, root.id, request);
  return response.status === 404 ? noRoot(root.kind) : ok(response);
}

export function noRoot(kind: EventRoot): Result<never> {
  return refuse("not_found", `There is no such ${kind}.`);
}

function sourceOf({ kind }: RootRef, { sessions, runs }: Services): EventSource {
  switch (kind) {
    case "session":
      return sessions;
    case "run":
      return runs;
  }
}
