/** What is written when no model is to be had: extracts, marked as such, until a model writes it properly. */
import { fitContext, parseContext, renderContext } from "./context-document.js";
import type { SynthesisEntry } from "./prompts.js";

export const maxSummaryCharacters = 512;
/** Ends an item that no model wrote. */
const extractMark = "[extract]";

/** The beginning of a text, cut between sentences or words. */
export function extractiveSummary(text: string, limit = maxSummaryCharacters): string {
  const flat = text.replace(/\s+/g, " ").trim();
  if (flat.length <= limit) return flat;
  const cut = flat
    .slice(0, limit - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
  const sentence = Math.max(cut.lastIndexOf(". "), cut.lastIndexOf("! "), cut.lastIndexOf("? "));
  if (sentence > limit / 2) return cut.slice(0, sentence + 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** The context with an extract of each entry at the end of its timeline. */
export function extractiveContext(previous: string, session: readonly SynthesisEntry[]): string {
  const sections = new Map([...parseContext(previous)].map(([heading, items]) => [heading, [...items]]));
  const timeline = sections.get("Timeline") ?? [];
  sections.set("Timeline", timeline);
  for (const entry of session) {
    const who = entry.speaker ?? entry.role;
    const text = extractiveSummary(entry.summary === "" ? entry.content : entry.summary, 200);
    timeline.push(`${entry.occurredAt.slice(0, 10)} ${who}: ${text} ${extractMark}`);
  }
  return fitContext(renderContext(sections));
}
