/** Begin a session with an agent; or find the one that has the caller's own id, and begin it if there is none. */
import { z } from "zod";
import {
  type NewSession,
  newSessionSchema,
  type Session,
  type SessionDefinition,
  sessionSchema,
} from "../../chat/session.js";
import { externalIdSchema } from "../../conversation/names.js";
import { need, ok, type ProblemIssue, problem, type Result, refuse } from "../../conversation/problem.js";
import { newId } from "../../platform/ids.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { act, permission } from "../act.js";
import { claimId, externalIdTaken } from "../creation.js";
import { takeOf } from "../limits/take.js";
import { findMemoriesToBind, withWarnings } from "../memory/bind-memories.js";
import { missingNames, missingTools, namedAt } from "../name-checks.js";
import type { Services } from "../services.js";
import { isOwn, noSession, sessionFor } from "./own-session.js";

/** A session's memory and metadata: what tools are told of it. */
export const equipSession = permission("equipSession", { role: "client" });

/** Rules, references and tools beside those of the agent. */
export const chooseSessionContext = permission("chooseSessionContext", { role: "operator", clientMay: true });

/**
 * A session begun twice under one key is one session.
 *
 * @example
 * const definition = newSessionSchema.parse({ agent: "assistant" });
 * const { sessionId } = await beginSession(actor, { definition }, services);
 */
export const beginSession = act("beginSession", {
  role: "client",
  ofSubject: true,
  route: {
    method: "post",
    path: "/v1/sessions",
    tag: "Sessions",
    summary: "Begin a session with an agent",
    body: "definition",
    answer: "The session",
    status: 201,
    location: "/v1/sessions/{sessionId}",
  },
  input: () => z.object({ definition: newSessionSchema }),
  output: () => sessionSchema,
  run: async (actor, input, services) => {
    const { tenantId } = actor;
    const definition = need(sessionOf(actor, input.definition));
    const { bind, warnings } = need(await checkParts(tenantId, definition, services));
    const ownId = newId("ses");
    // Who began it isn't asked for: a retry is the same request whichever version its first try came to.
    const { begunBy: _, ...request } = definition;
    const sessionId = await claimId(actor, ownId, request, services);
    // What comes again under its key was counted, if it was let in.
    const wasBegun = sessionId !== ownId && (await services.sessions.describe(tenantId, sessionId)).ok;
    if (!wasBegun) await takeOf(actor, { sessions: 1 }, definition, services);
    const { externalId } = definition;
    const begun = await bind();
    if (externalId === undefined) {
      const { session } = await services.sessions.create(tenantId, sessionId, begun);
      return withWarnings(sessionFor(actor, session), warnings);
    }
    const owner = await services.claims.claimExternalId(tenantId, "sessions", externalId, sessionId);
    // A claim whose session was never made, by a crash, is taken over: with its key, or that one's retry would get this session.
    if (owner !== sessionId && !(await services.sessions.describe(tenantId, owner)).ok) {
      await services.claims.takeOver(tenantId, owner, sessionId);
    }
    const { session, created } = await services.sessions.create(tenantId, owner, begun);
    // Of another subject's session a token isn't even told the id.
    if (actor.role === "user" && !isOwn(actor, session)) throw externalIdTaken(externalId);
    const isOwnBefore = owner === sessionId && sessionId !== ownId;
    if (created || isOwnBefore) return withWarnings(sessionFor(actor, session), warnings);
    refuseAnother(actor, definition, session);
    throw externalIdTaken(externalId, owner);
  },
});

