/**
 * Reads LongMemEval (Wu et al. 2025, "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory";
 * files `longmemeval_s.json`, `_m`, `_oracle`). Each question has a history of its own.
 */
import { z } from "zod";
import type { EvaluationConversation, EvaluationTurn } from "./dataset.js";

/** `has_answer` stands in the sessions that hold an answer, and mostly nowhere else. */
const turnSchema = z.object({ role: z.string(), content: z.string(), has_answer: z.boolean().nullish() });
const itemSchema = z
  .object({
    question_id: z.string(),
    question_type: z.string(),
    question: z.string(),
    question_date: z.string().optional(),
    haystack_session_ids: z.array(z.string()),
    haystack_dates: z.array(z.string()),
    haystack_sessions: z.array(z.array(turnSchema)),
    answer_session_ids: z.array(z.string()),
  })
  .refine(
    (item) =>
      item.haystack_sessions.length === item.haystack_dates.length &&
      item.haystack_sessions.length === item.haystack_session_ids.length,
    "sessions, their ids and their dates must be equally many",
  )
  .refine(
    (item) => item.answer_session_ids.every((id) => item.haystack_session_ids.includes(id)),
    "answer_session_ids must be among haystack_session_ids",
  );
const fileSchema = z.array(itemSchema);

/** "2023/05/20 (Sat) 02:21" → ISO 8601, read as UTC. */
export function parseLongMemEvalDate(text: string): string {
  const match = /^\s*(\d{4})\/(\d{1,2})\/(\d{1,2})(?:\s*\([A-Za-z]+\))?(?:\s+(\d{1,2}):(\d{2}))?\s*$/.exec(text);
  if (match === null) throw new Error(`Not a date of LongMemEval: "${text}"`);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return new Date(Date.UTC(year, month - 1, day, hour, minute)).toISOString();
}

/**
 * Reads the parsed JSON of a LongMemEval file: one conversation a question, its evidence the turns marked `has_answer` in the
 * sessions that answer it.
 * Abstention questions (`…_abs`) and questions without marked turns have nothing to be found and are left out.
 * Sessions are put in the order of their dates.
 */
export function readLongMemEval(json: unknown): EvaluationConversation[] {
  return fileSchema.parse(json).flatMap((item): EvaluationConversation[] => {
    const sessions = item.haystack_sessions
      .map((turns, index) => ({
        turns,
        // the same session may stand in a history twice: the place keeps its ids apart
        key: `${item.haystack_session_ids[index] ?? ""}#${index}`,
        answers: item.answer_session_ids.includes(item.haystack_session_ids[index] ?? ""),
        occurredAt: parseLongMemEvalDate(item.haystack_dates[index] ?? ""),
      }))
      .sort((a, b) => a.occurredAt.localeCompare(b.occurredAt));
    const evidence: string[] = [];
    const turns = sessions.flatMap(({ turns: inSession, key, answers, occurredAt }) =>
      inSession.map((turn, index): EvaluationTurn => {
        const id = `${key}:${index}`;
        if (answers && turn.has_answer === true) evidence.push(id);
        return { id, session: key, role: turn.role, text: turn.content, occurredAt };
      }),
    );
    if (evidence.length === 0 || item.question_id.endsWith("_abs")) return [];
    const askedAt = item.question_date === undefined ? undefined : parseLongMemEvalDate(item.question_date);
    const { question_id: id, question, question_type: category } = item;
    return [{ id, turns, questions: [{ id, question, category, evidence, askedAt }] }];
  });
}
