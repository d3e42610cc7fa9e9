/** Decide several asks of one kind the same way: what would be decided one by one, each on record, none with another text or for a whole session. */
import { z } from "zod";
import { type Ask, askSchema } from "../../asks/ask.js";
import { heldCall } from "../../asks/proposal.js";
import { defined } from "../../conversation/defined.js";
import { attempt, type ProblemCode, problem } from "../../conversation/problem.js";
import { act } from "../act.js";
import { answerAsk } from "./answer-ask.js";
import { readAsk } from "./read-ask.js";

/** Asks that are decided together, at most. */
const mostTogether = 50;

export const togetherDecisions = ["accept", "reject", "once", "deny"] as const;
const ofKind: Readonly<Record<(typeof togetherDecisions)[number], Ask["kind"]>> = {
  accept: "review",
  reject: "review",
  once: "approval",
  deny: "approval",
};

export const answerAsks = act("answerAsks", {
  role: "operator",
  reviewers: true,
  input: () =>
    z.object({
      askIds: z.array(z.string().max(200)).min(1).max(mostTogether),
      decision: z.enum(togetherDecisions),
      note: z.string().max(2_000).optional(),
      message: z.string().max(2_000).optional(),
    }),
  output: () =>
    z.object({ decided: z.array(askSchema), refused: z.array(z.object({ askId: z.string(), code: z.string() })) }),
  run: async (actor, { askIds, decision, note, message }, services) => {
    const asks = await Promise.all([...new Set(askIds)].map((askId) => readAsk(actor, { askId }, services)));
    const tools = new Set(asks.map((ask) => `${ask.kind} ${toolOf(ask) ?? ""}`));
    if (tools.size > 1 || asks.some(({ kind }) => kind !== ofKind[decision]))
      throw problem("invalid", "Asks that are decided together are of one kind, and calls of one tool.", {
        errors: [{ path: "askIds", message: "are of one kind and one tool" }],
      });
    const decided: Ask[] = [];
    const refused: { askId: string; code: ProblemCode }[] = [];
    for (const { askId } of asks) {
      // The same form sent again answers each once: an ask is closed by its first answer.
      const answered = await attempt(() =>
        answerAsk(actor, { askId, answer: { decision, ...defined({ note, message }) } }, services),
      );
      if (answered.ok) decided.push(answered.value);
      else refused.push({ askId, code: answered.problem.code });
    }
    return { decided, refused };
  },
});

function toolOf(ask: Ask): string | undefined {
  const call = heldCall(ask);
  return call && `${call.server}/${call.tool}`;
}
