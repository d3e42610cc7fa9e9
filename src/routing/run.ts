/** Runs as they are stored and sent, and the durable function of a run: a supervised exchange whose work is a team. */
import { z } from "zod";
import type { FailureCode } from "../agent/agent-spec.js";
import { contextFacts } from "../agent/call-context.js";
import { doneForUsers } from "../agent/effects.js";
import { usageSchema } from "../agent/work.js";
import { askSchema } from "../asks/ask.js";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { issuesSchema } from "../conversation/issues.js";
import { boundMemoriesSchema, memoryChoiceSchema } from "../conversation/memory-binding.js";
import { replyText } from "../conversation/message.js";
import { externalIdSchema, itemName, metadataSchema, subjectSchema } from "../conversation/names.js";
import { runExchange } from "../supervision/exchange.js";
import { hookSummarySchema, supervisionSummarySchema } from "../supervision/summary.js";
import { type Clarification, clarificationSchema, storedClarificationSchema } from "./clarifications.js";
import type { Draft } from "./draft.js";
import type { LoadedTeam, TeamPorts } from "./ports.js";
import { clearedUser, factNames, noPromptContext } from "./prompt-context.js";
import { workerResultSchema } from "./routing-input.js";
import { teamChoiceSchema } from "./team.js";
import { runTeam, type TeamReport } from "./team-loop.js";
import { routingDecisionSchema } from "./trace.js";

export const newRunSchema = z.strictObject({
  team: teamChoiceSchema,
  input: z
    .string()
    .max(100_000)
    .refine((input) => input.trim() !== "", "the input of a run can't be empty"),
  metadata: metadataSchema.default({}),
  /** The end user it is for. */
  subject: subjectSchema.optional(),
  /** What the caller calls it: unique among the tenant's runs. */
  externalId: externalIdSchema.optional(),
  /** In addition to the tenant's and the team's. */
  supervisors: z.array(itemName).max(50).default([]),
  /** What `memory_search` searches in this run. */
  memory: memoryChoiceSchema.optional(),
});
export type NewRun = z.infer<typeof newRunSchema>;

/** As a run keeps it. */
export const runDefinitionSchema = newRunSchema.extend({ memory: boundMemoriesSchema.optional() });
export type RunDefinition = z.infer<typeof runDefinitionSchema>;

export const runStatuses = ["running", "waiting", "completed", "blocked", "failed", "cancelled"] as const;
export type RunStatus = (typeof runStatuses)[number];

export function hasEnded(status: RunStatus): boolean {
  return status !== "running" && status !== "waiting";
}

const errorSchema = z.object({
  code: z.enum(["blocked", "failed", "budget_exceeded", "limit_reached", "unpriced_model", "internal"]),
  /** For operators. */
  detail: z.string(),
  /** For end users, where the detail has words of models, tools or workers. */
  userMessage: z.string().optional(),
});

export const runOutcomeSchema = z.object({
  response: z.string().optional(),
  error: errorSchema.optional(),
  clarifications: z.array(storedClarificationSchema),
  request: hookSummarySchema.optional(),
  responseVerdict: hookSummarySchema.optional(),
  degraded: z.array(z.string()),
  cancelledBy: actorRecordSchema.optional(),
  usage: usageSchema,
});
/** What is stored of a run once it has ended. */
export type StoredRunOutcome = z.infer<typeof runOutcomeSchema>;
/** What comes of a run; what it took is in the journal. */
export type RunOutcome = Omit<StoredRunOutcome, "usage">;

export const runSchema = z.object({
  runId: z.string(),
  status: z.enum(runStatuses),
  /** The team's name, or `inline`. */
  team: z.string(),
  /** The effective text; absent until its verdict is in. */
  input: z.string().optional(),
  metadata: metadataSchema,
  subject: subjectSchema.optional(),
  externalId: externalIdSchema.optional(),
  decisions: z.array(routingDecisionSchema),
  results: z.array(workerResultSchema),
  /** What people answered while the team worked. */
  clarifications: z.array(clarificationSchema),
  response: z.string().optional(),
  error: errorSchema.optional(),
  supervision: supervisionSummarySchema,
  asks: z.array(askSchema),
  usage: usageSchema,
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  /** Nobody works on it right now: its process died, it failed unforeseen, or a provider has too much to do. It is tried again then. */
  retryAt: z.iso.datetime().optional(),
  /** What may not be meant, such as a memory that is another subject's: in the answer that begins it alone. */
  warnings: issuesSchema.optional(),
});
export type Run = z.infer<typeof runSchema>;

/** What the list of runs shows. */
export const runSummarySchema = runSchema.pick({
  runId: true,
  status: true,
  team: true,
  createdAt: true,
  endedAt: true,
  metadata: true,
  subject: true,
  externalId: true,
});
export type RunSummary = z.infer<typeof runSummarySchema>;

export interface RunCommand {
  readonly runId: string;
  readonly input: string;
  readonly metadata: RunDefinition["metadata"];
  readonly subject?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
}

