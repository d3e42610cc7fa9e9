/**
 * The catalogue of outbox topics: what objects send to others, and who handles it. A new topic is one entry here and one handler in the
 * table of its `handler`, without which it does not compile.
 */
import { z } from "zod";
import { endedStatuses, modelUsageSchema } from "../agent/work.js";
import { storedAskSchema } from "../asks/ask.js";
import type { ListedFeedback } from "../chat/feedback.js";
import { storedSessionSchema } from "../chat/session.js";
import { deliveryStatuses } from "../conversation/delivery.js";
import { assignmentSchema } from "../evidence/assignment.js";
import type { DatasetView } from "../evidence/dataset.js";
import type { Eval } from "../evidence/evaluation.js";
import { roundtableSummarySchema } from "../roundtable/roundtable.js";
import { runSummarySchema } from "../routing/run.js";
import type { AuditBody } from "../supervision/stored-state.js";
import { actions, hooks } from "../supervision/verdict.js";
import { doneBySchema, recordedActSchema } from "../tenancy/audit.js";
import type { Settlement } from "../tenancy/limits/grants.js";

const auditFields = {
  hook: z.enum(hooks),
  decision: z.enum(actions),
  // Stored as it is, by the write that made it: not looked into again.
  body: z.custom<AuditBody>(),
  at: z.number(),
};

/** `d1`: `src/stores/deliveries.ts`; `budget`: the tenant's budget; `session` and `thread`: the objects' own deliveries. */
type OutboxHandler = "d1" | "budget" | "session" | "thread";

interface TopicDefinition<Payload extends z.ZodType = z.ZodType> {
  /** One line: what is sent, and what becomes of it. */
  readonly description: string;
  readonly handler: OutboxHandler;
  readonly payload: Payload;
  /** A copy for lists and records: nobody waits for it, so it may go a moment later, with others. */
  readonly isCopy?: true;
}

const name = z.string();
const optionalName = name.optional();

/** A time in milliseconds since the epoch; messages of the version before may lack it. */
const at = z.number().default(0);

const flag = z.boolean();

