/** Decide several asks of one kind the same way: what would be decided one by one, each on record, none with another text or for a whole session. */
import { z } from "zod";
import { type Ask, askSchema } from "../../asks/ask.js";
import { heldCall } from "../../asks/proposal.js";
import { defined } from "../../conversation/defined.js";
import { attempt, need, type ProblemCode, problem } from "../../conversation/problem.js";
import { newId } from "../../platform/ids.js";
import { act } from "../act.js";
import { claimId } from "../creation.js";
import { answererOf, askFor } from "./ask-view.js";
import { readAsk } from "./read-ask.js";

/** Asks that are decided together, at most. */
export const mostTogether = 50;

export const decisionsTogether = ["accept", "reject", "once", "deny"] as const;
export type Together = (typeof decisionsTogether)[number];
/** Of which kind the asks are that it decides. */
export const kindDecided = {
  accept: "review",
  reject: "review",
  once: "approval",
  deny: "approval",
} as const satisfies Readonly<Record<Together, Ask["kind"]>>;

export const answerAsks = act("answerAsks", {
  role: "operator",
  reviewers: true,
  route: {
    method: "post",
    path: "/v1/asks/answers",
    operationId: "answerAsks",
    tag: "Asks",
    summary: "Decide up to 50 asks of one kind, and calls of one tool, the same way (operators and reviewers)",
    description:
      "Each is decided by itself, and stands on record by itself, with the same `batchId`. What can't be decided is among `refused` with its code; the others are decided all the same. None is edited, and no call is allowed for a whole session.",
    body: "answers",
    answer: "What was decided, and what wasn't",
  },
  input: () =>
    z.object({
      answers: z.strictObject({
        askIds: z.array(z.string().max(100)).min(1).max(mostTogether),
        decision: z.enum(decisionsTogether),
        note: z.string().max(2_000).optional(),
        message: z.string().max(2_000).optional(),
      }),
    }),
  output: () =>
    z.object({
      batchId: z.string(),
      decided: z.array(askSchema),
      refused: z.array(z.object({ askId: z.string(), code: z.string(), detail: z.string() })),
    }),
  run: async (actor, { answers }, services) => {
    const { askIds, decision, note, message } = answers;
    const batchId = await claimId(actor, newId("bat"), answers, services);
    const refused: { askId: string; code: ProblemCode; detail: string }[] = [];
    /** What is refused of one keeps none of the others. */
    const each = async (askId: string, of: () => Promise<Ask>): Promise<Ask[]> => {
      const done = await attempt(of);
      if (done.ok) return [done.value];
      refused.push({ askId, code: done.problem.code, detail: done.problem.detail });
      return [];
    };
    const read = [...new Set(askIds)].map((askId) => each(askId, () => readAsk(actor, { askId }, services)));
    const asks = (await Promise.all(read)).flat();
    const tools = new Set(asks.map((ask) => `${ask.kind} ${toolOf(ask) ?? ""}`));
    if (tools.size > 1 || asks.some(({ kind }) => kind !== kindDecided[decision]))
      throw problem("invalid", "Asks that are decided together are of one kind, and calls of one tool.", {
        errors: [{ path: "askIds", message: "are of one kind and one tool" }],
      });
    const answer = { decision, ...defined({ note, message }) };
    const decided: Ask[] = [];
    const answerer = { ...answererOf(actor), batchId };
    // The same sent again answers each once: an ask is closed by its first answer.
    for (const { askId } of asks) {
      const close = async () => need(await services.asks.answer(actor.tenantId, askId, answer, answerer));
      decided.push(...(await each(askId, async () => askFor(actor, await close()))));
    }
    return { batchId, decided, refused };
  },
});

function toolOf(ask: Ask): string | undefined {
  const call = heldCall(ask);
  return call && `${call.server}/${call.tool}`;
}
