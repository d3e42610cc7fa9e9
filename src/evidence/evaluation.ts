/** An eval: candidates over the items of a dataset, in slices. What is done next, what it may cost, and when it is over: pure. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { itemName } from "../conversation/names.js";
import { tokenUsageSchema } from "../model/port.js";
import { stanceSchema } from "../roundtable/position.js";
import { actions } from "../supervision/verdict.js";
import { lazily } from "../text/lazily.js";
import { expectedSchema, inputSchema } from "./item.js";

/** Calls that a slice makes for each of `parallel`. */
const sliceSize = 25;
export const maxCalls = 100_000;

/** A stored supervisor, as it is or in a version, or a body as a PUT takes it: what `POST /v1/try` takes. */
const tried = lazily(() =>
  z.union([
    itemName,
    z.strictObject({ name: itemName, version: z.int().min(1).optional() }),
    z.looseObject({ kind: z.string() }),
  ]),
);

/** A stored agent, team or panel, as it is or in a version, with fields of its definition changed. */
export const answererSchema = lazily(() =>
  z
    .strictObject({
      name: itemName,
      agent: itemName.optional(),
      team: itemName.optional(),
      panel: itemName.optional(),
      version: z.int().min(1).optional(),
      change: z.record(z.string(), z.unknown()).optional(),
    })
    .refine(
      ({ agent, team, panel }) => [agent, team, panel].filter((name) => name !== undefined).length === 1,
      "say one of `supervisors`, `agent`, `team` and `panel`",
    ),
);
export const supervisingSchema = lazily(() =>
  z.strictObject({ name: itemName, supervisors: z.array(tried()).min(1).max(8) }),
);
export const candidateSchema = lazily(() => z.union([supervisingSchema(), answererSchema()]));
export type Candidate = z.infer<ReturnType<typeof candidateSchema>>;
export type Supervising = z.infer<ReturnType<typeof supervisingSchema>>;
export type Answerer = z.infer<ReturnType<typeof answererSchema>>;

/** Which resource answers. */
export function resourceOf({ agent, team, panel = "" }: Answerer): {
  kind: "agents" | "teams" | "panels";
  name: string;
} {
  if (agent !== undefined) return { kind: "agents", name: agent };
  return team === undefined ? { kind: "panels", name: panel } : { kind: "teams", name: team };
}

/** A stored agent that says which of two answers is better. */
export const judgeSchema = lazily(() =>
  z.strictObject({
    agent: itemName,
    version: z.int().min(1).optional(),
    /** What makes an answer better. */
    instructions: z.string().min(1).max(4_000).optional(),
  }),
);

export const newEvalSchema = lazily(() =>
  z.strictObject({
    dataset: itemName,
    /** Of the dataset; the newest, if nothing is said. */
    version: z.int().min(1).optional(),
    candidates: z
      .array(candidateSchema())
      .min(1)
      .max(8)
      .refine(
        (candidates) => new Set(candidates.map(({ name }) => name)).size === candidates.length,
        "each candidate needs a name of its own",
      ),
    /** How often each is asked about each item: rules always say the same, models don't. */
    repeats: z.int().min(1).max(5).default(1),
    parallel: z.int().min(1).max(8).default(1),
    /** What all calls together may come to. Has to be given where a model is called. */
    maxTokens: z.int().min(1).max(1e9).optional(),
    /** Endpoints of supervisors of kind `http` are called, signed, marked as a trial. */
    callHttp: z.boolean().default(false),
    /** Results keep what was made of texts of turns, also when those are erased. */
    copy: z.boolean().default(false),
    /** Compares each answer with the first candidate's, in both orders. */
    judge: judgeSchema().optional(),
  }),
);
export type NewEval = z.infer<ReturnType<typeof newEvalSchema>>;

export const evalStatuses = ["running", "completed", "stopped", "cancelled"] as const;
export type EvalStatus = (typeof evalStatuses)[number];

/** Tokens and calls that it comes to, where they can be told beforehand. */
export const estimateSchema = lazily(() => z.object({ calls: z.int(), modelCalls: z.int(), tokens: z.int() }));

