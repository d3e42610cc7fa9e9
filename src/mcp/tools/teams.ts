/** Routed teams: have one work on an input, and read how far it is. */
import { z } from "zod";
import { cancelRun } from "../../application/runs/cancel-run.js";
import { readRun } from "../../application/runs/read-run.js";
import { startRun } from "../../application/runs/start-run.js";
import { defined } from "../../conversation/defined.js";
import { itemName } from "../../conversation/names.js";
import { need } from "../../conversation/problem.js";
import { newRunSchema, type Run, runStatuses } from "../../routing/run.js";
import type { Call } from "../call.js";
import { idempotencyKey, type Warnings, waitMs, warningLines, warningsField } from "../inputs.js";
import { questionSchema, questionsOf, questionsText, resumed } from "../questions.js";
import { type McpTool, mcpTool } from "../tool.js";
import { awaitEnd } from "../waiting.js";

const runResultSchema = z.object({
  status: z.enum(["needs_input", ...runStatuses]),
  runId: z.string(),
  team: z.string(),
  response: z.string().optional(),
  error: z.string().optional(),
  decisions: z
    .array(
      z.object({
        targetAgent: z.string().optional(),
        targetAgents: z.array(z.string()).optional(),
        reasoning: z.string(),
        confidence: z.number(),
      }),
    )
    .describe("Who was chosen, and why."),
  asks: z.array(questionSchema).describe("What is waited for."),
  ...warningsField,
});
type RunResult = z.input<typeof runResultSchema>;

function runResult({ runId, status, team, response, error, decisions, asks }: Run, call: Call): RunResult {
  const questions = questionsOf(asks, call);
  return {
    status: questions.length > 0 && status === "waiting" ? "needs_input" : status,
    runId,
    team,
    decisions,
    asks: questions,
    ...defined({ response, error: error?.detail }),
  };
}

function runText({ status, response, error, asks, runId, warnings }: RunResult): string {
  const end =
    status === "needs_input"
      ? questionsText(asks)
      : (response ?? error ?? `The run ${runId} is ${status}; get_run waits for its end.`);
  return [end, ...warningLines(warnings)].join("\n");
}

const asking = ({ status, runId, asks }: RunResult) =>
  status === "needs_input" ? { work: { runId }, asks } : undefined;

/** The run once it has ended or waits, or after this time. */
function runEnd(runId: string, time: number, call: Call): Promise<Run> {
  const { actor, services } = call;
  const work = { root: { kind: "run", id: runId } } as const;
  return awaitEnd(call, work, time, (wait) => readRun(actor, { runId, waitMs: wait }, services));
}

export const teamTools: readonly McpTool[] = [
  mcpTool({
    name: "run_team",
    title: "Have a team work on something",
    description:
      "Starts a run of a stored team and waits for its answer. When somebody has to be asked first, the status is needs_input with the questions.",
    act: startRun,
    effect: "adds",
    input: z.strictObject({
      team: itemName,
      ...newRunSchema.pick({ input: true, metadata: true, subject: true, externalId: true, memory: true }).shape,
      waitMs,
      idempotencyKey,
    }),
    output: runResultSchema,
    text: runText,
    asking,
    run: async ({ waitMs: time, idempotencyKey: _, ...fields }, call): Promise<RunResult> => {
      const { actor, services } = call;
      const state = await resumed(call);
      const work = state && need(state).work;
      let runId = work !== undefined && "runId" in work ? work.runId : undefined;
      let warnings: Warnings;
      if (runId === undefined) {
        const definition = newRunSchema.parse(fields);
        ({ runId, warnings } = await startRun(actor, { definition, waitMs: 0 }, services));
      }
      return { ...runResult(await runEnd(runId, time, call), call), ...defined({ warnings }) };
    },
  }),
  mcpTool({
    name: "get_run",
    title: "Read a run of a team",
    description: "Reads a run as it is now, or waits for its end: after an answer to a question, for instance.",
    act: readRun,
    effect: "reads",
    input: z.strictObject({ runId: z.string().max(100), waitMs }),
    output: runResultSchema,
    text: runText,
    run: async ({ runId, waitMs: time }, call) => runResult(await runEnd(runId, time, call), call),
  }),
  mcpTool({
    name: "cancel_run",
    title: "Cancel a run of a team",
    description: "Ends a run that hasn't ended. What it has done stays done.",
    act: cancelRun,
    effect: "changes",
    idempotent: true,
    input: z.strictObject({ runId: z.string().max(100) }),
    output: runResultSchema,
    text: runText,
    run: async ({ runId }, call) => runResult(await cancelRun(call.actor, { runId }, call.services), call),
  }),
];
