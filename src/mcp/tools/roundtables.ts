/** Roundtables under the names of the pattern's own papers: start a debate, answer what it asks for, go on, read it. */
import { z } from "zod";
import { continueRoundtable } from "../../application/roundtables/continue-roundtable.js";
import { controlRoundtable } from "../../application/roundtables/control-roundtable.js";
import { listRoundtables } from "../../application/roundtables/list-roundtables.js";
import {
  exportDebate,
  listCitations,
  readConsensus,
  readRound,
  readThoughts,
} from "../../application/roundtables/read-record.js";
import { readRoundtable } from "../../application/roundtables/read-roundtable.js";
import { startRoundtable } from "../../application/roundtables/start-roundtable.js";
import { synthesizeRoundtable } from "../../application/roundtables/synthesize-roundtable.js";
import { defined } from "../../conversation/defined.js";
import { issuesOf } from "../../conversation/issues.js";
import { problem } from "../../conversation/problem.js";
import { consensusSchema } from "../../roundtable/consensus/schema.js";
import { shownCitationSchema, shownRoundSchema } from "../../roundtable/debate-record.js";
import { thoughtsSchema } from "../../roundtable/reading/thoughts.js";
import {
  continueSchema,
  controlActions,
  newRoundtableSchema,
  type Roundtable,
  roundtableSchema,
  roundtableSummarySchema,
  shownPositionSchema,
} from "../../roundtable/roundtable.js";
import type { Call } from "../call.js";
import { cursor, idempotencyKey, limit, pageOf, waitMs, warningLines } from "../inputs.js";
import { type McpTool, mcpTool } from "../tool.js";
import { awaitEnd } from "../waiting.js";

const sessionId = z.string().max(100).describe("The roundtable's id, as start_roundtable gave it.");

/** What a model reads of a debate: what to do next, the positions, and what is asked for, with the ids to answer. */
function roundtableText({
  sessionId: id,
  status,
  message,
  responses,
  contextRequests = [],
  synthesis,
  warnings,
}: Roundtable) {
  return [
    `${id}: ${status}. ${message}`,
    ...warningLines(warnings),
    ...responses.map(
      ({ name, stance, position, confidence }) =>
        `- ${name}${stance === undefined ? "" : ` (${stance})`}, ${Math.round(confidence * 100)} % sure: ${position}`,
    ),
    ...(contextRequests.length === 0 ? [] : ["Asked for; bring it as contextResults of continue_roundtable:"]),
    ...contextRequests.map(
      ({ requestId, query, reason, priority }) => `- [${requestId}] (${priority}) ${query} Why: ${reason}`,
    ),
    ...(synthesis === undefined ? [] : [`Conclusion: ${synthesis.conclusion}`]),
  ].join("\n");
}

/** The debate once nothing runs any more, or after this time. */
async function settled(roundtableId: string, time: number, call: Call): Promise<Roundtable> {
  const { actor, services } = call;
  const work = { root: { kind: "roundtable", id: roundtableId } } as const;
  return awaitEnd(call, work, time, (wait) => readRoundtable(actor, { roundtableId, waitMs: wait }, services));
}

const start = newRoundtableSchema.shape;
const shown = { output: roundtableSchema, text: roundtableText } as const;

