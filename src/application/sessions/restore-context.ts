/** Make an earlier version of a session's context count again, as a new one. */
import { z } from "zod";
import { contextViewSchema } from "../../chat/context.js";
import { recordOf } from "../../conversation/actor-record.js";
import { need } from "../../conversation/problem.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { sessionInput } from "./own-session.js";

export const restoreSessionContext = act("restoreSessionContext", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/sessions/{sessionId}/context/{version}/restore",
    tag: "Sessions",
    summary: "Make an earlier version count again, as a new one (operators)",
    answer: "The context, with its versions",
  },
  input: () => z.object({ ...sessionInput(), version: z.coerce.number<string>().int().min(1) }),
  output: () => contextViewSchema,
  run: async (actor, { sessionId, version }, { sessions }) =>
    need(await sessions.restoreContext(actor.tenantId, sessionId, version, recordOf(actor), commandOf(actor))),
});
