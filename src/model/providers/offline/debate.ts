/**
 * The offline model at a roundtable: it asks once for what the debate doesn't hold, and then quotes what was brought. It takes no stance,
 * and says that it has nothing to go by as long as it has nothing.
 */
import type { ToolSpec } from "../../port.js";
import { answer, keywords } from "./answer.js";
import type { Conversation } from "./conversation.js";
import type { Verdict } from "./verdict.js";

const topicLine = "The topic of the debate: ";
/** Behind it stands who the seat is. */
const partLine = "\nYour part: ";
const partStance = /\bYour stance is (YES|NO|NEUTRAL)\b/;

/** Whether these are the tools of a seat: a position has to be taken. */
export function areSeatTools(tools: readonly ToolSpec[]): boolean {
  return tools.some(({ name }) => name === "take_position");
}

/** What a seat does next: asks, or takes its position. */
export function seatCall(tools: readonly ToolSpec[], conversation: Conversation): Verdict | undefined {
  const { question } = conversation;
  const part = question.lastIndexOf(partLine);
  const topic = question.slice(0, part < 0 ? question.length : part).replace(topicLine, "");
  const stance = partStance.exec(question.slice(Math.max(0, part)))?.[1];
  const context = conversation.blocks.filter(({ tag }) => tag === "context");
  const asking = tools.find(({ name }) => name === "request_context");
  if (asking !== undefined && context.length === 0 && !conversation.called.has(asking.name)) {
    const query = `What is written about ${keywords(topic, 5).join(", ")}?`;
    return { tool: asking, known: { query, reason: "The offline model knows only what it is given." } };
  }
  const tool = tools.find(({ name }) => name === "take_position");
  if (tool === undefined) return undefined;
  // Those without a label weren't answered.
  const given = context.flatMap(({ id, text, tag }) => (id === undefined ? [] : [{ tag, text, name: id }]));
  const isGiven = given.length > 0;
  const blocks = isGiven ? given : context;
  const asked = { ...conversation, question: topic.trim(), blocks, earlier: [], results: [] };
  return {
    tool,
    known: {
      ...(stance === undefined ? {} : { stance }),
      position: isGiven ? answer(asked) : "I have nothing to go by yet: what I asked for isn't there.",
      reasoning: isGiven
        ? `I quote what was brought, and know nothing else: ${given.map(({ name }) => `[${name}]`).join(", ")}.`
        : "The offline model knows only what it is given.",
    },
  };
}
