/** Panels as a tenant stores them or sends them with a roundtable: a mode, its seats, and what bounds the debate. */
import { z } from "zod";
import { modelChoice } from "../agent/definition.js";
import { audiences } from "../asks/policy.js";
import { defined } from "../conversation/defined.js";
import { itemName, toolRefSchema } from "../conversation/names.js";
import { modeNamed, modeNames } from "./modes/table.js";

const maxSeats = 10;
const minSeats = 2;

const toolName = z.union([
  z
    .string()
    .regex(
      /^([A-Za-z0-9_-]{1,100}\/)?(\*|[A-Za-z0-9_.-]{1,100})$/,
      "a tool is a built-in by its name, `server/tool` or `server/*`",
    ),
  toolRefSchema.transform(({ server, tool }) => `${server}/${tool}`),
]);

export const seatSchema = z
  .strictObject({
    id: itemName,
    /** As the others call it; its id, if nothing is said. */
    name: z.string().min(1).max(100).optional(),
    /** Who it is and what it cares for: a part of its instructions. */
    persona: z.string().min(1).max(8_000).optional(),
    /** `<provider>/<model>`; a list is tried in order. */
    model: modelChoice.optional(),
    /** A stored agent of kind `model`, in whose place the seat speaks: its model, instructions and tools. */
    agent: itemName.optional(),
    temperature: z.number().min(0).max(2).optional(),
  })
  .refine(({ model, agent }) => model === undefined || agent === undefined, {
    message: "a seat has a model or an agent, not both",
    path: ["agent"],
  });
export type SeatDefinition = z.infer<typeof seatSchema>;

const perspectiveSchema = z.union([
  z
    .string()
    .min(1)
    .max(200)
    .transform((name) => ({ name, description: "" })),
  z.strictObject({ name: z.string().min(1).max(200), description: z.string().max(2_000).default("") }),
]);

export const waitings = ["all", "asker"] as const;
/** What a continue does while a required request is open: nothing, or the round without those who asked. */
export type Waiting = (typeof waitings)[number];

const requestPolicySchema = z.strictObject({
  /** Who may answer. */
  audience: z.enum(audiences).default("user"),
  /** How long an answer is waited for, in milliseconds; 0: for ever. */
  timeoutMs: z
    .int()
    .min(0)
    .max(366 * 86_400_000)
    .default(0),
  /** Of one seat in one round. */
  maxPerSeat: z.int().min(0).max(20).default(3),
  /** Of the whole debate; those that are merged or answered from the cache don't count. */
  max: z.int().min(0).max(200).default(30),
  /** `required` turns optional requests away: the seat goes on without. */
  priority: z.enum(["all", "required"]).default("all"),
  /** From which likeness of words on two requests are one. */
  minLikeness: z.number().min(0.5).max(1).default(0.8),
});
export type RequestPolicy = z.infer<typeof requestPolicySchema>;

const panelLimitsSchema = z.strictObject({
  /** Of the whole debate, analyst and synthesis included. */
  maxTokens: z.int().min(1).max(20_000_000).default(1_000_000),
  maxModelCalls: z.int().min(1).max(5_000).default(1_000),
  /** Milliseconds of work, not of waiting. */
  maxActiveMs: z.int().min(1).max(86_400_000).default(3_600_000),
  /** Of one prompt of one seat: older rounds are shortened to fit. */
  promptTokens: z.int().min(1_000).max(200_000).default(12_000),
  /** Rounds of tool calls within one turn of a seat. */
  maxToolRounds: z.int().min(0).max(20).default(4),
  modelTimeoutMs: z.int().min(100).max(600_000).default(60_000),
  /** Further attempts of a seat that failed. */
  maxSeatRetries: z.int().min(0).max(5).default(1),
});
export type PanelLimits = z.infer<typeof panelLimitsSchema>;

const share = z.number().min(0).max(1);
const exitThresholdsSchema = z.strictObject({
  /** The counted agreement from which on a debate may end. */
  agreement: share.default(0.9),
  /** The agreement that the analyst, where there is one, has to see too. */
  analyst: share.default(0.7),
  /** Every seat at least so sure, and all of one view. */
  confidence: share.default(0.85),
  /** Over so many rounds nobody may have moved. */
  stableRounds: z.int().min(2).max(20).default(3),
});
/** What ends a debate before its last round, where `exitOnConsensus` lets it. */
export type ExitThresholds = z.infer<typeof exitThresholdsSchema>;

const modelsSchema = z.strictObject({
  analyst: modelChoice.default("default"),
  synthesis: modelChoice.default("default"),
});

/** What a start may say besides naming a panel, too. */
export const debateFields = {
  rounds: z.int().min(1).max(20),
  exitOnConsensus: z.boolean(),
  /** From what on it may end before its last round. */
  thresholds: exitThresholdsSchema,
  /** One a seat, in their order; without them a mode that needs some has them made. */
  perspectives: z.array(perspectiveSchema).max(maxSeats),
  waiting: z.enum(waitings),
};

