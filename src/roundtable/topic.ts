/** What a panel within other work debates. */
import { buildPrompt, type PromptParts } from "../agent/prompt.js";

/** The message, with what holds around it (rules, references, memory, the history before it) as a model would read it. */
export function debateTopic(about: Omit<PromptParts, "instructions">): string {
  const { history, rules, references, memory, message } = about;
  const isBare = [history, rules, references, memory].every((part) => part.length === 0);
  if (isBare) return message;
  return buildPrompt({ ...about, instructions: "" })
    .map(({ role, content }) => (role === "user" ? content : `${role}: ${content}`))
    .join("\n\n");
}