export const roundtableTools: readonly McpTool[] = [
  mcpTool({
    name: "start_roundtable",
    title: "Have a panel debate a topic",
    description:
      "Starts a debate of a stored panel, or of a mode with a number of agents, and returns its first round. The status needs_context lists what the agents ask for.",
    act: startRoundtable,
    effect: "adds",
    input: z.strictObject({
      topic: start.topic,
      panel: start.panel,
      mode: start.mode,
      agentCount: start.agentCount,
      seats: start.seats,
      rounds: start.rounds,
      exitOnConsensus: start.exitOnConsensus,
      thresholds: start.thresholds,
      perspectives: start.perspectives,
      waiting: start.waiting,
      subject: start.subject,
      externalId: start.externalId,
      memory: start.memory,
      waitMs,
      idempotencyKey,
    }),
    ...shown,
    run: async ({ waitMs: time, idempotencyKey: _, ...fields }, call) => {
      const { actor, services } = call;
      const parsed = newRoundtableSchema.safeParse(fields);
      if (!parsed.success) {
        const errors = issuesOf(parsed.error);
        throw problem("invalid", "The roundtable can't be started like this; see what follows.", { errors });
      }
      const begun = await startRoundtable(actor, { start: { ...parsed.data, waitMs: 0 } }, services);
      const after = await settled(begun.sessionId, time, call);
      return { ...after, ...defined({ warnings: begun.warnings }) };
    },
  }),
  mcpTool({
    name: "continue_roundtable",
    title: "Go on with a debate",
    description:
      "Brings what was asked for (contextResults: {requestId, result or content or error, source?}) and runs one more round, or the closing pass.",
    act: continueRoundtable,
    effect: "adds",
    input: z.strictObject({ sessionId, ...continueSchema.shape, waitMs, idempotencyKey }),
    ...shown,
    run: async ({ sessionId: roundtableId, waitMs: time, idempotencyKey: _, ...command }, call) => {
      const { actor, services } = call;
      const went = await continueRoundtable(actor, { roundtableId, command: { ...command, waitMs: 0 } }, services);
      if (!went.running) return went;
      const after = await settled(roundtableId, time, call);
      return { ...after, ...defined({ outcomes: went.outcomes }) };
    },
  }),
  mcpTool({
    name: "get_roundtable",
    title: "Read a debate",
    description: "The debate as it is now: its status, the newest positions, and what is asked for.",
    act: readRoundtable,
    effect: "reads",
    input: z.strictObject({ sessionId, waitMs: waitMs.default(0) }),
    ...shown,
    run: ({ sessionId: roundtableId, waitMs: time }, call) => settled(roundtableId, time, call),
  }),
  mcpTool({
    name: "list_sessions",
    title: "List debates",
    description: "The roundtables there are, newest first.",
    act: listRoundtables,
    effect: "reads",
    input: z.strictObject({ limit, cursor }),
    output: pageOf(roundtableSummarySchema),
    run: (page, { actor, services }) => listRoundtables(actor, { ...page, metadata: {} }, services),
  }),
  mcpTool({
    name: "get_agents",
    title: "Read who sits at a table",
    description: "The seats of a debate: ids, names, roles, perspectives.",
    act: readRoundtable,
    effect: "reads",
    input: z.strictObject({ sessionId }),
    output: roundtableSchema.pick({ agents: true }),
    run: ({ sessionId: roundtableId }, { actor, services }) =>
      readRoundtable(actor, { roundtableId, waitMs: 0 }, services),
  }),
  mcpTool({
    name: "get_consensus",
    title: "Read the consensus of a round",
    description: "How far the seats agree, on what, where not, and who moved whom. Without a round, of the last one.",
    act: readRoundtable,
    effect: "reads",
    input: z.strictObject({ sessionId, round: z.int().min(1).max(20).optional() }),
    output: consensusSchema,
    run: ({ sessionId: roundtableId, round }, { actor, services }) =>
      readConsensus(actor, { roundtableId, round }, services),
  }),
  mcpTool({
    name: "get_thoughts",
    title: "Read one seat's thoughts",
    description: "What one agent held from round to round, and how sure it was.",
    act: readRoundtable,
    effect: "reads",
    input: z.strictObject({ sessionId, agentId: z.string().max(100) }),
    output: thoughtsSchema,
    run: ({ sessionId: roundtableId, agentId }, { actor, services }) =>
      readThoughts(actor, { roundtableId, agentId }, services),
  }),
  mcpTool({
    name: "get_round_details",
    title: "Read a round",
    description: "All positions of a round, its failures and its consensus.",
    act: readRoundtable,
    effect: "reads",
    input: z.strictObject({ sessionId, round: z.int().min(1).max(20) }),
    output: shownRoundSchema,
    run: ({ sessionId: roundtableId, round }, { actor, services }) =>
      readRound(actor, { roundtableId, round }, services),
  }),
  mcpTool({
    name: "get_response_detail",
    title: "Read one position",
    description: "What one agent said in a round, with its reasoning and its sources.",
    act: readRoundtable,
    effect: "reads",
    input: z.strictObject({ sessionId, round: z.int().min(1).max(20), agentId: z.string().max(100) }),
    output: shownPositionSchema,
    run: async ({ sessionId: roundtableId, round, agentId }, { actor, services }) => {
      const { responses } = await readRound(actor, { roundtableId, round }, services);
      const position = responses.find((one) => one.agentId === agentId);
      if (position === undefined) throw problem("not_found", "Nobody of that id spoke in this round.");
      return position;
    },
  }),
  mcpTool({
    name: "get_citations",
    title: "Read the sources of a debate",
    description: "What was cited, by whom, in which round.",
    act: readRoundtable,
    effect: "reads",
    input: z.strictObject({ sessionId, limit, cursor }),
    output: pageOf(shownCitationSchema),
    run: ({ sessionId: roundtableId, ...page }, { actor, services }) =>
      listCitations(actor, { ...page, roundtableId }, services),
  }),
  mcpTool({
    name: "control_session",
    title: "Pause, resume or stop a debate",
    description: "Pauses, resumes or stops it, or has it answer at once with what was said until now (answerNow).",
    act: controlRoundtable,
    effect: "changes",
    idempotent: true,
    input: z.strictObject({ sessionId, action: z.enum(controlActions), waitMs, idempotencyKey }),
    ...shown,
    run: ({ sessionId: roundtableId, action, waitMs: time }, { actor, services }) =>
      controlRoundtable(actor, { roundtableId, control: { action, waitMs: time } }, services),
  }),
  mcpTool({
    name: "synthesize_debate",
    title: "Bring a debate together",
    description: "One text of it: conclusion, recommendation, common ground, differences, minority.",
    act: synthesizeRoundtable,
    effect: "adds",
    input: z.strictObject({ sessionId, waitMs, idempotencyKey }),
    ...shown,
    run: async ({ sessionId: roundtableId, waitMs: time }, call) => {
      const { actor, services } = call;
      const begun = await synthesizeRoundtable(actor, { roundtableId, wait: { waitMs: 0 } }, services);
      return begun.running ? settled(roundtableId, time, call) : begun;
    },
  }),
  mcpTool({
    name: "export_session",
    title: "Export a debate",
    description: "The whole debate as Markdown or JSON, for somebody who wasn't there.",
    act: readRoundtable,
    effect: "reads",
    input: z.strictObject({ sessionId, format: z.enum(["markdown", "json"]).default("markdown") }),
    output: z.object({ format: z.enum(["markdown", "json"]), text: z.string() }),
    text: ({ text }) => text,
    run: async ({ sessionId: roundtableId, format }, { actor, services }) => {
      const { json, markdown } = await exportDebate(actor, { roundtableId }, services);
      return { format, text: format === "json" ? JSON.stringify(json) : markdown };
    },
  }),
];
