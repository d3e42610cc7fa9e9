/** What people answered while a team worked: each question once, with who answered it, and whether anybody did. */
import { z } from "zod";
import type { AgentReport } from "../agent/agent-spec.js";
import { answerTold, isAskHuman } from "../agent/built-in/ask-human.js";
import type { Ask } from "../asks/ask.js";
import { audiences } from "../asks/policy.js";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { dataBlock } from "../conversation/data-block.js";
import { defined } from "../conversation/defined.js";
import type { EventAudience } from "../conversation/event.js";

/** A question that was put to a person while the team worked, with what came back. */
export const clarificationSchema = z.object({
  askId: z.string(),
  question: z.string(),
  /** The answer itself, as supervision left it; empty of `nobody`, and of what staff answered for who may not answer such questions. */
  answer: z.string(),
  /** `default`: nobody answered in time, and this was assumed. `nobody`: nothing was. */
  from: z.enum(["human", "default", "nobody"]),
  /** Who was asked. Those of versions before don't say. */
  audience: z.enum(audiences).optional(),
  by: actorRecordSchema.optional(),
  /** When the ask was closed. */
  at: z.iso.datetime(),
});
export type Clarification = z.infer<typeof clarificationSchema>;

const neverAnswered = "1970-01-01T00:00:00.000Z";

/** As the version before stored them: a sentence in place of the answer, and no ask. */
const formerClarificationSchema = z
  .object({ question: z.string(), answer: z.string() })
  .transform(
    ({ question, answer }): Clarification => ({ askId: "", question, ...answerTold(answer), at: neverAnswered }),
  );
export const storedClarificationSchema = z.union([clarificationSchema, formerClarificationSchema]);

/** @param answer as supervision left it. */
export function clarificationOf(ask: Ask, question: string, answer: string): Clarification {
  const { askId, status, audience, closedBy, closedAt, openedAt } = ask;
  const from = ask.answer === undefined ? "nobody" : status === "answered" ? "human" : "default";
  return {
    askId,
    question,
    answer: from === "nobody" ? "" : answer,
    from,
    audience,
    ...defined({ by: closedBy }),
    at: closedAt ?? openedAt,
  };
}

/** The questions that an agent put, with their answers as supervision let it read them; what was withheld from it is left out. */
export function clarificationsOf(
  { turns }: Pick<AgentReport, "turns">,
  askOf: (toolCallId: string) => Ask | undefined,
): Clarification[] {
  return turns
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .flatMap((call) => {
      const ask = isAskHuman(call) ? askOf(call.toolCallId) : undefined;
      if (ask === undefined || ask.status === "open") return [];
      if (call.output === undefined && ask.answer !== undefined) return [];
      return [clarificationOf(ask, String(call.args.question ?? ask.question), answerTold(call.output ?? "").answer)];
    });
}

/** Each ask once, for all that were told its answer. */
export function addClarifications(known: Clarification[], more: readonly Clarification[]): void {
  for (const added of more) {
    if (!known.some(({ askId, question }) => askId === added.askId && (askId !== "" || question === added.question)))
      known.push(added);
  }
}

/** As a caller reads them: what staff answered is for who may answer what staff is asked. @param reader `operator`: they may */
export function clarificationsShownTo(
  reader: EventAudience,
  clarifications: readonly Clarification[],
): Clarification[] {
  const isHidden = ({ audience }: Clarification): boolean => reader !== "operator" && audience === "staff";
  return clarifications.map((clarification) =>
    isHidden(clarification) ? { ...clarification, answer: "" } : clarification,
  );
}

/** As agents read them: data, with who says it. */
export function clarificationBlocks(clarifications: readonly Clarification[]): string[] {
  return clarifications.map(({ question, answer, from }) =>
    dataBlock("clarification", { from, question }, from === "nobody" ? "Nobody answered." : answer),
  );
}
