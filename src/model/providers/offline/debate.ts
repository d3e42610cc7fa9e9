/**
 * The offline model at a roundtable: it asks once for what the debate doesn't hold, and then quotes what was brought. It takes no stance,
 * and says that it has nothing to go by as long as it has nothing.
 */
import type { ToolSpec } from "../../port.js";
import { answer, keywords } from "./answer.js";
import type { Conversation } from "./conversation.js";
import { listOf, recordOf } from "./schema-reading.js";
import type { Verdict } from "./verdict.js";

const topicLine = /^The topic of the debate: ([\s\S]*)$/m;

/** Whether these are the tools of a seat: a position has to be taken. */
export function areSeatTools(tools: readonly ToolSpec[]): boolean {
  return tools.some(({ name }) => name === "take_position");
}

/** What a seat does next: asks, or takes its position. */
export function seatCall(tools: readonly ToolSpec[], conversation: Conversation): Verdict | undefined {
  const topic = topicLine.exec(conversation.question)?.[1] ?? conversation.question;
  const context = conversation.blocks.filter(({ tag }) => tag === "context");
  const asking = tools.find(({ name }) => name === "request_context");
  if (asking !== undefined && context.length === 0 && !conversation.called.has(asking.name)) {
    const query = `What is written about ${keywords(topic, 5).join(", ")}?`;
    return { tool: asking, known: { query, reason: "The offline model knows only what it is given." } };
  }
  const tool = tools.find(({ name }) => name === "take_position");
  if (tool === undefined) return undefined;
  const cited = recordOf(recordOf(tool.parameters, "properties"), "citedContext");
  const labels = listOf(recordOf(cited, "items"), "enum").map(String);
  const isGiven = labels.length > 0;
  // Those without a label weren't answered.
  const named =
    context.length === labels.length ? context.map((block, at) => ({ ...block, name: labels[at] ?? "" })) : context;
  const question = { ...conversation, question: topic, blocks: named, earlier: [], results: [] };
  return {
    tool,
    known: {
      position: isGiven ? answer(question) : "I have nothing to go by yet: what I asked for isn't there.",
      reasoning: isGiven
        ? `I quote what was brought, and know nothing else: ${labels.map((label) => `[${label}]`).join(", ")}.`
        : "The offline model knows only what it is given.",
    },
  };
}
