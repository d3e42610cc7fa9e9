/**
 * Reads LoCoMo (Maharana et al. 2024, "Evaluating Very Long-Term Conversational Memory of LLM Agents"; `locomo10.json`
 * of snap-research/locomo). Its data are CC BY-NC: never part of the project.
 */
import { z } from "zod";
import type { EvaluationConversation, EvaluationQuestion, EvaluationTurn } from "./dataset.js";

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});
const questionSchema = z.object({
  question: z.string(),
  evidence: z.array(z.string()).default([]),
  category: z.number().int(),
});
const itemSchema = z.object({
  sample_id: z.string().optional(),
  conversation: z.record(z.string(), z.unknown()),
  qa: z.array(questionSchema),
});
const fileSchema = z.array(itemSchema);

/** What the numbers of its categories stand for. */
const locomoCategories: ReadonlyMap<number, string> = new Map([
  [1, "several turns"],
  [2, "time"],
  [3, "open"],
  [4, "one turn"],
  [5, "unanswerable"],
]);
const unanswerable = 5;

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** "1:56 pm on 8 May, 2023" → ISO 8601, read as UTC. */
export function parseLocomoDate(text: string): string {
  const match = /^\s*(\d{1,2}):(\d{2})\s*(am|pm)\s+on\s+(\d{1,2})\s+([A-Za-z]+),?\s+(\d{4})\s*$/i.exec(text);
  const [, hour, minute, half, day, monthName, year] = match ?? [];
  const month = monthNames.indexOf((monthName ?? "").slice(0, 3).toLowerCase());
  if (match === null || month === -1) throw new Error(`Not a session date of LoCoMo: "${text}"`);
  const hours = (Number(hour) % 12) + ((half ?? "").toLowerCase() === "pm" ? 12 : 0);
  return new Date(Date.UTC(Number(year), month, Number(day), hours, Number(minute))).toISOString();
}

/**
 * The turn ids in a question's evidence. The data have some irregular ones: several in one string ("D8:6; D9:17"),
 * "D:11:26" for D11:26, "D30:05" for D30:5.
 */
export function evidenceIds(evidence: readonly string[]): string[] {
  const ids = evidence.flatMap((text) => [...text.matchAll(/D:?(\d+):0*(\d+)/g)]);
  return [...new Set(ids.map(([, session, turn]) => `D${session}:${turn}`))];
}

function readTurns(conversation: Readonly<Record<string, unknown>>): EvaluationTurn[] {
  const sessions = Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .sort((a, b) => Number(a) - Number(b));
  return sessions.flatMap((session) => {
    const turns = z.array(turnSchema).parse(conversation[`session_${session}`]);
    const occurredAt = parseLocomoDate(z.string().parse(conversation[`session_${session}_date_time`]));
    return turns.map((turn) => ({
      id: turn.dia_id,
      session,
      speaker: turn.speaker,
      role: "user",
      text: turn.text,
      caption: turn.blip_caption,
      occurredAt,
    }));
  });
}

/**
 * Reads the parsed JSON of a LoCoMo file. As usual in recall figures, unanswerable questions (category 5) are left
 * out, and so are those without evidence and evidence that names no turn.
 */
export function readLocomo(json: unknown): EvaluationConversation[] {
  return fileSchema.parse(json).map((item, index) => {
    const turns = readTurns(item.conversation);
    const known = new Set(turns.map(({ id }) => id));
    const questions = item.qa.flatMap(({ question, evidence, category }, number): EvaluationQuestion[] => {
      const found = evidenceIds(evidence).filter((id) => known.has(id));
      if (category === unanswerable || found.length === 0) return [];
      const name = locomoCategories.get(category) ?? String(category);
      return [{ id: String(number), question, category: name, evidence: found }];
    });
    return { id: item.sample_id ?? String(index), turns, questions };
  });
}
