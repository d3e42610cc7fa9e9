/** Questions to people within a team: how many there may be, and what came of them. */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import type { AgentReport } from "../agent/loop.js";
import { type AgentTool, builtInServer } from "../agent/tools.js";
import type { Ask } from "../asks/ask.js";
import type { Clarification } from "./routing-input.js";

const askHuman = "ask_human";

export function isAskHuman(ref: { server: string; tool: string }): boolean {
  return ref.server === builtInServer && ref.tool === askHuman;
}

/** Counts a run's questions: those that were raised, and those that are permitted and not raised yet. */
export class QuestionPermits {
  private readonly granted = new Set<string>();

  constructor(
    private readonly max: number,
    private readonly asks: () => readonly Ask[],
  ) {}

  /** Whether this call may ask. Decided once: a replay gets the same answer. */
  async permit(callId: string, journal: Journal): Promise<boolean> {
    const spec = { id: "permit", kind: "load", schema: z.boolean(), interrupted: "again" } as const;
    const allowed = await journal.step(spec, async () => {
      const raised = this.asks().flatMap((ask) => (ask.kind === "human" ? [ask.from.toolCallId ?? ask.askId] : []));
      const all = new Set([...raised, ...this.granted]);
      if (all.size >= this.max) return false;
      this.granted.add(callId);
      return true;
    });
    if (allowed) this.granted.add(callId);
    return allowed;
  }

  get limit(): number {
    return this.max;
  }
}

/** The tools, with `ask_human` kept within the run's number of questions. */
export function limitQuestions(tools: readonly AgentTool[], permits: QuestionPermits): AgentTool[] {
  return tools.map((tool) =>
    isAskHuman(tool.ref)
      ? {
          ...tool,
          async run(args, context) {
            if (await permits.permit(context.callId, context.journal)) return tool.run(args, context);
            const limit = `The run may ask people at most ${permits.limit} times, and has.`;
            return { content: `Not asked: ${limit} Decide with what you know.`, isError: true };
          },
        }
      : tool,
  );
}

/** The questions that an agent got an answer to (or a default), as supervision let it read them. */
export function clarificationsOf({ turns }: AgentReport): Clarification[] {
  return turns
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .flatMap((call) =>
      isAskHuman(call) && call.output !== undefined
        ? [{ question: String(call.args.question ?? ""), answer: call.output }]
        : [],
    );
}
