/** List the tenant's sessions, or those of a token's subject, newest first: a copy of what the sessions hold, a moment behind them. */
import { z } from "zod";
import { sessionSchema, sessionStatuses } from "../../chat/session.js";
import { externalIdSchema, itemName, subjectSchema } from "../../conversation/names.js";
import { act } from "../act.js";
import { listOf, metadataInput, pageInput, readPage } from "../page.js";
import { ownersOf, sessionFor } from "./own-session.js";

export const listSessions = act("listSessions", {
  role: "client",
  ofSubject: true,
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/sessions",
    tag: "Sessions",
    summary: "The tenant's sessions, newest first",
    description:
      "A copy of what the sessions hold, a moment behind them; one session by its id is always current. `metadata.x=y` finds those whose metadata has `y` under `x`.",
    answer: "A page of sessions",
  },
  input: () =>
    z.object({
      ...pageInput(),
      agent: itemName.optional(),
      status: z.enum(sessionStatuses).optional(),
      subject: subjectSchema.optional(),
      externalId: externalIdSchema.optional(),
      updatedAfter: z.iso.datetime({ offset: true }).transform(Date.parse).optional(),
      /** Those that a person has taken over or was asked to, or the others. */
      held: z
        .enum(["true", "false"])
        .transform((held) => held === "true")
        .optional(),
      metadata: metadataInput(),
    }),
  output: () => listOf(sessionSchema),
  run: async (actor, { limit: most, cursor, ...filter }, { near }) => {
    const shown = { ...filter, stateless: false };
    const read = async (before: string | undefined, limit: number) => {
      const sessions = await near.sessions.sessions(actor.tenantId, shown, before, limit, ownersOf(actor));
      return sessions.map((session) => sessionFor(actor, session));
    };
    return readPage({ limit: most, cursor }, read, ({ sessionId }) => sessionId);
  },
});
