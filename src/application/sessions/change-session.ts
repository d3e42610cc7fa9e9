/** Change what is noted on a session: its metadata, and its subject where it has none yet. */
import { z } from "zod";
import { sessionChangeSchema, sessionSchema } from "../../chat/session.js";
import { recordOf } from "../../conversation/actor-record.js";
import { need, problem } from "../../conversation/problem.js";
import { commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { act, permission } from "../act.js";
import { missingNames, namedAt } from "../name-checks.js";
import { sessionInput } from "./own-session.js";

/** Supervisors beside those that it has. */
export const superviseSession = permission("superviseSession", { role: "operator", clientMay: true });

export const changeSession = act("changeSession", {
  role: "client",
  route: {
    method: "patch",
    path: "/v1/sessions/{sessionId}",
    tag: "Sessions",
    summary: "Change what is noted on a session",
    description:
      "Of the metadata what is named changes, and null removes an entry. A subject can be given to a session that has none, once. `addSupervisors` (operators) are asked beside those that the session has, from its next turn on; none is taken away.",
    body: "change",
    answer: "The session",
  },
  input: () => z.object({ ...sessionInput(), change: sessionChangeSchema }),
  output: () => sessionSchema,
  run: async (actor, { sessionId, change }, services) => {
    const { addSupervisors = [] } = change;
    if (addSupervisors.length > 0) {
      need(authorize(actor, superviseSession));
      const names = namedAt("addSupervisors", "supervisors", addSupervisors);
      const errors = await missingNames(services.resources, actor.tenantId, names);
      if (errors.length > 0) throw problem("invalid", "There is no such supervisor; store it first.", { errors });
    }
    return need(await services.sessions.change(actor.tenantId, sessionId, change, recordOf(actor), commandOf(actor)));
  },
});
