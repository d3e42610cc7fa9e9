/** Answers of asks: what fits each kind, what may be chosen, and what is told beside an answer. */
import { z } from "zod";
import { type AskKind, handoverDecisions } from "./policy.js";

/** What may be answered to a question: any text, one of its suggestions, or yes or no. */
export const acceptedAnswers = ["text", "suggestions", "yes_no"] as const;

const words = z.string().trim().min(1).max(2_000).optional();
/** Why it was decided so: `note` is kept for staff; `message` is told to the model that asked or called, or to whoever wrote or awaits the text. */
const why = { note: words, message: words };
const humanAnswer = z.strictObject({ response: z.string().min(1).max(20_000), ...why });
const contextAnswer = z
  .strictObject({
    result: z.string().max(100_000).optional(),
    error: z.string().min(1).max(2_000).optional(),
    source: z.string().max(2_000).optional(),
    ...why,
  })
  .refine((answer) => (answer.result === undefined) !== (answer.error === undefined), {
    message: "give either result or error",
  });
/** `args` are what the tool is called with instead: checked against its schema, and supervised again. */
const approvalAnswer = z
  .strictObject({
    decision: z.enum(["once", "session", "deny"]),
    args: z.record(z.string(), z.unknown()).optional(),
    ...why,
  })
  .refine(({ decision, args }) => decision !== "deny" || args === undefined, {
    message: 'args go with the decisions "once" and "session"',
    path: ["args"],
  });
const reviewAnswer = z
  .strictObject({ decision: z.enum(["accept", "edit", "reject"]), content: z.string().max(200_000).optional(), ...why })
  .refine((answer) => (answer.decision === "edit") === (answer.content !== undefined), {
    message: 'content goes with the decision "edit", and only with it',
    path: ["content"],
  });

/** Whether somebody takes the conversation over, or its agent goes on. */
const handoverAnswer = z
  .strictObject({ decision: z.enum(handoverDecisions), ...why })
  .refine(({ message }) => message === undefined, {
    message: "nobody is told a message of this: write it to the conversation once it is taken over, or use note",
    path: ["message"],
  });

/** What may answer an ask of each kind. */
export const answerSchemas = {
  human: humanAnswer,
  context: contextAnswer,
  approval: approvalAnswer,
  review: reviewAnswer,
  handover: handoverAnswer,
} as const satisfies Record<AskKind, z.ZodType>;

export const answerSchema = z.union([humanAnswer, contextAnswer, approvalAnswer, reviewAnswer, handoverAnswer]);
export type Answer = z.infer<typeof answerSchema>;

interface Accepting {
  readonly accepts?: (typeof acceptedAnswers)[number] | undefined;
  readonly suggestions?: readonly string[] | undefined;
}

export function choicesOf({ accepts, suggestions = [] }: Accepting): readonly string[] | undefined {
  if (accepts === "yes_no") return ["yes", "no"];
  // Where none are left (supervision may have taken them away), there is nothing to choose from.
  return accepts === "suggestions" && suggestions.length > 0 ? suggestions : undefined;
}

/** What may be pressed: the only answers, or those that are suggested. */
export function suggestedAnswers({ accepts, suggestions = [] }: Accepting): readonly string[] {
  return accepts === "yes_no" ? ["yes", "no"] : suggestions;
}

interface Answered {
  readonly answer?: Answer | undefined;
}

/** What was decided on a review or an approval, by whoever answered it or by its default. */
export function decisionOf({ answer }: Answered) {
  return answer !== undefined && "decision" in answer ? answer : undefined;
}

/** What was answered to a question, with what was said beside it. */
export function responseOf({ answer }: Answered): string | undefined {
  return answer !== undefined && "response" in answer ? withWords(answer.response, answer.message) : undefined;
}

/** @example withWords("No.", "Ask again in May.") // "No.\n\nAsk again in May." */
export function withWords(text: string, message: string | undefined): string {
  return message === undefined ? text : `${text}\n\n${message}`;
}

/** The answer as the question spells it; nothing if the question doesn't accept it. */
export function acceptedAnswer(ask: Accepting, answer: Answer): Answer | undefined {
  const choices = choicesOf(ask);
  if (choices === undefined || !("response" in answer)) return answer;
  const wording = answer.response.trim().toLowerCase();
  const response = choices.find((choice) => choice.trim().toLowerCase() === wording);
  return response === undefined ? undefined : { ...answer, response };
}

/** What would be right, in words. */
export function whatIsAccepted(ask: Accepting): string {
  return `answer with one of: ${(choicesOf(ask) ?? []).map((choice) => JSON.stringify(choice)).join(", ")}`;
}
