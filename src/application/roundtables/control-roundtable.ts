/** Pause, resume or stop a roundtable, or have it answer with what was said until now. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { controlActions, roundtableSchema } from "../../roundtable/roundtable.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { commandAnswer, roundtableInput, roundtableTag, seenBy, waitInput } from "./roundtable-view.js";

export const controlRoundtable = act("controlRoundtable", {
  role: "client",
  route: {
    method: "post",
    path: "/v1/roundtables/{roundtableId}/control",
    tag: roundtableTag,
    summary: "Pause, resume or stop it, or have it answer now",
    body: "control",
    ...commandAnswer,
  },
  input: () =>
    z.object({ ...roundtableInput(), control: z.strictObject({ action: z.enum(controlActions), ...waitInput() }) }),
  output: () => roundtableSchema,
  run: async (actor, { roundtableId, control: { action, waitMs } }, { roundtables }) => {
    const by = recordOf(actor);
    // Only an answer is waited for: a round that is paused goes on to its end.
    const wait = action === "answerNow" ? waitMs : 0;
    return seenBy(actor, await roundtables.control(actor.tenantId, roundtableId, action, by, wait, commandOf(actor)));
  },
});