/** Where the response is shown while it is written. */
export interface ResponseStream {
  listenToRound(): Draft;
  /** The supervised response is final. */
  finish(text: string): void;
  /** There will be none: what was shown is void. */
  withdraw(): void;
}

export interface RunPorts extends Omit<TeamPorts, "noteDegraded" | "work"> {
  readonly stream?: ResponseStream | undefined;
  /** The effective input is known: called once, in the same write as its verdict. */
  readonly inputDecided: (input: string, blocked: boolean) => void;
}

export interface RunEnd {
  readonly status: "completed" | "blocked" | "failed";
  readonly outcome: RunOutcome;
}

/** What is known of the work, however it ends. */
type RunReport = Pick<TeamReport, "effects"> & {
  readonly clarifications: Clarification[];
  readonly failedBy?: keyof typeof failureTexts;
  /** Of the limit that was in the way. */
  readonly userMessage?: string | undefined;
};

/** For end users. */
const failureTexts = {
  failed: { why: "The answer failed: nobody could give one.", advice: "Try again later." },
  budget_exceeded: { why: "The answer failed: it took more than one may take.", advice: "Ask for less at once." },
  limit_reached: { why: "The answer failed: a limit of what may be used is reached.", advice: "Try again later." },
  unpriced_model: { why: "The answer failed: this can't be used at the moment.", advice: "Try again later." },
} as const;

/** Failures that a run's error says by their own code. */
function isNamed(code: FailureCode): code is Exclude<keyof typeof failureTexts, "failed"> & FailureCode {
  return Object.hasOwn(failureTexts, code);
}

/** @throws {Parked} while the run waits for an ask. */
export async function runRouting(command: RunCommand, team: LoadedTeam, ports: RunPorts): Promise<RunEnd> {
  const { runId, metadata, acceptedAt, subject } = command;
  const facts = contextFacts({ subject, metadata }, factNames(team));
  const beside = facts.map(({ name, value }) => ({ name, text: value }));
  const outcome = await runExchange<"request", "response", RunReport>(
    {
      request: {
        hook: "request",
        message: { messageId: runId, role: "user", content: command.input },
        ...(beside.length === 0 ? {} : { beside }),
      },
      supervisors: ports.supervisors,
      commit: {
        id: "input",
        onDone: ({ message }, { action, reasons }) => {
          const blocked = action === "block";
          ports.inputDecided(blocked ? `[blocked] ${reasons.join("; ")}` : message.content, blocked);
        },
      },
      work: async ({ message, beside: cleared = [] }, noteDegraded) => {
        const worked = await runTeam(
          {
            id: runId,
            input: message.content,
            ...clearedUser({ subject, metadata }, cleared),
            promptContext: noPromptContext,
            path: [],
          },
          team,
          { ...ports, journal: ports.journal.scope("team"), noteDegraded, work: runId },
          ports.stream?.listenToRound(),
        );
        const report = { clarifications: [...worked.clarifications], effects: worked.effects };
        if (worked.kind === "failed") {
          const failedBy = isNamed(worked.code) ? worked.code : "failed";
          return {
            kind: "failed",
            detail: worked.detail,
            report: { ...report, failedBy, userMessage: worked.userMessage },
          };
        }
        const turns = [{ turnId: `${runId}.r`, message: worked.response }];
        const reply = { timestamp: new Date(acceptedAt).toISOString(), turns };
        return { kind: "responded", response: { hook: "response", reply }, report };
      },
    },
    ports,
  );
  const { status, request, degraded } = outcome;
  if (status !== "completed") ports.stream?.withdraw();
  switch (status) {
    case "completed": {
      const { result, response: responseVerdict, report } = outcome;
      const { clarifications } = report;
      const response = replyText(result.reply);
      ports.stream?.finish(response);
      return { status, outcome: { response, clarifications, request, responseVerdict, degraded } };
    }
    case "failed": {
      const { clarifications, effects, failedBy: code = "failed", userMessage: own } = outcome.report;
      const { why, advice } = failureTexts[code];
      const done = doneForUsers(effects);
      const userMessage = own === undefined ? `${why}${done || ` ${advice}`}` : `${own}${done}`;
      const error = { code, detail: outcome.detail, userMessage };
      return { status, outcome: { error, clarifications, request, degraded } };
    }
    case "blocked": {
      if (outcome.hook === "request") {
        const error = { code: "blocked" as const, detail: `The input was blocked. ${request.reasons.join("; ")}` };
        return { status, outcome: { error, clarifications: [], request, degraded } };
      }
      const { response: responseVerdict, report } = outcome;
      const { clarifications, effects } = report;
      const detail = `The response was blocked. ${responseVerdict.reasons.join("; ")}${doneForUsers(effects)}`;
      const error = { code: "blocked" as const, detail };
      return { status, outcome: { error, clarifications, request, responseVerdict, degraded } };
    }
  }
}
