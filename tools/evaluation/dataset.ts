/** What retrieval is measured on, whatever format it was read from. */
import type { EntryText } from "../../src/memory/retrieval/entry-terms.js";

/** One turn of a conversation: an entry of the memory. */
export interface EvaluationTurn {
  id: string;
  session: string;
  speaker?: string | undefined;
  role: string;
  text: string;
  /** Description of a picture that came with the turn, if the data has one. */
  caption?: string | undefined;
  /** ISO 8601. */
  occurredAt: string;
}

/** A question with the turns that answer it. */
export interface EvaluationQuestion {
  id: string;
  question: string;
  category: string;
  /** Ids of turns of the conversation; never empty. */
  evidence: string[];
  /** When it is asked, ISO 8601. */
  askedAt?: string | undefined;
}

/** A conversation (one memory) and what is asked about it. */
export interface EvaluationConversation {
  id: string;
  turns: EvaluationTurn[];
  questions: EvaluationQuestion[];
}

/** A turn as an entry. @param captions whether captions belong to the text. */
export function turnEntry(turn: EvaluationTurn, captions = false): EntryText {
  const { speaker, role, occurredAt } = turn;
  const rawText = captions && turn.caption !== undefined ? `${turn.text} ${turn.caption}` : turn.text;
  return { rawText, speaker, role, occurredAt };
}
