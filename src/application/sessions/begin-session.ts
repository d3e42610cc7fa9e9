/** Begin a session with an agent. */
import type { NewSession, Session } from "../../chat/session.js";
import { ok, type ProblemIssue, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { missingNames, missingTools, namedAt } from "../name-checks.js";
import type { Services } from "../services.js";

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
  const errors = await missingParts(actor.tenantId, definition, services);
  if (errors.length > 0) {
    return refuse("invalid", "The session names things that don't exist; store them first.", { errors });
  }
  return ok(await services.sessions.create(actor.tenantId, definition));
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
