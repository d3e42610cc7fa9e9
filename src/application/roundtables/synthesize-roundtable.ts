/** Bring a debate together in one text. */
import { z } from "zod";
import { roundtableSchema } from "../../roundtable/roundtable.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { commandAnswer, roundtableInput, roundtableTag, seenBy, waitInput } from "./roundtable-view.js";

export const synthesizeRoundtable = act("synthesizeRoundtable", {
  role: "client",
  route: {
    method: "post",
    path: "/v1/roundtables/{roundtableId}/synthesis",
    tag: roundtableTag,
    summary: "Bring the debate together in one text",
    body: "wait",
    ...commandAnswer,
  },
  input: () => z.object({ ...roundtableInput(), wait: z.strictObject(waitInput()) }),
  output: () => roundtableSchema,
  run: async (actor, { roundtableId, wait: { waitMs } }, { roundtables }) => {
    const { tenantId, revision, measures } = actor;
    const sender = { revision, measures, key: commandOf(actor) };
    return seenBy(actor, await roundtables.synthesize(tenantId, roundtableId, waitMs, sender));
  },
});
