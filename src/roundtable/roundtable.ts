/** Roundtables as callers start them, and as they read them. */
import { z } from "zod";
import { usageSchema } from "../agent/work.js";
import { askSchema } from "../asks/ask.js";
import { defined } from "../conversation/defined.js";
import { issuesSchema } from "../conversation/issues.js";
import { boundMemoriesSchema, memoryChoiceSchema } from "../conversation/memory-binding.js";
import { externalIdSchema, itemName, metadataSchema, subjectSchema } from "../conversation/names.js";
import { consensusSchema } from "./consensus/schema.js";
import { contextRequestViewSchema } from "./context-request.js";
import { contextResultSchema, resultOutcomeSchema } from "./context-results.js";
import { debateStatuses, exitSchema, maxRounds } from "./debate.js";
import { modeNames } from "./modes/table.js";
import { debateFields, type Panel, panelFields, panelSchema, perspectiveTextSchema } from "./panel.js";
import { citationSchema, stanceSchema } from "./position.js";
import { synthesisSchema } from "./synthesis.js";

const topicSchema = z
  .string()
  .max(10_000)
  .refine((topic) => topic.trim() !== "", "the topic of a roundtable can't be empty");

/** What makes a panel of a start: with a stored one it can't be said too. */
const ownPanel = z.object(panelFields).partial();
const ownFields = ownPanel.keyof().options;

export const newRoundtableSchema = z
  .strictObject({
    topic: topicSchema,
    /** A stored panel; or what follows says what the panel is. */
    panel: itemName.optional(),
    ...ownPanel.shape,
    ...z.object(debateFields).partial().shape,
    /** In addition to the tenant's and the panel's. */
    supervisors: z.array(itemName).max(50).default([]),
    subject: subjectSchema.optional(),
    /** What the caller calls it: unique among the tenant's roundtables. */
    externalId: externalIdSchema.optional(),
    /** What `memory_search` searches, beside the memories of the panel. */
    memory: memoryChoiceSchema.optional(),
    metadata: metadataSchema.default({}),
  })
  .superRefine((start, context) => {
    if (start.panel === undefined) return;
    for (const field of ownFields) {
      if (start[field] === undefined) continue;
      context.addIssue({
        code: "custom",
        path: [field],
        message: `the stored panel says it; leave ${field} out, or the panel`,
      });
    }
  });
export type NewRoundtable = z.infer<typeof newRoundtableSchema>;

/** Whether a start brings more of a panel along than a mode with a number. */
export function bringsPanel(start: NewRoundtable): boolean {
  const { seats: sent, tools, memories, requests, models, limits } = start;
  return [sent, tools, memories, requests, models, limits].some((field) => field !== undefined);
}

export type PanelProblems = readonly { readonly path: string; readonly message: string }[];

/** The panel of a start: the stored one, or what the start says, with its own rounds, exit, perspectives and waiting. */
export function panelOf(
  start: NewRoundtable,
  stored: Panel | undefined,
): { panel: Panel } | { problems: PanelProblems } {
  const { rounds, exitOnConsensus, thresholds, perspectives, waiting } = start;
  const panel = stored ?? defined(Object.fromEntries(ownFields.map((field) => [field, start[field]])));
  const overrides = defined({ rounds, exitOnConsensus, thresholds, perspectives, waiting });
  const parsed = panelSchema.safeParse({ ...panel, ...overrides });
  if (parsed.success) return { panel: parsed.data };
  return { problems: parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })) };
}

/** What is stored of a start: with its panel as it was then. */
export const roundtableDefinitionSchema = z.object({
  topic: z.string(),
  /** The stored panel's name, or `inline`. */
  panelName: z.string(),
  panel: panelSchema,
  supervisors: z.array(z.string()),
  subject: z.string().optional(),
  externalId: z.string().optional(),
  memory: boundMemoriesSchema.optional(),
  metadata: metadataSchema,
  /** The roundtable that it was forked from, and from which of its rounds. */
  forkedFrom: z.object({ sessionId: z.string(), round: z.int() }).optional(),
});
export type RoundtableDefinition = z.infer<typeof roundtableDefinitionSchema>;

export const contextResultsSchema = z.array(contextResultSchema).max(200);

