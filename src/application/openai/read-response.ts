/** Read a response that was stored: its turn, and what its caller is shown again of the request. */
import type { Session, Turn } from "../../chat/session.js";
import type { TurnRef, TurnRequest } from "../../chat/turn-request.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { readSession } from "../sessions/read-session.js";
import { turnFor } from "../sessions/turn-for.js";
import { withQuestionsFor } from "./questions-for.js";
import { readResponseId } from "./response-ref.js";

export interface StoredResponse {
  readonly ref: TurnRef;
  readonly session: Session;
  /** As the actor sees it. */
  readonly turn: Turn;
  /** The same with all that is hidden from the actor: for models that go on from it. */
  readonly whole: Turn;
  readonly request: TurnRequest;
}

export async function readResponse(actor: Actor, id: string, services: Services): Promise<Result<StoredResponse>> {
  const allowed = authorize(actor, "readResponse");
  if (!allowed.ok) return allowed;
  const found = await findResponse(actor, id, services);
  return found.ok && found.value.request.ownSession === "goes" ? noResponse(id) : found;
}

/** Those that go with their answer included, for as long as they are there. */
export async function findResponse(actor: Actor, id: string, services: Services): Promise<Result<StoredResponse>> {
  const ref = readResponseId(id);
  if (ref === undefined) return noResponse(id);
  const session = await readSession(actor, ref.sessionId, services);
  if (!session.ok) return session.problem.code === "not_found" ? noResponse(id) : session;
  const sent = await services.sessions.turnAsSent(actor.tenantId, ref.sessionId, ref.turnId);
  if (!sent.ok) return sent.problem.code === "not_found" ? noResponse(id) : sent;
  const { turn, request } = sent.value;
  // Of a turn that was sent in another way, or whose message was erased, there is no response.
  if (request?.note === undefined) return noResponse(id);
  return ok({ ref, session: session.value, turn: withQuestionsFor(actor, turnFor(actor, turn)), whole: turn, request });
}

/** Whether it is of another end user than the one that a request is made for. */
export function isOfAnother(session: Pick<Session, "subject">, subject: string | undefined): boolean {
  return subject !== undefined && session.subject !== undefined && session.subject !== subject;
}

export function noResponse(id: string): Result<never> {
  return refuse("not_found", `There is no response "${id}": it wasn't stored, or was deleted.`);
}
