/** Go on with a roundtable: one more round, a further pass of one, or its end. */
import { z } from "zod";
import { continueSchema, roundtableSchema } from "../../roundtable/roundtable.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { answererOf } from "../asks/ask-view.js";
import { commandAnswer, roundtableInput, roundtableTag, seenBy, waitInput } from "./roundtable-view.js";

export const continueRoundtable = act("continueRoundtable", {
  role: "client",
  route: {
    method: "post",
    path: "/v1/roundtables/{roundtableId}/continue",
    tag: roundtableTag,
    summary: "Go on: one more round, with what its seats asked for; or the closing pass",
    body: "command",
    ...commandAnswer,
  },
  input: () => z.object({ ...roundtableInput(), command: continueSchema.extend(waitInput()) }),
  output: () => roundtableSchema,
  run: async (actor, { roundtableId, command: { waitMs, ...command } }, { roundtables }) => {
    const { tenantId, revision, measures } = actor;
    const about = { revision, measures, key: commandOf(actor) };
    return seenBy(actor, await roundtables.goOn(tenantId, roundtableId, command, answererOf(actor), waitMs, about));
  },
});
