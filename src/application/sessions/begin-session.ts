/** Begin a session with an agent. */
import type { NewSession, Session } from "../../chat/session.js";
import { ok, type ProblemIssue, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { missingNames, missingTools, namedAt } from "../name-checks.js";
import type { Services } from "../services.js";
import { sessionFor } from "./own-session.js";

/**
 * Every act has this shape: who acts, what they give, and the services. It asks whether the actor may, then whether what is named
 * exists, and then does it; what is refused is a value that each face renders in its own way.
 *
 * @example
 * const session = await beginSession(actor, newSessionSchema.parse({ agent: "assistant" }), services);
 * if (!session.ok) return session.problem.detail;
 */
export async function beginSession(actor: Actor, definition: NewSession, services: Services): Promise<Result<Session>> {
  const allowed = authorize(actor, "beginSession");
  if (!allowed.ok) return allowed;
  const own = sessionOf(actor, definition);
  if (!own.ok) return own;
  const errors = await missingParts(actor.tenantId, definition, services);
  if (errors.length > 0) {
    return refuse("invalid", "The session names things that don't exist; store them first.", { errors });
  }
  return ok(sessionFor(actor, await services.sessions.create(actor.tenantId, own.value)));
}

/** The session as this actor may begin it: an end user's is their subject's, with an agent that their token may talk to. */
function sessionOf(actor: Actor, definition: NewSession): Result<NewSession> {
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
  return ok({ ...definition, subject: actor.subject });
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
