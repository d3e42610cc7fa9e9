/** Whose session it is: end users reach those of their subject alone, and keys all of their tenant's. */
import { z } from "zod";
import type { NewSession, Session, SessionDefinition } from "../../chat/session.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { SessionOwners } from "../../stores/session-index.js";
import type { Actor } from "../../tenancy/actor.js";
import { lazily } from "../../text/lazily.js";
import type { Services } from "../services.js";

export const sessionInput = lazily(() => ({ sessionId: z.string().max(100) }));

/** Whether an actor may know of this session. A key's isn't looked up: its tenant is in the name of the session's object. */
export async function ownSession(
  actor: Actor,
  sessionId: string,
  { sessions }: Pick<Services, "sessions">,
): Promise<Result<void>> {
  if (actor.role !== "user") return ok(undefined);
  if (actor.only?.sessionId !== undefined && actor.only.sessionId !== sessionId) return noSession;
  const session = await sessions.describe(actor.tenantId, sessionId);
  if (!session.ok) return noSession;
  return isOwn(actor, session.value) ? ok(undefined) : noSession;
}

/** Whether a session is the subject's own, with an agent that its token may talk to. */
export function isOwn({ subject, only }: Actor, session: Pick<NewSession, "subject" | "agent">): boolean {
  if (session.subject === undefined || session.subject !== subject) return false;
  return only?.agents === undefined || only.agents.includes(session.agent);
}

/** Which sessions a list shows, and whose asks: for a key all of its tenant. */
export function ownersOf({ role, subject, only }: Actor): SessionOwners | undefined {
  return role === "user" ? { subject: subject ?? "", ...only } : undefined;
}

/** A session as its actor sees it: which rules, references and tools it has in force is nothing for its end user. */
export function sessionFor<
  T extends Pick<SessionDefinition, "context" | "mentionable" | "experiment"> & Pick<Session, "hold">,
>(actor: Actor, session: T): T {
  const seen = { ...session };
  // Who has which variant is for those who experiment.
  if (actor.role === "user" || actor.role === "client") delete seen.experiment;
  if (actor.role !== "user") return seen;
  const { hold } = seen;
  const shown = { ...seen, context: noContext, mentionable: { rules: [], references: [] } };
  return hold === undefined ? shown : { ...shown, hold: { state: hold.state, since: hold.since } };
}

const noContext = { rules: [], references: [], tools: [], excluded: { rules: [], references: [], tools: [] } };
export const noSession = refuse("not_found", "There is no such session.");
