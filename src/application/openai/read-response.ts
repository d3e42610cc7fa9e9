/** Read a response that was stored: its turn, and what its caller is shown again of the request. */
import type { Session, Turn } from "../../chat/session.js";
import type { TurnRef, TurnRequest } from "../../chat/turn-request.js";
import { attempt, need, ProblemError, problem } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { act } from "../act.js";
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

export const readResponse = act("readResponse", {
  role: "client",
  ofSubject: true,
  run: async (actor, { id }: { readonly id: string }, services) => {
    const found = await findResponse(actor, id, services);
    if (found.request.ownSession === "goes") throw noResponse(id);
    return found;
  },
});

/** Those that go with their answer included, for as long as they are there. */
export async function findResponse(actor: Actor, id: string, services: Services): Promise<StoredResponse> {
  const ref = readResponseId(id);
  if (ref === undefined) throw noResponse(id);
  const read = await attempt(async () => ({
    session: await readSession(actor, ref, services),
    ...need(await services.sessions.turnAsSent(actor.tenantId, ref.sessionId, ref.turnId)),
  }));
  if (!read.ok) throw read.problem.code === "not_found" ? noResponse(id) : new ProblemError(read.problem);
  const { session, turn, request } = read.value;
  // Of a turn that was sent in another way, or whose message was erased, there is no response.
  if (request?.note === undefined) throw noResponse(id);
  return { ref, session, turn: withQuestionsFor(actor, turnFor(actor, turn)), whole: turn, request };
}

/** Whether it is of another end user than the one that a request is made for. */
export function isOfAnother(session: Pick<Session, "subject">, subject: string | undefined): boolean {
  return subject !== undefined && session.subject !== undefined && session.subject !== subject;
}

export function noResponse(id: string): ProblemError {
  return problem("not_found", `There is no response "${id}": it wasn't stored, or was deleted.`);
}
