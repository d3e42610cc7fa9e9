/** Include and exclude rules, references and tools in a session, from now on. */
import { z } from "zod";
import { type ContextChangeBody, contextChangeSchema, contextViewSchema } from "../../chat/context.js";
import { recordOf } from "../../conversation/actor-record.js";
import { need, type ProblemIssue, problem } from "../../conversation/problem.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { missingNames, missingTools, namedAt } from "../name-checks.js";
import type { Services } from "../services.js";
import { sessionInput } from "./own-session.js";

/** What a supervisor has excluded isn't included again by whom it was excluded for. */
export const changeSessionContext = act("changeSessionContext", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/sessions/{sessionId}/context",
    operationId: "changeSessionContext",
    tag: "Sessions",
    summary: "Include and exclude rules, references and tools, from now on (operators)",
    description:
      "It holds at once, for the next prompt and the next tool call of a turn under way too. The tool `*` stands for all tools of its server. What is removed is excluded, whoever else names it; adding it again lifts that.",
    body: "change",
    answer: "The context, with its versions",
  },
  input: () => z.object({ ...sessionInput(), change: contextChangeSchema }),
  output: () => contextViewSchema,
  run: async (actor, { sessionId, change }, services) => {
    const { tenantId } = actor;
    const errors = await missingParts(tenantId, change.add, services);
    if (errors.length > 0) {
      throw problem("invalid", "The context names things that don't exist; store them first.", { errors });
    }
    return need(await services.sessions.changeContext(tenantId, sessionId, change, recordOf(actor), commandOf(actor)));
  },
});

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
