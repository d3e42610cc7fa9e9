/** Follow what happens in a session or a run: as a stream of server-sent events, or over a WebSocket. */
import type { EventRoot } from "../../conversation/event.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { EventSource, EventsQuery } from "../../gateways/root-gateway.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { noteConnection, readerOf } from "../connections.js";
import type { Services } from "../services.js";
import { ownSession } from "../sessions/own-session.js";

/** Whose events are followed. */
export interface RootRef {
  readonly kind: EventRoot;
  readonly id: string;
}

/** @param query the events behind one, and how long the stream stays open when nothing goes on, in milliseconds */
export async function followEvents(
  actor: Actor,
  { root, query }: { readonly root: RootRef; readonly query: Omit<EventsQuery, "reader"> },
  services: Services,
): Promise<Result<ReadableStream<Uint8Array>>> {
  const allowed = await mayFollow(actor, root, services);
  if (!allowed.ok) return allowed;
  return openStream(actor, root, query, services);
}

/**
 * The same for a request that waits for the work: it is asked anew whether the actor may follow it. The stream ends with that wait, so
 * it is noted nowhere: who is revoked meanwhile hears no more than the request itself brings.
 * @param until when the wait is over at the latest, in milliseconds since the epoch
 */
export async function followUntil(
  actor: Actor,
  {
    root,
    query,
    until,
  }: { readonly root: RootRef; readonly query: Omit<EventsQuery, "reader">; readonly until: number },
  services: Services,
): Promise<Result<ReadableStream<Uint8Array>>> {
  const allowed = await mayFollow(actor, root, services);
  if (!allowed.ok) return allowed;
  const reader = readerOf(actor, root.kind, services.now(), until);
  return streamOf(actor.tenantId, root, { ...query, reader }, services);
}

/** Whether `followEvents` would give the actor a stream of it. Opens none. */
export async function canFollow(actor: Actor, root: RootRef, services: Services): Promise<Result<void>> {
  const allowed = await mayFollow(actor, root, services);
  if (!allowed.ok) return allowed;
  return (await sourceOf(root, services).isThere(actor.tenantId, root.id)) ? ok(undefined) : noRoot(root.kind);
}

/** The events over a WebSocket: the root's object answers the request for the upgrade itself. */
export async function connectToEvents(
  actor: Actor,
  { root, request }: { readonly root: RootRef; readonly request: Request },
  services: Services,
): Promise<Result<Response>> {
  const allowed = await mayFollow(actor, root, services);
  if (!allowed.ok) return allowed;
  const reader = readerOf(actor, root.kind, services.now());
  const response = await sourceOf(root, services).socket(actor.tenantId, root.id, request, reader);
  if (response.status === 404) return noRoot(root.kind);
  return (await noteConnection(actor, root.id, services)) ?? ok(response);
}

/** Opens a stream for an actor who may read it. It ends when the actor's key or token is revoked. */
export async function openStream(
  actor: Actor,
  root: RootRef,
  query: Omit<EventsQuery, "reader">,
  services: Services,
): Promise<Result<ReadableStream<Uint8Array>>> {
  const reader = readerOf(actor, root.kind, services.now());
  const stream = await streamOf(actor.tenantId, root, { ...query, reader }, services);
  return stream.ok ? ((await noteConnection(actor, root.id, services)) ?? stream) : stream;
}

async function streamOf(
  tenantId: string,
  root: RootRef,
  query: EventsQuery,
  services: Services,
): Promise<Result<ReadableStream<Uint8Array>>> {
  const stream = await sourceOf(root, services).streamEvents(tenantId, root.id, query);
  return stream === null ? noRoot(root.kind) : ok(stream);
}

async function mayFollow(actor: Actor, root: RootRef, services: Services): Promise<Result<void>> {
  const allowed = authorize(actor, "followEvents");
  return allowed.ok ? ownRoot(actor, root, services) : allowed;
}

/** End users follow the sessions of their subject. */
function ownRoot(actor: Actor, { kind, id }: RootRef, services: Services): Promise<Result<void>> {
  if (kind === "session") return ownSession(actor, id, services);
  return Promise.resolve(actor.role === "user" ? noRoot(kind) : ok(undefined));
}

function noRoot(kind: EventRoot): Result<never> {
  return refuse("not_found", `There is no such ${kind}.`);
}

function sourceOf({ kind }: RootRef, { sessions, runs, roundtables }: Services): EventSource {
  switch (kind) {
    case "session":
      return sessions;
    case "run":
      return runs;
    case "roundtable":
      return roundtables;
  }
}
