/** Include and exclude rules, references and tools in a session, from now on. */

import type { ContextChangeBody, ContextView } from "../../chat/context.js";
import { recordOf } from "../../conversation/actor-record.js";
import { type ProblemIssue, type Result, refuse } from "../../conversation/problem.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { missingNames, missingTools, namedAt } from "../name-checks.js";
import type { Services } from "../services.js";

export async function changeSessionContext(
  actor: Actor,
  { sessionId, change }: { readonly sessionId: string; readonly change: ContextChangeBody },
  services: Services,
): Promise<Result<ContextView>> {
  const allowed = authorize(actor, "changeSessionContext");
  if (!allowed.ok) return allowed;
  const errors = await missingParts(actor.tenantId, change.add, services);
  if (errors.length > 0) {
    return refuse("invalid", "The context names things that don't exist; store them first.", { errors });
  }
  return services.sessions.changeContext(actor.tenantId, sessionId, change, recordOf(actor), commandOf(actor));
}

/** Only what is added has to exist: what was deleted can still be removed. */
async function missingParts(
  tenantId: string,
  { rules, references, tools }: ContextChangeBody["add"],
  { resources }: Services,
): Promise<ProblemIssue[]> {
  const names = [...namedAt("add.rules", "rules", rules), ...namedAt("add.references", "references", references)];
  const refs = tools.map((ref, at) => ({ path: `add.tools.${at}.tool`, ref }));
  const missing = await Promise.all([
    missingNames(resources, tenantId, names),
    missingTools(resources, tenantId, refs),
  ]);
  return missing.flat();
}
