/** Sessions and turns as they are stored and sent, and the decisions about them. */

import { z } from "zod";
import { mentionableSchema } from "../agent/definition.js";
import { usageSchema } from "../agent/work.js";
import { isAnsweredByMessage } from "../asks/answer-in-words.js";
import { type Ask, askSchema } from "../asks/ask.js";
import { awaitedAnswer } from "../asks/ask-sentence.js";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { defined } from "../conversation/defined.js";
import { issuesSchema } from "../conversation/issues.js";
import { boundMemoriesSchema, memoryChoiceSchema } from "../conversation/memory-binding.js";
import {
  assistantMessageSchema,
  chatMessageSchema,
  plainMessageSchema,
  toolCallResultSchema,
} from "../conversation/message.js";
import {
  changeMetadata,
  externalIdSchema,
  itemName,
  metadataChangeSchema,
  metadataSchema,
  speakerSchema,
  subjectSchema,
} from "../conversation/names.js";
import { ok, type Result, refuse } from "../conversation/problem.js";
import { assignmentSchema } from "../evidence/assignment.js";

import { shownPassSchema, supervisionStateSchema } from "../supervision/state.js";
import { hookSummarySchema, supervisionSummarySchema } from "../supervision/summary.js";
import { lazily } from "../text/lazily.js";
import { sessionContextSchema } from "./context.js";
import { holdStates, maxHeldTurns } from "./hold.js";
import { turnCallSchema } from "./turn-calls.js";
import { waitsForSchema } from "./waits-for.js";

/** What becomes of a further message while a turn has an open ask; {@link admit} says what each means. */
const waitingPolicies = ["queue", "refuse", "answer", "cancel"] as const;

const sessionSupervisors = z.array(itemName).max(50);

export const newSessionSchema = z.strictObject({
  agent: itemName,
  /** The end user it belongs to: their tokens reach it. */
  subject: subjectSchema.optional(),
  /** What the caller calls it: unique among the tenant's sessions. */
  externalId: externalIdSchema.optional(),
  supervisors: sessionSupervisors.default([]),
  context: sessionContextSchema.prefault({}),
  /** What messages may bring in by a mention, beside what the agent lists. */
  mentionable: mentionableSchema.prefault({}),
  metadata: metadataSchema.default({}),
  whileWaiting: z.enum(waitingPolicies).default("queue"),
  /** Messages are recorded in a thread of the first (the session's own, if none is named), and what all of them know is recalled. */
  memory: memoryChoiceSchema.optional(),
});
export type NewSession = z.infer<typeof newSessionSchema>;

/** As a session keeps it: with what the system itself notes, and no caller can set. */
export const sessionDefinitionSchema = newSessionSchema.extend({
  memory: boundMemoriesSchema.optional(),
  /** Made for one turn of a caller who sends the whole conversation along: it goes with the turn's end, and no list shows it. */
  stateless: z.literal(true).optional(),
  /** Its end user began it, with a token, and chose its externalId; absent where the application did. */
  begunBy: z.literal("user").optional(),
  /** What it got of an experiment on its agent, with its first turn. */
  experiment: assignmentSchema.optional(),
});
export type SessionDefinition = z.infer<typeof sessionDefinitionSchema>;

/** What may be changed of a session that is there. */
export const sessionChangeSchema = z.strictObject({
  metadata: metadataChangeSchema.optional(),
  /** Only of a session that has none yet. */
  subject: subjectSchema.optional(),
  /** Beside those that it has, from its next turn on. */
  addSupervisors: sessionSupervisors.min(1).optional(),
});
export type SessionChange = z.infer<typeof sessionChangeSchema>;

