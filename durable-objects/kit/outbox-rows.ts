/** How outbox messages stand in rows: one each, or those of one write in one. */
import { z } from "zod";

export interface OutboxMessage {
  /** Grows within the object: receivers keep the highest they saw of an entity, so that a late one changes nothing. */
  readonly id: number;
  /** Messages of one entity are delivered in order. */
  readonly entity: string;
  /** One of the catalogue; or one that a version before this had. */
  readonly topic: string;
  /** JSON text. */
  readonly payload: string;
}

/** A message that has no number yet. */
export type NewMessage = Omit<OutboxMessage, "id">;

/** The topic of a row that holds several messages. */
export const severalTopic = "several";
/** Entity, topic and payload of each; a contract with what is stored. The last one has the number of the row. */
const severalSchema = z.array(z.tuple([z.string(), z.string(), z.unknown()]));

/** Messages of one write as a row. */
export function rowOf(messages: readonly [NewMessage, ...NewMessage[]]): NewMessage {
  if (messages.length === 1) return messages[0];
  // The payloads are JSON already.
  const each = messages.map(
    ({ entity, topic, payload }) => `[${JSON.stringify(entity)},${JSON.stringify(topic)},${payload}]`,
  );
  return { entity: "", topic: severalTopic, payload: `[${each.join(",")}]` };
}

/** A row's messages, each with its number. */
export function messagesOf({ id, entity, topic, payload }: OutboxMessage): OutboxMessage[] {
  if (topic !== severalTopic) return [{ id, entity, topic, payload }];
  const several = severalSchema.parse(JSON.parse(payload));
  return several.map(([ofEntity, ofTopic, value], index) => ({
    id: id - several.length + 1 + index,
    entity: ofEntity,
    topic: ofTopic,
    payload: JSON.stringify(value),
  }));
}
