/**
 * Questions to the person at the host. A host that can ask its user gets them as `input_required`, with a sealed note on what to go
 * on with; any other gets a result `needs_input` with their ids, and answers with `answer_ask` those that it may answer. Hosts of the protocol before: `elicitation.ts`.
 */
import { type InputRequiredResult, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { z } from "zod";
import { answerAsk } from "../application/asks/answer-ask.js";
import { answererOf } from "../application/asks/ask-view.js";
import { declineAsk } from "../application/asks/decline-ask.js";
import { readAsk } from "../application/asks/read-ask.js";
import { type Ask, askKinds, mayAnswer } from "../asks/ask.js";
import { attempt, ok, type Result, refuse } from "../conversation/problem.js";
import { type AskingState, type AskingWork, askingStateSchema, type Call } from "./call.js";

/** A question as results of tools show it. */
export const questionSchema = z.object({
  askId: z.string(),
  kind: z.enum(askKinds),
  question: z.string(),
  context: z.string().optional(),
  audience: z.enum(["user", "staff"]),
  answerable: z
    .boolean()
    .describe("Whether answer_ask takes an answer from this caller; if not, it is answered elsewhere."),
  suggestions: z.array(z.string()).optional(),
  deadline: z.string().optional(),
  declinedAt: z.string().optional().describe("When its user closed it last without an answer."),
});
export type Question = z.infer<typeof questionSchema>;

/** The open ones of the asks that some work shows. */
export function questionsOf(asks: readonly Ask[], { actor }: Pick<Call, "actor">): Question[] {
  const reader = answererOf(actor);
  return asks
    .filter(({ status }) => status === "open")
    .map((ask) => questionSchema.parse({ ...ask, answerable: mayAnswer(ask, reader) }));
}

/** What is asked, and of which work. */
export interface Asking {
  readonly work: AskingWork;
  readonly asks: readonly Question[];
}

const canAskSchema = z.object({
  "io.modelcontextprotocol/clientCapabilities": z.object({ elicitation: z.record(z.string(), z.unknown()) }),
});

/** Whether the host says that it can ask its user, as it does with each request. */
function canAsk({ context }: Pick<Call, "context">): boolean {
  return canAskSchema.safeParse(context.mcpReq.envelope).success;
}

/** The question for the host's own user; undefined where the host can't ask, or nothing is theirs to answer. */
export async function inputFor(asking: Asking, call: Call): Promise<InputRequiredResult | undefined> {
  const ask = asking.asks.find(({ audience }) => audience === "user");
  if (ask === undefined || !canAsk(call) || wasDeclined(ask.askId, call)) return undefined;
  const state = { work: asking.work, askId: ask.askId, call: await call.digest() };
  const requestState = await call.seal(state, call.context);
  return inputRequired({ inputRequests: { [ask.askId]: inputRequired.elicit(formFor(ask)) }, requestState });
}

/** Somebody who closed the question without an answer isn't asked again at once. */
function wasDeclined(askId: string, { context }: Pick<Call, "context">): boolean {
  const given = inputResponse(context.mcpReq.inputResponses, askId);
  return given.kind === "elicit" && given.action !== "accept";
}

export function formFor({ kind, question, context, suggestions }: Question) {
  const message = context === undefined ? question : `${question}\n\n${context}`;
  const described = suggestions === undefined ? {} : { description: `For example: ${suggestions.join(", ")}` };
  switch (kind) {
    case "human":
      return form(message, { response: { type: "string", title: "Answer", ...described } }, ["response"]);
    case "context":
      return form(
        message,
        {
          result: { type: "string", title: "What was found" },
          source: { type: "string", title: "Where it is from" },
        },
        ["result"],
      );
    case "approval":
      return form(message, { decision: { type: "string", title: "Decision", enum: ["once", "session", "deny"] } }, [
        "decision",
      ]);
    case "handover":
      return form(message, { decision: { type: "string", title: "Decision", enum: ["take", "return"] } }, ["decision"]);
    case "review":
      return form(
        message,
        {
          decision: { type: "string", title: "Decision", enum: ["accept", "edit", "reject"] },
          content: { type: "string", title: "The text instead, for an edit" },
        },
        ["decision"],
      );
  }
}

type Property = { type: "string"; title: string; description?: string; enum?: string[] };

function form(message: string, properties: Record<string, Property>, required: string[]) {
  return { message, requestedSchema: { type: "object" as const, properties, required } };
}

/** What the host came back with, if it did: the state it carried, with the answer given to its ask. */
export async function resumed(call: Call): Promise<Result<AskingState> | undefined> {
  const { context, actor, services, goesOn } = call;
  if (goesOn !== undefined) return ok(goesOn);
  const state = askingStateSchema.safeParse(context.mcpReq.requestState());
  if (!state.success) return undefined;
  // Its result would be shown as that of what is called now.
  if (state.data.call !== undefined && state.data.call !== (await call.digest()))
    return refuse(
      "invalid",
      "This requestState belongs to another call. Send the tool and the arguments that it came back for, or leave it out.",
    );
  const { askId } = state.data;
  const given = inputResponse(context.mcpReq.inputResponses, askId);
  if (given.kind !== "elicit") return ok(state.data);
  if (given.action !== "accept") {
    // The ask stays open, and the result says so.
    await attempt(() => declineAsk(actor, { askId }, services));
    return ok(state.data);
  }
  const answer = withoutEmpty(given.content ?? {});
  const answered = await attempt(() => answerAsk(actor, { askId, answer }, services));
  // Somebody else's answer was first: the work goes on with that.
  if (!answered.ok && answered.problem.code !== "already_closed") return answered;
  return ok(state.data);
}

export function withoutEmpty(content: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== ""));
}

/** The questions in words, with their ids, for a model that reads the result. */
export function questionsText(asks: readonly Question[]): string {
  const lines = asks.map(({ askId, question, audience, kind, suggestions }) => {
    const hint = suggestions === undefined ? "" : ` Suggestions: ${suggestions.join(", ")}.`;
    return `- [${askId}] (${kind}, for ${audience}) ${question}${hint}`;
  });
  return `Input is needed before this goes on:\n${lines.join("\n")}\n${whatToDo(asks)}`;
}

function whatToDo(asks: readonly Question[]): string {
  const declined = asks.filter(({ declinedAt }) => declinedAt !== undefined).map(({ askId }) => askId);
  if (declined.length > 0)
    return `The user declined to answer ${declined.join(", ")}, which stays open. Don't answer in their name: ask them again, and give what they say with answer_ask, or withdraw it with cancel_ask.`;
  const own = asks.filter(({ answerable }) => answerable);
  if (own.length === asks.length) return "Give it with answer_ask, then read the outcome.";
  const elsewhere = "staff is asked, and answers elsewhere. You can't answer for them; read the outcome later.";
  if (own.length === 0) return `There is nothing to answer here: ${elsewhere}`;
  return `Answer ${own.map(({ askId }) => askId).join(", ")} with answer_ask. With the rest, ${elsewhere}`;
}

/** What to do about an ask that a call was refused for. */
export async function askInTheWay(
  askId: string,
  { actor, services }: Pick<Call, "actor" | "services">,
): Promise<string> {
  const ask = await attempt(() => readAsk(actor, { askId }, services));
  return ask.ok && mayAnswer(ask.value, answererOf(actor))
    ? `The ask in the way is ${askId}; answer_ask answers it.`
    : `The ask in the way is ${askId}: staff is asked, and answers elsewhere. Try again when they have.`;
}
