/** `take_position`: the tool that ends a seat's turn in a round. */
import type { AgentTool, ToolOutput } from "../agent/tools.js";
import { checkPosition, type PositionRules, stances } from "./position.js";

/** Tools of the roundtable's own making; they check their arguments themselves, more leniently than a schema could. */
export const roundtableServer = "roundtable";

/** The position as a tool, with what this seat's role demands and what it may cite. */
export function takePositionTool(rules: PositionRules): AgentTool {
  const { stance, citable } = rules;
  return {
    ref: { server: roundtableServer, tool: "take_position" },
    name: "take_position",
    description: "State your position in this round. This ends your turn.",
    timeoutMs: 10_000,
    execution: "idempotent",
    parameters: {
      type: "object",
      properties: {
        stance: {
          type: "string",
          enum: stance === undefined || stance === "required" ? [...stances] : [stance],
          description: "Where you stand on the topic, if it can be answered by yes or no",
        },
        position: { type: "string", description: "What you hold, in a few sentences" },
        reasoning: { type: "string", description: "Why: your arguments, and what you make of those of the others" },
        confidence: { type: "number", description: "How sure you are, from 0 to 1" },
        citations: {
          type: "array",
          description: "Sources that you rest on",
          items: {
            type: "object",
            properties: { title: { type: "string" }, url: { type: "string" }, snippet: { type: "string" } },
            required: ["title", "url"],
          },
        },
        ...(citable.length === 0
          ? {}
          : {
              citedContext: {
                type: "array",
                description: "The answers to context requests that you rest on",
                items: { type: "string", enum: citable.map(({ label }) => label) },
              },
            }),
      },
      required: [...(stance === undefined ? [] : ["stance"]), "position", "reasoning", "confidence"],
    },
    run: async (args): Promise<ToolOutput> => {
      const read = checkPosition(args, rules);
      return read.ok ? { content: "Taken.", endsRun: true } : { content: `Not taken: ${read.problem}`, isError: true };
    },
  };
}
