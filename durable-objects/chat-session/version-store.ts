/** The SQL of what messages said at other times than now: originals, what people made of them, what is left of erased ones. */
import { z } from "zod";
import { type MessageVersion, messageVersionSchema, type UnlinkedVersion } from "../../src/chat/message-version.js";
import { type ActorRecord, readAuthor } from "../../src/conversation/actor-record.js";
import {
  type AssistantMessage,
  assistantMessageSchema,
  type ChatMessage,
  chatMessageSchema,
} from "../../src/conversation/message.js";
import { exec } from "../../src/platform/sql.js";
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
    author: z.string().transform(readAuthor),
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
  readonly author: ActorRecord;
  readonly reason: string;
  readonly at: number;
}

export class VersionStore {
  private anyErased: boolean | undefined;

  constructor(private readonly sql: SqlStorage) {}

  /** Keeps what a reply said before supervision changed it: the restricted record. */
  addOriginal(message: AssistantMessage, decision: string, reasons: readonly string[], at: number): void {
    exec(this.sql)`INSERT INTO originals (message_id, body, decision, reasons, at)
      VALUES (${message.messageId}, ${JSON.stringify(message)}, ${decision}, ${JSON.stringify(reasons)}, ${at})
      ON CONFLICT DO NOTHING`;
  }

  original(messageId: string): Original | undefined {
    return exec(this.sql)`SELECT body, decision, reasons FROM originals WHERE message_id = ${messageId}`
      .toArray()
      .map((row) => originalRow.parse(row))[0];
  }

  /** What a message said before anybody changed it, and then after each change; empty when nobody did. */
  changes(messageId: string): UnlinkedVersion[] {
    return exec(this.sql)`
      SELECT body, kind, author, reason, at FROM message_edits WHERE message_id = ${messageId} ORDER BY seq`
      .toArray()
      .map((row) => changeRow.parse(row));
  }

  /** How many rows `changes` gives. */
  countChanges(messageId: string): number {
    return exec<{ n: number }>(this.sql)`SELECT COUNT(*) AS n FROM message_edits WHERE message_id = ${messageId}`.one()
      .n;
  }

  /** @returns which change of the message this is. */
  addChange(before: ChatMessage, after: ChatMessage, change: Change): number {
    const { messageId } = after;
    if (this.countChanges(messageId) === 0)
      this.insert(before, { ...change, author: { kind: "supervisor", id: "" }, reason: "" });
    this.insert(after, change);
    return this.countChanges(messageId);
  }

  /** The versions of a message that was erased, without their texts. */
  erased(messageId: string): MessageVersion[] | undefined {
    return exec<{ versions: string }>(this.sql)`SELECT versions FROM erased_messages WHERE message_id = ${messageId}`
      .toArray()
      .map((row) => z.array(messageVersionSchema).parse(JSON.parse(row.versions)))[0];
  }

  /** Whether any message was erased. */
  hasErased(): boolean {
    this.anyErased ??= exec(this.sql)`SELECT 1 FROM erased_messages LIMIT 1`.toArray().length > 0;
    return this.anyErased;
  }

  erase(messageId: string, left: readonly MessageVersion[]): void {
    this.anyErased = true;
    exec(this.sql)`DELETE FROM originals WHERE message_id = ${messageId}`;
    exec(this.sql)`DELETE FROM message_edits WHERE message_id = ${messageId}`;
    exec(this.sql)`INSERT INTO erased_messages (message_id, versions) VALUES (${messageId}, ${JSON.stringify(left)})`;
  }

  private insert(message: ChatMessage, { kind, author, reason, at }: Change): void {
    exec(this.sql)`INSERT INTO message_edits (message_id, body, kind, author, reason, at)
      VALUES (${message.messageId}, ${JSON.stringify(message)}, ${kind}, ${JSON.stringify(author)}, ${reason}, ${at})`;
  }
}