export const evalSchema = lazily(() =>
  z.object({
    evalId: z.string(),
    dataset: z.string(),
    version: z.int(),
    status: z.enum(evalStatuses),
    /** Why it stopped. */
    reason: z.string().optional(),
    candidates: z.array(
      z.object({
        name: z.string(),
        supervisors: z.array(z.string()),
        /** What answers in place of supervisors, such as `shop@3`. */
        agent: z.string().optional(),
        team: z.string().optional(),
        panel: z.string().optional(),
      }),
    ),
    repeats: z.int(),
    /** Who compares answers, such as `grader@2`. */
    judge: z.string().optional(),
    progress: z.object({
      items: z.int(),
      /** Items × candidates × repeats, and what a judge is asked. */
      wanted: z.int(),
      done: z.int(),
      failed: z.int(),
    }),
    /** Tokens: what was taken, what a slice that is under way may take, and what all may. */
    spent: z.int(),
    reserved: z.int(),
    maxTokens: z.int().optional(),
    estimate: estimateSchema(),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
  }),
);
export type Eval = z.infer<ReturnType<typeof evalSchema>>;

/** As it is shown: what is stored is named with its version. */
export function shownCandidate(candidate: Candidate): Eval["candidates"][number] {
  const { name } = candidate;
  if ("supervisors" in candidate) return { name, supervisors: supervisorNames(candidate) };
  const { version, agent, team, panel } = candidate;
  const pinned = (resource: string | undefined) => resource && pinnedName(resource, version);
  return { name, supervisors: [], ...defined({ agent: pinned(agent), team: pinned(team), panel: pinned(panel) }) };
}

export function pinnedName(name: string, version: number | undefined): string {
  return version === undefined ? name : `${name}@${version}`;
}

function supervisorNames({ supervisors }: Supervising): string[] {
  return supervisors.map((one) => {
    if (typeof one === "string") return one;
    if ("kind" in one) return typeof one.name === "string" ? one.name : "body";
    return pinnedName(one.name, one.version);
  });
}

/** What one candidate said of one item. */
export const resultSchema = lazily(() =>
  z.object({
    action: z.enum(actions),
    /** What it made of the text, where that is another; what it answered. */
    text: z.string().optional(),
    /** `supervisor: rule` of each rule that matched. */
    matched: z.array(z.string()).optional(),
    /** Of an answer: the tools that were called (`server/tool`), the workers that were chosen, and what most seats held in the last round. */
    tools: z.array(z.string()).optional(),
    workers: z.array(z.string()).optional(),
    stance: stanceSchema.optional(),
    /** Of a judge: which of two answers is better; `none` where one of them is none. */
    winner: z.enum(["candidate", "against", "tie", "none"]).optional(),
    /** The call, question or approval of which nothing is on record: there the answer ended. */
    diverged: z.string().optional(),
    /** Of a replay: what counted as it is now, because nothing is on record of how it was. */
    asNow: z.array(z.string()).optional(),
    latencyMs: z.number(),
    usage: tokenUsageSchema.optional(),
    /** Nobody knows what it would have said: it counts as failed, and never as allowed. */
    failed: z.string().optional(),
  }),
);
export type Result = z.infer<ReturnType<typeof resultSchema>>;

/** A result with what it is of. */
export const itemResultSchema = lazily(() =>
  z.object({
    itemId: z.string(),
    candidate: z.string(),
    repeat: z.int(),
    /** The item's, where it isn't long. */
    input: inputSchema().optional(),
    expected: expectedSchema().optional(),
    group: z.string().optional(),
    weight: z.number().optional(),
    /** Whether it is what was expected; absent where nothing was, or where it failed. */
    correct: z.boolean().optional(),
    /** What a judge made of it beside the first candidate's; a winner that flips with the order is a tie. */
    judged: z
      .object({
        winner: z.enum(["candidate", "against", "tie"]).optional(),
        flipped: z.boolean(),
        /** Why it named no winner. */
        failed: z.string().optional(),
      })
      .optional(),
    result: resultSchema(),
  }),
);
export type ItemResult = z.infer<ReturnType<typeof itemResultSchema>>;

/** A call that is to be made: of which item, by which candidate, for the how manieth time. */
export interface Unit {
  readonly itemId: string;
  readonly candidate: number;
  readonly repeat: number;
}

/** The units of an item, in their order. */
export function unitsOf(itemId: string, candidates: number, repeats: number): Unit[] {
  return Array.from({ length: candidates * repeats }, (_none, at) => ({
    itemId,
    candidate: Math.floor(at / repeats),
    repeat: at % repeats,
  }));
}

/**
 * How many units the next slice may take.
 * @param greatest what one of them may cost at most, in tokens; 0 where no model is called
 * @returns 0 where not one more fits into what is left
 */
export function sliceLength(
  { parallel, maxTokens }: Pick<NewEval, "parallel" | "maxTokens">,
  spent: number,
  greatest: number,
): number {
  const size = sliceSize * parallel;
  if (greatest === 0 || maxTokens === undefined) return size;
  return Math.max(0, Math.min(size, Math.floor((maxTokens - spent) / greatest)));
}