export const panelFields = {
  mode: z.enum(modeNames),
  agentCount: z.int().min(minSeats).max(maxSeats),
  seats: z.array(seatSchema).min(minSeats).max(maxSeats),
  /** For every seat: built-ins, `server/tool`, `server/*`. */
  tools: z.array(toolName).max(100),
  memories: z.array(z.string().min(1).max(100)).max(20),
  requests: requestPolicySchema,
  models: modelsSchema,
  /** Whether a model looks at each round beside the numbers. */
  analysis: z.boolean(),
  limits: panelLimitsSchema,
};

export const panelSchema = z
  .strictObject({
    description: z.string().max(1_000).optional(),
    mode: panelFields.mode.default("collaborative"),
    agentCount: panelFields.agentCount.optional(),
    seats: panelFields.seats.optional(),
    rounds: debateFields.rounds.default(3),
    exitOnConsensus: debateFields.exitOnConsensus.default(true),
    thresholds: debateFields.thresholds.prefault({}),
    perspectives: debateFields.perspectives.optional(),
    waiting: debateFields.waiting.default("all"),
    tools: panelFields.tools.default([]),
    memories: panelFields.memories.default([]),
    requests: panelFields.requests.prefault({}),
    models: panelFields.models.prefault({}),
    analysis: panelFields.analysis.default(true),
    limits: panelFields.limits.prefault({}),
    /** In addition to the tenant's and the caller's. */
    supervisors: z.array(itemName).max(50).default([]),
  })
  .superRefine((panel, context) => {
    for (const { path, message } of panelProblems(panel)) context.addIssue({ code: "custom", path, message });
  });
export type Panel = z.infer<typeof panelSchema>;

interface Seating {
  readonly mode: Panel["mode"];
  readonly agentCount?: number | undefined;
  readonly seats?: readonly SeatDefinition[] | undefined;
  readonly perspectives?: readonly unknown[] | undefined;
}

const defaultCount = 3;

/** What fields alone don't show. */
function panelProblems(panel: Seating): { path: (string | number)[]; message: string }[] {
  const { mode, agentCount, seats = [], perspectives } = panel;
  const problems: { path: (string | number)[]; message: string }[] = [];
  if (agentCount !== undefined && seats.length > 0 && agentCount !== seats.length) {
    problems.push({ path: ["agentCount"], message: `there are ${seats.length} seats; leave agentCount out` });
  }
  for (const [index, { id }] of seats.entries()) {
    if (seats.findIndex((seat) => seat.id === id) !== index) {
      problems.push({
        path: ["seats", index, "id"],
        message: `"${id}" is there twice; every seat needs an id of its own`,
      });
    }
  }
  const count = seats.length > 0 ? seats.length : (agentCount ?? defaultCount);
  const least = modeNamed(mode).minSeats ?? minSeats;
  if (count < least) {
    const path = seats.length > 0 ? ["seats"] : ["agentCount"];
    problems.push({ path, message: `${mode} needs at least ${least} seats, and has ${count}` });
  }
  if (perspectives !== undefined && perspectives.length !== count) {
    problems.push({
      path: ["perspectives"],
      message: `one a seat: there are ${count} seats and ${perspectives.length} perspectives`,
    });
  }
  return problems;
}

export const perspectiveTextSchema = z.object({ name: z.string(), description: z.string() });
export type Perspective = z.infer<typeof perspectiveTextSchema>;

/** Those who sit at the table, as the debate and its readers know them. */
export const seatInfoSchema = z.object({
  /** `agentId` on the wire. */
  id: z.string(),
  name: z.string(),
  persona: z.string().optional(),
  /** Its part in the mode: `proponent`, `red` … */
  role: z.string().optional(),
  perspective: perspectiveTextSchema.optional(),
});
export type SeatInfo = z.infer<typeof seatInfoSchema>;

/** A seat as readers know it. */
export function seatInfo({ id, name, persona, role, perspective }: SeatInfo): SeatInfo {
  return { id, name, ...defined({ persona, role, perspective }) };
}

/** The seats of a panel in their order: those that it lists, or as many as it says. */
export function seatsOf({ mode, agentCount, seats, perspectives }: Panel): (SeatInfo & SeatDefinition)[] {
  const listed: readonly SeatDefinition[] =
    seats ?? Array.from({ length: agentCount ?? defaultCount }, (_, index) => ({ id: `agent-${index + 1}` }));
  return listed.map((seat, index) => {
    const role = modeNamed(mode).role?.(index, listed.length);
    const perspective = perspectives?.[index];
    const numbered = `Agent ${index + 1}`;
    return {
      ...seat,
      name: seat.name ?? (seats === undefined ? numbered : seat.id),
      ...defined({ role: role?.name, perspective }),
    };
  });
}
