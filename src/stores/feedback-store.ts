/** Feedback in D1: what was said of turns and messages, without comments. */
import { z } from "zod";
import type { ListedFeedback } from "../chat/feedback.js";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { defined } from "../conversation/defined.js";
import { all, type Database, sql } from "../platform/sql.js";
import { number, text, textOrNull } from "./columns.js";
import { allOf, byIndex, equals } from "./list-filter.js";

export interface FeedbackFilter {
  readonly agent?: string | undefined;
  readonly subject?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly label?: string | undefined;
  readonly score?: ListedFeedback["score"] | undefined;
  /** From this time on and up to that one, which is left out; milliseconds since the epoch. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Where a page ends. */
export const feedbackPositionSchema = z.tuple([number, text, text, text, text]);
export type FeedbackPosition = z.infer<typeof feedbackPositionSchema>;

const row = z.object({
  session_id: text,
  turn_id: text,
  message_id: textOrNull,
  score: z.union([z.literal(-1), z.literal(0), z.literal(1)]),
  label: textOrNull,
  actor: text,
  agent: text,
  subject: textOrNull,
  at: number,
});

export class FeedbackStore {
  constructor(private readonly db: Database) {}

  /** Newest first. */
  async list(
    tenantId: string,
    { agent, subject, sessionId, label, score, from, to }: FeedbackFilter,
    before: FeedbackPosition | undefined,
    limit: number,
  ): Promise<ListedFeedback[]> {
    const index = byIndex({
      feedback_by_subject: subject,
      feedback_by_agent: agent,
      feedback_by_score: score === undefined ? undefined : "score",
      feedback_by_time: sessionId === undefined ? "" : undefined,
    });
    const conditions = allOf([
      ...equals({ agent, subject, session_id: sessionId, label }),
      ...(score === undefined ? [] : [sql`score = ${score}`]),
      ...(from === undefined ? [] : [sql`at >= ${from}`]),
      ...(to === undefined ? [] : [sql`at < ${to}`]),
      ...(before === undefined
        ? []
        : [
            sql`(at, session_id, about, actor_kind, actor_id) < (${before[0]}, ${before[1]}, ${before[2]}, ${before[3]},
              ${before[4]})`,
          ]),
    ]);
    const rows = await all(this.db, row)`SELECT session_id, turn_id, message_id, score, label, actor, agent, subject, at
      FROM feedback${index} WHERE tenant_id = ${tenantId}${conditions}
      ORDER BY at DESC, session_id DESC, about DESC, actor_kind DESC, actor_id DESC LIMIT ${limit}`;
    return rows.map(feedbackOf);
  }
}

export function positionOf({ at, sessionId, turnId, messageId, by }: ListedFeedback): FeedbackPosition {
  return [Date.parse(at), sessionId, messageId ?? turnId, by.kind, by.id];
}

function feedbackOf({ session_id, turn_id, message_id, label, actor, subject, at, ...rest }: z.infer<typeof row>) {
  return {
    ...rest,
    ...{ sessionId: session_id, turnId: turn_id, by: actorRecordSchema.parse(JSON.parse(actor)) },
    ...defined({ messageId: message_id ?? undefined, label: label ?? undefined, subject: subject ?? undefined }),
    at: new Date(at).toISOString(),
  };
}