/** The session as it is after a change. A subject is given once: a user who had reached it would reach another's session otherwise. */
export function changeDefinition(
  definition: SessionDefinition,
  { metadata, subject, addSupervisors = [] }: SessionChange,
): Result<SessionDefinition> {
  if (subject !== undefined && definition.subject !== undefined && definition.subject !== subject) {
    return refuse("conflict", "The session has another subject already, and that doesn't change.");
  }
  const changed = metadataSchema.safeParse(changeMetadata(definition.metadata, metadata ?? {}));
  if (!changed.success) {
    const errors = [{ path: "metadata", message: "at most 50 entries" }];
    return refuse("invalid", "The session would have too much metadata; see errors.", { errors });
  }
  const supervisors = sessionSupervisors.safeParse([...new Set([...definition.supervisors, ...addSupervisors])]);
  if (!supervisors.success) {
    const errors = [{ path: "addSupervisors", message: "at most 50 in all" }];
    return refuse("invalid", "The session would have too many supervisors; see errors.", { errors });
  }
  return ok({ ...definition, ...defined({ subject }), metadata: changed.data, supervisors: supervisors.data });
}

export const turnStatuses = ["queued", "running", "waiting", "completed", "blocked", "failed", "cancelled"] as const;
export type TurnStatus = (typeof turnStatuses)[number];

export const sessionStatuses = ["idle", "running", "waiting"] as const;

const holdSchema = z.object({
  state: z.enum(holdStates),
  since: z.iso.datetime(),
  /** Who took it over, or asked for a person; absent for end users. */
  by: actorRecordSchema.optional(),
});

export const sessionSchema = sessionDefinitionSchema.extend({
  sessionId: z.string(),
  status: z.enum(sessionStatuses),
  contextVersion: z.int(),
  /** While a person has taken it over, or was asked to. */
  hold: holdSchema.optional(),
  /** The newest one. */
  lastTurn: z.object({ turnId: z.string(), status: z.enum(turnStatuses) }).optional(),
  createdAt: z.iso.datetime(),
  /** When its status, its context, its metadata or its subject changed last. */
  updatedAt: z.iso.datetime(),
  /** What may not be meant, such as a memory that is another subject's: in the answer that begins it alone. */
  warnings: issuesSchema.optional(),
});
export type Session = z.infer<typeof sessionSchema>;

/** As it was stored by any version: sessions of before have no `updatedAt`. */
export const storedSessionSchema = sessionSchema
  .extend({ updatedAt: z.iso.datetime().optional() })
  .strip()
  .transform((session): Session => ({ ...session, updatedAt: session.updatedAt ?? session.createdAt }));

export function isFinal(status: TurnStatus): boolean {
  return status === "completed" || status === "blocked" || status === "failed" || status === "cancelled";
}

export const turnSchema = z.object({
  turnId: z.string(),
  status: z.enum(turnStatuses),
  /** The effective message; absent until its verdict is in. */
  message: chatMessageSchema.optional(),
  reply: assistantMessageSchema.optional(),
  error: plainMessageSchema.optional(),
  /** Why it failed, for operators; absent for others. */
  failure: z.string().optional(),
  /** The tool calls of a turn that ended without a reply: what it did all the same. */
  calls: z.array(turnCallSchema).optional(),
  supervision: supervisionSummarySchema,
  asks: z.array(askSchema),
  /** Its message is answered together with a later one: the turn whose reply that is. */
  answeredIn: z.string().optional(),
  /** While it is queued or waits: for what. */
  waitsFor: waitsForSchema.optional(),
  /** What its end user may be told meanwhile. */
  userMessage: z.string().optional(),
  /** What all models of the turn took: the agent's, supervising agents', a team's. */
  usage: usageSchema,
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  /** Nobody works on it right now: its process died, it failed unforeseen, or a provider has too much to do. It is tried again then. */
  retryAt: z.iso.datetime().optional(),
});
export type Turn = z.infer<typeof turnSchema>;

/** What the turn was answered with, for those who replay it: the restricted record, which goes with the first text of it that is erased. */
export const turnGroundsSchema = lazily(() =>
  z.object({
    /** Calls of workers, seats and supervisors, which no reply holds; all of a turn without a reply. */
    calls: z.array(toolCallResultSchema).optional(),
    /** The session's, as they were. */
    subject: subjectSchema.optional(),
    metadata: metadataSchema.optional(),
    supervisors: z.array(z.string()).optional(),
  }),
);
export type TurnGrounds = z.infer<ReturnType<typeof turnGroundsSchema>>;