export const continueSchema = z.strictObject({
  focusQuestion: z.string().min(1).max(4_000).optional(),
  contextResults: contextResultsSchema.optional(),
  /** So many rounds are left from here, this one included: also of a debate that has ended. */
  rounds: z.int().min(1).max(maxRounds).optional(),
  /** Goes on without what is required and still open. */
  skipPending: z.boolean().optional(),
  /** Asks those of the current round again who asked for something and have it by now. */
  rerun: z.enum(["requesters"]).optional(),
});
export type ContinueCommand = z.infer<typeof continueSchema>;

export const controlActions = ["pause", "resume", "stop", "answerNow"] as const;
export type ControlAction = (typeof controlActions)[number];

export const shownPositionSchema = z.object({
  /** The seat's id. */
  agentId: z.string(),
  name: z.string(),
  role: z.string().optional(),
  round: z.int(),
  stance: stanceSchema.optional(),
  position: z.string(),
  reasoning: z.string(),
  confidence: z.number(),
  citations: z.array(citationSchema),
  citedContext: z.array(z.string()),
});
export type ShownPosition = z.infer<typeof shownPositionSchema>;

export const shownFailureSchema = z.object({
  agentId: z.string(),
  error: z.string(),
  attempts: z.int(),
  reason: z.string(),
});

const roundtableErrorCodes = [
  "all_seats_failed",
  "limit_reached",
  "unpriced_model",
  "blocked",
  "failed",
  "internal",
] as const;
export const roundtableErrorSchema = z.object({
  code: z.enum(roundtableErrorCodes),
  detail: z.string(),
  /** For end users, where a limit was in the way. */
  userMessage: z.string().optional(),
  failures: z.array(shownFailureSchema).optional(),
});
export type RoundtableError = z.infer<typeof roundtableErrorSchema>;

const optionalText = z.string().optional();

export const roundtableSchema = z.object({
  /** The roundtable's id. */
  sessionId: z.string(),
  /** What may not be meant, such as a memory that is another subject's: in the answer that begins it alone. */
  warnings: issuesSchema.optional(),
  status: z.enum(debateStatuses),
  running: z.boolean(),
  /** Nobody works on its round right now: its process died, it failed unforeseen, or a provider has too much to do. It is tried again then. */
  retryAt: z.iso.datetime().optional(),
  paused: z.literal(true).optional(),
  /** Whether a required request is open. */
  blocking: z.boolean().optional(),
  /** What has happened, and what to do next. */
  message: z.string(),
  /** As supervision let it pass; absent until then. */
  topic: z.string().optional(),
  mode: z.enum(modeNames),
  /** The stored panel, or `inline`. */
  panel: z.string(),
  agents: z.array(
    z.object({
      agentId: z.string(),
      name: z.string(),
      role: optionalText,
      perspective: perspectiveTextSchema.optional(),
    }),
  ),
  /** The last complete round; 0 before the first. */
  currentRound: z.int(),
  roundNumber: z.int(),
  totalRounds: z.int(),
  /** Of the last complete round. */
  responses: z.array(shownPositionSchema),
  /** Those that were taken so far in the round that runs. */
  taken: z.array(shownPositionSchema).optional(),
  consensus: consensusSchema.optional(),
  /** The open ones. */
  contextRequests: z.array(contextRequestViewSchema).optional(),
  failures: z.array(shownFailureSchema).optional(),
  /** What became of each result that this request sent. */
  outcomes: z.array(resultOutcomeSchema).optional(),
  exit: exitSchema.optional(),
  synthesis: synthesisSchema.optional(),
  /** Why the last command came to nothing. */
  error: roundtableErrorSchema.optional(),
  /** Open approvals and reviews that a round waits for. */
  asks: z.array(askSchema),
  /** Supervisors whose failure let something through. */
  degraded: z.array(z.string()),
  usage: usageSchema,
  subject: optionalText,
  externalId: optionalText,
  metadata: metadataSchema,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
});
export type Roundtable = z.infer<typeof roundtableSchema>;

/** What the list shows. */
export const roundtableSummarySchema = roundtableSchema.pick({
  sessionId: true,
  status: true,
  running: true,
  paused: true,
  mode: true,
  panel: true,
  topic: true,
  currentRound: true,
  totalRounds: true,
  exit: true,
  subject: true,
  externalId: true,
  metadata: true,
  createdAt: true,
  updatedAt: true,
  endedAt: true,
});
export type RoundtableSummary = z.infer<typeof roundtableSummarySchema>;