export const outboxTopics = {
  session: {
    description: "A session as it is listed; its copy in D1.",
    handler: "d1",
    isCopy: true,
    payload: storedSessionSchema,
  },
  run: {
    description: "A run as it is listed; its copy in D1.",
    handler: "d1",
    isCopy: true,
    payload: runSummarySchema,
  },
  roundtable: {
    description: "A roundtable as it is listed; its copy in D1.",
    handler: "d1",
    isCopy: true,
    payload: roundtableSummarySchema,
  },
  ask: {
    description: "An ask that was opened, closed or rewritten; its copy in the tenant's inbox.",
    handler: "d1",
    payload: storedAskSchema,
  },
  usage: {
    description: "What a turn or run has taken, by model; rows of the tenant's usage.",
    handler: "d1",
    isCopy: true,
    payload: z.object({
      work: name,
      kind: name,
      agent: name,
      subject: optionalName,
      keyId: optionalName,
      models: z.array(modelUsageSchema),
      at: z.number(),
      /** How it ended; versions before don't say. */
      status: z.enum(endedStatuses).optional(),
      /** A supervisor's failure let something through in it. */
      degraded: flag.optional(),
    }),
  },
  budget: {
    description: "What work has come to that something was reserved for; the tenant's budget settles it.",
    handler: "budget",
    // As the write made it: its receiver reads it again.
    payload: z.custom<Settlement>(),
  },
  limit: {
    description:
      "What webhooks are told of a tenant as a whole: that a limit was nearly or wholly used up, or a job given up.",
    handler: "d1",
    payload: z.custom<{ type: string; key: string; data: object; at: number }>(),
  },
  audit: {
    description: "What the supervisors of a hook decided; a row of the tenant's audit.",
    handler: "d1",
    isCopy: true,
    payload: z.union([
      z.object({ workId: z.string(), ...auditFields }),
      // As versions before stored it, whatever the work was.
      z.object({ turnId: z.string(), ...auditFields }).transform(({ turnId, ...row }) => ({ workId: turnId, ...row })),
    ]),
  },
  act: {
    description: "What a person, a deadline or a supervisor did; a row of the tenant's audit.",
    handler: "d1",
    isCopy: true,
    payload: recordedActSchema,
  },
  dataset: {
    description: "A dataset as it is listed; its copy in D1.",
    handler: "d1",
    isCopy: true,
    payload: z.custom<DatasetView>(),
  },
  eval: {
    description: "An eval as it is listed; its copy in D1.",
    handler: "d1",
    isCopy: true,
    payload: z.custom<Eval>(),
  },
  experiment: {
    description: "How a turn went whose session is in an experiment; its unit's row.",
    handler: "d1",
    isCopy: true,
    payload: assignmentSchema.extend({
      ...{ blocked: flag, failed: flag, degraded: flag },
      /** Absent of a turn that has ended: it is said later. */
      negative: flag.optional(),
    }),
  },
  feedback: {
    description: "Somebody said what they think of a turn or a message; a row for counting, without the comment.",
    handler: "d1",
    isCopy: true,
    // As the write made it, by its own shape.
    payload: z.custom<ListedFeedback>(),
  },
  parked: {
    description: "How many messages this object has given up for now; the overview counts them.",
    handler: "d1",
    isCopy: true,
    payload: z.custom<{ parked: number; at: number }>(),
  },
  work_ended: {
    description: "A turn or run ended before its time; its workers count as busy no longer.",
    handler: "d1",
    payload: z.object({ work: z.string(), at }),
  },
  memory: {
    description: "A session began, or a message was added, edited or erased; its memory reads it by id.",
    handler: "session",
    payload: z.object({
      /** Absent: the session began. */
      messageId: z.string().optional(),
      /** Which edit of the message this is about. */
      edit: z.int().optional(),
      at,
    }),
  },
  channel: {
    description: "A turn ended, or an ask was opened or closed: the chat conversation of the session shows it.",
    handler: "session",
    payload: z.union([z.object({ turnId: z.string() }), z.object({ askId: z.string(), status: z.string() })]),
  },
  channel_conversation: {
    description: "A conversation of a chat channel has begun; where it is found when the channel is deleted.",
    handler: "d1",
    payload: z.object({ channelId: z.string(), conversation: z.string() }),
  },
  channel_delivery: {
    description: "A message to a chat platform failed, was parked, or went through after that; the channel's health.",
    handler: "d1",
    payload: z.object({
      channelId: z.string(),
      conversation: z.string(),
      deliveryId: z.string(),
      status: z.enum(deliveryStatuses),
      attempts: z.int(),
      failure: z.string().optional(),
      createdAt: z.number(),
      at: z.number(),
    }),
  },
  flush: {
    description: "A range of a thread's messages is to be made into entries and a context; a job of the queue.",
    handler: "thread",
    payload: z.object({ fromSeq: z.int(), toSeq: z.int() }),
  },
  erase: {
    description: "An entry of a thread is to be erased wherever it is.",
    handler: "thread",
    payload: z.object({
      entryId: z.string(),
      /** Whose wish it is, for the audit. Absent: the system's own. */
      deleted: doneBySchema.optional(),
    }),
  },
} as const satisfies Readonly<Record<string, TopicDefinition>>;

type Topics = typeof outboxTopics;
export type OutboxTopic = keyof Topics;
export type TopicOf<Handler extends OutboxHandler> = {
  [Topic in OutboxTopic]: Topics[Topic]["handler"] extends Handler ? Topic : never;
}[OutboxTopic];

/** What is put into the outbox. */
export type OutboxPayload<Topic extends OutboxTopic> = z.input<Topics[Topic]["payload"]>;
/** What its handler reads. */
export type ReadPayload<Topic extends OutboxTopic> = z.output<Topics[Topic]["payload"]>;

const definitions: { readonly [Topic in OutboxTopic]: TopicDefinition<z.ZodType<ReadPayload<Topic>>> } = outboxTopics;

/** Whether a stored message's topic is one that this handler handles. */
export function isTopicOf<Handler extends OutboxHandler>(topic: string, handler: Handler): topic is TopicOf<Handler> {
  return isTopic(topic) && definitions[topic].handler === handler;
}

/** Whether a message of this topic may wait for others: see {@link TopicDefinition.isCopy}. */
export function isCopy(topic: OutboxTopic): boolean {
  return definitions[topic].isCopy === true;
}

function isTopic(topic: string): topic is OutboxTopic {
  return Object.hasOwn(outboxTopics, topic);
}

/** @param payload JSON text. */
export function readPayload<Topic extends OutboxTopic>(topic: Topic, payload: string): ReadPayload<Topic> {
  return definitions[topic].payload.parse(JSON.parse(payload));
}

export class UnknownTopicError extends Error {
  override readonly name = "UnknownTopicError";

  constructor(topic: string) {
    super(`an outbox message of the unknown topic "${topic}"`);
  }
}
