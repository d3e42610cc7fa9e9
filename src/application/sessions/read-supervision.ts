/** Read what every pass of the supervisors decided in a session, and why: the whole of it is for staff. */
import { z } from "zod";
import { passViewSchema } from "../../chat/session.js";
import { need } from "../../conversation/problem.js";
import { passForOperators, passForOthers, type ShownPass } from "../../supervision/state.js";
import { authorize } from "../../tenancy/authority.js";
import { act } from "../act.js";
import { recordRead } from "../audit/record-read.js";
import { listOf, pageInput, readNumberedPage } from "../page.js";
import { sessionInput } from "./own-session.js";
import { readOriginals } from "./turn-for.js";

export const readSupervision = act("readSupervision", {
  role: "client",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/sessions/{sessionId}/supervision",
    tag: "Sessions",
    summary: "What every pass of the supervisors decided, and why",
    answer: "A page of supervision states",
  },
  input: () => z.object({ ...sessionInput(), ...pageInput() }),
  output: () => listOf(passViewSchema),
  run: async (actor, { sessionId, ...query }, services) => {
    const isStaff = authorize(actor, readOriginals).ok;
    const shown = isStaff ? passForOperators : passForOthers;
    const read = async (after: number, limit: number) => {
      const passes = need(await services.sessions.supervision(actor.tenantId, sessionId, after, limit));
      return {
        ...passes,
        // That there are shadows is for staff.
        items: passes.items
          .filter(({ beside }) => isStaff || !beside)
          .map(({ turnId, at, ...state }) => ({ ...shown(state), turnId, at })),
      };
    };
    const page = await readNumberedPage(query, read);
    if (isStaff && page.items.some(showsText))
      await recordRead(actor, services, { type: "originals.read", ownerId: sessionId, subject: {} });
    return page;
  },
});

/** Whether a pass has a text as it was judged. */
function showsText({ texts, steps }: ShownPass): boolean {
  return texts !== undefined || steps.some(({ faults }) => faults !== undefined);
}
