/** The SQL of what messages said at other times than now: originals, what people made of them, what is left of erased ones. */
import { z } from "zod";
import { type MessageVersion, messageVersionSchema, type UnlinkedVersion } from "../../src/chat/message-version.js";
import {
  type AssistantMessage,
  assistantMessageSchema,
  type ChatMessage,
  chatMessageSchema,
} from "../../src/conversation/message.js";
import { actions } from "../../src/supervision/verdict.js";

const originalRow = z.object({
  body: z.string().transform((body) => assistantMessageSchema.parse(JSON.parse(body))),
  decision: z.enum(actions),
  reasons: z.string().transform((reasons) => z.array(z.string()).parse(JSON.parse(reasons))),
});
export type Original = z.infer<typeof originalRow>;

const changeRow = z
  .object({
    body: z.string(),
    kind: z.enum(["edited", "restored"]),
    author: z.string(),
    reason: z.string(),
    at: z.number(),
  })
  .transform(
    ({ body, kind, author, reason, at }): UnlinkedVersion => ({
      message: chatMessageSchema.parse(JSON.parse(body)),
      decision: kind,
      author,
      reasons: reason === "" ? [] : [reason],
      at: new Date(at).toISOString(),
    }),
  );

/** What a person made of a message. */
export interface Change {
  readonly kind: "edited" | "restored";
  readonly author: string;
  readonly reason: string;
  readonly at: number;
}

export class VersionStore {
  constructor(private readonly sql: SqlStorage) {}

  /** Keeps what a reply said before supervision changed it: the restricted record. */
  addOriginal(message: AssistantMessage, decision: string, reasons: readonly string[], at: number): void {
    this.sql.exec(
      "INSERT INTO originals (message_id, body, decision, reasons, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      message.messageId,
      JSON.stringify(message),
      decision,
      JSON.stringify(reasons),
      at,
    );
  }

  original(messageId: string): Original | undefined {
    return this.sql
      .exec("SELECT body, decision, reasons FROM originals WHERE message_id = ?", messageId)
      .toArray()
      .map((row) => originalRow.parse(row))[0];
  }

  /** What a message said before anybody changed it, and then after each change; empty when nobody did. */
  changes(messageId: string): UnlinkedVersion[] {
    return this.sql
      .exec("SELECT body, kind, author, reason, at FROM message_edits WHERE message_id = ? ORDER BY seq", messageId)
      .toArray()
      .map((row) => changeRow.parse(row));
  }

  /** How many rows `changes` gives. */
  countChanges(messageId: string): number {
    return this.sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM message_edits WHERE message_id = ?", messageId).one()
      .n;
  }

  /** @returns which change of the message this is. */
  addChange(before: ChatMessage, after: ChatMessage, change: Change): number {
    const { messageId } = after;
    if (this.countChanges(messageId) === 0) this.insert(before, { ...change, author: "supervision", reason: "" });
    this.insert(after, change);
    return this.countChanges(messageId);
  }

  /** The versions of a message that was erased, without their texts. */
  erased(messageId: string): MessageVersion[] | undefined {
    return this.sql
      .exec<{ versions: string }>("SELECT versions FROM erased_messages WHERE message_id = ?", messageId)
      .toArray()
      .map((row) => z.array(messageVersionSchema).parse(JSON.parse(row.versions)))[0];
  }

  erase(messageId: string, left: readonly MessageVersion[]): void {
    this.sql.exec("DELETE FROM originals WHERE message_id = ?", messageId);
    this.sql.exec("DELETE FROM message_edits WHERE message_id = ?", messageId);
    this.sql.exec("INSERT INTO erased_messages (message_id, versions) VALUES (?, ?)", messageId, JSON.stringify(left));
  }

  private insert(message: ChatMessage, { kind, author, reason, at }: Change): void {
    this.sql.exec(
      "INSERT INTO message_edits (message_id, body, kind, author, reason, at) VALUES (?, ?, ?, ?, ?, ?)",
      message.messageId,
      JSON.stringify(message),
      kind,
      author,
      reason,
      at,
    );
  }
}