/** The session that has the caller's own id, begun if there is none: once, however many ask at the same time. */
export const ensureSession = act("beginSession", {
  role: "client",
  ofSubject: true,
  route: {
    method: "put",
    path: "/v1/sessions/by-external-id/{externalId}",
    tag: "Sessions",
    summary: "The session that has your own id: the one there is, or a new one",
    description: "However many ask at the same time, one session is made. Of one that is there nothing is changed.",
    body: "definition",
    shows: "session",
    answer: "The one there is",
    other: { when: "created", status: 201, answer: "A new one" },
    location: "/v1/sessions/{sessionId}",
  },
  input: () => z.object({ externalId: externalIdSchema, definition: newSessionSchema }),
  output: () => z.object({ session: sessionSchema, created: z.boolean() }),
  run: async (actor, { externalId, ...input }, services) => {
    const definition = need(sessionOf(actor, input.definition));
    const { tenantId } = actor;
    const { claims, sessions } = services;
    const known = await claims.byExternalId(tenantId, "sessions", externalId);
    const there = known === undefined ? undefined : await sessions.describe(tenantId, known);
    if (there?.ok) {
      refuseAnother(actor, definition, there.value);
      return { session: sessionFor(actor, there.value), created: false };
    }
    if (definition.externalId !== undefined && definition.externalId !== externalId) {
      const detail = "The body and the path name different externalIds; leave it out of the body.";
      const errors = [{ path: "externalId", message: "it is another one than in the path" }];
      throw problem("invalid", detail, { errors });
    }
    const { bind, warnings } = need(await checkParts(tenantId, definition, services));
    await takeOf(actor, { sessions: 1 }, definition, services);
    const owner = await claims.claimExternalId(tenantId, "sessions", externalId, newId("ses"));
    const { session, created } = await sessions.create(tenantId, owner, { ...(await bind()), externalId });
    // Somebody else's may have been made at the same moment.
    refuseAnother(actor, definition, session);
    return { session: withWarnings(sessionFor(actor, session), created ? warnings : []), created };
  },
});

/** Refuses a session that was found and isn't the one that was meant: an end user can take any name, and reads what is sent there. */
function refuseAnother(actor: Actor, { subject }: NewSession, found: Session): void {
  if (actor.role === "user") {
    if (!isOwn(actor, found)) need(noSession);
  } else if (found.begunBy === "user" && subject !== undefined && found.subject !== subject) {
    throw problem("conflict", "Another end user began a session under this externalId. Use another externalId.", {
      errors: [{ path: "subject", message: "the session has another one" }],
    });
  }
}

interface CheckedParts {
  /** Binds it to its memories. */
  readonly bind: () => Promise<SessionDefinition>;
  readonly warnings: readonly ProblemIssue[];
}

/** Whether everything that it names is there. */
export async function checkParts(
  tenantId: string,
  definition: RequestedSession,
  services: Services,
): Promise<Result<CheckedParts>> {
  const [missing, memories] = await Promise.all([
    missingParts(tenantId, definition, services),
    findMemoriesToBind(tenantId, definition, services),
  ]);
  const errors = [...missing, ...memories.errors];
  if (errors.length > 0) {
    return refuse("invalid", "The session names things that don't exist; store them first.", { errors });
  }
  const bind = async () => ({ ...definition, memory: await memories.bind() });
  return ok({ bind, warnings: memories.warnings });
}

/** As a caller asked for it, its memories not found yet. */
export type RequestedSession = NewSession & Pick<SessionDefinition, "begunBy" | "stateless">;

/** The session as this actor may begin it: an end user's is their subject's, with an agent that their token may talk to. */
export function sessionOf(actor: Actor, definition: NewSession): Result<RequestedSession> {
  const { agent, context, mentionable, memory, metadata, subject } = definition;
  const { excluded, ...included } = context;
  const chosen = [...Object.values(included), ...Object.values(excluded), ...Object.values(mentionable)];
  if (chosen.some((names) => names.length > 0)) {
    const mayChoose = authorize(actor, chooseSessionContext);
    if (!mayChoose.ok) return mayChoose;
  }
  if (memory !== undefined || Object.keys(metadata).length > 0) {
    const mayEquip = authorize(actor, equipSession);
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
  { agent, supervisors, context }: NewSession,
  { resources }: Services,
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
  return [...absentNames, ...absentTools];
}
