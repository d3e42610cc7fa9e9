/** What people and programs say of a session's turns and messages: one for each of them and each thing, the newest counts. */

import { type Feedback, feedbackSchema, type NewFeedback } from "../../src/chat/feedback.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import { defined } from "../../src/conversation/defined.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import { exec } from "../../src/platform/sql.js";
import type { Kit } from "../kit/kit.js";
import type { MessageVersions } from "./message-versions.js";
import type { ChatSessionStore } from "./store.js";

export interface FeedbackPorts {
  readonly sql: SqlStorage;
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly now: () => number;
  readonly throughRules: MessageVersions["throughRules"];
}

export class FeedbackBook {
  constructor(private readonly ports: FeedbackPorts) {}

  /** The comment passes the rules that a message passes. Said again it takes the place of what was said before. */
  async give({ about, score, label, comment }: NewFeedback, by: ActorRecord): Promise<Result<Feedback>> {
    const { store, kit, now } = this.ports;
    const turn =
      about.turnId === undefined ? store.turns.ofMessage(about.messageId ?? "") : store.turns.get(about.turnId);
    const { messageId } = about;
    if (turn === undefined || (messageId !== undefined && store.messages.get(messageId) === undefined)) return nothing;
    const cleared = await this.cleared(comment);
    if (!cleared.ok) return cleared;
    const { sessionId, definition } = store.session();
    const { agent, subject, experiment } = definition;
    const at = now();
    const given: Feedback = {
      ...{ sessionId, turnId: turn.turnId, score, by, agent, at: new Date(at).toISOString() },
      ...defined({ messageId, label, comment: cleared.value, subject }),
    };
    kit.write(() => {
      exec(this.ports.sql)`INSERT OR REPLACE INTO feedback (about, actor_kind, actor_id, turn_id, body, at)
        VALUES (${messageId ?? turn.turnId}, ${by.kind}, ${by.id}, ${turn.turnId}, ${JSON.stringify(given)}, ${at})`;
      const { comment: _, ...listed } = given;
      kit.outbox.put("feedback", `${messageId ?? turn.turnId} ${by.kind} ${by.id}`, listed);
      // A unit that was once unhappy has been: what is said later takes the feedback's place, and not that.
      if (experiment !== undefined && score === -1)
        kit.outbox.put("experiment", `${turn.turnId} feedback`, {
          ...experiment,
          ...{ blocked: false, failed: false, degraded: false, negative: true },
        });
    });
    kit.deliverSoon();
    return ok(given);
  }

  /** Of a turn and its messages, the oldest first. */
  ofTurn(turnId: string): Feedback[] {
    return exec<{ body: string }>(this.ports.sql)`SELECT body FROM feedback WHERE turn_id = ${turnId} ORDER BY at`
      .toArray()
      .map(({ body }) => feedbackSchema().parse(JSON.parse(body)));
  }

  /** Comments may quote the text that is erased. In the write that does it. */
  forgetComments(turnId: string): void {
    exec(this.ports.sql)`UPDATE feedback SET body = json_remove(body, '$.comment') WHERE turn_id = ${turnId}`;
  }

  private async cleared(comment: string | undefined): Promise<Result<string | undefined>> {
    if (comment === undefined) return ok(undefined);
    const passed = await this.ports.throughRules({ messageId: "feedback", role: "user", content: comment });
    if (!passed.ok) return passed;
    return ok(passed.value.role === "assistant" ? undefined : passed.value.content);
  }
}

const nothing = refuse("not_found", "There is no such turn or message in this session.");
