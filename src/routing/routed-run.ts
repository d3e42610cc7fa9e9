/** Runs as they are stored and sent, and the durable function of a run: request supervision, the team, response supervision. */
import { z } from "zod";
import { usageSchema } from "../agent/work.js";
import { askSchema } from "../asks/ask.js";
import { itemName, metadataSchema } from "../conversation/names.js";
import { hookSummarySchema, supervisionSummarySchema } from "../supervision/summary.js";
import { supervise } from "../supervision/supervise.js";
import { noTurnContext } from "./brief.js";
import type { LoadedTeam, TeamPorts } from "./ports.js";
import { clarificationSchema, workerResultSchema } from "./routing-input.js";
import { runTeam } from "./run.js";
import { teamChoiceSchema } from "./team.js";
import { routingDecisionSchema } from "./trace.js";

export const newRunSchema = z.strictObject({
  team: teamChoiceSchema,
  input: z
    .string()
    .max(100_000)
    .refine((input) => input.trim() !== "", "the input of a run can't be empty"),
  metadata: metadataSchema.default({}),
  /** In addition to the tenant's and the team's. */
  supervisors: z.array(itemName).max(50).default([]),
  /** What `memory_search` searches in this run. */
  memory: z.strictObject({ memoryId: z.string().max(100) }).optional(),
});
export type NewRun = z.infer<typeof newRunSchema>;

export const runStatuses = ["running", "waiting", "completed", "blocked", "failed", "cancelled"] as const;
export type RunStatus = (typeof runStatuses)[number];

export function hasEnded(status: RunStatus): boolean {
  return status !== "running" && status !== "waiting";
}

const errorSchema = z.object({ code: z.enum(["blocked", "failed", "internal"]), detail: z.string() });

export const runOutcomeSchema = z.object({
  response: z.string().optional(),
  error: errorSchema.optional(),
  clarifications: z.array(clarificationSchema),
  request: hookSummarySchema.optional(),
  responseVerdict: hookSummarySchema.optional(),
  degraded: z.array(z.string()),
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
});
export type RunSummary = z.infer<typeof runSummarySchema>;

export interface RunCommand {
  readonly runId: string;
  readonly input: string;
  readonly metadata: NewRun["metadata"];
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
}

export interface RunPorts extends Omit<TeamPorts, "degraded" | "work"> {
  /** The effective input is known: called once, in the same write as its verdict. */
  readonly inputDecided: (input: string, blocked: boolean) => void;
}

export interface RunEnd {
  readonly status: "completed" | "blocked" | "failed";
  readonly outcome: RunOutcome;
}

/** @throws {Parked} while the run waits for an ask. */
export async function runRouting(command: RunCommand, team: LoadedTeam, ports: RunPorts): Promise<RunEnd> {
  const { runId, acceptedAt } = command;
  const degraded = new Set<string>();
  const note = (names: readonly string[]): void => {
    for (const name of names) degraded.add(name);
  };
  const request = await supervise(
    "request",
    { hook: "request", message: { messageId: runId, role: "user", content: command.input } },
    ports.supervisors,
    ports.journal.scope("request"),
    ports.supervise,
  );
  note(request.degraded);
  const blocked = request.action === "block";
  const input = request.subject.message.content;
  await ports.journal.step<true>(
    {
      id: "input",
      kind: "commit",
      schema: z.literal(true),
      interrupted: "again",
      onDone: () => ports.inputDecided(blocked ? `[blocked] ${request.reasons.join("; ")}` : input, blocked),
    },
    async () => true,
  );
  const summary = { action: request.action, reasons: [...request.reasons] };
  if (blocked) {
    const error = { code: "blocked" as const, detail: `The input was blocked. ${request.reasons.join("; ")}` };
    const outcome = { error, clarifications: [], request: summary, degraded: [...degraded] };
    return { status: "blocked", outcome };
  }

  const worked = await runTeam(
    { id: runId, input, metadata: command.metadata, background: noTurnContext, path: [] },
    team,
    { ...ports, journal: ports.journal.scope("team"), degraded: note, work: runId },
  );
  const soFar = (): RunOutcome => ({
    clarifications: [...worked.clarifications],
    request: summary,
    degraded: [...degraded],
  });
  if (worked.kind === "failed") {
    return { status: "failed", outcome: { ...soFar(), error: { code: "failed", detail: worked.detail } } };
  }
  const reply = {
    timestamp: new Date(acceptedAt).toISOString(),
    turns: [{ turnId: `${runId}.r`, message: worked.response }],
  };
  const response = await supervise(
    "response",
    { hook: "response", reply },
    ports.supervisors,
    ports.journal.scope("response"),
    ports.supervise,
  );
  note(response.degraded);
  const outcome = { ...soFar(), responseVerdict: { action: response.action, reasons: [...response.reasons] } };
  if (response.action === "block") {
    const detail = `The response was blocked. ${response.reasons.join("; ")}`;
    return { status: "blocked", outcome: { ...outcome, error: { code: "blocked", detail } } };
  }
  const said = response.subject.reply.turns.flatMap(({ message }) => message ?? []).join("\n");
  return { status: "completed", outcome: { ...outcome, response: said } };
}
