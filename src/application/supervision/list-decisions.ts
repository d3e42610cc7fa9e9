/** List what supervisors didn't let pass as it was, newest first: a copy, a moment behind the objects. It holds no texts. */
import { z } from "zod";
import { itemName, subjectSchema } from "../../conversation/names.js";
import { type DecisionPosition, DecisionStore, decisionKeyOf } from "../../stores/decision-store.js";
import { decisionSchema, labels, modes } from "../../supervision/decisions.js";
import { actions, hooks } from "../../supervision/verdict.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { listOf, notACursor, pageInput, readPage } from "../page.js";

const time = lazily(() => z.iso.datetime({ offset: true }).transform(Date.parse));

/** From when on, and up to when (without it). */
export const rangeInput = lazily(() => ({ from: time().optional(), to: time().optional() }));

export const listDecisions = act("listDecisions", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/decisions",
    tag: "Decisions",
    summary: "What supervisors changed, held or stopped, newest first (operators)",
    description:
      "A row for each supervisor that didn't allow, shadows among them, without the text; `label=none` has those that nobody has labelled, and `action=allow` messages that were labelled though nobody had stopped them. `rule` goes best with `supervisor`.",
    answer: "A page of decisions",
  },
  input: () =>
    z.object({
      ...pageInput(),
      supervisor: itemName.optional(),
      rule: z.string().max(200).optional(),
      action: z.enum(actions).optional(),
      hook: z.enum(hooks).optional(),
      agent: itemName.optional(),
      subject: subjectSchema.optional(),
      sessionId: z.string().max(100).optional(),
      mode: z.enum(modes).optional(),
      label: z.enum([...labels, "none"]).optional(),
      ...rangeInput(),
    }),
  output: () => listOf(decisionSchema()),
  run: async (actor, { limit: most, cursor, ...filter }, { near }) => {
    const store = new DecisionStore(near.db);
    const read = (before: string | undefined, limit: number) =>
      store.list(actor.tenantId, filter, before === undefined ? undefined : positionOf(before), limit);
    return readPage({ limit: most, cursor }, read, ({ at, decisionId }) => `${Date.parse(at)} ${decisionId}`);
  },
});

/** A decision's place in the list: its time and its id. */
function positionOf(cursor: string): DecisionPosition {
  const [at = "", decisionId = ""] = cursor.split(" ");
  const key = decisionKeyOf(decisionId);
  if (key === undefined || !Number.isSafeInteger(Number(at))) throw notACursor();
  return { at: Number(at), ...key };
}
