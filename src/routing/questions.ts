/** Questions to people within a team: how many there may be, and that none is put to a person twice. */
import { z } from "zod";
import { askRequestOf, isAskHuman, outputOfAsk, questionProblem, questionSchema } from "../agent/built-in/ask-human.js";
import { type Journal, Parked } from "../agent/journal.js";
import type { AgentTool } from "../agent/tools.js";
import type { Ask, AskRequest } from "../asks/ask.js";
import { isSameQuestion } from "../text/same-question.js";

/** What tells one question from another: an answer to one that differs in any of these is no answer to it. */
type Question = Pick<AskRequest, "question" | "context" | "accepts" | "suggestions" | "audience">;

const decisionSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ask") }),
  /** It was asked in this run before: by the call of this id. */
  z.object({ kind: z.literal("asked"), by: z.string() }),
  z.object({ kind: z.literal("refused") }),
]);
type Decision = z.infer<typeof decisionSchema>;

/** A permit as the version before stored it. */
const formerSchema = z.boolean().transform((may): Decision => ({ kind: may ? "ask" : "refused" }));

/** A run's questions: those that were raised, and those that are permitted and not raised yet. */
export class QuestionPermits {
  private readonly granted = new Map<string, Question | undefined>();
  /** Which call's ask answers a call. */
  private readonly answeredBy = new Map<string, string>();

  constructor(
    private readonly max: number,
    private readonly asks: () => readonly Ask[],
  ) {}

  /**
   * Whether this call may ask, or was asked before. Decided once: a replay gets the same answer.
   * @param question absent for one that is never the same as another.
   */
  async decide(callId: string, question: Question | undefined, journal: Journal): Promise<Decision> {
    const schema = z.union([decisionSchema, formerSchema]);
    const decision = await journal.step<Decision>(
      { id: "permit", kind: "load", schema, interrupted: "again" },
      async () => this.choose(callId, question),
    );
    if (decision.kind === "ask") this.granted.set(callId, question);
    if (decision.kind !== "refused") this.answeredBy.set(callId, decision.kind === "asked" ? decision.by : callId);
    return decision;
  }

  /** The ask that answers a call which asked, or whose question had been asked. */
  askOf(callId: string): Ask | undefined {
    const by = this.answeredBy.get(callId) ?? callId;
    return this.human().find(({ from }) => from.toolCallId === by);
  }

  /** The closed ask of a question that was asked before. @throws {Parked} while it is open. */
  closedAsk(callId: string): Ask {
    const ask = this.askOf(callId);
    if (ask === undefined || ask.status === "open") throw new Parked(ask === undefined ? [] : [ask.askId]);
    return ask;
  }

  get limit(): number {
    return this.max;
  }

  private choose(callId: string, question: Question | undefined): Decision {
    const raised = this.human().flatMap((ask) => {
      const id = ask.from.toolCallId ?? ask.askId;
      return id === callId ? [] : [[id, ask.from.toolCallId === undefined ? undefined : ask] as const];
    });
    const earlier = new Map<string, Question | undefined>([...this.granted, ...raised]);
    earlier.delete(callId);
    for (const [by, before] of earlier) {
      if (question !== undefined && before !== undefined && answers(before, question)) return { kind: "asked", by };
    }
    if (earlier.size >= this.max) return { kind: "refused" };
    this.granted.set(callId, question);
    return { kind: "ask" };
  }

  private human(): readonly Ask[] {
    return this.asks().filter(({ kind }) => kind === "human");
  }
}

/** Whether what is answered to the one answers the other. Where one of certain answers is chosen, only the same words do. */
function answers(earlier: Question, question: Question): boolean {
  const shape = ({ accepts = "text", audience = "user", suggestions = [] }: Question): string =>
    JSON.stringify([accepts, audience, accepts === "suggestions" ? suggestions : []]);
  if (shape(earlier) !== shape(question)) return false;
  const sameContext =
    earlier.context === undefined ||
    question.context === undefined ||
    isSameQuestion(earlier.context, question.context);
  const alike = (question.accepts ?? "text") === "text" ? isSameQuestion : hasSameWords;
  return sameContext && alike(earlier.question, question.question);
}

function hasSameWords(one: string, other: string): boolean {
  const words = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
  return words(one) === words(other);
}

/** The tools, with `ask_human` kept within the run's number of questions, and each question asked once. */
export function limitQuestions(tools: readonly AgentTool[], permits: QuestionPermits): AgentTool[] {
  return tools.map((tool) => (isAskHuman(tool.ref) ? askingOnce(tool, permits) : tool));
}

function askingOnce(tool: AgentTool, permits: QuestionPermits): AgentTool {
  return {
    ...tool,
    async run(args, context) {
      const { data: question } = questionSchema.safeParse(args);
      // It says what is wrong itself, and asks nobody.
      if (question === undefined || questionProblem(question) !== undefined) return tool.run(args, context);
      const request = askRequestOf(question, { source: {}, policy: context.asking?.policy ?? {} });
      const decision = await permits.decide(context.callId, request, context.journal);
      switch (decision.kind) {
        case "ask":
          return tool.run(args, context);
        case "asked":
          return outputOfAsk(permits.closedAsk(context.callId));
        case "refused": {
          const limit = `The run may ask people at most ${permits.limit} times, and has.`;
          return { content: `Not asked: ${limit} Decide with what you know.`, isError: true, refused: "limit" };
        }
      }
    },
  };
}
