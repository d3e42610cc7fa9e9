/** `ask_human`: a question to a person, as an agent or a worker at an address puts it. */
import { z } from "zod";
import { acceptedAnswer, acceptedAnswers, responseOf, whatIsAccepted } from "../../asks/answer.js";
import type { Ask, AskRequest } from "../../asks/ask.js";
import type { Audience, QuestionPolicy } from "../../asks/policy.js";
import { type AgentTool, type Asking, builtInServer, type ToolOutput, type ToolRef } from "../tools.js";

export const askHuman = "ask_human";

/** Whether a call is a question to a person, and what came of it a person's answer. */
export function isAskHuman(ref: ToolRef): boolean {
  return ref.server === builtInServer && ref.tool === askHuman;
}

/** Whom an agent's calls of a tool ask; nothing of a tool that asks nobody. */
export function askedBy(ref: ToolRef, asking: Asking | undefined): { readonly audience?: Audience } {
  return isAskHuman(ref) ? { audience: audienceBy(asking?.policy) } : {};
}

/** Questions are for the end user where nobody says otherwise. */
function audienceBy(policy: QuestionPolicy | undefined): Audience {
  return policy?.audience ?? "user";
}

/** A question to a person, as an agent or a worker at an address puts it. */
export const questionSchema = z.strictObject({
  question: z.string().min(1).max(4_000).describe("What to ask, complete in itself"),
  context: z.string().max(8_000).optional().describe("What the person needs to know to answer"),
  priority: z.enum(["low", "normal", "high", "critical"]).default("normal"),
  timeoutMs: z.int().min(0).optional().describe("How long to wait, in milliseconds; 0 or nothing: for ever"),
  timeout: z.int().min(0).optional().describe("Another word for timeoutMs"),
  defaultResponse: z.string().min(1).max(4_000).optional().describe("What to assume when nobody answers in time"),
  suggestions: z.array(z.string().min(1).max(500)).max(10).optional().describe("Answers to choose from"),
  accepts: z
    .enum(acceptedAnswers)
    .default("text")
    .describe("What may be answered: any text, one of the suggestions and nothing else, or yes or no"),
});
type Question = z.infer<typeof questionSchema>;

/** Why a question can't be asked: its default is none of the answers it accepts. */
export function questionProblem({ accepts, suggestions, defaultResponse }: Question): string | undefined {
  if (defaultResponse === undefined) return undefined;
  return acceptedAnswer({ accepts, suggestions }, { response: defaultResponse }) === undefined
    ? `its defaultResponse can't be answered: ${whatIsAccepted({ accepts, suggestions })}`
    : undefined;
}

/** The ask that a question raises. */
export function askRequestOf(
  question: Omit<Question, "suggestions"> & Pick<AskRequest, "suggestions">,
  { source, policy }: Asking,
): AskRequest {
  const { defaultResponse: assumed, accepts, timeout, timeoutMs = timeout, ...rest } = question;
  // A default of the agent's that isn't among the answers of this very question can't be one.
  const fixed = policy.defaultResponse === undefined ? undefined : { response: policy.defaultResponse };
  const fitting = fixed === undefined ? undefined : acceptedAnswer(question, fixed);
  const defaultResponse = fitting ?? (assumed === undefined ? undefined : { response: assumed });
  return {
    ...rest,
    ...(accepts === "text" ? {} : { accepts }),
    kind: "human",
    audience: audienceBy(policy),
    timeoutMs: policy.timeoutMs ?? timeoutMs,
    overdueAfterMs: policy.overdueAfterMs,
    defaultResponse,
    source,
  };
}

/** Asks a person and waits, durably, for as long as it takes. */
export const askHumanTool: AgentTool = {
  ref: { server: builtInServer, tool: askHuman },
  name: askHuman,
  description:
    "Ask a person and wait for the answer. Use it when the request is ambiguous or something is missing that only a person can know.",
  parameters: z.toJSONSchema(questionSchema, { io: "input" }),
  timeoutMs: 0,
  execution: "durable",
  asksPeople: true,
  async run(args, { callId, journal, asking }) {
    const question = questionSchema.parse(args);
    const wrong = questionProblem(question);
    if (wrong !== undefined) return { content: `Not asked: ${wrong}.`, isError: true };
    const source = { ...asking?.source, tool: `${builtInServer}/${askHuman}`, toolCallId: callId };
    return outputOfAsk(journal.ask("ask", askRequestOf(question, { source, policy: asking?.policy ?? {} })));
  },
};

/** How an agent is told what a person answered, and what is assumed because nobody did. */
export const answeredWith = "The person answered: ";
export const assumedFrom = "Nobody answered in time. Assume: ";

/** What an agent reads of a question that was closed. */
export function outputOfAsk(ask: Ask): ToolOutput {
  const { status } = ask;
  const response = responseOf(ask);
  if (status === "answered" && response !== undefined) return { content: `${answeredWith}${response}` };
  if (response !== undefined) return { content: `${assumedFrom}${response}` };
  const why = status === "cancelled" ? "The question was cancelled." : "Nobody answered in time.";
  return { content: `${why} Go on without an answer, and say so.`, isError: true };
}

/** What was answered, out of the sentence in which agents are told it, and whether a person said it or nobody did and it is assumed. */
export function answerTold(output: string): { readonly from: "human" | "default"; readonly answer: string } {
  if (output.startsWith(assumedFrom)) return { from: "default", answer: output.slice(assumedFrom.length) };
  const answer = output.startsWith(answeredWith) ? output.slice(answeredWith.length) : output;
  return { from: "human", answer };
}