/** What is stored of a turn once it has ended. */
export const turnOutcomeSchema = lazily(() =>
  z.object({
    reply: assistantMessageSchema.optional(),
    error: plainMessageSchema.optional(),
    /** Why it failed, for operators. */
    failure: z.string().optional(),
    request: hookSummarySchema.optional(),
    response: hookSummarySchema.optional(),
    degraded: z.array(z.string()),
    cancelledBy: actorRecordSchema.optional(),
    /** A person, or the agent after them, answers its message together with a later one: the turn of that. */
    answeredIn: z.string().optional(),
    usage: usageSchema.extend({ modelCalls: z.number().default(0) }),
    /** Turns of versions before have none. */
    grounds: turnGroundsSchema().optional(),
  }),
);
export type StoredOutcome = z.infer<ReturnType<typeof turnOutcomeSchema>>;
/** What comes of a turn; what it took is in the journal. */
export type SettledOutcome = Omit<StoredOutcome, "usage">;

const ofTurn = { turnId: z.string(), at: z.iso.datetime() };
/** A pass of a turn as it is recorded. */
export const recordedPassSchema = supervisionStateSchema.extend(ofTurn);
/** A pass of a turn as it is shown. */
export const passViewSchema = shownPassSchema.extend(ofTurn);

export const sendMessageSchema = z.strictObject({
  content: z
    .string()
    .max(100_000)
    .refine((content) => content.trim() !== "", "the content of a message can't be empty"),
  /** Who says it, where several people share the session. */
  speaker: speakerSchema.optional(),
  metadata: metadataSchema.optional(),
  waitMs: z.int().min(0).max(300_000).default(60_000),
  /** Goes on to the end of the turn, through whatever is waited for. */
  follow: z.boolean().default(false),
});

/** Messages that may wait in a session behind the running one. */
const maxQueuedTurns = 32;

export interface SessionLoad {
  readonly whileWaiting: NewSession["whileWaiting"];
  readonly queued: number;
  /** Open asks of the current turn, the oldest first; whether it has begun to wait for them already makes no difference. */
  readonly openAsks: readonly Pick<Ask, "askId" | "kind" | "audience">[];
  /** A person has the conversation: what is written is for them, whatever else is open. */
  readonly isHeld?: boolean | undefined;
}

/** What becomes of a message: a turn at the end of the queue, the same once the current one is cancelled, or an ask's answer. */
export type Admission =
  | { readonly kind: "queue" | "cancel_current" }
  | { readonly kind: "answer"; readonly askId: string };

/**
 * What a session does with a message. While its turn has an open ask, `queue` lets the message wait, `refuse` names the ask, `cancel` ends
 * that turn, and `answer` gives the message to the oldest question or request for context that is for the user; where there is none, it waits.
 * @example
 * admit({ whileWaiting: "answer", queued: 0, openAsks: [{ askId, kind: "human", audience: "user" }] }); // { kind: "answer", askId }
 */
export function admit({ whileWaiting, queued, openAsks, isHeld = false }: SessionLoad): Result<Admission> {
  const [ask] = openAsks;
  if (ask !== undefined && !isHeld) {
    switch (whileWaiting) {
      case "cancel":
        return ok({ kind: "cancel_current" });
      case "refuse":
        return refuseWaiting(ask);
      case "answer": {
        const question = openAsks.find(isAnsweredByMessage);
        if (question !== undefined) return ok({ kind: "answer", askId: question.askId });
        break;
      }
      case "queue":
    }
  }
  if (queued >= (isHeld ? maxHeldTurns : maxQueuedTurns)) {
    return refuse("queue_full", `${queued} messages are waiting in this session already. Send it again later.`, {
      retryAfterSeconds: 5,
    });
  }
  return ok({ kind: "queue" });
}

function refuseWaiting(ask: SessionLoad["openAsks"][number]): Result<never> {
  const waiting = `The session's turn is waiting for ${awaitedAnswer(ask)}.`;
  const { askId } = ask;
  return refuse("waiting_on_ask", `${waiting} Send the message again after that, or cancel the turn first.`, { askId });
}
