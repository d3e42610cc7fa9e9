/** Follow what happens in a session or a run: as a stream of server-sent events, or over a WebSocket. */
import type { EventRoot } from "../../conversation/event.js";
import { attempt, need, type ProblemError, problem } from "../../conversation/problem.js";
import type { EventSource, EventsQuery } from "../../gateways/root-gateway.js";
import { newId } from "../../platform/ids.js";
import type { Actor } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { noteConnection, readerOf } from "../connections.js";
import { takeOf } from "../limits/take.js";
import type { Services } from "../services.js";
import { ownSession } from "../sessions/own-session.js";

/** Whose events are followed. */
export interface RootRef {
  readonly kind: EventRoot;
  readonly id: string;
}

/** What is asked of a root's events: those behind one, and how long the stream stays open when nothing goes on, in milliseconds. */
type Query = Omit<EventsQuery, "reader">;

/** The events of a root that an actor may follow, in the form that a face wants. */
export const followEvents = act("followEvents", {
  role: "client",
  ofSubject: true,
  run: async (actor, root: RootRef, services) => {
    const { kind, id } = root;
    // End users follow the sessions of their subject.
    if (kind === "session") need(await ownSession(actor, id, services));
    else if (actor.role === "user") throw noRoot(kind);
    const source = sourceOf(root, services);
    return {
      /** Server-sent events. */
      stream: async (query: Query) => openStream(actor, root, query, services),
      /**
       * The same for a request that waits for the work. The stream ends with that wait, so it is noted nowhere: who is revoked meanwhile
       * hears no more than the request itself brings.
       * @param until when the wait is over at the latest, in milliseconds since the epoch
       */
      streamUntil: async (until: number, query: Query) => {
        const reader = readerOf(actor, kind, services.now(), until);
        return streamOf(actor.tenantId, root, { ...query, reader }, services);
      },
      /** Over a WebSocket: the root's object answers the request for the upgrade itself. */
      socket: async (request: Request): Promise<Response> => {
        const held = newId("soc");
        const isHeld = await takeOf(actor, { sockets: 1 }, {}, services, held);
        const reader = { ...readerOf(actor, kind, services.now()), ...(isHeld ? { held } : {}) };
        const release = async (): Promise<void> => {
          if (isHeld) await services.budgets.settle(actor.tenantId, [{ work: held, upTo: 0, tokens: 0, money: 0 }]);
        };
        const asked = await attempt(() => source.socket(actor.tenantId, id, request, reader));
        if (!asked.ok || asked.value.status !== 101) await release();
        const response = need(asked);
        if (response.status === 404) throw noRoot(kind);
        need(await noteConnection(actor, id, services));
        return response;
      },
      /** That there would be some. Opens nothing. */
      check: async (): Promise<void> => {
        if (!(await source.isThere(actor.tenantId, id))) throw noRoot(kind);
      },
    };
  },
});

/** Opens a stream for an actor who may read it. It ends when the actor's key or token is revoked. */
export async function openStream(
  actor: Actor,
  root: RootRef,
  query: Query,
  services: Services,
): Promise<ReadableStream<Uint8Array>> {
  const reader = readerOf(actor, root.kind, services.now());
  const stream = await streamOf(actor.tenantId, root, { ...query, reader }, services);
  need(await noteConnection(actor, root.id, services));
  return stream;
}

async function streamOf(
  tenantId: string,
  root: RootRef,
  query: EventsQuery,
  services: Services,
): Promise<ReadableStream<Uint8Array>> {
  const stream = await sourceOf(root, services).streamEvents(tenantId, root.id, query);
  if (stream === null) throw noRoot(root.kind);
  return stream;
}

function noRoot(kind: EventRoot): ProblemError {
  return problem("not_found", `There is no such ${kind}.`);
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
