/** Bring what the seats of a roundtable asked for: at any time, also while a round runs. */
import { z } from "zod";
import { contextResultsSchema, roundtableSchema } from "../../roundtable/roundtable.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { answererOf } from "../asks/ask-view.js";
import { roundtableInput, roundtableTag, seenBy } from "./roundtable-view.js";

export const giveContext = act("giveContext", {
  role: "client",
  route: {
    method: "post",
    path: "/v1/roundtables/{roundtableId}/context",
    tag: roundtableTag,
    summary: "Bring what the seats asked for",
    body: "given",
    answer: "The roundtable, with what became of each result",
  },
  input: () =>
    z.object({ ...roundtableInput(), given: z.strictObject({ contextResults: contextResultsSchema.min(1) }) }),
  output: () => roundtableSchema,
  run: async (actor, { roundtableId, given: { contextResults } }, { roundtables }) => {
    const by = answererOf(actor);
    const { tenantId } = actor;
    return seenBy(actor, await roundtables.giveContext(tenantId, roundtableId, contextResults, by, commandOf(actor)));
  },
});
