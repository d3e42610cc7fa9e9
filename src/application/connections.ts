/** Sockets and streams that stay open: noted when they are opened, closed when their reader may no longer have them. */
import type { EventAudience, EventRoot } from "../conversation/event.js";
import { ok, type Result, refuse } from "../conversation/problem.js";
import type { Reader } from "../gateways/root-gateway.js";
import { sleep } from "../platform/clock.js";
import { describeError, log } from "../platform/logging.js";
import { keyOf, maxConnectionMs, type ReaderStore } from "../stores/reader-store.js";
import type { Actor } from "../tenancy/actor.js";
import type { Permission } from "../tenancy/acts.js";
import { authorize } from "../tenancy/authority.js";
import { readRoundtable } from "./roundtables/read-roundtable.js";
import { readTrace } from "./runs/read-trace.js";
import type { Services } from "./services.js";
import { readTurnTrace } from "./sessions/read-turn-trace.js";

type ConnectionPorts = Pick<Services, "sessions" | "runs" | "roundtables"> & {
  readonly readers: Pick<ReaderStore, "owners" | "closed">;
};

/** Objects that are told at the same time. */
const atOnce = 50;

/** Who may do this hears all that happens in work of a kind. */
const wholeStory = {
  session: readTurnTrace,
  run: readTrace,
  roundtable: readRoundtable,
} as const satisfies Record<EventRoot, Permission>;

/**
 * An actor as the object knows it that holds the connection. It closes it by itself when a token expires.
 * @param kind of the root whose events it follows
 * @param atMost when it closes it otherwise, in milliseconds since the epoch
 */
export function readerOf(actor: Actor, kind: EventRoot, now: number, atMost = now + maxConnectionMs): Reader {
  const until = Math.min(actor.expiresAt ?? Number.POSITIVE_INFINITY, atMost);
  return { id: actor.id, keyId: keyOf(actor), until, audience: audienceOf(actor, kind) };
}

/** Whose events an actor hears: what it may read of the work otherwise, it hears too. */
function audienceOf(actor: Actor, kind: EventRoot): EventAudience {
  if (actor.role === "user") return "user";
  return authorize(actor, wholeStory[kind]).ok ? "operator" : "client";
}

/** Notes an open connection; one whose reader was revoked while it was opened is closed again. */
export async function noteConnection(
  actor: Actor,
  rootId: string,
  services: Pick<Services, "readers" | "sessions" | "runs" | "roundtables">,
): Promise<Result<void>> {
  if (await services.readers.opened(actor, rootId, actor.issuedAt)) return ok(undefined);
  await disconnectAt(actor.tenantId, rootId, actor.id, services);
  return refuse("unauthorized", "This key or token was revoked.");
}

/** A stream that is over sooner needs no note, and its first events don't wait for the database; milliseconds. */
const noteAfterMs = 250;

/**
 * The same a moment later, for the stream of a message that this very request was let in to send: most are noted before they say
 * much. Where its reader was revoked meanwhile, or that can't be found out, the stream is closed then.
 */
export function noteConnectionSoon(actor: Actor, rootId: string, services: Parameters<typeof noteConnection>[2]): void {
  // When the stream is over, so is the request, and with it the timer.
  sleep(noteAfterMs)
    .then(() => noteConnection(actor, rootId, services))
    .catch(() => disconnectAt(actor.tenantId, rootId, actor.id, services))
    .catch((error) => {
      log("warn", "connection.not_closed", { tenantId: actor.tenantId, objectId: rootId, ...describeError(error) });
    });
}

/**
 * Closes every connection of a reader, or of anybody by a key.
 * @param who the id of a key or of a subject's tokens
 */
export async function disconnect(tenantId: string, who: string, ports: ConnectionPorts): Promise<void> {
  const owners = await ports.readers.owners(tenantId, who);
  for (let at = 0; at < owners.length; at += atOnce) {
    const some = owners.slice(at, at + atOnce);
    await Promise.all(some.map((ownerId) => disconnectAt(tenantId, ownerId, who, ports)));
    await ports.readers.closed(tenantId, who, some);
  }
}

function disconnectAt(
  tenantId: string,
  ownerId: string,
  who: string,
  { sessions, runs, roundtables }: Pick<Services, "sessions" | "runs" | "roundtables">,
): Promise<void> {
  const root = ownerId.startsWith("ses_") ? sessions : ownerId.startsWith("rt_") ? roundtables : runs;
  return root.disconnect(tenantId, ownerId, who);
}
