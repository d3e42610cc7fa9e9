/** Begin a session with an agent; or find the one that has the caller's own id, and begin it if there is none. */
import type { NewSession, Session, SessionDefinition } from "../../chat/session.js";
import { ok, type ProblemIssue, type Result, refuse } from "../../conversation/problem.js";
import type { CreatedSession } from "../../gateways/session-gateway.js";
import { newId } from "../../platform/ids.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { claimId, externalIdTaken } from "../creation.js";
import { missingNames, missingTools, namedAt } from "../name-checks.js";
import type { Services } from "../services.js";
import { isOwn, noSession, sessionFor } from "./own-session.js";

export interface SessionInput {
  readonly definition: NewSession;
  /** A session begun twice under one key is one session. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Every act has this shape: who acts, what they give, and the services. It asks whether the actor may, then whether what is named
 * exists, and then does it; what is refused is a value that each face renders in its own way.
 *
 * @example
 * const definition = newSessionSchema.parse({ agent: "assistant" });
 * const session = await beginSession(actor, { definition }, services);
 * if (!session.ok) return session.problem.detail;
 */
export async function beginSession(
  actor: Actor,
  { definition: requested, idempotencyKey }: SessionInput,
  services: Services,
): Promise<Result<Session>> {
  const allowed = authorize(actor, "beginSession");
  if (!allowed.ok) return allowed;
  const { tenantId } = actor;
  const own = sessionOf(actor, requested);
  if (!own.ok) return own;
  const definition = own.value;
  const checked = await checkParts(tenantId, definition, services);
  if (!checked.ok) return checked;
  const ownId = newId("ses");
  // Who began it isn't asked for: a retry is the same request whichever version its first try came to.
  const { begunBy: _, ...request } = definition;
  const claimed = await claimId(actor, ownId, { request, idempotencyKey }, services);
  if (!claimed.ok) return claimed;
  const sessionId = claimed.value;
  const { externalId } = definition;
  if (externalId === undefined) {
    return ok(sessionFor(actor, (await services.sessions.create(tenantId, sessionId, definition)).session));
  }
  const owner = await services.claims.claimExternalId(tenantId, "sessions", externalId, sessionId);
  // A claim whose session was never made, by a crash, is taken over: with its key, or that one's retry would get this session.
  if (owner !== sessionId && !(await services.sessions.describe(tenantId, owner)).ok) {
    await services.claims.takeOver(tenantId, owner, sessionId);
  }
  const { session, created } = await services.sessions.create(tenantId, owner, definition);
  // Of another subject's session a token isn't even told the id.
  if (actor.role === "user" && !isOwn(actor, session)) return externalIdTaken(externalId);
  const isOwnBefore = owner === sessionId && sessionId !== ownId;
  if (created || isOwnBefore) return ok(sessionFor(actor, session));
  return ofAnother(actor, definition, session) ?? externalIdTaken(externalId, owner);
}

/** The session that has the caller's own id, begun if there is none: once, however many ask at the same time. */
export async function ensureSession(
  actor: Actor,
  { externalId, definition: requested }: { readonly externalId: string; readonly definition: NewSession },
  services: Services,
): Promise<Result<CreatedSession>> {
  const allowed = authorize(actor, "beginSession");
  if (!allowed.ok) return allowed;
  const own = sessionOf(actor, requested);
  if (!own.ok) return own;
  const definition = own.value;
  const { tenantId } = actor;
  const { claims, sessions } = services;
  const known = await claims.byExternalId(tenantId, "sessions", externalId);
  const there = known === undefined ? undefined : await sessions.describe(tenantId, known);
  if (there?.ok) {
    return ofAnother(actor, definition, there.value) ?? ok({ session: sessionFor(actor, there.value), created: false });
  }
  if (definition.externalId !== undefined && definition.externalId !== externalId) {
    const errors = [{ path: "externalId", message: "it is another one than in the path" }];
    return refuse("invalid", "The body and the path name different externalIds; leave it out of the body.", { errors });
  }
  const checked = await checkParts(tenantId, definition, services);
  if (!checked.ok) return checked;
  const owner = await claims.claimExternalId(tenantId, "sessions", externalId, newId("ses"));
  const { session, created } = await sessions.create(tenantId, owner, { ...definition, externalId });
  // Somebody else's may have been made at the same moment.
  return ofAnother(actor, definition, session) ?? ok({ session: sessionFor(actor, session), created });
}

/** Why a session that was found isn't the one that was meant: an end user can take any name, and reads what is sent there. */
function ofAnother(actor: Actor, { subject }: NewSession, found: Session): Result<never> | undefined {
  if (actor.role === "user") return isOwn(actor, found) ? undefined : noSession;
  if (found.begunBy !== "user" || subject === undefined || found.subject === subject) return undefined;
  return refuse("conflict", "Another end user began a session under this externalId. Use another externalId.", {
    errors: [{ path: "subject", message: "the session has another one" }],
  });
}

async function checkParts(tenantId: string, definition: NewSession, services: Services): Promise<Result<void>> {
  const errors = await missingParts(tenantId, definition, services);
  if (errors.length === 0) return ok(undefined);
  return refuse("invalid", "The session names things that don't exist; store them first.", { errors });
}

/** The session as this actor may begin it: an end user's is their subject's, with an agent that their token may talk to. */
export function sessionOf(actor: Actor, definition: NewSession): Result<SessionDefinition> {
  const { agent, context, mentionable, memory, metadata, subject } = definition;
  const { excluded, ...included } = context;
  const chosen = [...Object.values(included), ...Object.values(excluded), ...Object.values(mentionable)];
  if (chosen.some((names) => names.length > 0)) {
    const mayChoose = authorize(actor, "chooseSessionContext");
    if (!mayChoose.ok) return mayChoose;
  }
  if (memory !== undefined || Object.keys(metadata).length > 0) {
    const mayEquip = authorize(actor, "equipSession");
    if (!mayEquip.ok) return mayEquip;
  }
  if (actor.role !== "user") return ok(definition);
  if (actor.only?.sessionId !== undefined) {
    return refuse("forbidden", `This token is for the session ${actor.only.sessionId} alone.`);
  }
  if (subject !== undefined && subject !== actor.subject) {
    return refuse("forbidden", "A token begins sessions of its own subject. Leave `subject` out.");
  }
  if (actor.only?.agents !== undefined && !actor.only.agents.includes(agent)) {
    return refuse("forbidden", `This token is for other agents: ${actor.only.agents.join(", ")}.`);
  }
  return ok({ ...definition, subject: actor.subject, begunBy: "user" });
}

async function missingParts(
  tenantId: string,
  { agent, supervisors, context, memory }: NewSession,
  { resources, memory: memories }: Services,
): Promise<ProblemIssue[]> {
  const names = [
    { path: "agent", kind: "agents" as const, name: agent },
    ...namedAt("supervisors", "supervisors", supervisors),
    ...namedAt("context.rules", "rules", context.rules),
    ...namedAt("context.references", "references", context.references),
  ];
  const tools = context.tools.map((ref, at) => ({ path: `context.tools.${at}.tool`, ref }));
  const [absentNames, absentTools] = await Promise.all([
    missingNames(resources, tenantId, names),
    missingTools(resources, tenantId, tools),
  ]);
  const isMissing = memory !== undefined && !(await memories.memory(tenantId, memory.memoryId)).ok;
  return [
    ...absentNames,
    ...absentTools,
    ...(isMissing ? [{ path: "memory.memoryId", message: "there is no such memory" }] : []),
  ];
}
