/**
 * A question to a person leaves the system as a reply does: the supervisors of responses (or hops) see it first, as a hop to
 * `person`. A changed question is asked as changed; a blocked one isn't asked.
 */
import type { Journal } from "../agent/journal.js";
import { defined } from "../conversation/defined.js";
import { activeAtHop } from "./as-hop.js";
import { type SupervisePorts, supervise } from "./supervise.js";
import type { Supervisor } from "./supervisor.js";

export interface QuestionTexts {
  readonly question: string;
  readonly context?: string | undefined;
  readonly suggestions?: readonly string[] | undefined;
  readonly defaultResponse?: string | undefined;
}

export type SupervisedQuestion =
  | { readonly ok: true; readonly texts: QuestionTexts; readonly degraded: readonly string[] }
  | { readonly ok: false; readonly reasons: readonly string[]; readonly degraded: readonly string[] };

/** Separates the texts of a question while they are judged as one. */
const separator = "\n\n";

export async function superviseQuestion(
  from: string,
  texts: QuestionTexts,
  supervisors: readonly Supervisor[],
  journal: Journal,
  ports: SupervisePorts,
): Promise<SupervisedQuestion> {
  const active = activeAtHop(supervisors, ["response", "hop"]);
  if (active.length === 0) return { ok: true, texts, degraded: [] };
  const { question, context, suggestions = [], defaultResponse } = texts;
  const parts = [question, context ?? "", ...suggestions, defaultResponse ?? ""];
  const content = parts.join(separator);
  const passed = await supervise({ hook: "hop", from, to: "person", content }, active, journal, ports);
  const { degraded } = passed;
  if (passed.action === "block") return { ok: false, reasons: passed.reasons, degraded };
  const supervised = passed.subject.content;
  if (supervised === content) return { ok: true, texts, degraded };
  const changed = supervised.split(separator);
  // When the parts can't be separated any more, the whole is asked as one question, without context, suggestions or default.
  if (changed.length !== parts.length || content.split(separator).length !== parts.length) {
    return { ok: true, texts: { question: supervised }, degraded };
  }
  return {
    ok: true,
    texts: {
      question: changed[0] ?? "",
      ...(context === undefined ? {} : { context: changed[1] ?? "" }),
      ...defined({ suggestions: texts.suggestions && changed.slice(2, -1) }),
      ...(defaultResponse === undefined ? {} : { defaultResponse: changed.at(-1) ?? "" }),
    },
    degraded,
  };
}
