/** The SQL of messages that were taken as answers to questions of a turn. */
import { exec } from "../../src/platform/sql.js";

/** A message that was taken as the answer to an ask of a turn. */
export interface AnswerMessage {
  readonly turnId: string;
  readonly askId: string;
  readonly messageId: string;
  /** What was sent: the restricted record. */
  readonly original: string;
  readonly idempotencyKey: string;
  readonly requestHash: string;
  readonly at: number;
}

export class AnswerStore {
  constructor(private readonly sql: SqlStorage) {}

  add(answer: AnswerMessage): void {
    exec(this.sql)`
      INSERT INTO answer_messages (idempotency_key, request_hash, turn_id, message_id, ask_id, original, at)
      VALUES (${answer.idempotencyKey}, ${answer.requestHash}, ${answer.turnId}, ${answer.messageId}, ${answer.askId},
        ${answer.original}, ${answer.at})`;
  }

  /** What was sent; nothing for a message that is no answer. */
  sent(messageId: string): Pick<AnswerMessage, "original" | "at"> | undefined {
    const query = "SELECT original, at FROM answer_messages WHERE message_id = ?";
    return this.sql.exec<{ original: string; at: number }>(query, messageId).toArray()[0];
  }

  forgetText(messageId: string, erasedKey: string | undefined): void {
    exec(this.sql)`UPDATE answer_messages
      SET original = '', request_hash = '', idempotency_key = COALESCE(${erasedKey}, idempotency_key) WHERE message_id = ${messageId}`;
  }
}
